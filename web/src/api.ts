/**
 * What every host offers: open a bundle, ask it, close it.
 *
 * @packageDocumentation
 */

/** Which lists rank the documents: words (BM25), meaning (vectors), or both fused. */
export type Mode = "hybrid" | "words" | "meaning";

/** Options of {@link open}. */
export interface OpenOptions {
  /**
   * The model pack, for bundles that do not ship it: a URL, in Node also a path. Must be the model that the bundle was
   * made with. It is read when a query first needs it.
   */
  model?: string | URL;
  /** Ends the opening. */
  signal?: AbortSignal;
}

/** Options of {@link Search.query}. */
export interface QueryOptions {
  /** Default `hybrid`. Where the model cannot be had hybrid is answered by words alone, and {@link Answer.notice} says why. */
  mode?: Mode;
  /** Documents wanted at most, 1 to 1000; default 10. */
  limit?: number;
  /** Ends the query: its promise rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** One list's evidence for a hit. */
export interface ListEvidence {
  /** Place in the list, from 1. */
  rank: number;
  /** The list's own score: BM25 or cosine of the document's best chunk. */
  score: number;
}

/** One document, shown by its best chunk. */
export interface Hit {
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
  /** Headings above the excerpt, joined by ` > `; empty before the first heading. */
  section: string;
  /** Anchor of that section; empty if it has none. */
  anchor: string;
  /** In 0…1; 1 is first in every list. */
  score: number;
  /** The passage that answers. */
  excerpt: {
    /** Plain text: never markup, whatever it looks like. */
    text: string;
    /** `[start, end)` of each match in `text`, in UTF-16 code units, ascending. */
    highlights: [number, number][];
  };
  /** Which lists found it. */
  why: { words?: ListEvidence; meaning?: ListEvidence };
}

/** What a query cost. */
export interface Cost {
  /** Stored bytes of the blocks that the query needed, by part, cached or not. */
  bytes: Record<string, number>;
  /** Times that blocks were asked for. */
  rounds: number;
  /** How vectors were searched, if they were. */
  vectors?: { method: "scan" | "walk"; compared: number };
}

/** What a query found. */
export interface Answer {
  /** The query's text. */
  query: string;
  /** The mode that was used. */
  mode: Mode;
  /** Milliseconds from the call to the answer, reading included. */
  took_ms: number;
  /** Best first. */
  hits: Hit[];
  /** Why the mode is not the one asked for. */
  notice?: string;
  cost: Cost;
}

/** An open bundle. */
export interface Search {
  /** Answers a query. Rejects with a {@link NearfindError}. */
  query(text: string, options?: QueryOptions): Promise<Answer>;
  /** The unit vector that the bundle's model gives a text. Reads the model if it was not read yet. */
  embed(text: string, options?: { signal?: AbortSignal }): Promise<Float32Array>;
  /** Reads the model before a query needs it. `onProgress` hears of bytes read and, where known, of their total. */
  loadModel(onProgress?: (read: number, total: number) => void): Promise<void>;
  /** Frees worker and memory. Later calls reject. */
  close(): void;
}

/**
 * Opens the bundle at a URL; in Node also at a path.
 *
 * @example
 * ```ts
 * import { open } from "nearfind";
 * const search = await open("https://docs.example.org/search/");
 * const { hits } = await search.query("how do I share data between threads?", { limit: 5 });
 * ```
 */
export declare function open(location: string | URL, options?: OpenOptions): Promise<Search>;

export { NearfindError } from "./errors.js";
