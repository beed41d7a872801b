import type { Answer, DocumentText, FilterCounts, GrepAnswer, GrepOptions, LoadModelOptions, QueryOptions, Search } from "../api.js";
import { NearfindError, closed } from "../errors.js";
import type { Request, Response, Value } from "./protocol.js";

interface Listeners {
  signal?: AbortSignal | undefined;
  onProgress?: ((read: number, total: number) => void) | undefined;
  onPreview?: ((answer: Answer) => void) | undefined;
}

interface Waiting extends Listeners {
  resolve(value: Value): void;
  reject(reason: unknown): void;
}

interface Signalled {
  signal?: AbortSignal;
}

/** Milliseconds without a sign of life after which an expression is ended with its worker. */
const MOST_SILENCE = 12_000;

type WithoutId<R> = R extends unknown ? Omit<R, "id"> : never;

/** A {@link Search} whose engine runs in a worker. */
export class WorkerClient implements Search {
  /** Known once the worker has opened the bundle. */
  model: Search["model"] = { name: "" };
  /** Opens the same bundles in another worker. */
  another: (() => Promise<WorkerClient>) | undefined;
  readonly #worker: Worker;
  #grepper: Promise<WorkerClient> | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #closed = false;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.addEventListener("message", ({ data }: MessageEvent<Response>) => this.#receive(data));
    worker.addEventListener("error", (event) => {
      const reason = event.message || "it cannot be loaded, or the page's Content-Security-Policy blocks it (`worker-src`)";
      this.#fail(new NearfindError("internal", `the search worker failed: ${reason}`));
    });
  }

  query(text: string, { signal, onPreview, ...settings }: QueryOptions = {}): Promise<Answer> {
    return this.request<Answer>({ kind: "query", text, settings, previews: !!onPreview }, { signal, onPreview });
  }

  /** In a worker of its own: nothing else ends an expression that explodes, and questions are answered meanwhile. */
  async grep(pattern: string | RegExp, { signal, ...settings }: GrepOptions = {}): Promise<GrepAnswer> {
    if (this.#closed || !this.another) {
      throw closed();
    }
    const grepper = (this.#grepper ??= this.another());
    grepper.catch(() => { this.#grepper = undefined; });
    const client = await grepper;
    const end = (): void => {
      this.#grepper = undefined;
      client.#fail(new NearfindError("bad-pattern", "the expression takes too long: make it simpler"));
      client.close();
    };
    let timer = setTimeout(end, MOST_SILENCE);
    const onProgress = (): void => {
      clearTimeout(timer);
      timer = setTimeout(end, MOST_SILENCE);
    };
    try {
      return await client.request<GrepAnswer>({ kind: "grep", pattern, settings }, { signal, onProgress });
    } finally {
      clearTimeout(timer);
    }
  }

  suggest(text: string, { limit = 5, signal }: Signalled & { limit?: number } = {}): Promise<string[]> {
    return this.request<string[]>({ kind: "suggest", text, limit }, { signal });
  }

  document(name: string, options?: Signalled): Promise<DocumentText | null> {
    return this.request<DocumentText | null>({ kind: "document", name }, options);
  }

  filters(options?: Signalled): Promise<FilterCounts[]> {
    return this.request<FilterCounts[]>({ kind: "filters" }, options);
  }

  embed(text: string, options?: Signalled): Promise<Float32Array> {
    return this.request<Float32Array>({ kind: "embed", text }, options);
  }

  async prefetch(text?: string, options?: Signalled): Promise<void> {
    await this.request({ kind: "prefetch", ...(text !== undefined && { text }) }, options).catch(() => {});
  }

  async loadModel({ onProgress, asked = false, signal }: LoadModelOptions = {}): Promise<void> {
    if (!asked && savesData()) {
      throw new NearfindError("save-data", "the model is not loaded on a slow connection or where data is saved, unless the reader asks for it");
    }
    await this.request({ kind: "loadModel" }, { onProgress, signal });
  }

  refresh(options?: Signalled): Promise<boolean> {
    return this.request<boolean>({ kind: "refresh" }, options);
  }

  close(): void {
    this.#closed = true;
    this.#grepper?.then((client) => client.close(), () => {});
    this.#worker.terminate();
    this.#fail(closed());
  }

  request<T extends Value>(request: WithoutId<Request>, listeners: Listeners = {}): Promise<T> {
    const { signal } = listeners;
    if (this.#closed) {
      return Promise.reject(closed());
    }
    if (signal?.aborted) {
      return Promise.reject(signal.reason);
    }
    const id = ++this.#lastId;
    return new Promise<T>((resolve, reject) => {
      const abort = (): void => {
        this.#waiting.delete(id);
        this.#worker.postMessage({ id, kind: "cancel" } satisfies Request);
        reject(signal?.reason);
      };
      const settle = <V>(next: (value: V) => void) => (value: V): void => {
        signal?.removeEventListener("abort", abort);
        next(value);
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.set(id, { ...listeners, resolve: settle((value: Value) => resolve(value as T)), reject: settle(reject) });
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

/** Whether the reader saves data, or is on a connection where megabytes take long. */
function savesData(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean; effectiveType?: string } };
  return connection?.saveData === true || /2g|3g/.test(connection?.effectiveType ?? "");
}
