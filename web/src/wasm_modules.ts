import type { BundleSearcher, rootFile } from "../wasm/search/nearfind_search.js";
import type { ModelEncoder } from "../wasm/embed/nearfind_embed.js";

/** The module that searches; small, loaded at once. */
export interface SearchModule {
  BundleSearcher: typeof BundleSearcher;
  rootFile: typeof rootFile;
}

/** The module that runs the transformer; loaded when a query first needs meaning. */
export interface EmbedModule {
  ModelEncoder: typeof ModelEncoder;
}

/** How a host gets the modules. */
export interface WasmModules {
  search(): Promise<SearchModule>;
  embed(): Promise<EmbedModule>;
}

/** Loads both modules; `bytes` gives the WASM file at a URL, or the URL itself where the platform fetches it. */
export function wasmModules(bytes: (url: URL) => Promise<BufferSource> | URL): WasmModules {
  return {
    async search() {
      const module = await import("../wasm/search/nearfind_search.js");
      await module.default({ module_or_path: bytes(new URL("../wasm/search/nearfind_search_bg.wasm", import.meta.url)) });
      return module;
    },
    async embed() {
      const module = await import("../wasm/embed/nearfind_embed.js");
      await module.default({ module_or_path: bytes(new URL("../wasm/embed/nearfind_embed_bg.wasm", import.meta.url)) });
      return module;
    },
  };
}
