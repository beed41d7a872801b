/**
 * The API of every host: open a bundle, search it, close it.
 *
 * @packageDocumentation
 */

/** Selects how documents are ranked: by words (BM25), by meaning (vectors), or by both. */
export type Mode = "hybrid" | "words" | "meaning";

/**
 * The encoder of a query's meaning: none (0), the bundle's own query encoder (1), or a transformer (2), which is the model or the
 * small encoder.
 */
export type Tier = 0 | 1 | 2;

/** Options of {@link open}. */
export interface OpenOptions {
  /**
   * The model pack, for bundles that do not ship it: a URL, or a path in Node. It must be the model with which the bundle was
   * made. A query reads the pack when it first needs it.
   */
  model?: string | URL;
  /**
   * The pack of a cross-encoder, for {@link QueryOptions.rerank}: a URL, or a path in Node. A query reads the pack when it first
   * needs it.
   */
  reranker?: string | URL;
  /** Stops opening the bundle. */
  signal?: AbortSignal;
  /**
   * In browsers, the address of the package's `dist/worker.js`. You need it only if your bundler does not find the file: the
   * package refers to its files by `new URL("…", import.meta.url)`, which Vite, webpack, Rollup and browsers understand.
   */
  worker?: string | URL;
  /** In browsers, the address of the package's `nearfind_search_bg.wasm`, if your bundler does not find it. */
  wasm?: string | URL;
}

/** Options of {@link Search.query}. */
export interface QueryOptions {
  /**
   * How to rank. Default `hybrid`. If meaning is not available, a hybrid query is answered by words alone, and {@link
   * Answer.notice} gives the reason.
   */
  mode?: Mode;
  /**
   * How to encode the query. Default: the best encoder that is loaded, which is tier 2 after {@link Search.loadModel} has loaded
   * the model or the small encoder. If you pass 2, the query loads the model if necessary, or the small encoder if there is no
   * model.
   */
  tier?: 1 | 2;
  /**
   * Which vectors to compare: the coarse codes of promising documents (`near`), or the fine codes of all documents (`full`).
   * Default: `full` for tier 2 over local files, otherwise `near`, which needs little data from the network.
   */
  vectors?: "near" | "full";
  /**
   * Called with preliminary answers while the rest is loading: first with the best hit by words, then with all hits by words. The
   * promise resolves with the final answer.
   */
  onPreview?: (answer: Answer) => void;
  /** The maximum number of documents, 1 to 1000. Default 10. */
  limit?: number;
  /** Whether the last word may be incomplete, as in a box that searches on every keystroke. Default false. */
  typing?: boolean;
  /** Whether to count documents for {@link Answer.filters}. Default false. */
  counts?: boolean;
  /**
   * The number of best documents that the cross-encoder of {@link OpenOptions.reranker} reads together with the question and puts
   * in order. 20 is a good number. Default 0. The first such query loads the cross-encoder. If that fails, the order stays as it
   * was, and {@link Answer.notice} gives the reason. Answers with `sort` are not reranked.
   */
  rerank?: number;
  /** The maximum number of passages for each document, 1 to 4. Default 1. */
  passages?: number;
  /** Whether hits have the whole text around their passage, see {@link Hit.text}. Default false. */
  texts?: boolean;
  /**
   * Returns only documents with these properties. Several values of a property are alternatives. The properties are `project` and
   * the facets of the bundle, such as `version`; `area` and `sub_area`, the first two folders below the folder of the
   * documentation; `path`, a folder or a file, or `path_regex`; and `since` and `until`, dates such as `2024`, `2024-05` or
   * `2024-05-01`.
   */
  filters?: Record<string, string | string[]>;
  /**
   * The reader's language, as a tag such as `fr`. If the bundle has documents in several languages and this is one of them,
   * documents in the other languages are left out, unless `filters` names a `language`.
   */
  language?: string;
  /**
   * Sorts documents by a property instead of by relevance: by `date`, or by a name that pages define with `data-nearfind-sort`.
   * Documents without the property come last. Not available for several bundles.
   */
  sort?: { by: string; descending?: boolean };
  /**
   * Whether to return documents that fit poorly. By default, the answer to a question about something else is empty. If you pass
   * `nearest` and no document fits, the answer contains the nearest documents, with a `why.fit` below 1.
   */
  unfit?: boolean | "nearest";
  /**
   * Whether the query may fetch data. If false and data is missing, the promise rejects with code `not-at-hand`. Default true.
   */
  fetch?: boolean;
  /** Stops the query. Its promise rejects with the reason of the signal. */
  signal?: AbortSignal;
}

/** The evidence from one list, words or meaning, for a hit. */
export interface ListEvidence {
  /** Rank in the list, from 1; `null` if the document is not in the list. */
  rank: number | null;
  /**
   * The list's own score: BM25F or cosine of the document's best chunk, reduced for a long document; 0 if the document is not in
   * the list.
   */
  score: number;
  /** The distance of the score above the others of the list, in standard deviations. */
  z: number;
  /** The weight of the list for this question. Words have less weight if the best documents have few words of the question. */
  weight: number;
}

/** A passage of a document. */
export interface Passage {
  /** Headings above the passage, joined by ` > `; empty before the first heading. */
  section: string;
  /** Anchor of that section; empty if it has none. */
  anchor: string;
  /** Text of the passage. */
  excerpt: Excerpt;
}

/** Text with its matches. */
export interface Excerpt {
  /** Plain text, even if it looks like markup. */
  text: string;
  /** `[start, end)` of each match in `text`, in UTF-16 code units, ascending. */
  highlights: [number, number][];
}

/** A document of the answer, with its best passage. */
export interface Hit extends Passage {
  /** Index of its bundle in the list that was passed to {@link open}, from 0. */
  bundle: number;
  /** Canonical id: `<project>/<path>`, or the id of the source. */
  document: string;
  /** Name of the project. Each indexed source has one. */
  project: string;
  /** Path inside its source. */
  path: string;
  /** Address of the document for readers; `null` if it has none. */
  url: string | null;
  /** Title of the document. */
  title: string;
  /** Metadata that the page sets with `data-nearfind-meta`. */
  meta: Record<string, string>;
  /** How well the document answers, 0 to 1. It never rises from one hit to the next, and is comparable between questions. */
  score: number;
  /** The score from the cross-encoder, 0 to 1, if the cross-encoder read the document. */
  relevance?: number;
  /** Whether the site's owner pinned it to the top for this query. */
  pinned: boolean;
  /** All versions of the page, latest first; empty if there is only one. */
  versions: { version: string; document: string; url: string }[];
  /**
   * If {@link QueryOptions.texts} or {@link QueryOptions.rerank} is set, the title, the headings above the passage and an empty line, each on a line of its own,
   * and the text around the passage as the document has it.
   */
  text?: string;
  /** Further passages that may answer, if {@link QueryOptions.passages} is more than 1. */
  more: Passage[];
  /** The evidence for the document's rank. */
  why: {
    words?: ListEvidence;
    meaning?: ListEvidence;
    /**
     * The number by which documents are ordered: the sum of `z` times `weight`, and much more for a page whose name is the
     * question.
     */
    fused: number;
    /** Whether the title or the name of the file equals the question. */
    named: boolean;
    /** In source code, the bonus for defining a name of the question. */
    defines?: number;
    /** In source code, the penalty for a test, an example, or other code that is rarely meant. */
    aside?: number;
    /**
     * How well the document fits, independent of the other documents. If no document has 1, the answer is empty, unless you set
     * {@link QueryOptions.unfit}.
     */
    fit: number;
  };
}

/** The cost of a query. */
export interface Cost {
  /** Stored bytes of the blocks that the query needed, by part of the bundle, whether cached or not. */
  bytes: Record<string, number>;
  /** The number of times that the query requested blocks. */
  rounds: number;
  /** How vectors were searched; missing if they were not searched. */
  vectors?: { method: "cells" | "scan" | "walk"; compared: number };
}

/** The answer to a query. */
export interface Answer {
  /** The text of the query. */
  query: string;
  /** The mode that was used. */
  mode: Mode;
  /** How the query was encoded. */
  tier: Tier;
  /**
   * The encoder that was used: the bundle's own query encoder (`table`), the small encoder, or the model. Missing if words alone
   * answered.
   */
  encoder?: "table" | "small" | "model";
  /** Milliseconds from the call to the answer, including the time for reading data. */
  tookMs: number;
  /** Words that no page contains, in lower case, and the words for which the query searched instead. */
  corrections: { word: string; meant: string }[];
  /** The corrected query. Missing if no word was mistyped. */
  searched?: string;
  /** Phrases in quotes that no document contains, or that no document contains together. The query searched for their words instead. */
  missingPhrases: string[];
  /** The language to which {@link QueryOptions.language} limited the answer. */
  language?: string;
  /** The number of ranked documents that fit. With `unfit`, all of them count. */
  found: number;
  /** The documents, best first; empty if none fits. */
  hits: Hit[];
  /**
   * The numbers of documents that have a word of the query, for each value of each filter, if {@link QueryOptions.counts} is set.
   * A property that you filter by is counted as if you did not. If no property has several values, there is nothing to choose,
   * and not all documents of a large site are counted. Missing if words took no part.
   */
  filters?: FilterCounts[];
  /**
   * The reason why the answer was not found in the requested way: it was found by words alone, by the bundle's own query encoder,
   * without reranking, or slowly because the page forbids WebAssembly. Several reasons are joined by `; `.
   */
  notice?: string;
  cost: Cost;
}

/** A property by which you can filter, with the number of documents for each value. */
export interface FilterCounts {
  /** `project`, or the name of a facet such as `version`. */
  name: string;
  values: { value: string; documents: number }[];
}

/** A whole document. */
export interface DocumentText {
  /** Canonical id: `<project>/<path>`, or the id of the source. */
  document: string;
  project: string;
  path: string;
  /** Address of the document for readers; `null` if it has none. */
  url: string | null;
  title: string;
  /** One line; may be empty. */
  description: string;
  /**
   * The sections in order. Their texts, plain or Markdown, together are the text of the document. `section` and `anchor` are as
   * in {@link Passage}.
   */
  sections: { section: string; anchor: string; text: string }[];
}

/** Options of {@link Search.grep}. */
export interface GrepOptions {
  /** Whether case matters. Default false. For a regular expression, its flag `i` decides. */
  caseSensitive?: boolean;
  /** Searches only documents of this project, or of these projects. */
  project?: string | string[];
  /** Searches only documents with a path that matches, anywhere in the path. */
  path?: RegExp;
  /** The maximum number of lines. Default 50. */
  limit?: number;
  /** The number of lines to skip. */
  offset?: number;
  /** The number of lines to return before and after each match. */
  context?: number;
  signal?: AbortSignal;
}

/** A line of the result of {@link Search.grep}. */
export interface GrepLine {
  /** Project and path. */
  document: string;
  project: string;
  path: string;
  title: string;
  /** Address of the section, or of the line in source code; `null` if there is none. */
  url: string | null;
  /** Headings above the line, joined by ` > `; in source code the definition that contains it, such as `Session.send`. */
  section: string;
  /** In source code, the kind of that definition: `function`, `class` … */
  kind?: string;
  /** Number of the line in the document's text, from 1. */
  line: number;
  /** The line, or the part around the match if the line is long. */
  text: string;
  before: string[];
  after: string[];
}

/** The result of {@link Search.grep}. */
export interface GrepAnswer {
  /** The number of matching lines, in all documents. */
  lines: number;
  /** The number of documents with such lines. */
  documents: number;
  /** The requested lines, sorted by document and number. */
  found: GrepLine[];
}

/** Options of {@link Search.loadModel}. */
export interface LoadModelOptions {
  /** Called with the number of bytes read and, if it is known, their total. */
  onProgress?: (read: number, total: number) => void;
  /** Whether the reader requested the model. If so, it is loaded on any connection. */
  asked?: boolean;
  /** Loads the small encoder instead, which answers nearly as well and is a third of the size. */
  small?: boolean;
  /** Stops waiting. A download that has started continues. */
  signal?: AbortSignal;
}

/** An open bundle, or several bundles that are searched as one. */
export interface Search {
  /**
   * Answers a query. Rejects with a {@link NearfindError}.
   *
   * @example
   * ```ts
   * import { open } from "nearfind";
   * const search = await open("https://docs.example.org/search/");
   * const { hits, found } = await search.query("how do I share data between threads?", { limit: 3 });
   * for (const { title, url, excerpt } of hits) {
   *   console.log(title, url, excerpt.text);
   * }
   * console.log(`${found} pages fit`);
   * ```
   */
  query(text: string, options?: QueryOptions): Promise<Answer>;
  /**
   * Finds every line that contains an exact text or matches a regular expression. Rejects with code `bad-pattern` if the search
   * would fetch too much or takes too long.
   *
   * @example
   * ```ts
   * import { open } from "nearfind";
   * const search = await open("https://docs.example.org/search/");
   * const { lines, found } = await search.grep(/\bArc::clone\b/, { limit: 20, context: 1 });
   * console.log(`${lines} lines`);
   * for (const { document, line, text } of found) {
   *   console.log(`${document}:${line}: ${text}`);
   * }
   * ```
   */
  grep(pattern: string | RegExp, options?: GrepOptions): Promise<GrepAnswer>;
  /**
   * Completes the last word of a text while a reader types it. Returns at most `limit` whole texts. Default 5.
   *
   * @example
   * ```ts
   * import { open } from "nearfind";
   * const search = await open("https://docs.example.org/search/");
   * const texts = await search.suggest("shared own"); // such as ["shared ownership", …]
   * ```
   */
  suggest(text: string, options?: { limit?: number; signal?: AbortSignal }): Promise<string[]>;
  /**
   * Returns the document with this id, path or former path; `null` if there is none, or more than one.
   *
   * @example
   * ```ts
   * import { open } from "nearfind";
   * const search = await open("https://docs.example.org/search/");
   * const { hits } = await search.query("mutex", { limit: 1 });
   * const page = hits[0] && (await search.document(hits[0].document));
   * for (const { section, text } of page?.sections ?? []) {
   *   console.log(section, text.length);
   * }
   * ```
   */
  document(name: string, options?: { signal?: AbortSignal }): Promise<DocumentText | null>;
  /**
   * Returns the properties by which you can filter, `project` and the bundle's facets, with the number of documents for each
   * value.
   *
   * @example
   * ```ts
   * import { open } from "nearfind";
   * const search = await open("https://docs.example.org/search/");
   * const counts = await search.filters();
   * const projects = counts.find(({ name }) => name === "project")?.values ?? [];
   * const { hits } = await search.query("threads", { filters: { project: projects.map(({ value }) => value) } });
   * ```
   */
  filters(options?: { signal?: AbortSignal }): Promise<FilterCounts[]>;
  /**
   * The model of the bundle, so that a page can offer to load it. `bytes` is the size of the download, and missing if the bundle
   * does not ship the model. `small` is the small encoder, if the bundle has one. `loads` tells when a page should load the small
   * encoder: without being asked, or when the reader requests it.
   */
  readonly model: { name: string; bytes?: number; small?: { bytes: number; loads: "auto" | "ask" } };
  /**
   * Returns the vector of a text, of length 1, from the bundle's model or small encoder. Loads the model if neither is loaded.
   *
   * @example
   * ```ts
   * import { open } from "nearfind";
   * const search = await open("https://docs.example.org/search/");
   * const [question, passage] = await Promise.all([search.embed("share data"), search.embed("Threads can own a value together.")]);
   * const cosine = question.reduce((sum, value, at) => sum + value * passage[at]!, 0);
   * ```
   */
  embed(text: string, options?: { signal?: AbortSignal }): Promise<Float32Array>;
  /**
   * Fetches the data that a query will need. Call it without a text when the field receives focus, and with the current text
   * while the reader types. Never rejects.
   *
   * @example
   * ```ts
   * import { open } from "nearfind";
   * const search = await open("https://docs.example.org/search/");
   * await search.prefetch(); // when the field receives focus
   * await search.prefetch("how do I share"); // while the reader types
   * ```
   */
  prefetch(text?: string, options?: { signal?: AbortSignal }): Promise<void>;
  /**
   * Loads the model, which has several megabytes. Later queries use it. Rejects with code `save-data` if the reader saves data or
   * has a slow connection, unless {@link LoadModelOptions.asked} is set.
   *
   * @example
   * ```ts
   * import { open } from "nearfind";
   * const search = await open("https://docs.example.org/search/");
   * await search.loadModel({ small: true, asked: true, onProgress: (read, total) => console.log(read / total) });
   * const { tier, encoder } = await search.query("how do I share data between threads?"); // 2 and "small"
   * ```
   */
  loadModel(options?: LoadModelOptions): Promise<void>;
  /**
   * Opens the bundle again if it was replaced, and returns whether it was. A query does the same if parts of the old bundle are
   * gone.
   *
   * @example
   * ```ts
   * import { open } from "nearfind";
   * const search = await open("https://docs.example.org/search/");
   * if (await search.refresh()) {
   *   console.log("the index was replaced, and the new one is open");
   * }
   * ```
   */
  refresh(options?: { signal?: AbortSignal }): Promise<boolean>;
  /**
   * Frees the worker and its memory. Later calls reject.
   *
   * @example
   * ```ts
   * import { open } from "nearfind";
   * const search = await open("https://docs.example.org/search/");
   * search.close();
   * await search.query("threads").catch((error) => console.log(error.code)); // "closed"
   * ```
   */
  close(): void;
}

/**
 * Opens the bundle at a URL, or in Node at a path. Several bundles of one model are searched as one: the rarity of words is
 * counted over all of them, so that their pages can be compared.
 *
 * @example
 * ```ts
 * import { open } from "nearfind";
 * const search = await open("https://docs.example.org/search/");
 * const { hits } = await search.query("how do I share data between threads?", { limit: 5 });
 * ```
 */
export declare function open(location: string | URL | (string | URL)[], options?: OpenOptions): Promise<Search>;

export { NearfindError, type NearfindErrorCode } from "./errors.js";
