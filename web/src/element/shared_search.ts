import type { OpenOptions, Search } from "../api.js";
import { open } from "../browser.js";

interface Shared {
  search: Promise<Search>;
  users: number;
}

const shared = new Map<string, Shared>();

/** A search that elements over the same bundle share. */
export interface Lease {
  readonly search: Promise<Search>;
  /** Gives it back; the last one closes it. */
  release(): void;
}

/** Opens the bundle, or shares it if it is open. */
export function lease(bundle: string, options: OpenOptions): Lease {
  const key = JSON.stringify([bundle, options]);
  const known: Shared = shared.get(key) ?? { search: open(bundle, options), users: 0 };
  shared.set(key, known);
  known.users++;
  const drop = (): void => {
    if (shared.get(key) === known) {
      shared.delete(key);
    }
  };
  // What could not be opened may be tried again.
  known.search.catch(drop);
  let held = true;
  return {
    search: known.search,
    release() {
      if (held && --known.users === 0) {
        drop();
        known.search.then((search) => search.close(), () => {});
      }
      held = false;
    },
  };
}
