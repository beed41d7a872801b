/**
 * Loads the package's own modules by their addresses. Every file that uses `import.meta.url` stays at the top of `src/`, so that
 * the path from `dist/` to `wasm/` is the same in a bundled entry and in a separate module.
 */
import { NearfindError } from "./errors.js";
import { BLOCKED, compiled } from "./engine/blocked.js";
import { LaterModule } from "./engine/later_module.js";
import type { EmbedModule, GrepModule, SearchModule, WasmModules } from "./engine/modules.js";
import type { ModelAt } from "./sources/model_file.js";

/**
 * Creates a loader for the modules. `bytes` returns the WASM file at a URL, or the response that contains it. `search` returns
 * the whole search module, or its first part if `later` is the address of the second part.
 */
export function wasmModules(
  bytes: (url: URL) => Promise<BufferSource | Response>,
  search: () => Promise<WebAssembly.Module | BufferSource>,
  later?: string,
): WasmModules {
  let laterModule: LaterModule | undefined;
  let searching: SearchModule | undefined;
  let finding: GrepModule | undefined;
  let encoding: { [name in "embed" | "embed-onnx"]?: EmbedModule } = {};
  return {
    async search() {
      if (!searching) {
        const { newInstance } = await import("../wasm/search/nearfind_search.js");
        const instance = newInstance();
        const exports = await compiled(instance.instantiate(search()));
        if (later) {
          const rest = new LaterModule(later, { ...exports });
          instance.onLater(() => rest.loadNow());
          laterModule = rest;
        }
        searching = instance;
      }
      return searching;
    },
    get later() {
      return laterModule;
    },
    async grep() {
      if (!finding) {
        const { grepRequest, newInstance } = await grepLoader();
        const instance = newInstance();
        await compiled(instance.instantiate(bytes(new URL("../wasm/grep/nearfind_grep_bg.wasm", import.meta.url))));
        finding = { grepRequest, LineSearcher: instance.LineSearcher };
      }
      return finding;
    },
    async embed(name) {
      if (encoding[name]) {
        return encoding[name];
      }
      // Bundlers understand only this form, with the whole file name.
      const [{ newInstance }, file] =
        name === "embed-onnx"
          ? [await onnxLoader(), new URL("../wasm/embed-onnx/nearfind_embed-onnx_bg.wasm", import.meta.url)]
          : [await modelLoader(), new URL("../wasm/embed/nearfind_embed_bg.wasm", import.meta.url)];
      const instance = newInstance();
      await compiled(instance.instantiate(bytes(file)));
      encoding[name] = instance;
      return instance;
    },
    questionEncoder: async () => (await modelLoader()).QuestionEncoder,
    reranker: async () => (await modelLoader()).Reranker,
    renew() {
      searching = finding = undefined;
      encoding = {};
    },
  };
}

/**
 * These functions import scripts that few pages load. They import them by address, because a bundler that saw the imports would
 * put the scripts into every page's worker, or refuse them: some bundlers write workers without imports.
 */
const grepLoader = (): Promise<typeof import("./grep_loader.js")> =>
  import(/* webpackIgnore: true */ /* @vite-ignore */ new URL("./grep_loader.js", import.meta.url).href);

const modelLoader = (): Promise<typeof import("./model_loader.js")> =>
  import(/* webpackIgnore: true */ /* @vite-ignore */ new URL("./model_loader.js", import.meta.url).href);

const onnxLoader = (): Promise<typeof import("./onnx_loader.js")> =>
  import(/* webpackIgnore: true */ /* @vite-ignore */ new URL("./onnx_loader.js", import.meta.url).href);

/** Opens packs at URLs. The code that downloads and stores them is loaded with the first pack. */
export const httpModel: ModelAt = async (url, hash, startBytes) => {
  const { HttpModel } = await modelLoader();
  return new HttpModel(url, hash, startBytes);
};

/** The search module as JavaScript, for pages that forbid WebAssembly. It is larger and slower. */
export const withoutWasm: WasmModules = {
  notice: `searching slowly: ${BLOCKED}`,
  search: () =>
    import(
      /* webpackIgnore: true */ /* @vite-ignore */ new URL("../wasm/search-js/nearfind_search.js", import.meta.url).href
    ) as Promise<SearchModule>,
  grep: () => Promise.reject(new NearfindError("blocked", BLOCKED)),
  embed: () => Promise.reject(new NearfindError("blocked", BLOCKED)),
  questionEncoder: () => Promise.reject(new NearfindError("blocked", BLOCKED)),
  reranker: () => Promise.reject(new NearfindError("blocked", BLOCKED)),
};
