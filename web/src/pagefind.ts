/**
 * Pagefind's JavaScript API for a nearfind index. Code that uses Pagefind or its user interface needs only another import:
 * `import("/nearfind/box/pagefind.js")` instead of `import("/pagefind/pagefind.js")`. There are three differences: if a filter
 * has several values, a page needs only one of them; filters with `not` or `none`, and searches without a text, are not
 * supported; and `content` is the excerpt.
 *
 * @packageDocumentation
 */
import type { Excerpt, Hit, Passage, QueryOptions, Search } from "./api.js";
import { open } from "./browser.js";

/** The number of hits to fetch at once: as many as pages show before a reader requests more. */
const PAGE = 10;
/** The maximum number of hits for a question. */
const MOST = 100;

/** The supported Pagefind options. Other options are ignored. */
export interface PagefindOptions {
  /** The folder of the index. Default: the index that this script belongs to. */
  bundlePath?: string;
  /** The base path of the site. It has no effect, because addresses are correct without it. */
  baseUrl?: string;
}

/** Options of a search. */
export interface PagefindSearchOptions {
  filters?: Record<string, string | string[] | { any: string | string[] }>;
  sort?: Record<string, "asc" | "desc">;
}

/** A page that was found, or a section of it. */
export interface PagefindSubResult {
  title: string;
  url: string;
  /** HTML, with `<mark>` around the matches. */
  excerpt: string;
  plain_excerpt: string;
  anchor?: { id: string; text: string; element: string; location: number };
  locations: number[];
  weighted_locations: { weight: number; balanced_score: number; location: number }[];
}

/** A page that was found. */
export interface PagefindResultData extends PagefindSubResult {
  raw_url: string;
  content: string;
  raw_content: string;
  word_count: number;
  /** `title`, and the metadata that the page sets. */
  meta: Record<string, string>;
  filters: Record<string, string[]>;
  anchors: [];
  sub_results: PagefindSubResult[];
}

/** A page that was found and has not been read yet. */
export interface PagefindResult {
  id: string;
  score: number;
  words: number[];
  data(): Promise<PagefindResultData>;
}

/** The result of a search. */
export interface PagefindAnswer {
  results: PagefindResult[];
  unfilteredResultCount: number;
  filters: Record<string, Record<string, number>>;
  totalFilters: Record<string, Record<string, number>>;
  timings: { preload: number; search: number; total: number };
}

let bundles = [new URL("../", import.meta.url)];
let opened: Promise<Search> | undefined;
let asked = 0;

/**
 * Sets options. Call it before the first search.
 *
 * @example
 * ```ts
 * import * as pagefind from "nearfind/pagefind";
 * await pagefind.options({ bundlePath: "/search/" });
 * ```
 */
export async function options({ bundlePath }: PagefindOptions): Promise<void> {
  // Pagefind's interface passes the folder of its script, which is not the folder of the index.
  const isOurs = bundlePath === undefined || new URL(bundlePath, location.href).href === new URL("./", import.meta.url).href;
  if (!isOurs) {
    await destroy();
    bundles = [new URL(bundlePath, location.href)];
  }
}

/**
 * Opens the index.
 *
 * @example
 * ```ts
 * import * as pagefind from "nearfind/pagefind";
 * await pagefind.options({ bundlePath: "/search/" });
 * await pagefind.init();
 * ```
 */
export async function init(): Promise<void> {
  await index();
}

/**
 * Adds another index to the search. All indexes must be made with the same model.
 *
 * @example
 * ```ts
 * import * as pagefind from "nearfind/pagefind";
 * await pagefind.mergeIndex("/blog/search/");
 * const { results } = await pagefind.search("threads");
 * ```
 */
export async function mergeIndex(bundlePath: string): Promise<void> {
  const others = [...bundles, new URL(bundlePath, location.href)];
  await destroy();
  bundles = others;
}

/**
 * Closes the index.
 *
 * @example
 * ```ts
 * import * as pagefind from "nearfind/pagefind";
 * await pagefind.destroy();
 * ```
 */
export async function destroy(): Promise<void> {
  const closing = opened;
  opened = undefined;
  (await closing?.catch(() => undefined))?.close();
}

/**
 * Returns the filters, with the number of pages for each value.
 *
 * @example
 * ```ts
 * import * as pagefind from "nearfind/pagefind";
 * const { version = {} } = await pagefind.filters();
 * console.log(Object.keys(version));
 * ```
 */
export async function filters(): Promise<PagefindAnswer["filters"]> {
  return counted(await (await index()).filters());
}

/**
 * Fetches the data that a search for this text needs.
 *
 * @example
 * ```ts
 * import * as pagefind from "nearfind/pagefind";
 * const field = document.querySelector("input");
 * field?.addEventListener("input", () => void pagefind.preload(field.value));
 * ```
 */
export async function preload(term: string): Promise<void> {
  await (await index()).prefetch(term);
}

/**
 * Finds pages.
 *
 * @example
 * ```ts
 * import * as pagefind from "nearfind/pagefind";
 * const { results } = await pagefind.search("threads", { filters: { version: "2.1" } });
 * const pages = await Promise.all(results.slice(0, 5).map((result) => result.data()));
 * console.log(pages.map(({ title, url }) => `${title}: ${url}`));
 * ```
 */
async function find(term: string | null, { filters = {}, sort = {} }: PagefindSearchOptions = {}): Promise<PagefindAnswer> {
  const began = performance.now();
  const search = await index();
  if (!term?.trim()) {
    return { results: [], unfilteredResultCount: 0, filters: {}, totalFilters: {}, timings: { preload: 0, search: 0, total: 0 } };
  }
  const [sorted] = Object.entries(sort);
  const query: QueryOptions = {
    passages: 4,
    filters: Object.fromEntries(
      Object.entries(filters).map(([name, value]) => [name, typeof value === "object" && "any" in value ? value.any : value]),
    ),
    ...(sorted && { sort: { by: sorted[0], descending: sorted[1] === "desc" } }),
  };
  const first = await search.query(term, { ...query, limit: PAGE, counts: true });
  const pages = new Map([[PAGE, Promise.resolve(first.hits)]]);
  const hit = async (at: number): Promise<Hit> => {
    const limit = PAGE * (1 + Math.floor(at / PAGE));
    const page = pages.get(limit) ?? search.query(term, { ...query, limit }).then(({ hits }) => hits);
    pages.set(limit, page);
    const found = (await page)[at] ?? (await page).at(-1);
    if (!found) {
      throw new Error(`nearfind: there is no result ${at + 1}`);
    }
    return found;
  };
  const total = performance.now() - began;
  const counts = counted(first.filters ?? []);
  const count = Math.max(first.hits.length, Math.min(first.found, MOST));
  return {
    results: Array.from({ length: count }, (_, at) => ({
      id: first.hits[at]?.document ?? `${term}-${at}`,
      score: first.hits[at]?.score ?? 0,
      words: [],
      data: async () => described(await hit(at)),
    })),
    unfilteredResultCount: count,
    filters: counts,
    totalFilters: counts,
    timings: { preload: 0, search: total, total },
  };
}

export { find as search };

/**
 * Finds pages, or resolves to `null` if another search follows within `milliseconds`.
 *
 * @example
 * ```ts
 * import * as pagefind from "nearfind/pagefind";
 * const field = document.querySelector("input");
 * field?.addEventListener("input", async () => {
 *   const found = await pagefind.debouncedSearch(field.value);
 *   if (found) {
 *     console.log(`${found.results.length} pages`);
 *   }
 * });
 * ```
 */
export async function debouncedSearch(
  term: string | null,
  options: PagefindSearchOptions = {},
  milliseconds = 300,
): Promise<PagefindAnswer | null> {
  const own = ++asked;
  if (term?.trim()) {
    void preload(term);
  }
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  const found = own === asked ? await find(term, options) : null;
  return own === asked ? found : null;
}

function index(): Promise<Search> {
  opened ??= open(bundles);
  const own = opened;
  own.catch(() => {
    // After a failure, the next call tries again.
    if (opened === own) {
      opened = undefined;
    }
  });
  return own;
}

function counted(counts: { name: string; values: { value: string; documents: number }[] }[]): PagefindAnswer["filters"] {
  // An index with one project offers no choice.
  const choices = counts.filter(({ name, values }) => name !== "project" || values.length > 1);
  return Object.fromEntries(
    choices.map(({ name, values }) => [name, Object.fromEntries(values.map(({ value, documents }) => [value, documents]))]),
  );
}

function described(hit: Hit): PagefindResultData {
  const page = new URL(hit.url ?? "", bundles[hit.bundle]);
  const parts = [hit, ...hit.more].map((passage) => part(hit.title, page, passage));
  const [{ anchor: _, ...best }] = parts as [PagefindSubResult];
  const url = address(page);
  const { text } = hit.excerpt;
  return {
    ...best,
    title: hit.title,
    url,
    raw_url: url,
    content: text,
    raw_content: text,
    word_count: text.split(/\s+/).length,
    meta: { title: hit.title, ...hit.meta },
    filters: {},
    anchors: [],
    sub_results: parts,
  };
}

function part(title: string, page: URL, { section, anchor, excerpt }: Passage): PagefindSubResult {
  const url = new URL(page);
  if (anchor) {
    url.hash = anchor;
  }
  const heading = section.split(" > ").at(-1) || title;
  const locations = excerpt.highlights.map(([start]) => excerpt.text.slice(0, start).split(/\s+/).length - 1);
  return {
    title: heading,
    url: address(url),
    excerpt: marked(excerpt),
    plain_excerpt: excerpt.text,
    ...(anchor && { anchor: { id: anchor, text: heading, element: "h2", location: 0 } }),
    locations,
    weighted_locations: locations.map((location) => ({ weight: 1, balanced_score: 1, location })),
  };
}

function address(url: URL): string {
  return url.origin === location.origin ? url.pathname + url.search + url.hash : url.href;
}

/** Converts a text to HTML. Only the marks are markup. */
function marked({ text, highlights }: Excerpt): string {
  const escaped = (start: number, end?: number): string => text.slice(start, end).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  let at = 0;
  const marks = highlights.map(([start, end]) => {
    const before = escaped(at, start);
    at = end;
    return `${before}<mark>${escaped(start, end)}</mark>`;
  });
  return marks.join("") + escaped(at);
}
