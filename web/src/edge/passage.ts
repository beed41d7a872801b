import type { DocumentText, Hit } from "../api.js";
import { textOfDocument } from "./whole_document.js";

/** The passage of a hit as its document has it. */
export interface Passage {
  text: string;
  /** The line of the document on which it begins, from 1. */
  line: number;
}

/** Returns the passage of a hit that was requested with its text, see `QueryOptions.texts`. */
export function passageOf({ title, section, text = "" }: Hit, document: DocumentText | null): Passage {
  // In front of the passage are the title, the headings and an empty line.
  const passage = text.slice(title.length + section.length + 3);
  const whole = document ? textOfDocument(document) : "";
  const at = whole.indexOf(passage);
  const before = at < 0 ? [] : whole.slice(0, at).split("\n").slice(0, -1);
  return { text: withFences(passage, isInCode(before)), line: before.length + 1 };
}

/** Returns a part of fenced code with the fences that the rest of the document has. */
function withFences(text: string, startsInCode: boolean): string {
  const endsInCode = isInCode(text.split("\n"), startsInCode);
  return `${startsInCode ? "```\n" : ""}${text}${endsInCode ? `${text.endsWith("\n") ? "" : "\n"}\`\`\`\n` : ""}`;
}

/** Whether lines leave a fence open. */
function isInCode(lines: string[], isOpen = false): boolean {
  return lines.filter((line) => /^\s*(?:```|~~~)/.test(line)).length % 2 === 1 ? !isOpen : isOpen;
}
