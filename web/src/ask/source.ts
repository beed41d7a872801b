/** Finds the passages that an answer is based on: the results of the search, each with the text of its section. */
import type { Answer, DocumentText, Hit, Passage, QueryOptions, Search } from "../api.js";
import type { Scope } from "../element/scope.js";
import { type Loading, improvesByItself } from "../element/better_answers.js";
import { destination } from "../element/destination.js";
import { untilAborted } from "../until_aborted.js";
import { type Block, blocksOf, cutAt, lettersOf } from "./markdown.js";

/** The maximum number of pages per answer, of passages per page, and of passages in total. */
const PAGES = 6;
const PASSAGES_OF_A_PAGE = 3;
const SOURCES = 8;
/** The number of characters to read around a passage in its section. */
const SECTION_LENGTH = 1_500;
/** The maximum length of a section that is read together with its subsections. */
const SHORT_SECTION = 300;

/** A passage that an answer may cite. */
export interface Source {
  /** The number that the answer uses to cite the passage, starting at 1. */
  number: number;
  title: string;
  /** Headings above the passage, joined by ` > `. */
  section: string;
  /** Address of the passage for readers. */
  url: string | null;
  /** The text of the passage's section in Markdown or, if that is long, the part around the passage. */
  text: string;
  /** The passage as the search shows it, with words from the question. */
  excerpt: string;
  matches: string[];
  /** The score of the passage's page, from 0 to 1: see {@link Hit}. */
  score: number;
  /** Whether the question found the passage without the previous question. */
  isOwn: boolean;
}

/**
 * Finds sources for a question. `before` is the previous question. The search also runs for both questions together, because a
 * question such as "and on Windows?" makes no sense by itself. The result is empty if no page fits.
 */
export async function sourcesFor(
  scope: Scope,
  question: string,
  before: string | undefined,
  loading: Loading | undefined,
  signal: AbortSignal,
): Promise<Source[]> {
  const search = await untilAborted(signal, () => scope.search);
  const asked = before === undefined ? [question] : [question, `${before} ${question}`];
  const answers = await Promise.all(asked.map((text) => answerTo(search, text, scope, loading, signal)));
  const found = distinct(answers.map(({ hits }, at) => inTurns(hits, at === 0)));
  const documents = new Map<string, Promise<DocumentText | null>>();
  const documentOf = ({ document }: Hit): Promise<DocumentText | null> => {
    const known = documents.get(document) ?? search.document(document, { signal });
    documents.set(document, known);
    return known;
  };
  return Promise.all(
    found.slice(0, SOURCES).map(async ([hit, passage, isOwn], at) => ({
      number: at + 1,
      title: hit.title,
      section: passage.section,
      url: hit.url === null ? null : destination(hit.url, passage, scope.bases[hit.bundle]!, !hit.meta.format),
      // If a page cannot be read, its passage is still available.
      text: textAround(await documentOf(hit).catch(() => null), passage) ?? passage.excerpt.text,
      excerpt: passage.excerpt.text,
      matches: [...new Set(passage.excerpt.highlights.map(([from, to]) => passage.excerpt.text.slice(from, to).toLowerCase()))],
      score: hit.score,
      isOwn,
    })),
  );
}

async function answerTo(
  search: Search,
  text: string,
  { filters, language }: Scope,
  loading: Loading | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  const options: QueryOptions = { limit: PAGES, passages: PASSAGES_OF_A_PAGE, filters, signal, ...(language && { language }) };
  const answer = await search.query(text, options);
  const isBetter = await improvesByItself(search, text, answer, loading, signal);
  return isBetter ? search.query(text, options).catch(() => answer) : answer;
}

/** A passage with its page, and whether the question alone found it. */
type Found = [Hit, Passage, boolean];

/** Returns the best passage of each page and then the other passages, so that an answer can compare several pages. */
function inTurns(hits: Hit[], isOwn: boolean): Found[] {
  return [
    ...hits.map((hit): Found => [hit, hit, isOwn]),
    ...hits.flatMap((hit) => hit.more.map((passage): Found => [hit, passage, isOwn])),
  ];
}

/** Takes passages from each list in turn, without duplicates, because pages that include other pages repeat their passages. */
function distinct(lists: Found[][]): Found[] {
  const known = new Map<string, Found>();
  for (let at = 0; lists.some((list) => at < list.length); at++) {
    for (const found of lists.flatMap((list) => list.slice(at, at + 1))) {
      const key = lettersOf(found[1].excerpt.text);
      known.set(key, known.get(key) ?? found);
    }
  }
  return [...known.values()];
}

/** Returns the section of a passage or, if that is long, the part around the passage; `undefined` if the section is not found. */
export function textAround(document: DocumentText | null, passage: Passage): string | undefined {
  const sections = document?.sections ?? [];
  const letters = lettersOf(passage.excerpt.text);
  const isAt = ({ section, anchor }: DocumentText["sections"][number]): boolean => section === passage.section && anchor === passage.anchor;
  const has = (text: string): boolean => blocksOf(text).some((block) => holds(block, letters));
  const exact = sections.findIndex((section) => isAt(section) && has(section.text));
  const at = exact >= 0 ? exact : sections.findIndex(isAt);
  if (at < 0) {
    return undefined;
  }
  const { section, text } = sections[at]!;
  let whole = text;
  for (const below of sections.slice(at + 1)) {
    if (whole.length >= SHORT_SECTION || !below.section.startsWith(section)) {
      break;
    }
    whole += `\n\n${below.text}`;
  }
  return whole.length > SECTION_LENGTH ? windowOf(whole, letters) : whole.trim();
}

/** Returns whole blocks around the one that contains a passage, most of them after it. */
function windowOf(text: string, letters: string): string {
  const blocks = blocksOf(text);
  const middle = Math.max(
    blocks.findIndex((block) => holds(block, letters)),
    0,
  );
  const before = blocks[middle - 1];
  let kept = before && before.raw.length < SHORT_SECTION ? before.raw : "";
  for (const { raw } of blocks.slice(middle)) {
    if (kept.length + raw.length > SECTION_LENGTH) {
      kept += kept.length < SHORT_SECTION ? cutAt(raw, SECTION_LENGTH) : "";
      break;
    }
    kept += raw;
  }
  return kept.trim();
}

/** Returns whether a block contains a passage. Only their letters are compared, because the passage has no Markdown markup. */
export function holds({ text }: Block, letters: string): boolean {
  // An excerpt may continue in the next item, and may be cut.
  return letters.length > 0 && lettersOf(text).includes(letters.slice(0, 40));
}
