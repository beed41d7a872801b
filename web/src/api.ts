/**
 * What every host offers: open a bundle, ask it, close it.
 *
 * @packageDocumentation
 */

/** Which lists rank the documents: words (BM25), meaning (vectors), or both fused. */
export type Mode = "hybrid" | "words" | "meaning";

/** What encoded a query's meaning: 0 nothing, 1 the bundle's own query encoder, 2 a transformer: the model or the small encoder. */
export type Tier = 0 | 1 | 2;

/** Options of {@link open}. */
export interface OpenOptions {
  /**
   * The model pack, for bundles that do not ship it: a URL, in Node also a path. Must be the model that the bundle was
   * made with. It is read when a query first needs it.
   */
  model?: string | URL;
  /**
   * The pack of a cross-encoder that {@link QueryOptions.rerank} has read answers: a URL, in Node also a path. It is read when a
   * query first needs it.
   */
  reranker?: string | URL;
  /** Ends the opening. */
  signal?: AbortSignal;
  /**
   * In browsers, where the package's `dist/worker.js` is, if the bundler does not know: the package names it, its module
   * and itself by `new URL("…", import.meta.url)`, which Vite, webpack, Rollup and browsers understand.
   */
  worker?: string | URL;
  /** Likewise, where the package's `nearfind_search_bg.wasm` is. */
  wasm?: string | URL;
}

/** Options of {@link Search.query}. */
export interface QueryOptions {
  /** Default `hybrid`. Where meaning cannot be had hybrid is answered by words alone, and {@link Answer.notice} says why. */
  mode?: Mode;
  /**
   * What encodes the query. Default: the best that is there, which is 2 once {@link Search.loadModel} has loaded the
   * model or the small encoder. 2 loads the model if need be, or the small encoder where there is no other.
   */
  tier?: 1 | 2;
  /**
   * Compare with the coarse codes of promising documents (`near`), or with fine codes of all (`full`)? Default: `full` for
   * tier 2 over files at hand, else `near`, which is what a page can fetch.
   */
  vectors?: "near" | "full";
  /**
   * Hears of answers by less than was asked for: first by words with the first hit, then with all, while meaning is on
   * its way. The promise resolves with the last word.
   */
  onPreview?: (answer: Answer) => void;
  /** Documents wanted at most, 1 to 1000; default 10. */
  limit?: number;
  /** Whether the last word may be the beginning of one, as in a box that searches with every key. Default false. */
  typing?: boolean;
  /** Whether {@link Answer.filters} is wanted. Default false. */
  counts?: boolean;
  /**
   * How many of the best documents the cross-encoder of {@link OpenOptions.reranker} reads together with the question, and puts in
   * order; 20 is a good number. The first such query loads it. Default 0: none. If it cannot, the order is as without, and
   * {@link Answer.notice} says why. Not for answers that are sorted.
   */
  rerank?: number;
  /** Passages of each document at most, 1 to 4; default 1. */
  passages?: number;
  /**
   * Only documents with these properties, of which several values are alternatives: `project` or a facet of the bundle,
   * such as `version`; `area` and `sub_area`, the folders below those of the documentation; `path`, a folder or a file,
   * or `path_regex`; `since` and `until`, days as in `2024`, `2024-05` or `2024-05-01`.
   */
  filters?: Record<string, string | string[]>;
  /**
   * The reader's language, as a tag such as `fr`: where documents are in several languages and one is this, those in
   * others are left out, unless `filters` names a `language`.
   */
  language?: string;
  /**
   * What documents are sorted by, in place of how well they answer: `date`, or what pages give by `data-nearfind-sort`.
   * Documents without it come last. Of one bundle alone.
   */
  sort?: { by: string; descending?: boolean };
  /**
   * Whether documents are wanted too that hardly fit: else an answer to a question about something else is empty. `nearest` gives,
   * where no document fits, those that come near: none of them has 1 as `why.fit`.
   */
  unfit?: boolean | "nearest";
  /** Whether what is missing may be fetched; else the promise rejects with code `not-at-hand`. Default true. */
  fetch?: boolean;
  /** Ends the query: its promise rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** One list's evidence for a hit. */
export interface ListEvidence {
  /** Place in the list, from 1; `null` for a document that it lacks. */
  rank: number | null;
  /** The list's own score: BM25F or cosine of the document's best chunk, less for a long document; 0 if it lacks it. */
  score: number;
  /** How far it stands out of its list, in standard deviations. */
  z: number;
  /** What the list weighs for this question: words less, where the best documents have few of its words. */
  weight: number;
}

/** A passage of a document. */
export interface Passage {
  /** Headings above it, joined by ` > `; empty before the first heading. */
  section: string;
  /** Anchor of that section; empty if it has none. */
  anchor: string;
  /** Its text. */
  excerpt: Excerpt;
}

/** Text with its matches. */
export interface Excerpt {
  /** Plain text: never markup, whatever it looks like. */
  text: string;
  /** `[start, end)` of each match in `text`, in UTF-16 code units, ascending. */
  highlights: [number, number][];
}

/** One document, shown by its best chunk. */
export interface Hit extends Passage {
  /** Number of its bundle among those that were opened; 0 if it is one. */
  bundle: number;
  /** Canonical id: `<project>/<path>`, or the id of the source. */
  document: string;
  /** Name of the project, one for each source that was indexed. */
  project: string;
  /** Path inside its source. */
  path: string;
  /** Where readers find it. */
  url: string | null;
  /** Title of the document. */
  title: string;
  /** What its authors say of it, by `data-nearfind-meta`. */
  meta: Record<string, string>;
  /** How sure it is that the document answers, 0 to 1: not rising along the hits, and comparable between questions. */
  score: number;
  /** How well it answers as the cross-encoder says, 0 to 1, if that read it. */
  relevance?: number;
  /** Whether the site's owner put it first for this query. */
  pinned: boolean;
  /** Of a page in several versions all of them, the latest first; else empty. */
  versions: { version: string; document: string; url: string }[];
  /** Other passages that may answer, if more than one was asked for. */
  more: Passage[];
  /** What each list that took part thinks of it. */
  why: {
    words?: ListEvidence;
    meaning?: ListEvidence;
    /** What documents are ordered by: the sum of `z` times `weight`, and much more for a page that is called what is asked for. */
    fused: number;
    /** Whether its title or the name of its file is the question. */
    named: boolean;
    /** Of source code: what it counts more as it defines a name of the question. */
    defines?: number;
    /** Of source code: what it counts less as it is a test, an example, or another that is rarely meant. */
    aside?: number;
    /** How well it fits, whatever else there is: an answer is empty if no document has 1, unless {@link QueryOptions.unfit} was. */
    fit: number;
  };
}

/** What a query cost. */
export interface Cost {
  /** Stored bytes of the blocks that the query needed, by part, cached or not. */
  bytes: Record<string, number>;
  /** Times that blocks were asked for. */
  rounds: number;
  /** How vectors were searched, if they were. */
  vectors?: { method: "cells" | "scan" | "walk"; compared: number };
}

/** What a query found. */
export interface Answer {
  /** The query's text. */
  query: string;
  /** The mode that was used. */
  mode: Mode;
  /** What encoded the query. */
  tier: Tier;
  /** What that was: the bundle's own table of words, the small encoder, or the model. Missing where words alone answered. */
  encoder?: "table" | "small" | "model";
  /** Milliseconds from the call to the answer, reading included. */
  tookMs: number;
  /** Words that no page has, in lower case, and the words that they were taken for. */
  corrections: { word: string; meant: string }[];
  /** The query with its mistyped words corrected, which was searched for. Missing where no word was mistyped. */
  searched?: string;
  /** Phrases in quotes that no document has, or not together: their words were searched for. */
  missingPhrases: string[];
  /** The language that was kept to, if {@link QueryOptions.language} was and documents are in several. */
  language?: string;
  /** How many documents fit, of those that were ranked: with `unfit` all of them. */
  found: number;
  /** Best first; empty if nothing fits. */
  hits: Hit[];
  /**
   * If `counts` was asked for: how many of the documents with a word of the query have each value of each filter; for a
   * property that is filtered by, as if it were not. Where all documents have one value there is nothing to choose, and of a
   * large site not all are counted. Missing where words took no part.
   */
  filters?: FilterCounts[];
  /**
   * Why the answer was found in another way than asked for: by words alone or by the bundle's own query encoder, without
   * reranking, or slowly, where the page forbids WebAssembly. Several reasons are joined by `; `.
   */
  notice?: string;
  cost: Cost;
}

/** A property of documents by which answers can be filtered. */
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
  /** Where readers find it. */
  url: string | null;
  title: string;
  /** One line; may be empty. */
  description: string;
  /** In order; their texts, joined, are the document's. `section` and `anchor` are as in {@link Passage}. Plain text or Markdown. */
  sections: { section: string; anchor: string; text: string }[];
}

/** Options of {@link Search.grep}. */
export interface GrepOptions {
  /** Whether upper and lower case are different letters; by default they are not. A regular expression says so by its flag `i`. */
  caseSensitive?: boolean;
  /** Only documents of this project, or of any of these. */
  project?: string | string[];
  /** Only documents whose path matches this somewhere. */
  path?: RegExp;
  /** Lines wanted, at most; default 50. */
  limit?: number;
  /** Lines to leave out at the start. */
  offset?: number;
  /** Lines to show before and after each. */
  context?: number;
  signal?: AbortSignal;
}

/** A line that matches. */
export interface GrepLine {
  /** Project and path. */
  document: string;
  project: string;
  path: string;
  title: string;
  /** The section, in source code the line, as readers find it; `null` if nowhere. */
  url: string | null;
  /** Headings above the line, joined by ` > `; in source code what is around it, as in `Session.send`. */
  section: string;
  /** What kind of thing that is, in source code: `function`, `class` … */
  kind?: string;
  /** Its number in the document's text, from 1. */
  line: number;
  /** The line; a long one around its match. */
  text: string;
  before: string[];
  after: string[];
}

/** What {@link Search.grep} finds. */
export interface GrepAnswer {
  /** Lines that match, in all documents. */
  lines: number;
  /** Documents that have such lines. */
  documents: number;
  /** The lines that were asked for, by document and number. */
  found: GrepLine[];
}

/** Options of {@link Search.loadModel}. */
export interface LoadModelOptions {
  /** Hears of bytes read and, where known, of their total. */
  onProgress?: (read: number, total: number) => void;
  /** The reader asked for it: load it on any connection. */
  asked?: boolean;
  /** Load the small encoder, which answers nearly as well and is a third of the size. */
  small?: boolean;
  /** Stops waiting; what has begun to load goes on loading. */
  signal?: AbortSignal;
}

/** An open bundle. */
export interface Search {
  /** Answers a query. Rejects with a {@link NearfindError}. */
  query(text: string, options?: QueryOptions): Promise<Answer>;
  /**
   * Finds every line that holds a text as it is written, or that matches a regular expression. Rejects with code
   * `bad-pattern` what would fetch too much, or takes too long.
   */
  grep(pattern: string | RegExp, options?: GrepOptions): Promise<GrepAnswer>;
  /** Completions of a text that is being typed: the text with its last word completed, at most `limit`, default 5. */
  suggest(text: string, options?: { limit?: number; signal?: AbortSignal }): Promise<string[]>;
  /** The document of an id, a path, or a former path; `null` if none, or more than one, is called so. */
  document(name: string, options?: { signal?: AbortSignal }): Promise<DocumentText | null>;
  /** What answers may be filtered by: `project` and the bundle's facets, with the number of documents of each value. */
  filters(options?: { signal?: AbortSignal }): Promise<FilterCounts[]>;
  /**
   * The model, for a page that offers to load it, and the `bytes` that it would load; missing if the bundle does not ship it.
   * `small` is the small encoder, if the bundle has one, and when a page is to load it: by itself, or when the reader asks.
   */
  readonly model: { name: string; bytes?: number; small?: { bytes: number; loads: "auto" | "ask" } };
  /** The unit vector that the bundle's model, or its small encoder, gives a text. Reads it if none was read yet. */
  embed(text: string, options?: { signal?: AbortSignal }): Promise<Float32Array>;
  /**
   * Fetches what a query needs before it is asked: on focus without a text, while typing with what was typed so far.
   * Never rejects.
   */
  prefetch(text?: string, options?: { signal?: AbortSignal }): Promise<void>;
  /**
   * Reads the model, some megabytes; queries use it from then on. Rejects with code `save-data` where the reader saves
   * data or is on a slow connection, unless they asked for it.
   */
  loadModel(options?: LoadModelOptions): Promise<void>;
  /**
   * Opens the bundle again if it was replaced since; whether it was. A query does so by itself where parts of the old one
   * are gone.
   */
  refresh(options?: { signal?: AbortSignal }): Promise<boolean>;
  /** Frees worker and memory. Later calls reject. */
  close(): void;
}

/**
 * Opens the bundle at a URL; in Node also at a path. Several bundles of one model are asked as one: how rare words are is
 * counted over all of them, so that their pages compare.
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
