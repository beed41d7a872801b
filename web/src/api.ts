/**
 * The API of every host: open a bundle, search it, close it.
 *
 * @packageDocumentation
 */

/** Selects what ranks the documents: words (BM25), meaning (vectors), or both. */
export type Mode = "hybrid" | "words" | "meaning";

/**
 * Tells how the meaning of a query was encoded: not at all (0), by the bundle's own query encoder (1), or by a transformer (2),
 * which is the model or the small encoder.
 */
export type Tier = 0 | 1 | 2;

/** Options of {@link open}. */
export interface OpenOptions {
  /**
   * The model pack, for bundles that do not ship it: a URL, or a path in Node. It must be the model that the bundle was made
   * with. The pack is read when a query first needs it.
   */
  model?: string | URL;
  /**
   * The pack of a cross-encoder, for {@link QueryOptions.rerank}: a URL, or a path in Node. The pack is read when a query first
   * needs it.
   */
  reranker?: string | URL;
  /** Stops opening the bundle. */
  signal?: AbortSignal;
  /**
   * In browsers, the address of the package's `dist/worker.js`. You need it only if your bundler does not find the file: the
   * package refers to its files with `new URL("…", import.meta.url)`, which Vite, webpack, Rollup and browsers understand.
   */
  worker?: string | URL;
  /** In browsers, the address of the package's `nearfind_search_bg.wasm`, if your bundler does not find it. */
  wasm?: string | URL;
}

/** Options of {@link Search.query}. */
export interface QueryOptions {
  /**
   * How to rank. Default `hybrid`. If meaning is not available, a hybrid query is answered by words alone, and
   * {@link Answer.notice} says why.
   */
  mode?: Mode;
  /**
   * How to encode the query. Default: the best that is loaded, which is 2 after {@link Search.loadModel} has loaded the model or
   * the small encoder. If you pass 2, the query loads the model if necessary, or the small encoder if there is no model.
   */
  tier?: 1 | 2;
  /**
   * Which vectors to compare: the coarse codes of promising documents (`near`), or the fine codes of all documents (`full`).
   * Default: `full` for tier 2 over local files, else `near`, which a page can fetch.
   */
  vectors?: "near" | "full";
  /**
   * Called with preliminary answers while the rest is loading: first with the first hit by words, then with all hits by words.
   * The promise resolves with the final answer.
   */
  onPreview?: (answer: Answer) => void;
  /** The maximum number of documents, 1 to 1000. Default 10. */
  limit?: number;
  /** Whether the last word may be incomplete, as in a box that searches with every key. Default false. */
  typing?: boolean;
  /** Whether to count documents for {@link Answer.filters}. Default false. */
  counts?: boolean;
  /**
   * How many of the best documents the cross-encoder of {@link OpenOptions.reranker} reads together with the question and puts in
   * order. 20 is a good number. Default 0. The first such query loads the cross-encoder. If that fails, the order stays as it
   * was, and {@link Answer.notice} says why. Answers with `sort` are not reranked.
   */
  rerank?: number;
  /** The maximum number of passages of each document, 1 to 4. Default 1. */
  passages?: number;
  /** Whether hits have the whole text around their passage, see {@link Hit.text}. Default false. */
  texts?: boolean;
  /**
   * Returns only documents with these properties. Several values of a property are alternatives. Properties are `project` and the
   * facets of the bundle, such as `version`; `area` and `sub_area`, the first two folders below the folder of the documentation;
   * `path`, a folder or a file, or `path_regex`; and `since` and `until`, dates such as `2024`, `2024-05` or `2024-05-01`.
   */
  filters?: Record<string, string | string[]>;
  /**
   * The reader's language, as a tag such as `fr`. If documents are in several languages and this is one of them, documents in the
   * other languages are left out, unless `filters` names a `language`.
   */
  language?: string;
  /**
   * Sorts documents by a property instead of by how well they answer: by `date`, or by a name that pages define with
   * `data-nearfind-sort`. Documents without the property come last. Not available for several bundles.
   */
  sort?: { by: string; descending?: boolean };
  /**
   * Whether to return documents that hardly fit. By default, the answer to a question about something else is empty. If you pass
   * `nearest` and no document fits, the answer has the nearest documents, whose `why.fit` is below 1.
   */
  unfit?: boolean | "nearest";
  /** Whether the query may fetch data. If it may not and needs to, the promise rejects with code `not-at-hand`. Default true. */
  fetch?: boolean;
  /** Stops the query. Its promise rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** The evidence that one list, words or meaning, has for a hit. */
export interface ListEvidence {
  /** Place in the list, from 1; `null` if the list does not have the document. */
  rank: number | null;
  /** The list's own score: BM25F or cosine of the document's best chunk, less for a long document; 0 if it is not in the list. */
  score: number;
  /** How far the score is above the others of the list, in standard deviations. */
  z: number;
  /** The weight of the list for this question. Words weigh less if the best documents have few of the question's words. */
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

/** A document that was found, with its best passage. */
export interface Hit extends Passage {
  /** Index of its bundle among those that were opened, from 0. */
  bundle: number;
  /** Canonical id: `<project>/<path>`, or the id of the source. */
  document: string;
  /** Name of the project, one for each source that was indexed. */
  project: string;
  /** Path inside its source. */
  path: string;
  /** Address of the document for readers; `null` if it has none. */
  url: string | null;
  /** Title of the document. */
  title: string;
  /** Metadata that the page sets with `data-nearfind-meta`. */
  meta: Record<string, string>;
  /** How well the document answers, 0 to 1. It never rises along the hits, and you can compare it between questions. */
  score: number;
  /** The score that the cross-encoder gave the document, 0 to 1, if it read it. */
  relevance?: number;
  /** Whether the site's owner put it first for this query. */
  pinned: boolean;
  /** All versions of the page, the latest first; empty if there is only one. */
  versions: { version: string; document: string; url: string }[];
  /**
   * If {@link QueryOptions.texts} or {@link QueryOptions.rerank} is set, the title, the headings above the passage and an empty line, each on a line of its own,
   * and the text around the passage as the document has it.
   */
  text?: string;
  /** Further passages that may answer, if {@link QueryOptions.passages} is more than 1. */
  more: Passage[];
  /** Why the document has its place. */
  why: {
    words?: ListEvidence;
    meaning?: ListEvidence;
    /** The number that orders documents: the sum of `z` times `weight`, and much more for a page whose name is the question. */
    fused: number;
    /** Whether the title, or the name of the file, is the question. */
    named: boolean;
    /** In source code, how much it gains because it defines a name of the question. */
    defines?: number;
    /** In source code, how much it loses because it is a test, an example, or other code that is rarely meant. */
    aside?: number;
    /**
     * How well the document fits, regardless of the others. If no document has 1, the answer is empty, unless you set
     * {@link QueryOptions.unfit}.
     */
    fit: number;
  };
}

/** The cost of a query. */
export interface Cost {
  /** Stored bytes of the blocks that the query needed, by part of the bundle, whether they were cached or not. */
  bytes: Record<string, number>;
  /** How often the query asked for blocks. */
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
  /** The encoder: the bundle's own query encoder (`table`), the small encoder, or the model. Missing if words alone answered. */
  encoder?: "table" | "small" | "model";
  /** Milliseconds from the call to the answer, including the time to read data. */
  tookMs: number;
  /** Words that no page has, in lower case, and the words that were searched for instead. */
  corrections: { word: string; meant: string }[];
  /** The corrected query that was searched for. Missing if no word was mistyped. */
  searched?: string;
  /** Phrases in quotes that no document has, or no document has together. Their words were searched for instead. */
  missingPhrases: string[];
  /** The language that the answer was limited to because of {@link QueryOptions.language}. */
  language?: string;
  /** How many of the documents that were ranked fit. With `unfit`, all of them count. */
  found: number;
  /** The documents, the best first; empty if none fits. */
  hits: Hit[];
  /**
   * How many of the documents with a word of the query have each value of each filter, if {@link QueryOptions.counts} is set. A
   * property that you filter by is counted as if you did not. If all documents have the same values, there is nothing to choose,
   * and on a large site not all documents are counted. Missing if words took no part.
   */
  filters?: FilterCounts[];
  /**
   * Why the answer was not found in the requested way: it was found by words alone, by the bundle's own query encoder, without
   * reranking, or slowly because the page forbids WebAssembly. Several reasons are joined by `; `.
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
   * The sections in order. Their texts, plain or Markdown, add up to the text of the document. `section` and `anchor` are as in
   * {@link Passage}.
   */
  sections: { section: string; anchor: string; text: string }[];
}

/** Options of {@link Search.grep}. */
export interface GrepOptions {
  /** Whether case matters. Default false. For a regular expression its flag `i` decides. */
  caseSensitive?: boolean;
  /** Searches only documents of this project, or of these projects. */
  project?: string | string[];
  /** Searches only documents whose path matches, anywhere in the path. */
  path?: RegExp;
  /** The maximum number of lines. Default 50. */
  limit?: number;
  /** The number of lines to skip. */
  offset?: number;
  /** The number of lines to return before and after each match. */
  context?: number;
  signal?: AbortSignal;
}

/** A line that {@link Search.grep} found. */
export interface GrepLine {
  /** Project and path. */
  document: string;
  project: string;
  path: string;
  title: string;
  /** Address of the section, in source code of the line; `null` if there is none. */
  url: string | null;
  /** Headings above the line, joined by ` > `; in source code the definition around it, such as `Session.send`. */
  section: string;
  /** In source code, the kind of that definition: `function`, `class` … */
  kind?: string;
  /** Number of the line in the text of the document, from 1. */
  line: number;
  /** The line. If it is long, the part around the match. */
  text: string;
  before: string[];
  after: string[];
}

/** The result of {@link Search.grep}. */
export interface GrepAnswer {
  /** The number of lines that match, in all documents. */
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
  /** Whether the reader asked for the model. If so, it is loaded on any connection. */
  asked?: boolean;
  /** Loads the small encoder, which answers nearly as well and is a third of the size. */
  small?: boolean;
  /** Stops waiting. A download that has begun continues. */
  signal?: AbortSignal;
}

/** An open bundle, or several that are searched as one. */
export interface Search {
  /** Answers a query. Rejects with a {@link NearfindError}. */
  query(text: string, options?: QueryOptions): Promise<Answer>;
  /**
   * Finds every line that contains an exact text or matches a regular expression. Rejects with code `bad-pattern` if the search
   * would fetch too much or takes too long.
   */
  grep(pattern: string | RegExp, options?: GrepOptions): Promise<GrepAnswer>;
  /** Completes the last word of a text that is being typed. Returns at most `limit` whole texts. Default 5. */
  suggest(text: string, options?: { limit?: number; signal?: AbortSignal }): Promise<string[]>;
  /** Returns the document with an id, a path or a former path; `null` if there is none, or more than one. */
  document(name: string, options?: { signal?: AbortSignal }): Promise<DocumentText | null>;
  /**
   * Returns the properties that you can filter by, `project` and the bundle's facets, with the number of documents for each
   * value.
   */
  filters(options?: { signal?: AbortSignal }): Promise<FilterCounts[]>;
  /**
   * The model of the bundle, so that a page can offer to load it. `bytes` is the size of the download; it is missing if the
   * bundle does not ship the model. `small` is the small encoder, if the bundle has one. `loads` tells when a page should load
   * it: by itself, or when the reader asks.
   */
  readonly model: { name: string; bytes?: number; small?: { bytes: number; loads: "auto" | "ask" } };
  /** Returns the vector of a text, of length 1, by the bundle's model or small encoder. Loads the model if neither is loaded. */
  embed(text: string, options?: { signal?: AbortSignal }): Promise<Float32Array>;
  /**
   * Fetches the data that a query will need. Call it without a text when the field gets the focus, and with the text so far while
   * the reader types. Never rejects.
   */
  prefetch(text?: string, options?: { signal?: AbortSignal }): Promise<void>;
  /**
   * Loads the model, which is some megabytes. Later queries use it. Rejects with code `save-data` if the reader saves data or is
   * on a slow connection, unless {@link LoadModelOptions.asked} is set.
   */
  loadModel(options?: LoadModelOptions): Promise<void>;
  /**
   * Opens the bundle again if it was replaced, and returns whether it was. A query does so by itself if parts of the old bundle
   * are gone.
   */
  refresh(options?: { signal?: AbortSignal }): Promise<boolean>;
  /** Frees the worker and its memory. Later calls reject. */
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
