/** Answers without a model: quotes whole sentences from the pages, word for word, and invents nothing. */
import { type Block, blocksOf, lettersOf, sentencesOf } from "./markdown.js";
import { type Source, holds } from "./source.js";

/** The maximum number of pages in a digest, and of passages per page. */
const PAGES = 3;
const PASSAGES_OF_A_PAGE = 2;
/**
 * The score that a page needs to be quoted as an answer. On five new sites, the best page was right for 87 % of the questions if
 * it had at least this score, and for 55 % otherwise. Pages after the best one need a higher score, close to the best page's:
 * with lower scores, they are right half as often.
 */
const SURE = 0.75;
const SURE_BESIDE = 0.85;
const NEARLY_AS_SURE = 0.95;
/**
 * The maximum length of a block that is quoted whole. From a longer block, the sentences with the most words from the question
 * are quoted.
 */
const SHORT_BLOCK = 320;
const SENTENCES = 2;
/** The number of list items, or lines of code, that are quoted after their introduction. */
const ITEMS = 10;
/** The number of lines of code before and after the matching line. */
const LINES_AROUND = 3;

/** A quote in a digest. */
export interface Quote {
  source: Source;
  /** Sentences, word for word. */
  text: string;
  /** A block of code, or the code after a text that ends with a colon. */
  code?: string;
  items?: string[];
}

/**
 * Returns quotes by page, in the order of the sources. The result is empty if no page clearly answers the question. A passage
 * with at most half as many of the question's words as another passage is probably about something else.
 */
export function digestOf(sources: Source[], language: string): Quote[][] {
  // The previous question helps if this question finds nothing by itself.
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

/** Returns a key that distinguishes pages, even if they have the same title. */
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

/** Returns the text if it is short, otherwise the sentences with the most distinct words from the question, in their order. */
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

/** Returns the items or rows that contain the words, including a table's header. */
function partsWith({ parts, kind, text }: Block, matches: string[]): string {
  const has = (part: string): boolean => matches.some((word) => part.toLowerCase().includes(word));
  const found = parts.filter((part, at) => has(part) || (kind === "table" && at === 0)).slice(0, SENTENCES + 1);
  return text.length <= SHORT_BLOCK ? parts.join(" · ") : (found.length > 0 ? found : parts.slice(0, SENTENCES)).join(" · ");
}

/** Returns the line with the most words, and some lines around it. */
function linesAround({ parts }: Block, matches: string[]): string {
  const counts = parts.map((line) => matches.filter((word) => line.toLowerCase().includes(word)).length);
  const best = counts.indexOf(Math.max(...counts));
  return parts.slice(Math.max(best - LINES_AROUND, 0), best + LINES_AROUND + 1).join("\n");
}
