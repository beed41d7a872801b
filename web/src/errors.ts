/** An error of nearfind. `code` is stable, `message` is for people. */
export class NearfindError extends Error {
  override readonly name = "NearfindError";

  /**
   * @param code `empty-query`, `bad-limit`, `bad-filter`, `bad-query`, `no-model`, `other-model`, `bad-model`,
   * `bad-bundle`, `not-found`, `network`, `blocked`, `save-data`, `closed` or `internal`.
   */
  constructor(readonly code: string, message: string) {
    super(message);
  }

  /** Gives errors of the WASM modules, which carry a code, this class; leaves others as they are. */
  static from(error: unknown): unknown {
    if (error instanceof Error && !(error instanceof NearfindError) && "code" in error && typeof error.code === "string") {
      return new NearfindError(error.code, error.message);
    }
    return error;
  }
}

/** What is said of a search that was closed. */
export function closed(): NearfindError {
  return new NearfindError("closed", "this search is closed: open the bundle again");
}
