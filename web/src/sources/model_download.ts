/**
 * Loads a model pack into a page. A pack is many megabytes in size, so it is downloaded once and stored, and an interrupted
 * download resumes.
 */
import type { ModelFile, OnProgress } from "./model_file.js";
import { NearfindError } from "../errors.js";

/**
 * The number of packs to store: the small encoder and the model in use, and a previous pack while pages that use it are still
 * open.
 */
const KEPT = 3;
/** The maximum number of consecutive attempts without new bytes. */
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 250;

/** The pack at a URL, or its start. If the server ignores ranges, the whole pack is loaded. */
export class HttpModel implements ModelFile {
  readonly #url: URL;
  readonly #key: URL;
  readonly #startBytes: number | undefined;

  /** Stores the pack under `hash`, which the bundle names. */
  constructor(url: URL, hash: string, startBytes?: number) {
    this.#url = url;
    this.#startBytes = startBytes;
    this.#key = new URL(url);
    this.#key.searchParams.set("nearfind", startBytes === undefined ? hash : `${hash}-${startBytes}`);
  }

  async read(onProgress?: OnProgress): Promise<Uint8Array> {
    const kept = await quietly(async () => (await openCache())?.match(this.#key));
    if (kept) {
      const bytes = new Uint8Array(await kept.arrayBuffer());
      onProgress?.(bytes.length, bytes.length);
      return bytes;
    }
    return download(this.#url, this.#startBytes, onProgress);
  }

  async keep(pack: Uint8Array): Promise<void> {
    await quietly(async () => {
      const cache = await openCache();
      if (cache && !(await cache.match(this.#key))) {
        await cache.put(this.#key, new Response(pack as Uint8Array<ArrayBuffer>));
        const keys = await cache.keys();
        await Promise.all(keys.slice(0, -KEPT).map((key) => cache.delete(key)));
      }
    });
  }

  async forget(): Promise<boolean> {
    return (await quietly(async () => (await openCache())?.delete(this.#key))) ?? false;
  }
}

/** Opens the cache. Pages without HTTPS, and Node, have none. */
async function openCache(): Promise<Cache | undefined> {
  return globalThis.caches?.open("nearfind-models");
}

/** Ignores errors. If the cache is full or forbidden, the next visit downloads the pack again. */
async function quietly<T>(run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch {
    return undefined;
  }
}

async function download(url: URL, startBytes: number | undefined, onProgress?: OnProgress): Promise<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let read = 0;
  for (let failures = 0; ; failures++) {
    try {
      const last = startBytes === undefined ? "" : startBytes - 1;
      const response = await fetch(url, read > 0 || startBytes ? { headers: { Range: `bytes=${read}-${last}` } } : {});
      if (response.status !== 206 || !response.headers.get("content-range")?.startsWith(`bytes ${read}-`)) {
        // The server sent the whole file from the start.
        pieces = [];
        read = 0;
      }
      if (!response.ok || !response.body) {
        throw new NearfindError(
          response.status === 404 ? "not-found" : "network",
          `${url} answers ${response.status}: is the model published there?`,
        );
      }
      // The length of a compressed response is not the length of its content.
      const encoded = response.headers.get("content-encoding") !== null;
      const total = encoded ? 0 : read + Number(response.headers.get("content-length") ?? 0);
      const reader = response.body.getReader();
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        pieces.push(next.value);
        read += next.value.length;
        failures = 0;
        onProgress?.(read, total);
      }
      if (read < total) {
        throw new Error(`got ${read} of ${total} bytes`);
      }
      return joined(pieces, read);
    } catch (error) {
      if (error instanceof NearfindError) {
        throw error;
      }
      if (failures + 1 >= ATTEMPTS) {
        throw new NearfindError("network", `${url} was cut off: ${error instanceof Error ? error.message : error}`);
      }
      await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** failures));
    }
  }
}

function joined(pieces: Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
