/**
 * nearfind for browsers: the engine runs in a worker.
 *
 * @packageDocumentation
 */
import type { OpenOptions, Search } from "./api.js";
import { type Opening, WorkerClient } from "./client/worker_client.js";
import { compiled } from "./engine/blocked.js";
import { NearfindError } from "./errors.js";
import { newWorker } from "./new_worker.js";
import { firstModuleUrl, laterModuleUrl } from "./search_module.js";
import { areRanges } from "./sources/byte_ranges.js";

export { NearfindError, type NearfindErrorCode } from "./errors.js";
export type * from "./api.js";

/**
 * Opens a bundle, or several bundles as one. URLs may be relative to the page.
 *
 * @example
 * ```ts
 * import { open } from "nearfind";
 * const search = await open("/search/");
 * const { hits } = await search.query("how do I share data between threads?", { onPreview: ({ hits }) => console.log(hits) });
 * console.log(hits);
 * ```
 */
export async function open(location: string | URL | (string | URL)[], { signal, ...options }: OpenOptions = {}): Promise<Search> {
  const here = (url: string | URL): URL => new URL(url, document.baseURI);
  const given = (url: string | URL | undefined): URL | undefined => (url === undefined ? undefined : here(url));
  const [wasm, workerUrl] = [given(options.wasm), given(options.worker)];
  const urls = [location].flat().map(here);
  urls.forEach((url) => {
    url.pathname = url.pathname.replace(/\/?$/, "/");
  });
  // The worker, the module and the manifests are loaded at the same time. Each takes one round trip.
  const module = compiled(compile(wasm ?? firstModuleUrl())).catch((error: unknown) => {
    if (error instanceof NearfindError && error.code === "blocked") {
      console.warn(`nearfind: ${error.message}`);
      return undefined;
    }
    throw error;
  });
  const bundles = Promise.all(
    urls.map(async (url) => {
      const [manifest, several] = await Promise.all([readText(new URL("nearfind.json", url)), sendsSeveral(url).catch(() => false)]);
      return { url: url.href, manifest, several };
    }),
  );
  bundles.catch(() => {});
  module.catch(() => {});
  const start = (): WorkerClient => new WorkerClient(newWorker(workerUrl));
  const opening = async (): Promise<Opening> => ({
    kind: "open",
    bundles: await bundles,
    module: await module,
    later: wasm ? undefined : laterModuleUrl().href,
    model: given(options.model)?.href,
    reranker: given(options.reranker)?.href,
  });
  const client = start();
  client.another = () => start().open(opening);
  return client.open(opening, signal);
}

/**
 * Returns whether to request several ranges at once: that must be useful, and the page's own server must support it, as a request
 * for two bytes shows. Over HTTP/1.1, browsers send six requests at a time, and further requests wait. With newer protocols, such
 * requests gain nothing, and caches do not keep the responses.
 */
async function sendsSeveral(bundle: URL): Promise<boolean> {
  const entries = performance.getEntries() as PerformanceResourceTiming[];
  const isOld = entries.some(({ name, nextHopProtocol }) => nextHopProtocol === "http/1.1" && name.startsWith(`${location.origin}/`));
  if (!isOld || bundle.origin !== location.origin) {
    return false;
  }
  const range = "0-0,2-2";
  const response = await fetch(new URL(`nearfind.json?${range}`, bundle), { headers: { Range: `bytes=${range}` } });
  void response.body?.cancel();
  return areRanges(response);
}

/**
 * Compiles a module while it arrives. If the server declares a type other than WASM, compilation starts after the whole module
 * has arrived.
 */
async function compile(url: URL): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  if (!response.ok) {
    throw new NearfindError("not-found", `${url} answers ${response.status}: is the whole package published?`);
  }
  if (response.headers.get("content-type") === "application/wasm") {
    return WebAssembly.compileStreaming(response);
  }
  return WebAssembly.compile(await response.arrayBuffer());
}

async function readText(url: URL): Promise<string> {
  const response = await fetch(url, { cache: "no-cache" }).catch((error: unknown) => {
    throw new NearfindError("network", `${url} cannot be reached: ${error instanceof Error ? error.message : error}`);
  });
  if (!response.ok) {
    const code = response.status === 404 ? "not-found" : "network";
    throw new NearfindError(code, `${url} answers ${response.status}: is the index published there?`);
  }
  return response.text();
}
