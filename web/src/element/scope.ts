/** Reads the scope of a search from the attributes of an element. */
import type { Search } from "../api.js";

/** A search and its limits. */
export interface Scope {
  search: Promise<Search>;
  /** Filters for every answer. */
  filters: Record<string, string[]>;
  /** The language of the pages to find, if the page declares one. */
  language: string | undefined;
  /** The base for relative page addresses, per bundle. */
  bases: string[];
}

/** Returns the URLs of an element's bundles, relative to `here`. The default is `bundle`. */
export function bundlesOf(element: HTMLElement, bundle: string, here: string): string[] {
  const urls = (element.getAttribute("bundle") ?? bundle).split(/\s+/).filter(Boolean);
  return urls.map((url) => new URL(url, here).href);
}

/** Returns the limits of an element's searches in these bundles. */
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
