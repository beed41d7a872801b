import { type ByteRange, areRanges, byteRanges, rangeHeader } from "./byte_ranges.js";
import { NearfindError } from "../errors.js";
import type { ModelAt, ModelFile } from "./model_file.js";
import type { Source } from "./source.js";

/** A range that a query waits for. */
interface Waiting extends ByteRange {
  arrived(bytes: Uint8Array | undefined): void;
}

/**
 * Reads files below a URL. It requests ranges until the server sends a whole file instead. From then on, it reads each file
 * whole, once.
 *
 * With `inUrl`, each range has its own URL, because browsers with a cache make requests for the same URL wait for each other.
 * Elsewhere, ranges are not part of URLs, so they do not appear in the host's logs or cache keys.
 *
 * With `several`, one request contains all ranges of a file that are needed at the same time.
 */
export class HttpSource implements Source {
  readonly isLocal = false;
  readonly #base: URL;
  readonly #modelAt: ModelAt;
  readonly #kept = new Map<string, Promise<Uint8Array>>();
  readonly #inUrl: boolean;
  #ignoresRanges = false;
  /** Whether to request several ranges at once. Set to false when the server does not support this. */
  #several: boolean;
  /** Ranges to request together, by file. */
  readonly #together = new Map<string, Waiting[]>();

  /** `modelAt` loads the model, if the host can run one. */
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
    // Only the manifest changes under its name, so caches must validate it.
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
        `nearfind: ${this.#base.host} sends whole files instead of ranges; \`nearfind index --max-file-bytes 16000\` splits the index into small ones`,
      );
    }
    return cut(await this.#keep(file, Promise.resolve(response)));
  }

  /** Reads a range together with all ranges that are requested in the same turn of the event loop; `undefined` if that fails. */
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

  /** Reads several ranges with one request; `undefined` if the server does not support this. */
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
      throw new NearfindError(code, `${url} answers ${response.status}: is the index published there?`);
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
