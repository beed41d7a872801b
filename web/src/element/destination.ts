import type { Excerpt, Passage } from "../api.js";
import { orElse } from "./strings.js";

/** Words on each side of a match that make it the one that is meant. */
const WORDS_AROUND = 3;
/** With fewer words around it a match is found anywhere on a page. */
const FEWEST_AROUND = 2;
/**
 * Where words that are looked for end: at marks of Markdown, ends of sentences, and words that are most likely code, which
 * themes may set so that browsers find no text across their edges.
 */
const END = /[`*[\]<>|\\#·…\n_.:]|\p{Ll}\p{Lu}/u;

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
  const text = highlights && "fragmentDirective" in document ? textDirective(passage.excerpt) : "";
  // Set as text, so that anchors of every script stay as they are.
  const anchor = passage.anchor || found.hash.slice(1);
  found.hash = "";
  const directive = text && `:~:text=${text}`;
  return found.href + (anchor || directive ? `#${anchor}${directive}` : "");
}

/** An address without the words to highlight, which are the browser's alone: routers take them for a part of the anchor. */
export function withoutDirective(url: string): string {
  return url.replace(/#?:~:.*/, "");
}

/**
 * The words around the first match, as a browser finds and highlights them on the page it goes to:
 * https://wicg.github.io/scroll-to-text-fragment. Where it does not find them it goes to the anchor. It finds whole words alone,
 * as the segmenter tells them. Code is looked for between its neighbours, each by itself.
 */
export function textDirective({ text, highlights: [match] }: Excerpt): string {
  if (!match) {
    return "";
  }
  const pieces = [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)];
  const at = pieces.findIndex(({ index, segment }) => index + segment.length > match[0]);
  let around = 0;
  const side = (step: number): string => {
    let [found, kept, words] = ["", "", 0];
    for (let next = at + step; words < WORDS_AROUND; next += step) {
      const { segment, isWordLike } = pieces[next] ?? { segment: "\n" };
      if (END.test(segment)) {
        break;
      }
      found = step < 0 ? segment + found : found + segment;
      if (isWordLike) {
        [kept, words] = [found, words + 1];
      }
    }
    around += words;
    return kept;
  };
  const encoded = (words: string): string => encodeURIComponent(words.trim()).replaceAll("-", "%2D");
  const [left, right, { segment }] = [side(-1), side(1), pieces[at]!];
  if (around < FEWEST_AROUND) {
    return "";
  }
  return END.test(segment)
    ? `${left && `${encoded(left)}-,`}${encoded(segment)}${right && `,-${encoded(right)}`}`
    : encoded(left + segment + right);
}
