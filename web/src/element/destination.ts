import type { Excerpt, Passage } from "../api.js";
import { orElse } from "./strings.js";

/** Words on each side of a match that make it the one that is meant. */
const WORDS_AROUND = 3;
/** What is not on the page as it is in the source: marks of Markdown, ends of lines. */
const MARKS = /[`*_[\]()<>#|\\\n·]/;

/** The address `url`, relative to `base`; `null` for what is none. Those of hits are safe to link to. */
export function webAddress(url: string, base: string): URL | null {
  return orElse(() => new URL(url, base), null);
}

/** Where a passage is found: the page at `url`, relative to `base`; `null` for what is not a web address. */
export function destination(url: string, passage: Passage, base: string, highlights: boolean): string | null {
  const found = webAddress(url, base);
  if (!found) {
    return null;
  }
  const text = highlights && "fragmentDirective" in document ? plainWords(passage.excerpt) : "";
  // Set as text, so that anchors of every script stay as they are.
  const anchor = passage.anchor || found.hash.slice(1);
  found.hash = "";
  const directive = text && `:~:text=${encodeURIComponent(text).replaceAll("-", "%2D")}`;
  return found.href + (anchor || directive ? `#${anchor}${directive}` : "");
}

/**
 * The words around the first match, as a browser finds and highlights them on the page it goes to:
 * https://wicg.github.io/scroll-to-text-fragment. Where it does not find them it goes to the anchor.
 */
function plainWords({ text, highlights: [match] }: Excerpt): string {
  if (!match) {
    return "";
  }
  const words = (run: string): string[] => run.split(/ +/).filter(Boolean);
  const before = words(text.slice(0, match[0]).split(MARKS).at(-1)!).slice(-WORDS_AROUND);
  const [matched, after] = [text.slice(...match), words(text.slice(match[1]).split(MARKS)[0]!)];
  // A word that goes on after the match, and what comes right before it, belong to it.
  const glue = (at: string): string => (at === "" || /\s/.test(at) ? " " : "");
  const left = before.join(" ") + (before.length > 0 ? glue(text[match[0] - 1] ?? "") : "");
  const right = after.slice(0, WORDS_AROUND).join(" ");
  return (left + matched + (right && glue(text[match[1]] ?? "") + right)).trim();
}
