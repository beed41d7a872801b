import type { OpenOptions, Search } from "../api.js";
import { open } from "../browser.js";

interface Shared {
  search: Promise<Search>;
  users: number;
}

const shared = new Map<string, Shared>();

/** A search that elements with the same bundles share. */
export interface Lease {
  readonly search: Promise<Search>;
  /** Releases the search. When the last element releases it, the search closes. */
  release(): void;
}

/** Opens the bundles, or shares their search if they are already open. */
export function lease(bundles: string[], options: OpenOptions): Lease {
  const key = JSON.stringify([bundles, options]);
  const known: Shared = shared.get(key) ?? { search: open(bundles, options), users: 0 };
  shared.set(key, known);
  known.users++;
  const drop = (): void => {
    if (shared.get(key) === known) {
      shared.delete(key);
    }
  };
  // If the bundles could not be opened, the next call tries again.
  known.search.catch(drop);
  let held = true;
  return {
    search: known.search,
    release() {
      if (held && --known.users === 0) {
        drop();
        known.search.then(
          (search) => search.close(),
          () => {},
        );
      }
      held = false;
    },
  };
}
