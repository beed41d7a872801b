/** The WASM modules that hosts provide to the engine. */
import type { BundleSearcher } from "../../wasm/search/nearfind_search_instance.js";
import type { LineSearcher } from "../../wasm/grep/nearfind_grep_instance.js";
import type { ModelEncoder, PassageReranker } from "../../wasm/embed/nearfind_embed_instance.js";
import type { LaterModule } from "./later_module.js";
import type { grepRequest } from "./line_pattern.js";
import type { QuestionEncoder } from "./question_encoder.js";
import type { Reranker } from "./reranker.js";

/** The search module, which is small and loaded immediately. */
export interface SearchModule {
  BundleSearcher: typeof BundleSearcher;
}

/** The module that finds lines. The first call that needs the module loads it. */
export interface GrepModule {
  grepRequest: typeof grepRequest;
  LineSearcher: typeof LineSearcher;
}

/** A module that runs a transformer. The first query that searches by meaning loads it. */
export interface EmbedModule {
  ModelEncoder: typeof ModelEncoder;
  PassageReranker: typeof PassageReranker;
}

/** Provides a host's modules. They stay the same until they are renewed. */
export interface WasmModules {
  /** A notice for every answer, if these modules are a fallback. */
  notice?: string;
  search(): Promise<SearchModule>;
  /** The second part of the search module, if it has two parts and the first is loaded. */
  readonly later?: LaterModule | undefined;
  grep(): Promise<GrepModule>;
  /** Loads a module that runs packs: `embed` runs quantized packs, and `embed-onnx`, which is larger, runs any pack. */
  embed(name: "embed" | "embed-onnx"): Promise<EmbedModule>;
  /** Loads, on first use, the code that encodes questions with a pack. */
  questionEncoder(): Promise<typeof QuestionEncoder>;
  /** Loads, on first use, the code that reranks answers with a cross-encoder. */
  reranker(): Promise<typeof Reranker>;
  /** Discards the modules after a panic. Later calls return modules with new memory. */
  renew?(): void;
}
