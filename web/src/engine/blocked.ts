import { NearfindError } from "../errors.js";

/** What a page that forbids WebAssembly is told. */
export const BLOCKED = "the page's Content-Security-Policy forbids WebAssembly: add 'wasm-unsafe-eval' to its script-src";

/** Says what to do where the page's policy forbids WASM: the platform's own words differ by browser and name no cure. */
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
