/**
 * The API on every host: open a bundle, search it, and close it.
 *
 * @packageDocumentation
 */

/** Selects how documents are ranked: by words (BM25), by meaning (vectors), or by both. */
export type Mode = "hybrid" | "words" | "meaning";

/**
 * The encoder used for the query's meaning: none (0), the bundle's own query encoder (1), or a transformer (2): the model or the
 * small encoder.
 */
export type Tier = 0 | 1 | 2;

/** Options of {@link open}. */
export interface OpenOptions {
  /**
   * The model pack, for bundles that do not ship it: a URL, or a path in Node. It must be the same model that the bundle was made
   * with. The first query that needs the pack loads it.
   */
  model?: string | URL;
  /**
   * The pack of a cross-encoder, for {@link QueryOptions.rerank}: a URL, or a path in Node. The first query that needs the pack
   * loads it.
   */
  reranker?: string | URL;
  /** Cancels the call when aborted. */
  signal?: AbortSignal;
  /**
   * In browsers, the address of the package's `dist/worker.js`. Set it only if your bundler does not find the file: the package
   * refers to its files with `new URL("…", import.meta.url)`, which Vite, webpack, Rollup and browsers understand.
   */
  worker?: string | URL;
  /** In browsers, the address of the package's `nearfind_search_bg.wasm`, if your bundler does not find it. */
  wasm?: string | URL;
}

/** Options of {@link Search.query}. */
export interface QueryOptions {
  /**
   * How to rank. Default `hybrid`. If search by meaning is not available, a hybrid query uses words alone, and
   * {@link Answer.notice} gives the reason.
   */
  mode?: Mode;
  /**
   * The encoder to use for the query. Default: the best one that is loaded, which is tier 2 after {@link Search.loadModel}. Pass
   * 2 to load the model on demand, or the small encoder if the model is not available.
   */
  tier?: 1 | 2;
  /**
   * Which vectors to compare: the coarse codes of promising documents (`near`), or the fine codes of all documents (`full`).
   * Default: `full` for tier 2 over local files, otherwise `near`, which needs little data from the network.
   */
  vectors?: "near" | "full";
  /**
   * Called with preliminary answers while more data is loading: first with the best hit by words, then with all hits by words.
   * The promise resolves with the final answer.
   */
  onPreview?: (answer: Answer) => void;
  /** The maximum number of documents, 1 to 1000. Default 10. */
  limit?: number;
  /** Whether the last word may be incomplete, as in a box that searches on every keystroke. Default false. */
  typing?: boolean;
  /** Whether to count documents for {@link Answer.filters}. Default false. */
  counts?: boolean;
  /**
   * How many of the best documents to rerank with the cross-encoder from {@link OpenOptions.reranker}, which reads each document
   * together with the question. A good value is 20. Default 0. The first query that reranks loads the cross-encoder. If loading
   * fails, the documents keep their order, and {@link Answer.notice} gives the reason. Answers with `sort` are not reranked.
   */
  rerank?: number;
  /** The maximum number of passages per document, 1 to 4. Default 1. */
  passages?: number;
  /** Whether hits include the whole text around their passage: see {@link Hit.text}. Default false. */
  texts?: boolean;
  /**
   * Returns only documents with these properties. If a property has several values, a document needs to match only one of them.
   * The properties are `project`; the bundle's facets, such as `version`; `area` and `sub_area`, the first two folders below the
   * documentation folder; `path`, a folder or a file; `path_regex`; and `since` and `until`, dates such as `2024`, `2024-05` or
   * `2024-05-01`.
   */
  filters?: Record<string, string | string[]>;
  /**
   * The reader's language, as a tag such as `fr`. If the bundle has documents in several languages and this is one of them,
   * documents in the other languages are left out, unless `filters` contains a `language`.
   */
  language?: string;
  /**
   * Sorts documents by a property instead of by relevance: by `date`, or by a name that pages define with `data-nearfind-sort`.
   * Documents without the property come last. Not available if several bundles are open.
   */
  sort?: { by: string; descending?: boolean };
  /**
   * Whether to return documents that fit poorly. By default, the answer to a question that no document covers is empty. If you
   * pass `nearest` and no document fits, the answer contains the nearest documents, with a `why.fit` below 1.
   */
  unfit?: boolean | "nearest";
  /**
   * Whether the query may fetch data. If false and data is missing, the promise rejects with code `not-at-hand`. Default true.
   */
  fetch?: boolean;
  /** Stops the query when aborted. The promise then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** A hit's evidence from one list: words or meaning. */
export interface ListEvidence {
  /** Rank in the list, starting at 1; `null` if the document is not in the list. */
  rank: number | null;
  /**
   * The list's own score: the BM25F score or the cosine of the document's best chunk, reduced for a long document; 0 if the
   * document is not in the list.
   */
  score: number;
  /** How far the score is above the other scores in the list, in standard deviations. */
  z: number;
  /** The list's weight for this question. Words weigh less if the best documents contain few of the question's words. */
  weight: number;
}

/** A passage of a document. */
export interface Passage {
  /** Headings above the passage, joined by ` > `; empty before the first heading. */
  section: string;
  /** Anchor of that section; empty if the section has none. */
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

/** A document in the answer, with its best passage. */
export interface Hit extends Passage {
  /** Index of the document's bundle in the list passed to {@link open}, from 0. */
  bundle: number;
  /** Canonical id: `<project>/<path>`, or an id that the source defines. */
  document: string;
  /** Name of the project. Each indexed source has one. */
  project: string;
  /** Path inside the source. */
  path: string;
  /** Address of the document for readers; `null` if it has none. */
  url: string | null;
  /** Title of the document. */
  title: string;
  /** Metadata that the page sets with `data-nearfind-meta`. */
  meta: Record<string, string>;
  /**
   * How well the document answers the question, from 0 to 1. Scores never rise from one hit to the next, and are comparable
   * across questions.
   */
  score: number;
  /** The cross-encoder's score for the document, from 0 to 1, if the cross-encoder read it. */
  relevance?: number;
  /** Whether the site's owner pinned the document to the top for this query. */
  pinned: boolean;
  /** All versions of the page, latest first; empty if there is only one. */
  versions: { version: string; document: string; url: string }[];
  /**
   * If {@link QueryOptions.texts} is set: a line with the title, a line with the headings above the passage, an empty line, and
   * then the text around the passage, unchanged from the document.
   */
  text?: string;
  /** Further passages that may answer the question, if {@link QueryOptions.passages} is more than 1. */
  more: Passage[];
  /** The evidence for the document's rank. */
  why: {
    words?: ListEvidence;
    meaning?: ListEvidence;
    /**
     * The number that determines the order of documents: the sum of `z` times `weight`, and much more for a page whose name
     * equals the question.
     */
    fused: number;
    /** Whether the title or the file name equals the question. */
    named: boolean;
    /** In source code, the bonus for defining a name from the question. */
    defines?: number;
    /** In source code, the penalty for a test, an example, or other code that readers rarely look for. */
    aside?: number;
    /**
     * How well the document fits, independently of the other documents. If no document has a fit of 1, the answer is empty,
     * unless you set {@link QueryOptions.unfit}.
     */
    fit: number;
  };
}

/** The cost of a query. */
export interface Cost {
  /** Stored bytes of the blocks that the query needed, cached or not, for each part of the bundle. */
  bytes: Record<string, number>;
  /** The number of times that the query requested blocks. */
  rounds: number;
  /** How vectors were searched; missing if they were not. */
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
   * The encoder that was used: the bundle's own query encoder (`table`), the small encoder, or the model. Missing if the answer
   * is based on words alone.
   */
  encoder?: "table" | "small" | "model";
  /** Milliseconds from the call to the answer, including the time to read data. */
  tookMs: number;
  /** Words that no page contains, in lower case, each with the word that the query searched for instead. */
  corrections: { word: string; meant: string }[];
  /** The corrected query. Missing if no word was mistyped. */
  searched?: string;
  /**
   * Quoted phrases that no document contains, or that no single document contains together. The query searched for their words
   * instead.
   */
  missingPhrases: string[];
  /** The language that {@link QueryOptions.language} limited the answer to. */
  language?: string;
  /** The number of ranked documents that fit. With `unfit`, all ranked documents count. */
  found: number;
  /** The documents, best first; empty if none fits. */
  hits: Hit[];
  /**
   * For each value of each filter, the number of documents that contain a word from the query, if {@link QueryOptions.counts} is
   * set. The counts for a property ignore your filter on that property. If no property has several values, there is nothing to
   * choose from, and some documents of a large site are not counted. Missing if the query did not use words.
   */
  filters?: FilterCounts[];
  /**
   * Why the answer was not found in the requested way: it was found by words alone, with the bundle's own query encoder, without
   * reranking, or slowly, because the page forbids WebAssembly. Several reasons are joined by `; `.
   */
  notice?: string;
  cost: Cost;
}

/** A property that you can filter by, with the number of documents for each value. */
export interface FilterCounts {
  /** `project`, or the name of a facet such as `version`. */
  name: string;
  values: { value: string; documents: number }[];
}

/** A whole document. */
export interface DocumentText {
  /** Canonical id: `<project>/<path>`, or an id that the source defines. */
  document: string;
  project: string;
  path: string;
  /** Address of the document for readers; `null` if it has none. */
  url: string | null;
  title: string;
  /** One line; may be empty. */
  description: string;
  /**
   * The sections in order. Joined, their plain or Markdown texts are the document's text. `section` and `anchor` are as in
   * {@link Passage}.
   */
  sections: { section: string; anchor: string; text: string }[];
}

/** Options of {@link Search.grep}. */
export interface GrepOptions {
  /** Whether case matters. Default false. A regular expression uses its own `i` flag instead. */
  caseSensitive?: boolean;
  /** Searches only documents in this project, or in these projects. */
  project?: string | string[];
  /** Searches only documents whose path contains a match. */
  path?: RegExp;
  /** The maximum number of lines. Default 50. */
  limit?: number;
  /** The number of lines to skip. */
  offset?: number;
  /** The number of lines to return before and after each match. */
  context?: number;
  signal?: AbortSignal;
}

/** A line in the result of {@link Search.grep}. */
export interface GrepLine {
  /** Project and path. */
  document: string;
  project: string;
  path: string;
  title: string;
  /** Address of the section, or of the line in source code; `null` if there is none. */
  url: string | null;
  /** Headings above the line, joined by ` > `; in source code, the definition that contains the line, such as `Session.send`. */
  section: string;
  /** In source code, the kind of that definition, such as `function` or `class`. */
  kind?: string;
  /** Line number in the document's text, starting at 1. */
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
  /** The number of documents with matching lines. */
  documents: number;
  /** The requested lines, sorted by document and number. */
  found: GrepLine[];
}

/** Options of {@link Search.loadModel}. */
export interface LoadModelOptions {
  /** Called with the number of bytes read and, if it is known, their total. */
  onProgress?: (read: number, total: number) => void;
  /** Whether the reader requested the model. If so, the model is loaded on any connection. */
  asked?: boolean;
  /** Loads the small encoder instead of the model: it answers nearly as well at a third of the size. */
  small?: boolean;
  /** Stops waiting when aborted. A download that has started continues. */
  signal?: AbortSignal;
}

/** An open bundle, or several bundles that are searched as one. */
export interface Search {
  /**
   * Answers a query. On failure, rejects with a {@link NearfindError}.
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
   * Finds every line that contains exact text or matches a regular expression. Rejects with code `bad-pattern` if the search
   * would fetch too much data or take too long.
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
   * Completes the last word of the text that a reader is typing. Returns at most `limit` whole texts (default 5).
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
   * Returns the properties that you can filter by (`project` and the bundle's facets), with the number of documents for each
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
   * The bundle's model, for pages that offer to load it. `bytes` is the download size; it is missing if the bundle does not ship
   * the model. `small` is the small encoder, if the bundle has one. `loads` tells when a page should load the small encoder:
   * automatically (`auto`), or when the reader requests it (`ask`).
   */
  readonly model: { name: string; bytes?: number; small?: { bytes: number; loads: "auto" | "ask" } };
  /**
   * Returns the unit vector of a text, from the bundle's model or small encoder. Loads the model if neither is loaded.
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
   * Loads the model, which is several megabytes in size. Later queries use it. Rejects with code `save-data` if the reader saves
   * data or has a slow connection, unless {@link LoadModelOptions.asked} is set.
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
 * Opens the bundle at a URL, or in Node at a path. Several bundles made with the same model are searched as one: word rarity is
 * counted across all of them, so that their pages can be compared.
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
