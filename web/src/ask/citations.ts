/** Finds and removes the citations in an answer: `[2]`, `[1, 3]`, `[1][2]`. */
import type { Run } from "./markdown.js";
import type { Cited } from "./support.js";

const CITED = /\s?[[【]([1-9]\d?(?:\s*[,;]\s*[1-9]\d?)*)[\]】]/g;
/** Matches code. Brackets in code are not citations. */
const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/;

/** Removes the citations from the text of runs, except in code, and returns each citation with its offset. */
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

/** Removes the citations from an answer before it is sent again, because the numbers would then refer to other passages. */
export function withoutCitations(text: string): string {
  const parts = text.split(CODE);
  return parts.map((part, at) => (at % 2 === 1 ? part : part.replace(CITED, ""))).join("");
}
