import type { Plural } from "../element/texts.js";

/** The texts of the panel. Names in braces, `{…}`, are replaced with values. */
export interface AskStrings {
  /** Label of the button, and name of the panel. */
  ask: string;
  placeholder: string;
  close: string;
  /** Discards the conversation and starts another. */
  fresh: string;
  stop: string;
  searching: string;
  writing: string;
  /** For screen readers, when an answer is complete. */
  ready: string;
  sources: string;
  /** Shown above sentences from the pages, if no model writes an answer. */
  digest: string;
  /** Shown if no page fits the question. */
  nothing: string;
  /** Shown if the model says that the pages do not answer the question. */
  unanswered: string;
  /** Shown below an answer that a model wrote. */
  written: string;
  /** Shown below an answer with sentences that no source supports. */
  unsupported: string;
  /** For screen readers, after such a sentence. */
  noSource: string;
  /** Shown if the answer broke off, or is too long to show. */
  cut: string;
  stopped: string;
  /** Shown if the endpoint receives too many requests. */
  busy: string;
  /** `{n}`: seconds until the endpoint accepts questions again. */
  busyFor: Plural;
  failed: string;
  /** Shown if the index cannot be searched. */
  unsearched: string;
  retry: string;
  /** Copies the question and its passages, for another assistant. */
  copy: string;
  copied: string;
  /** `{name}`: name of the assistant. */
  openIn: string;
  /** Downloads the browser's model. */
  load: string;
  /** `{percent}` */
  loading: string;
}
