/** Identifies an error, for programs. Codes are stable. */
export type NearfindErrorCode =
  /** The query has no word to search for. Search with at least one word. */
  | "empty-query"
  /** The requested number of hits is out of range. */
  | "bad-limit"
  /** The index does not have this filter or value. `Search.filters` lists them. */
  | "bad-filter"
  /** The pattern would fetch too much data or take too long. The message says which. */
  | "bad-pattern"
  /** The index cannot use the query's date, sort order or vector. The message says which one. */
  | "bad-query"
  /** The query needs a model, but neither the index nor the host has one. Search by words, or index with `--ship-model`. */
  | "no-model"
  /** The call needs a module that was not passed to `nearfind/slim`. The message says which one. */
  | "no-module"
  /** The indexes were made with different models and cannot be searched as one. Index them with the same model. */
  | "other-model"
  /** The model file is damaged, or its model cannot run on this host. Publish it again. */
  | "bad-model"
  /** The index is damaged, or was made by another version of nearfind. Index again, and then publish all files of the index. */
  | "bad-bundle"
  /** There is no index at this address. It must be the folder that contains `nearfind.json`. */
  | "not-found"
  /** The query needs to fetch data, but `fetch` is false. */
  | "not-at-hand"
  /** The host cannot be reached. Queries that need no new data are still answered. */
  | "network"
  /** The page forbids workers or WebAssembly. Check its Content-Security-Policy. */
  | "blocked"
  /** The reader's browser is set to save data, so the model is loaded only if the reader requests it. */
  | "save-data"
  /** The search is closed. Open the index again. */
  | "closed"
  /** A bug in nearfind. Please report it. */
  | "internal";

/**
 * An error from nearfind. `code` is stable; `message` is for people and may change.
 *
 * @example
 * ```ts
 * import { NearfindError, open } from "nearfind";
 * try {
 *   await open("https://docs.example.org/no-index-here/");
 * } catch (error) {
 *   if (error instanceof NearfindError && error.code === "not-found") {
 *     console.log(error.message);
 *   }
 * }
 * ```
 */
export class NearfindError extends Error {
  override readonly name = "NearfindError";

  /** @param code Identifies the error. */
  constructor(
    readonly code: NearfindErrorCode,
    message: string,
  ) {
    super(message);
  }

  /** Converts an error from a WASM module, which has a code, to this class. Returns other errors unchanged. */
  static from(error: unknown): unknown {
    if (error instanceof Error && !(error instanceof NearfindError) && "code" in error && typeof error.code === "string") {
      // The modules use no other codes. A list to check against would be a second copy of the codes in every page.
      return new NearfindError(error.code as NearfindErrorCode, error.message);
    }
    return error;
  }
}

/** Creates the error for calls to a closed search. */
export function closed(): NearfindError {
  return new NearfindError("closed", "this search is closed: open the index again");
}
