/** The language model that writes an answer: an endpoint of the site, or the model in the reader's browser. */

/** A message in a conversation with a language model. */
export interface Message {
  role: "system" | "user" | "assistant";
  content: string;
}

/** The reason why an answer failed or ended early. */
export type Failure = "busy" | "cut" | "failed";

/** An answer that failed or ended early. */
export class AnswerError extends Error {
  readonly failure: Failure;
  /** The number of seconds to wait before trying again, if known. */
  readonly seconds: number | undefined;

  constructor(failure: Failure, message: string, seconds?: number) {
    super(message);
    this.failure = failure;
    this.seconds = seconds;
  }
}

/** Writes the answer to the last message, piece by piece. Throws an {@link AnswerError}. */
export type Model = (messages: Message[], signal: AbortSignal) => AsyncIterable<string>;
