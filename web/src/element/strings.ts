import { english } from "./strings/en.js";

/** A text for each plural category of a language; `{n}` stands for the number. */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** What the element says. `{…}` stands for what is filled in. */
export interface Strings {
  /** On the button, and the name of box and field. */
  search: string;
  placeholder: string;
  close: string;
  clear: string;
  /** Name of the list. */
  results: string;
  recent: string;
  /** `{query}` */
  pin: string;
  /** `{query}` */
  unpin: string;
  /** `{query}` */
  forget: string;
  loading: string;
  /** How many pages were found. */
  found: Plural;
  /** `{query}` */
  nothing: string;
  /** Before other texts to search for. */
  instead: string;
  unfiltered: string;
  /** `{word}`, `{meant}` */
  corrected: string;
  /** `{phrase}` */
  noPhrase: string;
  more: string;
  offline: string;
  failed: string;
  retry: string;
  /** What the answer is by: words; words and meaning; words and the model's meaning. */
  by: [string, string, string];
  /** `{size}`: megabytes. */
  offer: string;
  /** `{percent}` */
  loadingModel: string;
  /** What keys do: move, open, close. */
  keys: [string, string, string];
}

/** The languages that the element speaks, beside English, each in a file that is loaded where it is spoken. */
const LANGUAGES: Record<string, () => Promise<{ default: Strings }>> = {
  ar: () => import("./strings/ar.js"),
  de: () => import("./strings/de.js"),
  es: () => import("./strings/es.js"),
  fr: () => import("./strings/fr.js"),
  he: () => import("./strings/he.js"),
  it: () => import("./strings/it.js"),
  ja: () => import("./strings/ja.js"),
  ko: () => import("./strings/ko.js"),
  nl: () => import("./strings/nl.js"),
  pl: () => import("./strings/pl.js"),
  pt: () => import("./strings/pt.js"),
  ru: () => import("./strings/ru.js"),
  tr: () => import("./strings/tr.js"),
  uk: () => import("./strings/uk.js"),
  zh: () => import("./strings/zh.js"),
};

/** The strings of a language tag such as `pt-BR`; English if it is not spoken or cannot be loaded. */
export async function stringsOf(language: string): Promise<Strings> {
  const load = LANGUAGES[language.toLowerCase().split("-")[0]!];
  return load ? load().then((module) => module.default, () => english) : english;
}

/** `text` with what stands in braces filled in. */
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (braces, name: string) => String(values[name] ?? braces));
}

/** The form of `plural` for `n`. */
export function counted(plural: Plural, n: number, language: string): string {
  let rule: Intl.LDMLPluralRule = "other";
  try {
    rule = new Intl.PluralRules(language).select(n);
  } catch {
    // Not a language tag.
  }
  return fill(plural[rule] ?? plural.other, { n });
}
