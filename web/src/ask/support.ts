/**
 * Which sentences of an answer its sources support: those that cite one, or are in a paragraph that does, and whose names, numbers
 * and most of whose words the cited passages have. It is a check by words: it finds what was invented, not what was misread.
 */
import { type Run, sentencesOf } from "./markdown.js";
import type { Source } from "./source.js";

/** The part of the words of a sentence that its sources have at least. */
const SHARE = 0.4;
/** Shorter words are of every text, in scripts with spaces. */
const LETTERS = 4;
/** Words are the same if they begin so: endings differ by grammar. Korean ones follow two syllables. */
const STEM = 5;
const HANGUL_STEM = 2;
/** Scripts that put no spaces between words, which are short there. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}]/u;
/** Scripts of languages that put articles and prepositions into the word. */
const INFLECTED_AT_THE_FRONT = /[\p{Script=Hebrew}\p{Script=Arabic}]/u;
/** Marks between thousands. */
const THOUSANDS = /(?<=\d),(?=\d{3}(?!\d))/g;
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

/** The passages that sentences are compared with. */
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
    const named = sources.filter(({ number }) => cited.includes(number));
    const codes = codesIn(runs, start, end);
    return { start, end, isSupported: !hasWrong && isSaidBy(named, sentence, codes, question, language) };
  });
}

/** A source, read once for all sentences of an answer. */
interface Said {
  /** In lower case, with numbers as they are written and without marks between thousands. */
  text: string;
  stems: Set<string>;
}

const known = new WeakMap<Source, Said>();

function saidBy(source: Source, language: string): Said {
  const text = `${source.title}\n${source.section}\n${source.text}`;
  const said = known.get(source) ?? { text: plainly(text), stems: stemsOf(text, language) };
  known.set(source, said);
  return said;
}

/** Lower case, without Markdown's escapes; after it the same without marks between thousands. */
function plainly(text: string): string {
  const plain = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\\(?=[\p{P}\p{S}])/gu, "");
  return `${plain}\n${plain.replace(THOUSANDS, "")}`;
}

function isSaidBy(sources: Source[], sentence: string, codes: string[], question: string, language: string): boolean {
  const asked = stemsOf(question, language);
  const claimed = [...stemsOf(sentence, language)].filter((word) => !asked.has(word));
  const numbers = sentence.normalize("NFKC").match(/\d[\d.,]*\d|\d/g) ?? [];
  if (claimed.length < CLAIM && codes.length + numbers.length === 0) {
    return true;
  }
  const said = sources.map((source) => saidBy(source, language));
  const texts = [...said.map(({ text }) => text), plainly(question)];
  const has = (number: string): boolean => {
    const alone = new RegExp(`(?<!\\d)${number.replace(THOUSANDS, "").replaceAll(".", "\\.")}(?!\\d)`);
    return texts.some((text) => alone.test(text));
  };
  const hasAll = codes.every((code) => texts.some((text) => text.includes(code.toLowerCase()))) && numbers.every(has);
  if (said.length === 0 || !hasAll) {
    return false;
  }
  // Where the sources are in another language than the question, so are their words.
  const isForeign = asked.size > 0 && ![...asked].some((word) => said.some(({ stems }) => stems.has(word)));
  const shared = claimed.filter((word) => said.some(({ stems }) => stems.has(word)));
  return isForeign || INFLECTED_AT_THE_FRONT.test(sentence) || shared.length >= SHARE * claimed.length;
}

/** Names that a sentence sets as code: a call that the model put together has names of the source. */
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
  return new Set(
    words
      .filter((word) => word.length >= LETTERS || UNSPACED.test(word))
      .map((word) => word.slice(0, /\p{Script=Hangul}/u.test(word) ? HANGUL_STEM : STEM)),
  );
}
