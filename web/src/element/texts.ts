/** A text for each plural category of a language. `{n}` is replaced with the number. */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** The texts of the box. Names in braces, `{…}`, are replaced with values. */
export interface Strings {
  /** Label of the button, and name of the box and its field. */
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
  /** The number of listed pages. */
  found: Plural;
  /** `{query}` */
  nothing: string;
  /** Shown above the nearest pages if no page fits. */
  nearest: string;
  /** Suggests what to try if nothing was found. */
  tips: string;
  unfiltered: string;
  /** `{word}`: the mistyped words; `{meant}`: the words that replaced them in the search. */
  corrected: string;
  /** `{phrase}` */
  noPhrase: string;
  /** Label before the sort orders. */
  sort: string;
  /** The default order: by how well pages fit. */
  relevance: string;
  more: string;
  offline: string;
  /** Shown if there is no bundle at the address. */
  missing: string;
  failed: string;
  retry: string;
  /** `{size}`: megabytes. */
  offer: string;
  /** `{percent}` */
  loadingModel: string;
  /** Hands the question and its answer to the site's assistant. */
  ask: string;
  /** `{n}`: the number of a page in a document. */
  atPage: string;
  /** Names of file formats, by the values of the filter `format`. */
  formats: Record<string, string>;
  /** What the keys do: move, open and close. */
  keys: [string, string, string];
}
