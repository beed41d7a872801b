/**
 * nearfind for environments where the package cannot fetch its own files: edge runtimes, bundlers that cannot emit files, and
 * tests. The caller passes the module, and may pass a function that reads the bundle's files. The engine runs in the calling
 * thread.
 *
 * @packageDocumentation
 */
import type { Search } from "./api.js";
import { compiled } from "./engine/blocked.js";
import { Engine } from "./engine/engine.js";
import { fetchedManifest } from "./engine/manifest.js";
import { stoppable } from "./engine/stoppable.js";
import { NearfindError } from "./errors.js";
import { HttpSource } from "./sources/http_source.js";
import { inflate } from "./sources/inflate.js";
import type { ModelFile } from "./sources/model_file.js";
import type { Source } from "./sources/source.js";
import { untilAborted } from "./until_aborted.js";
import { grepRequest, newInstance as newLineSearch } from "./grep_loader.js";
import type { GrepModule, SearchModule } from "./engine/modules.js";
import { newInstance } from "../wasm/search/nearfind_search.js";

export { NearfindError, type NearfindErrorCode } from "./errors.js";
export type * from "./api.js";

/**
 * Reads `bytes` bytes of a bundle file from byte `start`, or the whole file if `start` is missing. If the file does not exist,
 * rejects or resolves to nothing.
 */
export type ReadFile = (file: string, start?: number, bytes?: number) => Promise<ArrayBuffer | Uint8Array | null | undefined>;

/** The location of a bundle: an absolute URL, or a function that reads its files. */
export type BundleLocation = string | URL | ReadFile;

/** A module: compiled, as bytes, or as a response with the bytes. */
export type GivenModule = WebAssembly.Module | BufferSource | Response | Promise<WebAssembly.Module | BufferSource | Response>;

/** Options of {@link open}. */
export interface SlimOptions {
  /** The module `nearfind/search.wasm`. */
  wasm: GivenModule;
  /** The module `nearfind/grep.wasm`, for {@link Search.grep}. */
  grep?: GivenModule;
  /** Cancels the call when aborted. */
  signal?: AbortSignal;
}

/** Shared by all open bundles, because each instance of a module takes a megabyte of memory. */
let searching: SearchModule | undefined;
let finding: GrepModule | undefined;

/**
 * Opens a bundle, or several as one. Searches use words and the bundle's own query encoder. The model is not available.
 *
 * @example
 * ```ts
 * import { open } from "nearfind/slim";
 * import wasm from "nearfind/search.wasm";
 * const search = await open("https://docs.example.org/search/", { wasm });
 * ```
 */
export async function open(location: BundleLocation | BundleLocation[], { wasm, grep, signal }: SlimOptions): Promise<Search> {
  const sources = [location]
    .flat()
    .map((place) =>
      typeof place === "function" ? new CalledSource(place) : new HttpSource(new URL(place), () => Promise.reject(noModel())),
    );
  const modules = {
    async search() {
      if (!searching) {
        const instance = newInstance();
        await compiled(instance.instantiate(again(wasm)));
        searching = instance;
      }
      return searching;
    },
    async grep() {
      if (grep === undefined) {
        throw new NearfindError("no-module", "lines are found by the module nearfind/grep.wasm: pass it as option `grep`");
      }
      if (!finding) {
        const instance = newLineSearch();
        await compiled(instance.instantiate(again(grep)));
        finding = { grepRequest, LineSearcher: instance.LineSearcher };
      }
      return finding;
    },
    renew() {
      searching = finding = undefined;
    },
    embed: () => Promise.reject(noModel()),
    questionEncoder: () => Promise.reject(noModel()),
    reranker: () => Promise.reject(noModel()),
  };
  return untilAborted(signal, async () => {
    const manifests = await Promise.all(sources.map((source) => fetchedManifest(source, signal)));
    return stoppable(await Engine.open(sources, modules, inflate, manifests));
  });
}

/** Clones a response, which can be read only once but may be needed again. */
async function again(given: GivenModule): Promise<WebAssembly.Module | BufferSource | Response> {
  const module = await given;
  return module instanceof Response ? module.clone() : module;
}

/** Reads files with the caller's function. */
class CalledSource implements Source {
  readonly isLocal = false;
  readonly #read: ReadFile;

  constructor(read: ReadFile) {
    this.#read = read;
  }

  whole(file: string): Promise<Uint8Array> {
    return this.#bytes(file);
  }

  range(file: string, _fileBytes: number, start: number, bytes: number): Promise<Uint8Array> {
    return this.#bytes(file, start, bytes);
  }

  model(): Promise<ModelFile> {
    return Promise.reject(noModel());
  }

  async #bytes(...asked: Parameters<ReadFile>): Promise<Uint8Array> {
    const found = await this.#read(...asked);
    if (!found) {
      throw new NearfindError("not-found", `${asked[0]} is missing: is the index complete?`);
    }
    return found instanceof Uint8Array ? found : new Uint8Array(found);
  }
}

function noModel(): NearfindError {
  return new NearfindError("no-model", "nearfind/slim runs no model: use tier 1 or words");
}
