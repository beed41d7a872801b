import type { Excerpt, Passage } from "../api.js";
import { orElse } from "./strings.js";

/** The number of words on each side of a match that identify it. */
const WORDS_AROUND = 3;
/** The minimum number of words around a match. With fewer words, the match could be anywhere on a page. */
const FEWEST_AROUND = 2;
/**
 * Matches signs and words that end a match's context: Markdown markup, ends of sentences, and words that are probably code.
 * Themes may lay out code so that browsers find no text across its edges.
 */
const END = /[`*[\]<>|\\#·…\n_.:]|\p{Ll}\p{Lu}/u;

/** Resolves `url` relative to `base`; `null` if it is not an address. Addresses of hits are safe to link to. */
export function webAddress(url: string, base: string): URL | null {
  return orElse(() => new URL(url, base), null);
}

/** Returns the address of a passage on the page at `url`, relative to `base`; `null` if `url` is not a web address. */
export function destination(url: string, passage: Passage, base: string, highlights: boolean): string | null {
  const found = webAddress(url, base);
  if (!found) {
    return null;
  }
  const text = highlights && "fragmentDirective" in document ? textDirective(passage.excerpt) : "";
  // The anchor is appended as text, so that anchors in every writing system stay unchanged.
  const anchor = passage.anchor || found.hash.slice(1);
  found.hash = "";
  const directive = text && `:~:text=${text}`;
  return found.href + (anchor || directive ? `#${anchor}${directive}` : "");
}

/**
 * Removes the text fragment from an address. Text fragments are for the browser, and routers would treat them as part of the
 * anchor.
 */
export function withoutDirective(url: string): string {
  return url.replace(/#?:~:.*/, "");
}

/**
 * Returns a text fragment with the words around the first match, so that the browser finds and highlights them on the page:
 * https://wicg.github.io/scroll-to-text-fragment. If the browser does not find them, it goes to the anchor. The browser finds
 * only whole words, as the segmenter separates them. If the match is code, the words before and after it are separate parts of
 * the fragment.
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
