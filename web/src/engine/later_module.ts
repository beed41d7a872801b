import { NearfindError } from "../errors.js";

/** How long after an answer the second part is fetched. */
const QUIET_MILLISECONDS = 1000;

/**
 * The second part of the module that searches, with what no first answer needs. It shares memory and functions with the
 * first part, whose exports are its imports; `scripts/build.mjs` makes both.
 */
export class LaterModule {
  /** Whether a call could not get this part when it needed it: what it was called on is stuck in that call. */
  hasFailed = false;
  readonly #url: string;
  readonly #first: WebAssembly.Exports;
  #loading: Promise<void> | undefined;
  #isPlanned = false;

  constructor(url: string, first: WebAssembly.Exports) {
    this.#url = url;
    this.#first = first;
  }

  /** Resolves once it is there. */
  load(): Promise<void> {
    if (!this.#loading) {
      this.#loading = this.#fetch();
      // What failed may be tried again.
      this.#loading.catch(() => {
        this.#loading = undefined;
      });
    }
    return this.#loading;
  }

  /** Loads it once what an answer sets off has had time, as pictures or the next question. */
  loadSoon(): void {
    if (!this.#isPlanned) {
      this.#isPlanned = true;
      setTimeout(() => this.load().catch(() => {}), QUIET_MILLISECONDS);
    }
  }

  /** For a call that cannot wait: blocks the worker until it is there. */
  loadNow(): void {
    try {
      const request = new XMLHttpRequest();
      request.open("GET", this.#url, false);
      request.responseType = "arraybuffer";
      request.send();
      this.#ensureFound(request.status);
      this.#join(new WebAssembly.Module(request.response as ArrayBuffer));
    } catch (error) {
      this.hasFailed = true;
      throw this.#unreachable(error);
    }
  }

  async #fetch(): Promise<void> {
    try {
      const response = await fetch(this.#url);
      this.#ensureFound(response.status);
      this.#join(await WebAssembly.compile(await response.arrayBuffer()));
    } catch (error) {
      throw this.#unreachable(error);
    }
  }

  /** Puts its functions where the first part looks for them, once. */
  #join(module: WebAssembly.Module): void {
    const isThere = this.#first.later as WebAssembly.Global<"i32">;
    if (isThere.value === 0) {
      new WebAssembly.Instance(module, { first: this.#first as WebAssembly.ModuleImports });
      isThere.value = 1;
    }
    this.hasFailed = false;
  }

  #ensureFound(status: number): void {
    if (status >= 400) {
      throw new NearfindError("not-found", `${this.#url} answers ${status}: is the package published whole?`);
    }
  }

  #unreachable(error: unknown): unknown {
    return error instanceof NearfindError
      ? error
      : new NearfindError("network", `${this.#url} cannot be reached: ${error instanceof Error ? error.message : error}`);
  }
}
