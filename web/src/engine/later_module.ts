import { NearfindError } from "../errors.js";

/** The delay between an answer and the request for the second part. */
const QUIET_MILLISECONDS = 1000;

/**
 * The second part of the search module, with the functions that no first answer needs. It shares memory and functions with the
 * first part, whose exports it imports. `scripts/build.mjs` builds both.
 */
export class LaterModule {
  /** Whether a call needed this part but it could not be loaded. The object that was called is then unusable. */
  hasFailed = false;
  readonly #url: string;
  readonly #first: WebAssembly.Exports;
  #loading: Promise<void> | undefined;
  #isPlanned = false;

  constructor(url: string, first: WebAssembly.Exports) {
    this.#url = url;
    this.#first = first;
  }

  /** Resolves when the part is loaded. */
  load(): Promise<void> {
    if (!this.#loading) {
      this.#loading = this.#fetch();
      // After a failure, the next call tries again.
      this.#loading.catch(() => {
        this.#loading = undefined;
      });
    }
    return this.#loading;
  }

  /** Loads the part a little later, after other loads that follow an answer, such as pictures or the next question. */
  loadSoon(): void {
    if (!this.#isPlanned) {
      this.#isPlanned = true;
      setTimeout(() => this.load().catch(() => {}), QUIET_MILLISECONDS);
    }
  }

  /** Loads the part for a call that cannot wait. The worker is blocked until the part is loaded. */
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

  /** Connects the part's functions to the first part, but only once. */
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
      throw new NearfindError("not-found", `${this.#url} answers ${status}: is the whole package published?`);
    }
  }

  #unreachable(error: unknown): unknown {
    return error instanceof NearfindError
      ? error
      : new NearfindError("network", `${this.#url} cannot be reached: ${error instanceof Error ? error.message : error}`);
  }
}
