import { NearfindError } from "./errors.js";
import { LaterModule } from "./later_module.js";
import { BLOCKED, compiled } from "./search_module.js";
import type { grepRequest } from "./line_pattern.js";
import type { ModelFile } from "./model_file.js";
import type { Reranker } from "./reranker.js";
import type { BundleSearcher } from "../wasm/search/nearfind_search.js";
import type { LineSearcher } from "../wasm/grep/nearfind_grep.js";
import type { ModelEncoder, PassageReranker } from "../wasm/embed/nearfind_embed.js";

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

/** How a host gets the modules. */
export interface WasmModules {
  /** What every answer is to say, if these are not the modules that there should be. */
  notice?: string;
  search(): Promise<SearchModule>;
  /** What the module that searches lacks, if it comes in two parts and was loaded. */
  readonly later?: LaterModule | undefined;
  grep(): Promise<GrepModule>;
  /** `embed` runs quantized packs, `embed-onnx`, which is larger, any pack. */
  embed(name: "embed" | "embed-onnx"): Promise<EmbedModule>;
  /** What has a cross-encoder order answers; loaded when a query first asks for that. */
  reranker(): Promise<typeof Reranker>;
}

/**
 * Loads modules; `bytes` gives the WASM file at a URL, or the URL itself where the platform fetches it. `search` gives the module
 * that searches, whole, or the part that a page waits for where `later` is the address of the other.
 */
export function wasmModules(bytes: (url: URL) => Promise<BufferSource> | URL, search: () => Promise<WebAssembly.Module | BufferSource>, later?: string): WasmModules {
  let laterModule: LaterModule | undefined;
  return {
    async search() {
      const module = await import("../wasm/search/nearfind_search.js");
      const exports = await compiled(module.default({ module_or_path: search() }));
      if (later && !laterModule) {
        const other = (laterModule = new LaterModule(later, { ...exports }));
        module.onLater(() => other.loadNow());
      }
      return module;
    },
    get later() {
      return laterModule;
    },
    async grep() {
      const module = await grepLoader();
      await compiled(module.default({ module_or_path: bytes(new URL("../wasm/grep/nearfind_grep_bg.wasm", import.meta.url)) }));
      return module;
    },
    async embed(name) {
      // Bundlers understand this form alone, with the whole name in it.
      const [module, file] = name === "embed-onnx"
        ? [await onnxLoader(), new URL("../wasm/embed-onnx/nearfind_embed-onnx_bg.wasm", import.meta.url)]
        : [(await modelLoader()).embed, new URL("../wasm/embed/nearfind_embed_bg.wasm", import.meta.url)];
      await compiled(module.default({ module_or_path: bytes(file) }));
      return module;
    },
    reranker: async () => (await modelLoader()).Reranker,
  };
}

/**
 * Scripts that few pages load are found by their addresses: a bundler that knew of the import would put them into the worker
 * of every page, or, as some write workers without imports, refuse.
 */
const grepLoader = (): Promise<typeof import("./grep_loader.js")> => import(/* webpackIgnore: true */ /* @vite-ignore */ new URL("./grep_loader.js", import.meta.url).href);

const modelLoader = (): Promise<typeof import("./model_loader.js")> => import(/* webpackIgnore: true */ /* @vite-ignore */ new URL("./model_loader.js", import.meta.url).href);

const onnxLoader = (): Promise<typeof import("./onnx_loader.js")> => import(/* webpackIgnore: true */ /* @vite-ignore */ new URL("./onnx_loader.js", import.meta.url).href);

/** The model pack at a URL, or its first `startBytes`. */
export async function httpModel(url: URL, hash: string, startBytes?: number): Promise<ModelFile> {
  const { HttpModel } = await modelLoader();
  return new HttpModel(url, hash, startBytes);
}

/** For pages that forbid WebAssembly: the module that searches, turned into JavaScript, which is larger and slower. */
export const withoutWasm: WasmModules = {
  notice: `searching slowly: ${BLOCKED}`,
  search: () => import(/* webpackIgnore: true */ /* @vite-ignore */ new URL("../wasm/search-js/nearfind_search.js", import.meta.url).href) as Promise<SearchModule>,
  grep: () => Promise.reject(new NearfindError("blocked", BLOCKED)),
  embed: () => Promise.reject(new NearfindError("blocked", BLOCKED)),
  reranker: () => Promise.reject(new NearfindError("blocked", BLOCKED)),
};
