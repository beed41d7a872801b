/** A text for each plural category of a language; `{n}` stands for the number. */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** What the element says. `{…}` stands for what is filled in. */
export interface Strings {
  /** On the button, and the name of box and field. */
  search: string;
  placeholder: string;
  close: string;
  clear: string;
  /** Name of the list. */
  results: string;
  recent: string;
  /** `{query}` */
  pin: string;
  /** `{query}` */
  unpin: string;
  /** `{query}` */
  forget: string;
  loading: string;
  /** How many pages are listed. */
  found: Plural;
  /** `{query}` */
  nothing: string;
  /** Above the pages that are shown where none fits. */
  nearest: string;
  /** What to try where nothing was found. */
  tips: string;
  unfiltered: string;
  /** `{word}`: mistyped words; `{meant}`: what was searched for. */
  corrected: string;
  /** `{phrase}` */
  noPhrase: string;
  /** Before what answers can be sorted by. */
  sort: string;
  /** How well pages fit: the order that answers have if no other is chosen. */
  relevance: string;
  more: string;
  offline: string;
  /** There is no bundle where it should be. */
  missing: string;
  failed: string;
  retry: string;
  /** `{size}`: megabytes. */
  offer: string;
  /** `{percent}` */
  loadingModel: string;
  /** To hand question and answer to what the site chats with. */
  ask: string;
  /** `{n}`: the page of a document. */
  atPage: string;
  /** What files are, by the values of the filter `format`. */
  formats: Record<string, string>;
  /** What keys do: move, open, close. */
  keys: [string, string, string];
}
