/**
 * Which sentences of an answer its sources support: those that cite one, or are in a paragraph that does, and whose names, numbers
 * and most of whose words the cited passages have. It is a check by words: it finds what was invented, not what was misread.
 */
import { type Run, sentencesOf } from "./markdown.js";
import type { Source } from "./source.js";

/** What part of the words of a sentence its sources have at least. */
const SHARE = 0.4;
/** Shorter words are of every text, in scripts with spaces. */
const LETTERS = 4;
/** Words are the same if they begin so: endings differ by grammar. */
const STEM = 5;
/** Scripts that put no spaces between words, which are short there. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}]/u;
/** A sentence with fewer words claims nothing: "Yes." or "For example:". */
const CLAIM = 3;

/** A sentence, with the numbers of what it cites. */
export interface Sentence {
  start: number;
  end: number;
  isSupported: boolean;
}

/** Text of one block of an answer, with what it cites, as offsets in the text. */
export interface Cited {
  text: string;
  runs: Run[];
  citations: { at: number; number: number }[];
}

/** What sentences are held against. */
export interface Evidence {
  sources: Source[];
  /** Its words are no news, and need no source. */
  question: string;
  language: string;
}

/** The sentences of a block, each with whether it is supported; `around` are the numbers that are cited for the block as a whole. */
export function supported({ text, runs, citations }: Cited, { sources, question, language }: Evidence, around: number[]): Sentence[] {
  const known = citations.filter(({ number }) => sources.some((source) => source.number === number));
  return sentencesOf(text, language).map(({ text: sentence, start, end }) => {
    // A number right after the full stop belongs to the sentence before it.
    const isOwn = ({ at }: { at: number }): boolean => (at > start || at === 0) && at <= end;
    const own = known.filter(isOwn);
    const inBlock = (own.length > 0 ? own : known).map(({ number }) => number);
    const cited = inBlock.length > 0 ? inBlock : around;
    const hasWrong = citations.some((citation) => isOwn(citation) && !known.includes(citation));
    const texts = sources
      .filter(({ number }) => cited.includes(number))
      .map((source) => `${source.title} ${source.section} ${source.text}`);
    const codes = codesIn(runs, start, end);
    return { start, end, isSupported: !hasWrong && isSaidBy(texts.join("\n"), sentence, codes, question, language) };
  });
}

function isSaidBy(source: string, sentence: string, codes: string[], question: string, language: string): boolean {
  const asked = stemsOf(question, language);
  const claimed = [...stemsOf(sentence, language)].filter((word) => !asked.has(word));
  const numbers = sentence.match(/\d[\d.,]*\d|\d/g) ?? [];
  if (claimed.length < CLAIM && codes.length + numbers.length === 0) {
    return true;
  }
  if (source === "") {
    return false;
  }
  const said = `${source}\n${question}`.toLowerCase();
  if (![...codes, ...numbers].every((text) => said.includes(text.toLowerCase()))) {
    return false;
  }
  const words = stemsOf(source, language);
  return claimed.filter((word) => words.has(word)).length >= SHARE * claimed.length;
}

/** What a sentence sets as code, name by name: a call that the model put together has names of the source. */
function codesIn(runs: Run[], start: number, end: number): string[] {
  let at = 0;
  return runs.flatMap(({ text, marks }) => {
    at += text.length;
    return marks.includes("code") && at - text.length < end && at > start ? (text.match(/[\p{L}\p{N}_]{2,}/gu) ?? []) : [];
  });
}

/** The beginnings of the words that tell a text from others. */
function stemsOf(text: string, language: string): Set<string> {
  const segmenter = new Intl.Segmenter(language, { granularity: "word" });
  const words = [...segmenter.segment(text.toLowerCase())].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
  return new Set(words.filter((word) => word.length >= LETTERS || UNSPACED.test(word)).map((word) => word.slice(0, STEM)));
}
