/**
 * nearfind for browsers: the engine runs in a worker.
 *
 * @packageDocumentation
 */
import type { Answer, LoadModelOptions, OpenOptions, QueryOptions, Search } from "./api.js";
import { NearfindError } from "./errors.js";
import type { Request, Response } from "./protocol.js";
import { compiled, searchModuleUrl } from "./wasm_modules.js";

export { NearfindError } from "./errors.js";
export type * from "./api.js";

/** Opens the bundle at a URL, relative to the page, see the package's `open`. */
export async function open(location: string | URL, options: OpenOptions = {}): Promise<Search> {
  const bundle = new URL(location, document.baseURI);
  if (!bundle.pathname.endsWith("/")) {
    bundle.pathname += "/";
  }
  // Worker, module and manifest travel side by side: each is one round trip.
  const module = compiled(compile(searchModuleUrl()));
  const manifest = readText(new URL("nearfind.json", bundle), options.signal);
  module.catch(() => {});
  const client = new WorkerClient(new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "nearfind" }));
  try {
    const model = options.model === undefined ? {} : { model: new URL(options.model, document.baseURI).href };
    const request = { kind: "open" as const, bundle: bundle.href, manifest: await manifest, module: await module, ...model };
    await client.request(request, options.signal ? { signal: options.signal } : {});
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

/** Compiles while it arrives; a server that names another type than WASM costs the streaming, not the search. */
async function compile(url: URL): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  if (!response.ok) {
    throw new NearfindError("not-found", `${url} answers ${response.status}: is the package published whole?`);
  }
  if (response.headers.get("content-type") === "application/wasm") {
    return WebAssembly.compileStreaming(response);
  }
  return WebAssembly.compile(await response.arrayBuffer());
}

async function readText(url: URL, signal?: AbortSignal): Promise<string> {
  let response: globalThis.Response;
  try {
    response = await fetch(url, { cache: "no-cache", ...(signal && { signal }) });
  } catch (error) {
    if (signal?.aborted) {
      throw error;
    }
    throw new NearfindError("network", `${url} cannot be reached: ${error instanceof Error ? error.message : error}`);
  }
  if (!response.ok) {
    const code = response.status === 404 ? "not-found" : "network";
    throw new NearfindError(code, `${url} answers ${response.status}: is the bundle published there?`);
  }
  return response.text();
}

/** Whether the reader saves data, or is on a connection where megabytes take long. */
function savesData(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean; effectiveType?: string } };
  return connection?.saveData === true || /2g|3g/.test(connection?.effectiveType ?? "");
}

interface Listeners {
  signal?: AbortSignal;
  onProgress?: (read: number, total: number) => void;
  onPreview?: (answer: Answer) => void;
}

interface Waiting extends Listeners {
  resolve(value: Answer | Float32Array | boolean | undefined): void;
  reject(reason: unknown): void;
}

type WithoutId<R> = R extends unknown ? Omit<R, "id"> : never;

class WorkerClient implements Search {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #closed = false;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.addEventListener("message", ({ data }: MessageEvent<Response>) => this.#receive(data));
    worker.addEventListener("error", (event) => {
      const reason = event.message || "blocked, perhaps by the page's Content-Security-Policy (it needs `wasm-unsafe-eval`)";
      this.#fail(new NearfindError("internal", `the search worker failed: ${reason}`));
    });
  }

  async query(text: string, { signal, onPreview, ...options }: QueryOptions = {}): Promise<Answer> {
    const request = { kind: "query" as const, text, previews: onPreview !== undefined, ...options };
    return (await this.request(request, { ...(signal && { signal }), ...(onPreview && { onPreview }) })) as Answer;
  }

  async embed(text: string, { signal }: { signal?: AbortSignal } = {}): Promise<Float32Array> {
    return (await this.request({ kind: "embed", text }, signal ? { signal } : {})) as Float32Array;
  }

  async prefetch(text?: string): Promise<void> {
    await this.request({ kind: "prefetch", ...(text !== undefined && { text }) }).catch(() => {});
  }

  async loadModel({ onProgress, asked = false }: LoadModelOptions = {}): Promise<void> {
    if (!asked && savesData()) {
      throw new NearfindError("save-data", "the model is not loaded on a slow connection or where data is saved, unless the reader asks for it");
    }
    await this.request({ kind: "loadModel" }, onProgress ? { onProgress } : {});
  }

  async refresh(): Promise<boolean> {
    return (await this.request({ kind: "refresh" })) as boolean;
  }

  close(): void {
    this.#closed = true;
    this.#worker.terminate();
    this.#fail(new NearfindError("closed", "this search is closed: open the bundle again"));
  }

  request(request: WithoutId<Request>, listeners: Listeners = {}): Promise<Answer | Float32Array | boolean | undefined> {
    const { signal } = listeners;
    if (this.#closed) {
      return Promise.reject(new NearfindError("closed", "this search is closed: open the bundle again"));
    }
    if (signal?.aborted) {
      return Promise.reject(signal.reason);
    }
    const id = ++this.#lastId;
    return new Promise<Answer | Float32Array | boolean | undefined>((resolve, reject) => {
      const abort = (): void => {
        this.#waiting.delete(id);
        this.#worker.postMessage({ id, kind: "cancel" } satisfies Request);
        reject(signal?.reason);
      };
      const settle = <T>(next: (value: T) => void) => (value: T): void => {
        signal?.removeEventListener("abort", abort);
        next(value);
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.set(id, { ...listeners, resolve: settle(resolve), reject: settle(reject) });
      this.#worker.postMessage({ ...request, id } as Request);
    });
  }

  #receive(response: Response): void {
    const waiting = this.#waiting.get(response.id);
    switch (response.kind) {
      case "progress":
        waiting?.onProgress?.(response.read, response.total);
        return;
      case "preview":
        waiting?.onPreview?.(response.value);
        return;
      case "done":
        this.#waiting.delete(response.id);
        waiting?.resolve(response.value);
        return;
      case "failed":
        this.#waiting.delete(response.id);
        waiting?.reject(new NearfindError(response.code, response.message));
    }
  }

  #fail(error: NearfindError): void {
    for (const waiting of this.#waiting.values()) {
      waiting.reject(error);
    }
    this.#waiting.clear();
  }
}
