import { NearfindError } from "./errors.js";
import type { ModelReader } from "./engine.js";
import type { Source } from "./source.js";

/** Files below a URL. Ranges are asked for; a server that ignores them gives the whole file, which is then kept. */
export class HttpSource implements Source {
  readonly #base: URL;
  readonly #kept = new Map<string, Promise<Uint8Array>>();

  constructor(base: URL) {
    this.#base = new URL(base);
    if (!this.#base.pathname.endsWith("/")) {
      this.#base.pathname += "/";
    }
  }

  async whole(file: string, signal?: AbortSignal, onProgress?: (read: number, total: number) => void): Promise<Uint8Array> {
    const response = await this.#fetch(file, signal ? { signal } : {});
    return readBody(response, onProgress);
  }

  async range(file: string, start: number, bytes: number, signal?: AbortSignal): Promise<Uint8Array> {
    let whole = this.#kept.get(file);
    if (!whole) {
      const headers = { Range: `bytes=${start}-${start + bytes - 1}` };
      const response = await this.#fetch(file, signal ? { headers, signal } : { headers });
      if (response.status === 206) {
        return readBody(response);
      }
      whole = this.#kept.get(file) ?? readBody(response);
      this.#kept.set(file, whole);
      whole.catch(() => this.#kept.delete(file));
    }
    return (await whole).subarray(start, start + bytes);
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

/** Reads the model pack at a URL. */
export function httpModel(url: URL): ModelReader {
  return (onProgress) => new HttpSource(new URL(".", url)).whole(url.href, undefined, onProgress);
}

async function readBody(response: Response, onProgress?: (read: number, total: number) => void): Promise<Uint8Array> {
  if (!onProgress || !response.body) {
    return new Uint8Array(await response.arrayBuffer());
  }
  const total = Number(response.headers.get("content-length") ?? 0);
  const pieces: Uint8Array[] = [];
  let read = 0;
  const reader = response.body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    pieces.push(next.value);
    read += next.value.length;
    onProgress(read, total);
  }
  const joined = new Uint8Array(read);
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
