/** What went wrong, for programs; stable. */
export type NearfindErrorCode =
  | "empty-query" | "bad-limit" | "bad-filter" | "bad-query" | "no-model" | "other-model" | "bad-model" | "bad-bundle"
  | "not-found" | "not-at-hand" | "network" | "blocked" | "save-data" | "closed" | "internal";

/** An error of nearfind. `code` is stable, `message` is for people. */
export class NearfindError extends Error {
  override readonly name = "NearfindError";

  /** @param code What went wrong. */
  constructor(readonly code: NearfindErrorCode, message: string) {
    super(message);
  }

  /** Gives errors of the WASM modules, which carry a code, this class; leaves others as they are. */
  static from(error: unknown): unknown {
    if (error instanceof Error && !(error instanceof NearfindError) && "code" in error && typeof error.code === "string") {
      // The modules give no others; a list of them would be in every page twice.
      return new NearfindError(error.code as NearfindErrorCode, error.message);
    }
    return error;
  }
}

/** What a search that was closed answers. */
export function closed(): NearfindError {
  return new NearfindError("closed", "this search is closed: open the bundle again");
}
