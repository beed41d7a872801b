import { NearfindError } from "./errors.js";
import type { BundleSearcher } from "../wasm/search/nearfind_search.js";
import type { ModelEncoder } from "../wasm/embed/nearfind_embed.js";

/** The module that searches; small, loaded at once. */
export interface SearchModule {
  BundleSearcher: typeof BundleSearcher;
}

/** A module that runs the transformer; loaded when a query first needs meaning. */
export interface EmbedModule {
  ModelEncoder: typeof ModelEncoder;
}

/** How a host gets the modules. */
export interface WasmModules {
  /** What every answer is to say, if these are not the modules that there should be. */
  notice?: string;
  search(): Promise<SearchModule>;
  /** `embed` runs quantized packs, `embed-onnx`, which is larger, any pack. */
  embed(name: "embed" | "embed-onnx"): Promise<EmbedModule>;
}

/** Loads modules; `bytes` gives the WASM file at a URL, or the URL itself where the platform fetches it. */
export function wasmModules(bytes: (url: URL) => Promise<BufferSource> | URL, search?: Promise<WebAssembly.Module>): WasmModules {
  return {
    async search() {
      const module = await import("../wasm/search/nearfind_search.js");
      await compiled(module.default({ module_or_path: search ?? bytes(searchModuleUrl()) }));
      return module;
    },
    async embed(name) {
      // Bundlers understand these forms alone.
      const [module, file] = name === "embed-onnx"
        ? [await import("../wasm/embed-onnx/nearfind_embed-onnx.js"), new URL("../wasm/embed-onnx/nearfind_embed-onnx_bg.wasm", import.meta.url)]
        : [await import("../wasm/embed/nearfind_embed.js"), new URL("../wasm/embed/nearfind_embed_bg.wasm", import.meta.url)];
      await compiled(module.default({ module_or_path: bytes(file) }));
      return module;
    },
  };
}

const BLOCKED = "the page's Content-Security-Policy forbids WebAssembly: add 'wasm-unsafe-eval' to its script-src";

/** For pages that forbid WebAssembly: the module that searches, turned into JavaScript, which is larger and slower. */
export const withoutWasm: WasmModules = {
  notice: `searching slowly: ${BLOCKED}`,
  // As a file of its own, so that no bundler puts it into the worker of every page.
  search: () => import(/* webpackIgnore: true */ /* @vite-ignore */ new URL("../wasm/search-js/nearfind_search.js", import.meta.url).href) as Promise<SearchModule>,
  embed: () => Promise.reject(new NearfindError("blocked", BLOCKED)),
};

/** Where the module that searches is. */
export function searchModuleUrl(): URL {
  return new URL("../wasm/search/nearfind_search_bg.wasm", import.meta.url);
}

/** Says what to do where the page's policy forbids WASM: the platform's own words differ by browser and name no cure. */
export async function compiled<T>(module: Promise<T>): Promise<T> {
  try {
    return await module;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/content security|unsafe-eval|csp/i.test(message)) {
      throw new NearfindError("blocked", BLOCKED);
    }
    throw error;
  }
}
