/** The search that the attributes of an element ask for. */
import type { Search } from "../api.js";

/** A search, and how it is asked. */
export interface Scope {
  search: Promise<Search>;
  /** Filters of every answer. */
  filters: Record<string, string[]>;
  /** The language that the reader is shown, if the page says. */
  language: string | undefined;
  /** Where relative addresses of pages begin, by bundle. */
  bases: string[];
}

/** URLs of the bundles that an element names, relative to `here`; `bundle` if it names none. */
export function bundlesOf(element: HTMLElement, bundle: string, here: string): string[] {
  const urls = (element.getAttribute("bundle") ?? bundle).split(/\s+/).filter(Boolean);
  return urls.map((url) => new URL(url, here).href);
}

/** How an element searches these bundles. */
export function limitsOf(element: HTMLElement, bundles: string[], here: string): Omit<Scope, "search"> {
  const filters: Scope["filters"] = {};
  for (const [name, value] of new URLSearchParams(element.getAttribute("filters") ?? "")) {
    filters[name] = [...(filters[name] ?? []), value];
  }
  const base = element.getAttribute("base");
  return {
    filters,
    language: element.getAttribute("language") ?? (element.closest<HTMLElement>("[lang]")?.lang || undefined),
    bases: bundles.map((bundle) => (base === null ? bundle : new URL(base, here).href)),
  };
}
