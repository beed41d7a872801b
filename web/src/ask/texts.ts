import type { Plural } from "../element/texts.js";

/** The texts of the panel. `{…}` stands for what is filled in. */
export interface AskStrings {
  /** On the button, and the name of the panel. */
  ask: string;
  placeholder: string;
  close: string;
  /** Forgets the conversation and starts another. */
  fresh: string;
  stop: string;
  searching: string;
  writing: string;
  /** Once an answer is complete. */
  ready: string;
  sources: string;
  /** Above the sentences that pages say, where no model writes an answer. */
  digest: string;
  /** No page fits the question. */
  nothing: string;
  /** The model says that the pages do not answer. */
  unanswered: string;
  /** Below an answer that a model wrote. */
  written: string;
  /** Below an answer with sentences that no source supports. */
  unsupported: string;
  /** For screen readers, after such a sentence. */
  noSource: string;
  /** The answer broke off, or is longer than is shown. */
  cut: string;
  stopped: string;
  /** The endpoint has too many questions. */
  busy: string;
  /** `{n}`: seconds until the endpoint takes questions again. */
  busyFor: Plural;
  failed: string;
  /** The index cannot be searched. */
  unsearched: string;
  retry: string;
  /** Copies question and passages, for another assistant. */
  copy: string;
  copied: string;
  /** `{name}`: an assistant. */
  openIn: string;
  /** To download the model of the browser. */
  load: string;
  /** `{percent}` */
  loading: string;
}
