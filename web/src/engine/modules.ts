/** The WASM modules, as hosts give them to the engine. */
import type { BundleSearcher } from "../../wasm/search/nearfind_search_instance.js";
import type { LineSearcher } from "../../wasm/grep/nearfind_grep_instance.js";
import type { ModelEncoder, PassageReranker } from "../../wasm/embed/nearfind_embed_instance.js";
import type { LaterModule } from "./later_module.js";
import type { grepRequest } from "./line_pattern.js";
import type { QuestionEncoder } from "./question_encoder.js";
import type { Reranker } from "./reranker.js";

/** The module that searches; small, loaded at once. */
export interface SearchModule {
  BundleSearcher: typeof BundleSearcher;
}

/** The module that finds lines; loaded when they are first asked for. */
export interface GrepModule {
  grepRequest: typeof grepRequest;
  LineSearcher: typeof LineSearcher;
}

/** A module that runs the transformer; loaded when a query first needs meaning. */
export interface EmbedModule {
  ModelEncoder: typeof ModelEncoder;
  PassageReranker: typeof PassageReranker;
}

/** How a host gets the modules, the same ones until they are renewed. */
export interface WasmModules {
  /** What every answer is to say, if these are not the modules that there should be. */
  notice?: string;
  search(): Promise<SearchModule>;
  /** What the module that searches lacks, if it comes in two parts and was loaded. */
  readonly later?: LaterModule | undefined;
  grep(): Promise<GrepModule>;
  /** `embed` runs quantized packs, `embed-onnx`, which is larger, any pack. */
  embed(name: "embed" | "embed-onnx"): Promise<EmbedModule>;
  /** What has a pack encode questions; loaded when one first does. */
  questionEncoder(): Promise<typeof QuestionEncoder>;
  /** What has a cross-encoder order answers; loaded when a query first asks for that. */
  reranker(): Promise<typeof Reranker>;
  /** Gives up what was given so far, after a panic: the next calls give modules with memories of their own. */
  renew?(): void;
}
