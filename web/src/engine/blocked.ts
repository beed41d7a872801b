import { NearfindError } from "../errors.js";

/** The notice for a page that forbids WebAssembly. */
export const BLOCKED = "the page's Content-Security-Policy forbids WebAssembly: add 'wasm-unsafe-eval' to its script-src";

/**
 * Replaces the browser's error for a page that forbids WASM with one that says what to do. Each browser words its error
 * differently, and none mentions a remedy.
 */
export async function compiled<T>(module: Promise<T>): Promise<T> {
  try {
    return await module;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/content security|unsafe-eval|csp/i.test(message)) {
      throw new NearfindError("blocked", BLOCKED);
    }
    throw error;
  }
}
