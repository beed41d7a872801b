import { english } from "./strings/en.js";
import type { AskStrings } from "./texts.js";

export type { AskStrings } from "./texts.js";

/** The languages of the panel in addition to English. Each language is a separate file that is loaded when needed. */
const LANGUAGES: Record<string, () => Promise<{ default: AskStrings }>> = {
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

/**
 * Returns the strings for a language tag such as `pt-BR`, and their language. It returns English if the language is not supported
 * or cannot be loaded.
 */
export async function stringsOf(tag: string): Promise<{ strings: AskStrings; language: string }> {
  const language = tag.toLowerCase().split("-")[0]!;
  const found = await LANGUAGES[language]?.().catch(() => undefined);
  return found ? { strings: found.default, language } : { strings: english, language: "en" };
}
