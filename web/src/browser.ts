/**
 * nearfind for browsers: the engine runs in a worker.
 *
 * @packageDocumentation
 */
import type { Answer, OpenOptions, QueryOptions, Search } from "./api.js";
import { NearfindError } from "./errors.js";
import type { Request, Response } from "./protocol.js";

export { NearfindError } from "./errors.js";
export type * from "./api.js";

/** Opens the bundle at a URL, relative to the page, see the package's `open`. */
export async function open(location: string | URL, options: OpenOptions = {}): Promise<Search> {
  const client = new WorkerClient(new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "nearfind" }));
  try {
    const model = options.model === undefined ? {} : { model: new URL(options.model, document.baseURI).href };
    await client.request({ kind: "open", bundle: new URL(location, document.baseURI).href, ...model }, options.signal);
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

interface Waiting {
  resolve(value: Answer | Float32Array | undefined): void;
  reject(reason: unknown): void;
  onProgress: ((read: number, total: number) => void) | undefined;
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

  async query(text: string, options: QueryOptions = {}): Promise<Answer> {
    const { mode, limit, signal } = options;
    const request = { kind: "query" as const, text, ...(mode && { mode }), ...(limit !== undefined && { limit }) };
    return (await this.request(request, signal)) as Answer;
  }

  async embed(text: string, { signal }: { signal?: AbortSignal } = {}): Promise<Float32Array> {
    return (await this.request({ kind: "embed", text }, signal)) as Float32Array;
  }

  async loadModel(onProgress?: (read: number, total: number) => void): Promise<void> {
    await this.request({ kind: "loadModel" }, undefined, onProgress);
  }

  close(): void {
    this.#closed = true;
    this.#worker.terminate();
    this.#fail(new NearfindError("closed", "this search is closed: open the bundle again"));
  }

  request(
    request: WithoutId<Request>,
    signal?: AbortSignal,
    onProgress?: (read: number, total: number) => void,
  ): Promise<Answer | Float32Array | undefined> {
    if (this.#closed) {
      return Promise.reject(new NearfindError("closed", "this search is closed: open the bundle again"));
    }
    if (signal?.aborted) {
      return Promise.reject(signal.reason);
    }
    const id = ++this.#lastId;
    return new Promise<Answer | Float32Array | undefined>((resolve, reject) => {
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
      this.#waiting.set(id, { resolve: settle(resolve), reject: settle(reject), onProgress });
      this.#worker.postMessage({ ...request, id } as Request);
    });
  }

  #receive(response: Response): void {
    const waiting = this.#waiting.get(response.id);
    if (response.kind === "progress") {
      waiting?.onProgress?.(response.read, response.total);
      return;
    }
    this.#waiting.delete(response.id);
    if (response.kind === "done") {
      waiting?.resolve(response.value);
    } else {
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
