/** A search that the reader made on this device. */
export interface RecentSearch {
  query: string;
  pinned: boolean;
}

/** The maximum number of searches to store, not counting pinned ones. */
const MOST = 6;
/** The maximum length of a query to store. Longer queries were pasted. */
const LONGEST = 200;

/** The reader's searches in the browser's storage: pinned ones first, then the latest. They are never sent anywhere. */
export class RecentSearches {
  readonly #key: string;

  /** `key` distinguishes sites that share an origin. */
  constructor(key: string) {
    this.#key = `nearfind:recent:${key}`;
  }

  list(): RecentSearch[] {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(this.#key) ?? "[]");
      const is = (entry: Partial<RecentSearch> | null): entry is RecentSearch =>
        typeof entry?.query === "string" && typeof entry.pinned === "boolean";
      return Array.isArray(kept) ? kept.filter(is) : [];
    } catch {
      // There is no storage, or its content is from another program.
      return [];
    }
  }

  add(query: string): void {
    const text = query.trim();
    if (text && text.length <= LONGEST) {
      const known = this.list().find((entry) => entry.query === text);
      this.#keep([known ?? { query: text, pinned: false }, ...this.list().filter((entry) => entry !== known && entry.query !== text)]);
    }
  }

  pin(query: string, pinned: boolean): void {
    this.#keep(this.list().map((entry) => (entry.query === query ? { query, pinned } : entry)));
  }

  forget(query: string): void {
    this.#keep(this.list().filter((entry) => entry.query !== query));
  }

  #keep(entries: RecentSearch[]): void {
    const [pinned, others] = [entries.filter((entry) => entry.pinned), entries.filter((entry) => !entry.pinned)];
    try {
      localStorage.setItem(this.#key, JSON.stringify([...pinned, ...others.slice(0, MOST)]));
    } catch {
      // There is no storage, or it is full. Search works without it.
    }
  }
}
