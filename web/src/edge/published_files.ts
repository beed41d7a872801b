import { NearfindError } from "../errors.js";
import { TooLong, joined, limitedBody } from "./limited_body.js";

/**
 * Files are read in pieces of this size, because edge runtimes limit the number of requests per answer. A question reads dozens
 * of blocks, but they lie in few pieces.
 */
const PIECE_BYTES = 128 << 10;
/** The number of pieces to keep in memory. They stay compressed. */
const MOST_PIECES = 64;
/** The maximum size of a file from a server that ignores ranges. */
const MOST_WHOLE_BYTES = 32 << 20;
const MOST_MANIFEST_BYTES = 8 << 20;
/** The maximum number of milliseconds for a request. */
const MOST_WAIT = 15_000;
/** How long caches are bypassed, in milliseconds. */
const FRESH_FOR = 60_000;
/** Caches may keep parts forever, because the name of each part contains its hash. */
const FOR_EVER = "public, max-age=31536000, immutable";

/** The manifest as it was last read, and the server's tag for that version. */
interface KnownManifest {
  bytes: Uint8Array;
  tag: string | null;
}

/** The files of a bundle at a URL, for {@link SharedSearch}. They are read through the platform's cache, if it has one. */
export class PublishedFiles {
  readonly #base: URL;
  readonly #pieces = new Map<string, Promise<Uint8Array>>();
  readonly #written = new Set<Promise<unknown>>();
  #manifest: KnownManifest | undefined;
  /** Caches are bypassed until this time. */
  #freshUntil = 0;

  constructor(base: URL) {
    this.#base = new URL(base);
    if (!this.#base.pathname.endsWith("/")) {
      this.#base.pathname += "/";
    }
  }

  /** The address of the bundle's folder. */
  get base(): URL {
    return this.#base;
  }

  /** Reads bytes of a file, or the whole file. */
  async read(file: string, start?: number, bytes?: number): Promise<Uint8Array> {
    if (start === undefined || bytes === undefined) {
      return this.#readManifest(file);
    }
    const [first, last] = [Math.floor(start / PIECE_BYTES), Math.floor((start + Math.max(bytes, 1) - 1) / PIECE_BYTES)];
    const pieces = await Promise.all(Array.from({ length: last - first + 1 }, (_, at) => this.#piece(file, first + at)));
    const from = start - first * PIECE_BYTES;
    return joined(pieces).slice(from, from + bytes);
  }

  /** For a while, reads everything from the server itself, because caches may hold files that no longer exist. */
  goPastCaches(): void {
    this.#freshUntil = Date.now() + FRESH_FOR;
    this.#pieces.clear();
    this.#manifest = undefined;
  }

  /** Resolves when the platform's cache has stored everything that was read. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#written);
  }

  async #readManifest(file: string): Promise<Uint8Array> {
    const known = this.#manifest;
    const headers = known?.tag ? { "If-None-Match": known.tag } : undefined;
    // Only the manifest changes under its name, so caches must validate it.
    const response = await this.#fetch(file, headers ? { headers } : { cache: "no-cache" });
    if (response.status === 304 && known) {
      return known.bytes;
    }
    const bytes = await this.#body(file, response, MOST_MANIFEST_BYTES);
    this.#manifest = { bytes, tag: response.headers.get("ETag") };
    return bytes;
  }

  #piece(file: string, number: number): Promise<Uint8Array> {
    const name = `${file}/${number}`;
    const piece = this.#pieces.get(name) ?? this.#load(file, number);
    // The piece that was used last is the last one to be removed.
    this.#pieces.delete(name);
    this.#pieces.set(name, piece);
    piece.catch(() => this.#pieces.delete(name));
    if (this.#pieces.size > MOST_PIECES) {
      this.#pieces.delete(this.#pieces.keys().next().value!);
    }
    return piece;
  }

  async #load(file: string, number: number): Promise<Uint8Array> {
    const start = number * PIECE_BYTES;
    const key = `${new URL(file, this.#base)}?piece=${number}`;
    const cache = platformCache();
    const cached = this.#isPastCaches ? undefined : await cache?.match(key).catch(() => undefined);
    if (cached) {
      return this.#body(file, cached, PIECE_BYTES);
    }
    const response = await this.#fetch(file, { headers: { Range: `bytes=${start}-${start + PIECE_BYTES - 1}` } });
    const isPiece = response.status === 206;
    const body = await this.#body(file, response, isPiece ? PIECE_BYTES : MOST_WHOLE_BYTES);
    const piece = isPiece ? body : body.slice(start, start + PIECE_BYTES);
    if (cache) {
      this.#keep(cache.put(key, new Response(piece, { headers: { "Cache-Control": FOR_EVER } })));
    }
    return piece;
  }

  get #isPastCaches(): boolean {
    return Date.now() < this.#freshUntil;
  }

  /** Remembers a write to the cache until it settles. A cache that is full or forbidden only costs time. */
  #keep(written: Promise<unknown>): void {
    const settled = written.catch(() => {}).finally(() => this.#written.delete(settled));
    this.#written.add(settled);
  }

  async #fetch(file: string, init: RequestInit): Promise<Response> {
    const url = new URL(file, this.#base);
    const isPastCaches = this.#isPastCaches;
    if (isPastCaches) {
      // No cache knows the file by this address.
      url.searchParams.set("fresh", Date.now().toString(36));
    }
    let response: Response;
    try {
      const cache = isPastCaches ? { cache: "no-store" as const } : {};
      response = await fetch(url, { ...init, ...cache, signal: AbortSignal.timeout(MOST_WAIT) });
    } catch (error) {
      throw new NearfindError("network", `${url} cannot be reached: ${error instanceof Error ? error.message : error}`);
    }
    if (!response.ok && response.status !== 304) {
      await response.body?.cancel();
      const code = response.status === 404 ? "not-found" : "network";
      throw new NearfindError(code, `${url} answers ${response.status}: is the index published there?`);
    }
    return response;
  }

  async #body(file: string, response: Response, most: number): Promise<Uint8Array<ArrayBuffer>> {
    const url = new URL(file, this.#base);
    try {
      return await limitedBody(response, most);
    } catch (error) {
      if (error instanceof TooLong) {
        throw new NearfindError("bad-bundle", `${url} has more than ${most} bytes: is the index published there?`);
      }
      throw new NearfindError("network", `${url} was cut off: ${error instanceof Error ? error.message : error}`);
    }
  }
}

/** Returns Cloudflare's cache. Other platforms have no cache that all requests share. */
function platformCache(): Cache | undefined {
  return (globalThis.caches as (CacheStorage & { default?: Cache }) | undefined)?.default;
}
