/** What a page may load so that it understands questions better: by itself, or when the reader asks for it. */
import type { Answer, Search } from "../api.js";

/** When a page loads what encodes questions: by itself, when the reader asks, or not at all; by default as the bundle says. */
export type Loading = "auto" | "ask" | "never";

/** What a reader is offered. */
export interface Offer {
  bytes: number;
  small: boolean;
}

/** Whether the small encoder of a search could be loaded, once that was tried: nothing is tried twice. */
const loads = new WeakMap<Search, Promise<boolean>>();

/** What to offer below an answer. */
export function offerFor({ model }: Search, { encoder }: Answer, loading: Loading | undefined): Offer | undefined {
  const { small, bytes } = model;
  if (encoder === "table" && small) {
    // What loads by itself need not be offered, and comes before what is larger.
    return loadingOf(model, loading) === "ask" ? { bytes: small.bytes, small: true } : undefined;
  }
  return bytes && encoder && encoder !== "model" && loading !== "never" ? { bytes, small: false } : undefined;
}

/**
 * Loads the small encoder once the page has nothing else to do, if the answer to `text` may become better by it; whether it did.
 * The reader is told of nothing: without it the answer is as good as it was.
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
  // A reader who types on asks the next question of it.
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

/** Names are found by their letters. */
function isMoreThanAName(text: string, { hits }: Answer): boolean {
  return /\S\s+\S/.test(text) && !hits[0]?.why.named;
}

/** Ends when the page has nothing to do, in browsers that tell. */
function idle(): Promise<unknown> {
  return new Promise((resolve) => (globalThis.requestIdleCallback ?? setTimeout)(resolve));
}
