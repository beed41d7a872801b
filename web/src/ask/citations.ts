/** Citations of an answer: `[2]`, `[1, 3]`, `[1][2]`. */
import type { Run } from "./markdown.js";
import type { Cited } from "./support.js";

const CITED = /\s?[[【]([1-9]\d?(?:\s*[,;]\s*[1-9]\d?)*)[\]】]/g;
/** Code, in which brackets are no citations. */
const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/;

/** The text of runs without its citations, which are taken out of all but code, each with the offset at which it stood. */
export function citedIn(runs: Run[]): Cited {
  const cited: Cited = { text: "", runs: [], citations: [] };
  for (const { text, marks } of runs) {
    let from = 0;
    const add = (to: number): void => {
      const part = text.slice(from, to);
      if (part) {
        cited.runs.push({ text: part, marks });
        cited.text += part;
      }
    };
    for (const match of marks.includes("code") ? [] : text.matchAll(CITED)) {
      add(match.index);
      from = match.index + match[0].length;
      cited.citations.push(...match[1]!.split(/[,;]/).map((number) => ({ at: cited.text.length, number: Number(number) })));
    }
    add(text.length);
  }
  return cited;
}

/** An answer as it may be sent again: its numbers stand for other passages then. */
export function withoutCitations(text: string): string {
  const parts = text.split(CODE);
  return parts.map((part, at) => (at % 2 === 1 ? part : part.replace(CITED, ""))).join("");
}
