/** The encoders that a page can load to understand questions better, automatically or when the reader requests it. */
import type { Answer, Search } from "../api.js";

/** When a page loads a question encoder: automatically, when the reader requests it, or never. By default, the bundle decides. */
export type Loading = "auto" | "ask" | "never";

/** An encoder that the box offers to load. */
export interface Offer {
  bytes: number;
  small: boolean;
}

/** Whether the small encoder of a search was loaded. Loading is tried only once. */
const loads = new WeakMap<Search, Promise<boolean>>();

/** Returns the offer to show below an answer. */
export function offerFor({ model }: Search, { encoder }: Answer, loading: Loading | undefined): Offer | undefined {
  const { small, bytes } = model;
  if (encoder === "table" && small) {
    // An encoder that loads automatically is not offered, and takes precedence over a larger one.
    return loadingOf(model, loading) === "ask" ? { bytes: small.bytes, small: true } : undefined;
  }
  return bytes && encoder && encoder !== "model" && loading !== "never" ? { bytes, small: false } : undefined;
}

/**
 * Loads the small encoder when the page is idle, if it may improve the answer to `text`. Returns whether it was loaded. A failure
 * is not reported to the reader, because the answer is then as good as before.
 */
export async function improvesByItself(
  search: Search,
  text: string,
  answer: Answer,
  loading: Loading | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  if (answer.encoder !== "table" || loadingOf(search.model, loading) !== "auto" || !isMoreThanAName(text, answer)) {
    return false;
  }
  // If the reader continues typing, the next question uses the encoder.
  await idle();
  const load =
    loads.get(search) ??
    search.loadModel({ small: true }).then(
      () => true,
      () => false,
    );
  loads.set(search, load);
  return (await load) && !signal.aborted;
}

function loadingOf({ small }: Search["model"], asked: Loading | undefined): Loading {
  return small ? (asked ?? small.loads) : "never";
}

/** Returns whether a text is more than a name. Names are found by their letters. */
function isMoreThanAName(text: string, { hits }: Answer): boolean {
  return /\S\s+\S/.test(text) && !hits[0]?.why.named;
}

/** Resolves when the page is idle, or soon, in browsers without `requestIdleCallback`. */
function idle(): Promise<unknown> {
  return new Promise((resolve) => (globalThis.requestIdleCallback ?? setTimeout)(resolve));
}
