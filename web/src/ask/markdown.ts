/**
 * Reads the Markdown of pages and answers. The library `marked` splits it into blocks and runs of text. The Markdown is never
 * converted to HTML.
 */
import { Lexer, type MarkedToken, type Token, Tokenizer, type Tokens } from "marked";

/** The style of a run of text. */
export type Mark = "strong" | "em" | "del" | "code";

/** Text in one style. */
export interface Run {
  text: string;
  marks: Mark[];
}

/** A block of a page. */
export interface Block {
  kind: "text" | "list" | "table" | "code" | "heading";
  /** The Markdown, with the whitespace after it. */
  raw: string;
  /** The text without Markdown markup. */
  text: string;
  /** The items of a list, the rows of a table, or the lines of code; otherwise the text. */
  parts: string[];
}

/** Treats link definitions as text, because a list of references at the end of an answer would turn its citations into links. */
class WithoutDefinitions extends Tokenizer {
  override def(): undefined {
    return undefined;
  }
}

/** Returns the tokens of a text. If `marked` fails, for example on a thousand nested quotes, the text becomes one paragraph. */
export function tokensOf(text: string): MarkedToken[] {
  try {
    return new Lexer({ tokenizer: new WithoutDefinitions() }).lex(text) as MarkedToken[];
  } catch {
    return [{ type: "paragraph", raw: text, text, tokens: [{ type: "text", raw: text, text, escaped: false }] }];
  }
}

/** Returns the blocks of a text in order. Joining their `raw` values gives the original text. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  for (const token of tokensOf(text)) {
    const last = blocks.at(-1);
    if (token.type === "space" || token.type === "hr") {
      if (last) {
        last.raw += token.raw;
      }
    } else {
      const isTable = ROWS.test(token.raw.trim());
      const parts = isTable ? rowsOf(token.raw) : partsOf(token);
      blocks.push({ kind: isTable ? "table" : kindOf(token), raw: token.raw, text: parts.join(token.type === "code" ? "\n" : " "), parts });
    }
  }
  return blocks;
}

/** Matches the rows of a table whose header is in another part of the page. */
const ROWS = /^\|.*\|(\n\|.*\|)*$/;

function rowsOf(raw: string): string[] {
  const rows = raw
    .trim()
    .split("\n")
    .filter((row) => /[^|\s:-]/.test(row));
  return rows.map((row) => {
    const cells = row.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return plain(Lexer.lexInline(cells.filter(Boolean).join(" · ")));
  });
}

function kindOf({ type }: MarkedToken): Block["kind"] {
  return type === "list" || type === "table" || type === "code" || type === "heading" ? type : "text";
}

function partsOf(token: MarkedToken): string[] {
  switch (token.type) {
    case "list":
      return token.items.map((item) => plain(item.tokens));
    case "table":
      return [token.header, ...token.rows].map((row) => row.map((cell) => plain(cell.tokens)).join(" · "));
    case "code":
      return token.text.split("\n");
    default:
      return ["tokens" in token && token.tokens ? plain(token.tokens) : token.raw.trim()];
  }
}

/** Returns the text of tokens, with a space between blocks. */
function plain(tokens: Token[]): string {
  const isBlock = ({ type }: Token): boolean => ["paragraph", "list", "blockquote", "code", "table", "space"].includes(type);
  let text = "";
  for (const token of tokens as MarkedToken[]) {
    text += isBlock(token)
      ? ` ${partsOf(token).join(" ")} `
      : runsOf([token])
          .map((run) => run.text)
          .join("");
  }
  return text.replace(/\s+/g, " ").trim();
}

/** Converts inline tokens to runs. Links and pictures become text, and the caller decides what to link. */
export function runsOf(tokens: Token[], marks: Mark[] = []): Run[] {
  return (tokens as MarkedToken[]).flatMap((token): Run[] => {
    switch (token.type) {
      case "strong":
      case "em":
      case "del":
        return runsOf(token.tokens, [...marks, token.type]);
      case "codespan":
        return [{ text: token.text, marks: [...marks, "code"] }];
      case "br":
        return [{ text: "\n", marks }];
      case "link":
        return linked(token, marks);
      case "text":
        return token.tokens ? runsOf(token.tokens, marks) : [{ text: token.text, marks }];
      case "image":
      case "escape":
        return [{ text: token.text, marks }];
      default:
        // Markup among the tokens is shown as text.
        return [{ text: token.raw, marks }];
    }
  });
}

/**
 * Returns the text of a link, and its address if that differs, so that no hidden address can mislead the reader. A link whose
 * text is a number becomes a citation.
 */
function linked({ tokens, text, href }: Tokens.Link, marks: Mark[]): Run[] {
  if (/^\[?\d{1,2}\]?$/.test(text)) {
    return [{ text: `[${text.replace(/\D/g, "")}]`, marks }];
  }
  return [...runsOf(tokens, marks), ...(href.includes(text) ? [] : [{ text: ` (${href})`, marks }])];
}

/** Cuts a text to a number of characters, but never inside an emoji. */
export function cutAt(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}

/** Keeps only letters and digits, in lower case, so that a text can be found in another format. */
export function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

/** Splits a text into sentences by the rules of its language. */
export function sentencesOf(text: string, language: string): { text: string; start: number; end: number }[] {
  const segmenter = new Intl.Segmenter(language, { granularity: "sentence" });
  return [...segmenter.segment(text)].map(({ segment, index }) => ({ text: segment, start: index, end: index + segment.length }));
}
