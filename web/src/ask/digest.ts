/** An answer without a model: whole sentences of the pages, word for word. Nothing in it is invented. */
import { type Block, blocksOf, lettersOf, sentencesOf } from "./markdown.js";
import { type Source, holds } from "./source.js";

/** Pages in a digest, and passages of each. */
const PAGES = 3;
const PASSAGES_OF_A_PAGE = 2;
/**
 * How sure a page is, to be quoted as an answer: of five fresh sites, the best page was right for 87 % of the questions where it was as
 * sure as this, for 55 % of the others. Pages after the best are right half as often, if they are not as sure as it is.
 */
const SURE = 0.75;
const SURE_BESIDE = 0.85;
const NEARLY_AS_SURE = 0.95;
/** A block up to this long is shown whole; of a longer one the sentences with most of the words. */
const SHORT_BLOCK = 320;
const SENTENCES = 2;
/** Items of a list, or lines of code, that an introduction brings along. */
const ITEMS = 10;
/** Lines of code around the one that is meant. */
const LINES_AROUND = 3;

/** A passage of a digest. */
export interface Quote {
  source: Source;
  /** Sentences, as the page has them. */
  text: string;
  /** The block that follows a text with a colon at its end. */
  code?: string;
  items?: string[];
}

/**
 * Quotes by page, pages and quotes in the order of the sources; none where no page is sure to answer. A passage with less than half of
 * the words that another one has is likely about something else.
 */
export function digestOf(sources: Source[], language: string): Quote[][] {
  // The question before helps where this one finds nothing by itself.
  const own = sources.filter(({ isOwn }) => isOwn);
  const asked = own.some(({ score }) => score >= SURE) ? own : sources;
  const [first] = asked;
  const most = Math.max(...asked.map(({ matches }) => matches.length));
  const pages = new Map<string, Quote[]>();
  for (const source of asked) {
    const page = pageOf(source);
    const isSure = source.score >= (page === pageOf(first!) ? SURE : Math.max(SURE_BESIDE, NEARLY_AS_SURE * first!.score));
    const quotes = pages.get(page) ?? [];
    const hasRoom = pages.has(page) ? quotes.length < PASSAGES_OF_A_PAGE : pages.size < PAGES;
    if (isSure && hasRoom && (source === first || source.matches.length * 2 > most)) {
      pages.set(page, [...quotes, quoteOf(source, language)]);
    }
  }
  return [...pages.values()];
}

/** Tells pages apart, also those of one title. */
function pageOf({ url, title }: Source): string {
  return url?.split("#")[0] ?? title;
}

function quoteOf(source: Source, language: string): Quote {
  const blocks = blocksOf(source.text);
  const letters = lettersOf(source.excerpt);
  const at = blocks.findIndex((block) => holds(block, letters));
  const block = blocks[at];
  if (!block) {
    return { source, text: source.excerpt };
  }
  if (block.kind === "code") {
    return { source, text: "", code: linesAround(block, source.matches) };
  }
  const text = block.kind === "text" ? shortened(block.text, source.matches, language) : partsWith(block, source.matches);
  const introduced = /[:：]$/.test(text) ? blocks[at + 1] : undefined;
  const parts = introduced?.parts.slice(0, ITEMS) ?? [];
  switch (introduced?.kind) {
    case "code":
      return { source, text, code: parts.join("\n") };
    case "list":
      return { source, text, items: parts };
    case "text":
      return { source, text, items: [introduced.text] };
    default:
      return { source, text };
  }
}

/** A text, or its sentences with most different words of those that were asked for, in their order. */
function shortened(text: string, matches: string[], language: string): string {
  if (text.length <= SHORT_BLOCK) {
    return text;
  }
  const sentences = sentencesOf(text, language);
  const best = sentences
    .map((sentence) => ({ sentence, count: matches.filter((word) => sentence.text.toLowerCase().includes(word)).length }))
    .sort((a, b) => b.count - a.count || a.sentence.start - b.sentence.start)
    .slice(0, SENTENCES)
    .map(({ sentence }) => sentence)
    .sort((a, b) => a.start - b.start);
  return best
    .map((sentence, at) => (at > 0 && best[at - 1]!.end < sentence.start ? `… ${sentence.text}` : sentence.text))
    .join("")
    .trim();
}

/** Items or rows that have the words; with the head of a table. */
function partsWith({ parts, kind, text }: Block, matches: string[]): string {
  const has = (part: string): boolean => matches.some((word) => part.toLowerCase().includes(word));
  const found = parts.filter((part, at) => has(part) || (kind === "table" && at === 0)).slice(0, SENTENCES + 1);
  return text.length <= SHORT_BLOCK ? parts.join(" · ") : (found.length > 0 ? found : parts.slice(0, SENTENCES)).join(" · ");
}

/** The line with most of the words, and some around it. */
function linesAround({ parts }: Block, matches: string[]): string {
  const counts = parts.map((line) => matches.filter((word) => line.toLowerCase().includes(word)).length);
  const best = counts.indexOf(Math.max(...counts));
  return parts.slice(Math.max(best - LINES_AROUND, 0), best + LINES_AROUND + 1).join("\n");
}
