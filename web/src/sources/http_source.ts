import { type ByteRange, areRanges, byteRanges, rangeHeader } from "./byte_ranges.js";
import { NearfindError } from "../errors.js";
import type { ModelAt, ModelFile } from "./model_file.js";
import type { Source } from "./source.js";

/** A range that somebody waits for. */
interface Waiting extends ByteRange {
  arrived(bytes: Uint8Array | undefined): void;
}

/**
 * Files below a URL. Ranges are asked for until a server shows that it ignores them by sending a whole file; then files
 * are read whole, each once.
 *
 * With `inUrl` each range has a URL of its own: browsers with a cache let requests for one URL wait for each
 * other. Elsewhere ranges stay out of URLs, and so out of the host's logs and the keys of its cache.
 *
 * With `several` the ranges of a file that are wanted at once are asked for by one request.
 */
export class HttpSource implements Source {
  readonly isLocal = false;
  readonly #base: URL;
  readonly #modelAt: ModelAt;
  readonly #kept = new Map<string, Promise<Uint8Array>>();
  readonly #inUrl: boolean;
  #ignoresRanges = false;
  /** Until the server does something else. */
  #several: boolean;
  /** Ranges that are asked for together, by file. */
  readonly #together = new Map<string, Waiting[]>();

  /** `modelAt` brings the model, where one can be run. */
  constructor(base: URL, modelAt: ModelAt, { inUrl = false, several = false } = {}) {
    this.#modelAt = modelAt;
    this.#inUrl = inUrl;
    this.#several = several;
    this.#base = new URL(base);
    if (!this.#base.pathname.endsWith("/")) {
      this.#base.pathname += "/";
    }
  }

  async whole(file: string, signal?: AbortSignal): Promise<Uint8Array> {
    // The manifest alone changes under its name: caches must ask whether it did.
    const response = await this.#fetch(file, { ...(signal && { signal }), ...(file.endsWith(".json") && { cache: "no-cache" }) });
    return readBody(response);
  }

  async model(file: string, hash: string, startBytes?: number): Promise<ModelFile> {
    return this.#modelAt(new URL(file, this.#base), hash, startBytes);
  }

  async range(file: string, fileBytes: number, start: number, bytes: number): Promise<Uint8Array> {
    const cut = (whole: Uint8Array): Uint8Array => whole.subarray(start, start + bytes);
    const kept = this.#kept.get(file);
    if (kept) {
      return cut(await kept);
    }
    if (this.#ignoresRanges || bytes === fileBytes) {
      return cut(await this.#keep(file, this.#fetch(file, {})));
    }
    const range = { start, end: start + bytes };
    if (this.#several) {
      const found = await this.#amongOthers(file, range);
      if (found) {
        return found;
      }
    }
    const response = await this.#ranges(file, [range]);
    if (response.status === 206) {
      return readBody(response);
    }
    this.#ignoresRanges = true;
    if (fileBytes > 4 * bytes) {
      console.info(
        `nearfind: ${this.#base.host} sends whole files in place of ranges; \`nearfind index --max-file-bytes 60000\` makes files that are worth sending whole`,
      );
    }
    return cut(await this.#keep(file, Promise.resolve(response)));
  }

  /** The range, out of an answer to all that are asked for in the same turn; `undefined` if it did not come so. */
  #amongOthers(file: string, range: ByteRange): Promise<Uint8Array | undefined> {
    const together = this.#together.get(file) ?? [];
    if (together.length === 0) {
      this.#together.set(file, together);
      queueMicrotask(() => {
        this.#together.delete(file);
        void this.#bringTogether(file, together);
      });
    }
    return new Promise((arrived) => together.push({ ...range, arrived }));
  }

  async #bringTogether(file: string, together: Waiting[]): Promise<void> {
    const found = together.length > 1 ? await this.#severalRanges(file, together).catch(() => undefined) : undefined;
    this.#several &&= together.length === 1 || found !== undefined;
    together.forEach(({ arrived }, at) => arrived(found?.[at]));
  }

  /** Several ranges of one answer; `undefined` if the server does something else. */
  async #severalRanges(file: string, ranges: readonly ByteRange[]): Promise<Uint8Array[] | undefined> {
    const response = await this.#ranges(file, ranges);
    if (areRanges(response)) {
      return byteRanges(await readBody(response), ranges);
    }
    void response.body?.cancel();
    return undefined;
  }

  #ranges(file: string, ranges: readonly ByteRange[]): Promise<Response> {
    const header = rangeHeader(ranges);
    return this.#fetch(this.#inUrl ? `${file}?${header.slice("bytes=".length)}` : file, { headers: { Range: header } });
  }

  /** Reads a file whole, once. */
  #keep(file: string, response: Promise<Response>): Promise<Uint8Array> {
    let kept = this.#kept.get(file);
    if (!kept) {
      kept = response.then((response) => readBody(response));
      this.#kept.set(file, kept);
      kept.catch(() => this.#kept.delete(file));
    } else {
      response.then(
        (response) => response.body?.cancel(),
        () => {},
      );
    }
    return kept;
  }

  async #fetch(file: string, init: RequestInit): Promise<Response> {
    const url = new URL(file, this.#base);
    let response: Response;
    try {
      response = await fetch(url, init);
    } catch (error) {
      if (init.signal?.aborted) {
        throw error;
      }
      throw new NearfindError("network", `${url} cannot be reached: ${error instanceof Error ? error.message : error}`);
    }
    if (!response.ok) {
      const code = response.status === 404 ? "not-found" : "network";
      throw new NearfindError(code, `${url} answers ${response.status}: is the bundle published there?`);
    }
    return response;
  }
}

async function readBody(response: Response): Promise<Uint8Array> {
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    throw new NearfindError("network", `${response.url} was cut off: ${error instanceof Error ? error.message : error}`);
  }
}
