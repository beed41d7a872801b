/**
 * The form of what tools give: it fits a budget, and texts of documents stay apart from what the server says. The native server
 * writes the same, and `test/edge_as_native.test.mjs` compares them.
 */

/** The maximum number of characters of a response: 20,000 tokens of 3, with a tenth left for what is around the texts. */
export const RESPONSE_CHARS = 54_000;
/** The maximum number of characters of a name, title or address. */
const LINE_CHARS = 200;
const NOTE_CHARS = 600;

/** Characters that turn the order of a text around. */
const REORDERS = /[\u202a-\u202e\u2066-\u2069]/g;
/** Characters that do something to what shows them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const ZERO_WIDTH = /[\u200b-\u200f]/g;

/** Returns the number of characters of a text, where {@link String.length} counts UTF-16 code units. */
export function charsOf(text: string): number {
  let chars = 0;
  for (const _ of text) chars++;
  return chars;
}

/** Returns the index in UTF-16 code units of a character of `text`, or its length if it has fewer. */
export function indexOfChar(text: string, char: number): number {
  if (text.length <= char) {
    return text.length;
  }
  let at = 0;
  for (let left = char; left > 0 && at < text.length; left--) {
    at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  }
  return at;
}

/**
 * Returns at most `most` characters of `text` from its start, up to the end of a line if there is one in the last fifth, and
 * whether that is all.
 */
export function beginning(text: string, most: number): { start: string; isAll: boolean } {
  const end = indexOfChar(text, most);
  if (end >= text.length) {
    return { start: text, isAll: true };
  }
  const line = text.lastIndexOf("\n", end - 1) + 1;
  return { start: text.slice(0, line * 5 > end * 4 ? line : end), isAll: false };
}

/** Returns a name or title from a document in one short line, without control characters. */
export function oneLine(text: string, most = LINE_CHARS): string {
  const visible = text.trim().split(/\s+/u).map(hidden).filter(Boolean).join(" ");
  const end = indexOfChar(visible, most);
  return end < visible.length ? `${visible.slice(0, end)}…` : visible;
}

function hidden(word: string): string {
  return word.replace(CONTROLS, "").replace(REORDERS, "").replace(ZERO_WIDTH, "");
}

/**
 * Returns the text of a document between fences that it cannot close, with marks that turn its order around shown. Nothing for no
 * text.
 */
export function fenced(language: string, text: string): string {
  if (text === "") {
    return "";
  }
  const visible = text
    .replace(CONTROLS, "")
    .replace(REORDERS, (mark) => `<U+${mark.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}>`);
  const longest = Math.max(2, ...Array.from(visible.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${visible}${visible.endsWith("\n") ? "" : "\n"}${fence}\n`;
}

/** Returns a number of things in words: `1 file`, `2 files`. */
export function counted(number: number, one: string): string {
  return number === 1 ? `1 ${one}` : `${number} ${one}s`;
}

/** Returns notes as lines. */
export function notes(notices: string[]): string {
  return notices.map((notice) => `note: ${oneLine(notice, NOTE_CHARS)}\n`).join("");
}

/** Returns how many of `items`, from the first, fit into a response: at least one, if there is one. */
export function fitting(items: unknown[]): number {
  let used = 0;
  const over = items.findIndex((item) => {
    used += charsOf(JSON.stringify(item));
    return used > RESPONSE_CHARS;
  });
  return over < 0 ? items.length : Math.max(over, 1);
}
