/**
 * Formats the results of tools: they fit a budget, and document text stays apart from the server's own text. The native server
 * uses the same format, and `test/edge_as_native.test.mjs` compares the two.
 */

/** The maximum number of characters in a response: 20,000 tokens of 3 characters, less a tenth for the text around documents. */
export const RESPONSE_CHARS = 54_000;
/** The maximum number of characters in a name, title or address. */
const LINE_CHARS = 200;
const NOTE_CHARS = 600;

/** Characters that change the order of displayed text. */
const REORDERS = /[\u202a-\u202e\u2066-\u2069]/g;
/** Control characters, which may affect the program that displays them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression removes them
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const ZERO_WIDTH = /[\u200b-\u200f]/g;

/** Returns the number of characters in a text. {@link String.length} would count UTF-16 code units. */
export function charsOf(text: string): number {
  let chars = 0;
  for (const _ of text) chars++;
  return chars;
}

/** Returns the index in UTF-16 code units of character `char` of `text`, or the text's length if it has fewer characters. */
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
 * Returns at most `most` characters from the start of `text`, and whether they are the whole text. If a line ends in the last
 * fifth, the cut is there.
 */
export function beginning(text: string, most: number): { start: string; isAll: boolean } {
  const end = indexOfChar(text, most);
  if (end >= text.length) {
    return { start: text, isAll: true };
  }
  const line = text.lastIndexOf("\n", end - 1) + 1;
  return { start: text.slice(0, line * 5 > end * 4 ? line : end), isAll: false };
}

/** Returns a name or title from a document as one short line, without control characters. */
export function oneLine(text: string, most = LINE_CHARS): string {
  const visible = text.trim().split(/\s+/u).map(hidden).filter(Boolean).join(" ");
  const end = indexOfChar(visible, most);
  return end < visible.length ? `${visible.slice(0, end)}…` : visible;
}

function hidden(word: string): string {
  return word.replace(CONTROLS, "").replace(REORDERS, "").replace(ZERO_WIDTH, "");
}

/**
 * Returns a document's text between fences that the text cannot close. Characters that change its order are made visible. An
 * empty text stays empty.
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

/** Returns a number with its noun: `1 file`, `2 files`. */
export function counted(number: number, one: string): string {
  return number === 1 ? `1 ${one}` : `${number} ${one}s`;
}

/** Returns notes as lines. */
export function notes(notices: string[]): string {
  return notices.map((notice) => `note: ${oneLine(notice, NOTE_CHARS)}\n`).join("");
}

/** Returns how many of the first `items` fit into a response: at least one, if there are any. */
export function fitting(items: unknown[]): number {
  let used = 0;
  const over = items.findIndex((item) => {
    used += charsOf(JSON.stringify(item));
    return used > RESPONSE_CHARS;
  });
  return over < 0 ? items.length : Math.max(over, 1);
}
