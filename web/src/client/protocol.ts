import type { Answer, DocumentText, FilterCounts, GrepAnswer, QueryOptions, Search } from "../api.js";
import type { NearfindErrorCode } from "../errors.js";
import type { GrepSettings } from "../engine/line_pattern.js";

/** The options of a query that are sent to the worker. The other options are functions and signals, which stay in the page. */
export type QuerySettings = Omit<QueryOptions, "signal" | "onPreview">;

/** The requests from a page to its worker. `id` identifies a request, and its responses have the same `id`. */
export type Request =
  /**
   * `several` tells the worker to request several ranges at once. `module` is missing if the page's policy forbids WebAssembly.
   * `later` is the address of the module's second part, if it has two parts.
   */
  | {
      id: number;
      kind: "open";
      bundles: { url: string; manifest: string; several: boolean }[];
      module: WebAssembly.Module | undefined;
      later: string | undefined;
      model: string | undefined;
      reranker: string | undefined;
    }
  | { id: number; kind: "query"; text: string; settings: QuerySettings; previews: boolean }
  | { id: number; kind: "grep"; pattern: string | RegExp; settings: GrepSettings }
  | { id: number; kind: "suggest"; text: string; limit?: number }
  | { id: number; kind: "document"; name: string }
  | { id: number; kind: "filters" }
  | { id: number; kind: "embed"; text: string }
  | { id: number; kind: "prefetch"; text?: string }
  | { id: number; kind: "loadModel"; small: boolean }
  | { id: number; kind: "refresh" }
  /** Stops request `id`, which then gets no response. */
  | { id: number; kind: "cancel" };

/** The result of each kind of request. */
export type Value =
  | Answer
  | Float32Array
  | boolean
  | string[]
  | DocumentText
  | GrepAnswer
  | FilterCounts[]
  | Search["model"]
  | null
  | undefined;

/** The responses from a worker. */
export type Response =
  | { id: number; kind: "done"; value?: Value }
  | { id: number; kind: "preview"; value: Answer }
  | { id: number; kind: "progress"; read: number; total: number }
  | { id: number; kind: "failed"; code: NearfindErrorCode; message: string };
