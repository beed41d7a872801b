import type { Answer, DocumentText, FilterCounts, GrepAnswer, QueryOptions, Search } from "../api.js";
import type { NearfindErrorCode } from "../errors.js";
import type { GrepSettings } from "../engine/line_pattern.js";

/** What of a query's options travels: the rest are functions and signals, which stay in the page. */
export type QuerySettings = Omit<QueryOptions, "signal" | "onPreview">;

/** What a page asks of its worker. `id` names the request; its answer carries the same. */
export type Request =
  /** `several` where the bundle's server is to be asked for several ranges at once. `module` is missing where the page's policy forbids WebAssembly. `later` is where its other part is, if it is not whole. */
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
  /** Ends request `id`; it is not answered any more. */
  | { id: number; kind: "cancel" };

/** What requests are answered with. */
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

/** What a worker answers. */
export type Response =
  | { id: number; kind: "done"; value?: Value }
  | { id: number; kind: "preview"; value: Answer }
  | { id: number; kind: "progress"; read: number; total: number }
  | { id: number; kind: "failed"; code: NearfindErrorCode; message: string };
