import type { Answer, DocumentText, FilterCounts, GrepAnswer, GrepOptions, LoadModelOptions, QueryOptions, Search } from "../api.js";
import { NearfindError, closed } from "../errors.js";
import { untilAborted } from "../until_aborted.js";
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

/** A worker that matches a regular expression is ended if it sends no message for this many milliseconds. */
const MOST_SILENCE = 12_000;

type WithoutId<R> = R extends unknown ? Omit<R, "id"> : never;

/** The request that makes a worker open its bundles. */
export type Opening = WithoutId<Extract<Request, { kind: "open" }>>;

/** A {@link Search} whose engine runs in a worker. */
export class WorkerClient implements Search {
  /** Set once the worker has opened the bundles. */
  model: Search["model"] = { name: "" };
  /** Opens the same bundles in another worker. Set before this worker opens them. */
  another!: () => Promise<WorkerClient>;
  readonly #worker: Worker;
  /** All workers that search for lines, and the idle one among them. */
  readonly #greppers = new Set<WorkerClient>();
  #idleGrepper: WorkerClient | undefined;
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

  /**
   * Runs in a separate worker, because an expression that takes forever can be stopped only by ending its worker. Other calls
   * continue in the meantime. One worker that has answered is kept for the next call. All others are ended.
   */
  grep(pattern: string | RegExp, { signal, ...settings }: GrepOptions = {}): Promise<GrepAnswer> {
    return untilAborted(signal, async () => {
      const grepper = await this.#takeGrepper();
      const end = (): void => grepper.#fail(new NearfindError("bad-pattern", "the expression takes too long: make it simpler"));
      let timer: ReturnType<typeof setTimeout> | undefined;
      const onProgress = (): void => {
        clearTimeout(timer);
        timer = setTimeout(end, MOST_SILENCE);
      };
      onProgress();
      try {
        const answer = await grepper.request<GrepAnswer>({ kind: "grep", pattern, settings }, { signal, onProgress });
        this.#keepGrepper(grepper);
        return answer;
      } catch (error) {
        this.#endGrepper(grepper);
        throw error;
      } finally {
        clearTimeout(timer);
      }
    });
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

  async loadModel({ onProgress, asked = false, small = false, signal }: LoadModelOptions = {}): Promise<void> {
    if (!asked && savesData()) {
      throw new NearfindError(
        "save-data",
        "the model is not loaded on a slow connection or when data is saved, unless the reader asks for it",
      );
    }
    await this.request({ kind: "loadModel", small }, { onProgress, signal });
  }

  refresh(options?: Signalled): Promise<boolean> {
    return this.request<boolean>({ kind: "refresh" }, options);
  }

  close(): void {
    this.#closed = true;
    this.#greppers.forEach((grepper) => grepper.close());
    this.#worker.terminate();
    this.#fail(closed());
  }

  /** Makes the worker open the bundles once `opening` resolves, and ends the worker if that fails. */
  async open(opening: () => Promise<Opening>, signal?: AbortSignal): Promise<this> {
    try {
      this.model = await this.request(await untilAborted(signal, opening), { signal });
      return this;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  async request<T extends Value>(request: WithoutId<Request>, listeners: Listeners = {}): Promise<T> {
    this.#ensureOpen();
    const id = ++this.#lastId;
    try {
      return await untilAborted(
        listeners.signal,
        () =>
          new Promise<T>((resolve, reject) => {
            this.#waiting.set(id, { ...listeners, resolve: resolve as (value: Value) => void, reject });
            this.#worker.postMessage({ ...request, id } as Request);
          }),
      );
    } catch (error) {
      if (this.#waiting.delete(id)) {
        this.#worker.postMessage({ id, kind: "cancel" } satisfies Request);
      }
      throw error;
    }
  }

  #ensureOpen(): void {
    if (this.#closed) {
      throw closed();
    }
  }

  async #takeGrepper(): Promise<WorkerClient> {
    this.#ensureOpen();
    const idle = this.#idleGrepper;
    this.#idleGrepper = undefined;
    const grepper = idle ?? (await this.another());
    if (this.#closed) {
      grepper.close();
    }
    this.#greppers.add(grepper);
    return grepper;
  }

  #keepGrepper(grepper: WorkerClient): void {
    if (this.#idleGrepper) {
      this.#endGrepper(grepper);
    } else {
      this.#idleGrepper = grepper;
    }
  }

  #endGrepper(grepper: WorkerClient): void {
    grepper.close();
    this.#greppers.delete(grepper);
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

/** Returns whether the reader saves data, or has a slow connection. */
function savesData(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean; effectiveType?: string } };
  return connection?.saveData === true || /2g|3g/.test(connection?.effectiveType ?? "");
}
