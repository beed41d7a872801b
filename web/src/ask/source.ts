/** The passages that an answer is written from: what the search finds for a question, each with the section it stands in. */
import type { Answer, DocumentText, Hit, Passage, QueryOptions, Search } from "../api.js";
import type { Scope } from "../element/scope.js";
import { type Loading, improvesByItself } from "../element/better_answers.js";
import { destination } from "../element/destination.js";
import { untilAborted } from "../until_aborted.js";
import { type Block, blocksOf, cutAt, lettersOf } from "./markdown.js";

/** Pages that an answer is written from, and passages of them, at most. */
const PAGES = 6;
const PASSAGES_OF_A_PAGE = 3;
const SOURCES = 8;
/** Characters of a section that are read around its passage. */
const SECTION_LENGTH = 1_500;
/** A section with less text than this is read with those below it. */
const SHORT_SECTION = 300;

/** A passage that an answer may cite. */
export interface Source {
  /** How the answer cites it, from 1. */
  number: number;
  title: string;
  /** Headings above the passage, joined by ` > `. */
  section: string;
  /** Where readers find the passage. */
  url: string | null;
  /** The text around the passage, in Markdown: of its section, from the passage's block on. */
  text: string;
  /** The passage itself, as the search shows it, and its words that were asked for. */
  excerpt: string;
  matches: string[];
  /** How sure it is that its page answers, 0 to 1, see {@link Hit}. */
  score: number;
  /** Whether it was found by the question alone, not together with the one before. */
  isOwn: boolean;
}

/**
 * Finds what answers a question. `before` is the question that this one follows up, with which it is asked too: "and on
 * Windows?" names nothing by itself. Empty where no page fits.
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
      // A page that cannot be read has its passage all the same.
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

/** The best passage of each page, then those that are left: an answer has more than one page to compare. */
function inTurns(hits: Hit[], isOwn: boolean): Found[] {
  return [
    ...hits.map((hit): Found => [hit, hit, isOwn]),
    ...hits.flatMap((hit) => hit.more.map((passage): Found => [hit, passage, isOwn])),
  ];
}

/** From each list in turn, every passage once: pages that are made of others repeat them. */
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

/** The section of a passage, from a little before it; `undefined` where it is not found. */
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

/** Whole blocks around the one that holds a passage, most of them after it. */
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

/** Whether a block holds a passage, of which only the letters are the same: what is shown has no marks of Markdown. */
export function holds({ text }: Block, letters: string): boolean {
  // An excerpt may go on into the next item, and ends where it is cut.
  return letters.length > 0 && lettersOf(text).includes(letters.slice(0, 40));
}
