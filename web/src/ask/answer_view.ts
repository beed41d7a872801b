/**
 * Shows an answer as it is written. The elements for its Markdown are created one by one, so that a model cannot insert markup,
 * pictures or links to other sites. Citations link to the passages.
 */
import type { MarkedToken, Token } from "marked";
import { create } from "../element/create.js";
import { citedIn } from "./citations.js";
import { type Mark, type Run, runsOf, tokensOf } from "./markdown.js";
import type { Source } from "./source.js";
import { type Cited, type Evidence, supported } from "./support.js";

/** The maximum depth of lists and quotes. Deeper levels are shown as text. */
const DEEPEST = 8;

/** The settings of an answer. */
export interface AnswerSettings extends Evidence {
  /** Text for screen readers after a sentence that no source supports. */
  noSource: string;
  /** Creates the link for a citation. */
  cite(source: Source): HTMLElement;
}

/** The element that shows an answer. It grows as the answer arrives. */
export class AnswerView {
  readonly root = create("div", { part: "answer" });
  /** The numbers of the cited sources. */
  readonly cited = new Set<number>();
  /** Whether the answer has sentences without support. */
  hasUnsupported = false;
  readonly #settings: AnswerSettings;
  /** The Markdown of the displayed blocks. A complete block is not rendered again until the answer is complete. */
  #shown: { raw: string; isWhole: boolean }[] = [];

  constructor(settings: AnswerSettings) {
    this.#settings = settings;
  }

  /** Shows the answer so far. `isLast` tells whether it is complete. */
  show(text: string, isLast: boolean): void {
    if (isLast) {
      // Start again, because a later block may have changed an earlier one.
      this.#shown = [];
      this.cited.clear();
      this.hasUnsupported = false;
    }
    const tokens = tokensOf(text).filter(({ type }) => type !== "space");
    const same = tokens.findIndex((token, at) => {
      const shown = this.#shown[at];
      return !shown?.isWhole || shown.raw !== token.raw;
    });
    const kept = same < 0 ? tokens.length : same;
    [...this.root.childNodes].slice(kept).forEach((node) => node.remove());
    const context = { ...this.#settings, view: this };
    tokens.slice(kept).forEach((token, at) => {
      const isWhole = isLast || kept + at < tokens.length - 1;
      const before = tokens[kept + at - 1];
      this.root.append(block(token, { ...context, judges: isWhole, around: introduced(before), depth: 0 }));
    });
    this.#shown = tokens.map(({ raw }, at) => ({ raw, isWhole: isLast || at < tokens.length - 1 }));
  }
}

/** The context of an element in an answer. */
interface Context extends AnswerSettings {
  view: AnswerView;
  /** Whether sentences are complete, so that their support can be checked. */
  judges: boolean;
  /** The numbers that are cited for the whole block. */
  around: number[];
  depth: number;
}

/** Returns the numbers of the sources that a paragraph cites for the block that it introduces. */
function introduced(before: MarkedToken | undefined): number[] {
  const { text, citations } = citedIn(before?.type === "paragraph" ? runsOf(before.tokens) : []);
  return /[:：]\s*$/.test(text) ? citations.map(({ number }) => number) : [];
}

function block(token: MarkedToken, context: Context): Node {
  const deeper = { ...context, depth: context.depth + 1 };
  const isTooDeep = context.depth > DEEPEST;
  switch (isTooDeep ? "html" : token.type) {
    case "heading":
      return create("h3", {}, ...inline((token as { tokens: Token[] }).tokens, { ...context, judges: false }));
    case "paragraph":
    case "text":
      return create("p", {}, ...inline("tokens" in token && token.tokens ? token.tokens : [token], context));
    case "code":
      return create("pre", { tabindex: 0 }, create("code", {}, (token as { text: string }).text));
    case "hr":
      return create("hr");
    case "blockquote":
      return create("blockquote", {}, ...blocks((token as { tokens: Token[] }).tokens, deeper));
    case "list": {
      const { ordered, start, items } = token as Extract<MarkedToken, { type: "list" }>;
      const rows = items.map((item) => create("li", {}, ...blocks(item.tokens, deeper)));
      return ordered ? create("ol", { start: Number(start) || 1 }, ...rows) : create("ul", {}, ...rows);
    }
    case "table":
      return table(token as Extract<MarkedToken, { type: "table" }>, context);
    default:
      return create("p", {}, ...inline([{ type: "text", raw: token.raw, text: token.raw.trim() }], context));
  }
}

/** Creates the blocks of a list item or a quote. Text alone does not become a paragraph. */
function blocks(tokens: Token[], context: Context): Node[] {
  return (tokens as MarkedToken[])
    .filter(({ type }) => type !== "space")
    .flatMap((token) =>
      token.type === "text" && context.depth <= DEEPEST ? inline(token.tokens ?? [token], context) : [block(token, context)],
    );
}

function table({ header, rows }: Extract<MarkedToken, { type: "table" }>, context: Context): HTMLElement {
  const line = (cells: { tokens: Token[] }[], tag: "td" | "th"): HTMLElement => {
    const cited = cells.flatMap(({ tokens }) => citedIn(runsOf(tokens)).citations.map(({ number }) => number));
    const around = [...cited, ...context.around];
    return create(
      "tr",
      {},
      ...cells.map(({ tokens }) => create(tag, {}, ...inline(tokens, { ...context, around, judges: context.judges && tag === "td" }))),
    );
  };
  const whole = create("table", {}, create("thead", {}, line(header, "th")), create("tbody", {}, ...rows.map((row) => line(row, "td"))));
  return create("div", { class: "table", tabindex: 0 }, whole);
}

/** Creates the text of inline tokens, sentence by sentence, with links for citations. */
function inline(tokens: Token[], context: Context): Node[] {
  const cited = citedIn(runsOf(tokens));
  const sentences = context.judges ? supported(cited, context, context.around) : [];
  const filled = piecesOf(cited, sentences, context);
  return filled.flatMap((nodes, at) => {
    if (sentences[at]?.isSupported !== false) {
      return nodes;
    }
    context.view.hasUnsupported = true;
    return [create("span", { part: "unsupported" }, ...nodes, create("span", { class: "unseen" }, ` (${context.noSource}) `))];
  });
}

/** Creates the pieces of each sentence: its runs, and links for citations. */
function piecesOf({ runs, citations }: Cited, sentences: { end: number }[], context: Context): Node[][] {
  const filled: Node[][] = sentences.length > 0 ? sentences.map(() => []) : [[]];
  let [at, sentence] = [0, 0];
  const cite = (): void => {
    for (const { number } of citations.filter((citation) => citation.at === at)) {
      const source = context.sources.find((known) => known.number === number);
      if (source) {
        context.view.cited.add(number);
        filled[sentence]!.push(context.cite(source));
      } else {
        // No source has this number, so it may be part of the text, as in `list[80]`.
        filled[sentence]!.push(styled({ text: ` [${number}]`, marks: [] }));
      }
    }
  };
  cite();
  for (const run of runs) {
    for (const text of cut(run.text, at, [...sentences.map(({ end }) => end), ...citations.map((citation) => citation.at)])) {
      while (sentence + 1 < sentences.length && at >= sentences[sentence]!.end) {
        sentence++;
      }
      filled[sentence]!.push(styled({ ...run, text }));
      at += text.length;
      cite();
    }
  }
  return filled;
}

/** Cuts a text that begins at `start` at the given offsets. */
function cut(text: string, start: number, offsets: number[]): string[] {
  const inside = [...new Set(offsets)].map((offset) => offset - start).filter((offset) => offset > 0 && offset < text.length);
  const edges = [0, ...inside.sort((a, b) => a - b), text.length];
  return edges.slice(1).map((edge, at) => text.slice(edges[at], edge));
}

function styled({ text, marks }: Run): Node {
  return marks.reduceRight<Node>((inner, mark: Mark) => create(mark, {}, inner), create("span", {}, text));
}
