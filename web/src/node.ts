/**
 * nearfind for Node. Opens bundles from folders and URLs.
 *
 * @packageDocumentation
 */
import { readFile } from "node:fs/promises";
import { inflateRawSync } from "node:zlib";
import { dirname, basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { OpenOptions, Search } from "./api.js";
import { Engine } from "./engine/engine.js";
import { fetchedManifest } from "./engine/manifest.js";
import type { ChosenModel } from "./engine/question_packs.js";
import { stoppable } from "./engine/stoppable.js";
import { FileSource } from "./sources/file_source.js";
import { HttpSource } from "./sources/http_source.js";
import type { Inflate } from "./sources/inflate.js";
import type { Source } from "./sources/source.js";
import { untilAborted } from "./until_aborted.js";
import { httpModel, wasmModules } from "./wasm_modules.js";

export { NearfindError, type NearfindErrorCode } from "./errors.js";
export type * from "./api.js";

const bytes = (url: URL): Promise<Uint8Array<ArrayBuffer>> => readFile(fileURLToPath(url));
const modules = wasmModules(bytes, () => bytes(new URL("../wasm/search/nearfind_search_bg.wasm", import.meta.url)));

/** Inflates with Node's own functions, because the decompression streams in Node 20 lack some formats that browsers have. */
const inflate: Inflate = async (deflated, size) => {
  const raw = inflateRawSync(deflated, { maxOutputLength: size });
  if (raw.length !== size) {
    throw new RangeError("it is shorter than it says");
  }
  return raw;
};

/**
 * Opens a bundle in a folder or at a URL, or several bundles as one.
 *
 * @example
 * ```ts
 * import { open } from "nearfind/node";
 * const search = await open("public/search");
 * const { hits } = await search.query("how do I share data between threads?");
 * search.close();
 * ```
 */
export function open(location: string | URL | (string | URL)[], { signal, ...options }: OpenOptions = {}): Promise<Search> {
  return untilAborted(signal, async () => {
    const [model, reranker] = [options.model, options.reranker].map((pack) => (pack === undefined ? undefined : chosenModel(pack)));
    const sources = [location].flat().map(source);
    const manifests = await Promise.all(sources.map((from) => fetchedManifest(from, signal)));
    return stoppable(await Engine.open(sources, modules, inflate, manifests, { model, reranker }));
  });
}

function source(location: string | URL): Source {
  const text = String(location);
  if (/^https?:/.test(text)) {
    return new HttpSource(new URL(text), httpModel);
  }
  return new FileSource(text.startsWith("file:") ? fileURLToPath(text) : text);
}

function chosenModel(model: string | URL): ChosenModel {
  const text = String(model);
  if (/^https?:/.test(text)) {
    return (hash) => httpModel(new URL(text), hash);
  }
  const path = text.startsWith("file:") ? fileURLToPath(text) : text;
  return () => new FileSource(dirname(path)).model(basename(path));
}
