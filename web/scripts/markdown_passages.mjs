// Splits a Markdown page into the passages that the English linter reads: paragraphs, headings, list items and table
// cells, without code and markup.
import { marked } from "marked";

const ENTITIES = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#39;": "'" };
const plainText = (tokens) =>
  tokens
    .map((token) => {
      if (token.type === "codespan") {
        return "X";
      }
      return token.type === "html" ? "" : token.tokens ? plainText(token.tokens) : (token.text ?? "");
    })
    .join("");

/** Yields the passages below some tokens. `at` is the line of the first token. */
function* below(tokens, at) {
  let line = at;
  for (const token of tokens) {
    if (token.type === "table") {
      for (const [row, cells] of [token.header, ...token.rows].entries()) {
        for (const cell of cells) {
          yield passage(cell.text, cell.tokens, line + row + (row > 0 ? 1 : 0));
        }
      }
    } else if (token.type === "list") {
      yield* below(token.items, line);
    } else if (token.type === "list_item" || token.type === "blockquote") {
      yield* below(token.tokens, line);
    } else if (token.tokens) {
      yield passage(token.text, token.tokens, line);
    }
    line += token.raw.split("\n").length - 1;
  }
}

/** The hashes of commits. */
const HASH = /\b(?=[0-9a-f]*\d)[0-9a-f]{7}\b/g;

function passage(source, tokens, line) {
  const markdown = source.replace(HASH, "X");
  return {
    line,
    markdown,
    plain: plainText(tokens)
      .replace(HASH, "X")
      .replaceAll("\n", " ")
      .replace(/&(lt|gt|amp|quot|#39);/g, (entity) => ENTITIES[entity]),
  };
}

/** Returns each passage with its first line, its Markdown, and its text with code replaced by "X". */
export function passages(page) {
  return [...below(marked.lexer(page), 1)].filter(({ plain }) => /\p{L}/u.test(plain));
}
