/**
 * Checks which sentences of an answer are supported by its sources. A sentence is supported if it or its paragraph cites a
 * source, and the cited passages contain the sentence's names, its numbers and enough of its words. The check compares words, so
 * it finds inventions, but not misreadings.
 */
import { type Run, sentencesOf } from "./markdown.js";
import type { Source } from "./source.js";

/** The share of a sentence's words that its sources must contain. */
const SHARE = 0.4;
/** The minimum length of compared words in scripts with spaces. Shorter words occur in every text. */
const LETTERS = 4;
/**
 * The number of first letters to compare in each word, because endings depend on grammar. In Korean, two syllables are compared.
 */
const STEM = 5;
const HANGUL_STEM = 2;
/** Matches scripts without spaces between words, and Korean, whose words are short. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}]/u;
/** Matches scripts of languages that attach articles and prepositions to words. */
const INFLECTED_AT_THE_FRONT = /[\p{Script=Hebrew}\p{Script=Arabic}]/u;
/** Matches thousands separators. */
const THOUSANDS = /(?<=\d),(?=\d{3}(?!\d))/g;
/** The minimum number of words in a claim. Shorter sentences, such as "Yes." or "For example:", claim nothing. */
const CLAIM = 3;

/** The position of a sentence, and whether it is supported. */
export interface Sentence {
  start: number;
  end: number;
  isSupported: boolean;
}

/** The text of a block in an answer, with the offsets of its citations. */
export interface Cited {
  text: string;
  runs: Run[];
  citations: { at: number; number: number }[];
}

/** The passages that sentences are compared with. */
export interface Evidence {
  sources: Source[];
  /** The question. Its words need no source. */
  question: string;
  language: string;
}

/**
 * Returns the sentences of a block and whether each is supported. `around` contains the numbers that are cited for the whole
 * block.
 */
export function supported({ text, runs, citations }: Cited, { sources, question, language }: Evidence, around: number[]): Sentence[] {
  const known = citations.filter(({ number }) => sources.some((source) => source.number === number));
  return sentencesOf(text, language).map(({ text: sentence, start, end }) => {
    // A number right after the period belongs to the sentence before it.
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

/** A source, prepared once for all sentences of an answer. */
interface Said {
  /** The text in lower case, with numbers both as they are written and without thousands separators. */
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

/** Converts a text to lower case, removes Markdown escapes, and appends a copy without thousands separators. */
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
  // If the sources and the question are in different languages, their words differ.
  const isForeign = asked.size > 0 && ![...asked].some((word) => said.some(({ stems }) => stems.has(word)));
  const shared = claimed.filter((word) => said.some(({ stems }) => stems.has(word)));
  return isForeign || INFLECTED_AT_THE_FRONT.test(sentence) || shared.length >= SHARE * claimed.length;
}

/** Returns the names that a sentence marks as code. If the model composed a call, the names in it must occur in a source. */
function codesIn(runs: Run[], start: number, end: number): string[] {
  let at = 0;
  return runs.flatMap(({ text, marks }) => {
    at += text.length;
    return marks.includes("code") && at - text.length < end && at > start ? (text.match(/[\p{L}\p{N}_]{2,}/gu) ?? []) : [];
  });
}

/** Returns the beginnings of the words that distinguish a text from others. */
function stemsOf(text: string, language: string): Set<string> {
  const segmenter = new Intl.Segmenter(language, { granularity: "word" });
  const words = [...segmenter.segment(text.toLowerCase())].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
  return new Set(
    words
      .filter((word) => word.length >= LETTERS || UNSPACED.test(word))
      .map((word) => word.slice(0, /\p{Script=Hangul}/u.test(word) ? HANGUL_STEM : STEM)),
  );
}
