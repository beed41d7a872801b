/** What went wrong, for programs; stable. */
export type NearfindErrorCode =
  /** Nothing to search for: ask with one word at least. */
  | "empty-query"
  /** More hits were asked for than can be, or none. */
  | "bad-limit"
  /** The bundle has no such filter or value; `filters` says what it has. */
  | "bad-filter"
  /** Lines cannot be looked for by this: it would fetch too much, or takes too long; the message says which. */
  | "bad-pattern"
  /** A date, an order or a vector that the bundle cannot be asked by; the message says which. */
  | "bad-query"
  /** Meaning was asked for, and neither the bundle nor the host has a model: ask by words, or index with `--ship-model`. */
  | "no-model"
  /** `nearfind/slim` was not given the module that this needs; the message says which. */
  | "no-module"
  /** Bundles of different models cannot answer as one: index them with the same. */
  | "other-model"
  /** The model's file is damaged or of a kind that cannot run here: publish it again. */
  | "bad-model"
  /** The bundle is damaged, or of another version of nearfind: publish it again, all of its files. */
  | "bad-bundle"
  /** There is no bundle at this address: is it the folder with `nearfind.json`? */
  | "not-found"
  /** Only what is at hand was to be read, and that is not enough. */
  | "not-at-hand"
  /** The host cannot be reached; what was read before goes on answering. */
  | "network"
  /** The page forbids workers or WebAssembly: see its Content-Security-Policy. */
  | "blocked"
  /** The reader saves data, so the model is loaded only when asked for. */
  | "save-data"
  /** The search was closed: open the bundle again. */
  | "closed"
  /** A defect of nearfind: please report it. */
  | "internal";

/** An error of nearfind. `code` is stable, `message` is for people. */
export class NearfindError extends Error {
  override readonly name = "NearfindError";

  /** @param code What went wrong. */
  constructor(
    readonly code: NearfindErrorCode,
    message: string,
  ) {
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
