import type { Answer, Mode } from "./api.js";

/** What a page asks of its worker. `id` names the request; its answer carries the same. */
export type Request =
  | { id: number; kind: "open"; bundle: string; manifest: string; module: WebAssembly.Module; model?: string }
  | { id: number; kind: "query"; text: string; mode?: Mode; tier?: 1 | 2; vectors?: "near" | "full"; limit?: number; typing?: boolean; passages?: number; filters?: Record<string, string | string[]>; previews: boolean }
  | { id: number; kind: "embed"; text: string }
  | { id: number; kind: "prefetch"; text?: string }
  | { id: number; kind: "loadModel" }
  | { id: number; kind: "refresh" }
  /** Ends request `id`; it is not answered any more. */
  | { id: number; kind: "cancel" };

/** What a worker answers. */
export type Response =
  | { id: number; kind: "done"; value?: Answer | Float32Array | boolean }
  | { id: number; kind: "preview"; value: Answer }
  | { id: number; kind: "progress"; read: number; total: number }
  | { id: number; kind: "failed"; code: string; message: string };
