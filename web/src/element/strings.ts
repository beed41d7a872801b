import { english } from "./strings/en.js";
import type { Plural, Strings } from "./texts.js";

export type { Strings } from "./texts.js";

/** The languages of the element in addition to English. Each language is a separate file that is loaded when needed. */
const LANGUAGES: Record<string, () => Promise<{ default: Strings }>> = {
  ar: () => import("./strings/ar.js"),
  de: () => import("./strings/de.js"),
  es: () => import("./strings/es.js"),
  fa: () => import("./strings/fa.js"),
  fr: () => import("./strings/fr.js"),
  he: () => import("./strings/he.js"),
  id: () => import("./strings/id.js"),
  it: () => import("./strings/it.js"),
  ja: () => import("./strings/ja.js"),
  ko: () => import("./strings/ko.js"),
  nl: () => import("./strings/nl.js"),
  pl: () => import("./strings/pl.js"),
  pt: () => import("./strings/pt.js"),
  ru: () => import("./strings/ru.js"),
  tr: () => import("./strings/tr.js"),
  uk: () => import("./strings/uk.js"),
  vi: () => import("./strings/vi.js"),
  zh: () => import("./strings/zh.js"),
};

/** Returns the strings for a language tag such as `pt-BR`; English if the language is not supported or cannot be loaded. */
export async function stringsOf(language: string): Promise<Strings> {
  const load = LANGUAGES[language.toLowerCase().split("-")[0]!];
  return load
    ? load().then(
        (module) => module.default,
        () => english,
      )
    : english;
}

/** Returns the result of `read`, or `instead` if the browser rejects a language tag or an address of the page or the index. */
export function orElse<T, U = T>(read: () => T, instead: U): T | U {
  try {
    return read();
  } catch {
    return instead;
  }
}

/** Replaces the names in braces in `text` with values. */
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (braces, name: string) => String(values[name] ?? braces));
}

/** Returns the form of `plural` for `n`. */
export function counted(plural: Plural, n: number, language: string): string {
  return fill(plural[new Intl.PluralRules(language).select(n)] ?? plural.other, { n });
}
