import type { Search } from "../api.js";
import { NearfindError } from "../errors.js";

/** Reads bytes of a bundle file, or the whole file. */
export type Read = (file: string, start?: number, bytes?: number) => Promise<ArrayBuffer | Uint8Array | null | undefined>;

/** The files of one bundle. */
export interface Files {
  read: Read;
  /** Makes later reads bypass the cache. Missing if there is no cache in between. */
  goPastCaches?(): void;
}

/**
 * After this many bytes, the bundle is opened again. A block that was read stays in memory, at three times its stored size, and
 * an isolate has 128 MB of memory.
 */
const MOST_READ = 12 << 20;
/** The maximum number of milliseconds for each step of a tool call. */
const MOST_WAIT = 25_000;
const TRIES = 2;

/** An open bundle, with the number of calls that use it. */
interface Opened {
  search: Promise<Search>;
  users: number;
  read: number;
  /** Whether to close the bundle after its last user. */
  isGivenUp: boolean;
}

/** A search that all requests of an isolate share. The first request opens it. */
export class SharedSearch {
  readonly #files: Files[];
  readonly #open: (files: Read[]) => Promise<Search>;
  readonly #checkEvery: number;
  readonly #manifests: (Uint8Array | undefined)[] = [];
  #opened: Opened | undefined;
  #checkedAt = 0;
  /** How many times one of the bundles was replaced. */
  #changes = 0;

  /** `checkEvery` is the number of milliseconds until a call checks again whether the bundle was replaced. */
  constructor(files: Files[], open: (files: Read[]) => Promise<Search>, checkEvery: number) {
    this.#files = files;
    this.#open = open;
    this.#checkEvery = checkEvery;
  }

  /**
   * Runs a call against one version of the bundle. The call runs once more if the bundle was replaced in the meantime, if bytes
   * were wrong or missing, or if another request blocked the call.
   */
  async use<T>(run: (search: Search) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const opened = this.#current();
      opened.users += 1;
      try {
        const search = await inTime(opened.search);
        await inTime(this.#check(search));
        const before = this.#changes;
        const result = await inTime(run(search));
        if (this.#changes === before || tries >= TRIES) {
          return result;
        }
      } catch (error) {
        if (!isOfBytes(error)) {
          throw error;
        }
        this.#giveUp(opened);
        if (tries >= TRIES) {
          throw error;
        }
        for (const files of this.#files) files.goPastCaches?.();
      } finally {
        opened.users -= 1;
        if (opened.read > MOST_READ) {
          this.#giveUp(opened);
        }
        closeIfUnused(opened);
      }
    }
  }

  #current(): Opened {
    if (!this.#opened) {
      const opened: Opened = { search: Promise.reject(), users: 0, read: 0, isGivenUp: false };
      opened.search.catch(() => {});
      opened.search = this.#open(this.#files.map((files, at) => this.#watched(files, at, opened)));
      opened.search.catch(() => this.#giveUp(opened));
      this.#opened = opened;
      this.#checkedAt = Date.now();
    }
    return this.#opened;
  }

  /** Returns a function that reads files and notices when the manifest has changed. */
  #watched({ read }: Files, number: number, opened: Opened): Read {
    return async (file, start, bytes) => {
      const found = await read(file, start, bytes);
      if (start === undefined && found) {
        const manifest = found instanceof Uint8Array ? found : new Uint8Array(found);
        const known = this.#manifests[number];
        this.#manifests[number] = manifest;
        if (known && !isSame(known, manifest)) {
          this.#changes += 1;
        }
      }
      opened.read += bytes ?? 0;
      return found;
    };
  }

  /**
   * When a check is due, opens the new version of a bundle that was replaced. If the server does not answer, the previous version
   * stays open.
   */
  async #check(search: Search): Promise<void> {
    if (Date.now() - this.#checkedAt >= this.#checkEvery) {
      this.#checkedAt = Date.now();
      await search.refresh().catch(() => {});
    }
  }

  #giveUp(opened: Opened): void {
    opened.isGivenUp = true;
    if (this.#opened === opened) {
      this.#opened = undefined;
    }
  }
}

function closeIfUnused(opened: Opened): void {
  if (opened.isGivenUp && opened.users === 0) {
    opened.search.then(
      (search) => search.close(),
      () => {},
    );
  }
}

/** Returns whether opening the bundle again may help. */
function isOfBytes(error: unknown): boolean {
  const codes = ["bad-bundle", "not-found", "closed", "internal"];
  return error instanceof Overdue || (error instanceof NearfindError && codes.includes(error.code));
}

class Overdue extends Error {}

/**
 * Waits for a promise that another request may have created. On some platforms, a request's work ends when its client leaves, and
 * the promise never settles.
 */
async function inTime<T>(promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const overdue = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Overdue(`the index was not read within ${MOST_WAIT / 1000} seconds: try again`)), MOST_WAIT);
  });
  try {
    return await Promise.race([promise, overdue]);
  } finally {
    clearTimeout(timer);
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a === b || (a.length === b.length && a.every((byte, at) => byte === b[at]));
}
