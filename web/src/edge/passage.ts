import type { DocumentText, Hit } from "../api.js";
import { textOfDocument } from "./whole_document.js";

/** A hit's passage as it appears in the document. */
export interface Passage {
  text: string;
  /** The document line where the passage begins, starting at 1. */
  line: number;
}

/** Returns a hit's passage. The query must have set `QueryOptions.texts`. */
export function passageOf({ title, section, text = "" }: Hit, document: DocumentText | null): Passage {
  // The title, the headings and an empty line come before the passage.
  const passage = text.slice(title.length + section.length + 3);
  const whole = document ? textOfDocument(document) : "";
  const at = whole.indexOf(passage);
  const before = at < 0 ? [] : whole.slice(0, at).split("\n").slice(0, -1);
  return { text: withFences(passage, isInCode(before)), line: before.length + 1 };
}

/** Adds the fences that a text lacks if it begins or ends within fenced code. */
function withFences(text: string, startsInCode: boolean): string {
  const endsInCode = isInCode(text.split("\n"), startsInCode);
  return `${startsInCode ? "```\n" : ""}${text}${endsInCode ? `${text.endsWith("\n") ? "" : "\n"}\`\`\`\n` : ""}`;
}

/** Returns whether lines leave a fence open. */
function isInCode(lines: string[], isOpen = false): boolean {
  return lines.filter((line) => /^\s*(?:```|~~~)/.test(line)).length % 2 === 1 ? !isOpen : isOpen;
}
