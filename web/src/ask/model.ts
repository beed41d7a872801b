/** The writer of an answer: an endpoint of the site, or the model of the reader's browser. */

/** A message of a conversation with a language model. */
export interface Message {
  role: "system" | "user" | "assistant";
  content: string;
}

/** Why there is no answer, or no more of it. */
export type Failure = "busy" | "cut" | "failed";

/** An answer that failed or ended early. */
export class AnswerError extends Error {
  readonly failure: Failure;
  /** When to try again, if it was said. */
  readonly seconds: number | undefined;

  constructor(failure: Failure, message: string, seconds?: number) {
    super(message);
    this.failure = failure;
    this.seconds = seconds;
  }
}

/** Writes the answer to the last message, piece by piece. Throws an {@link AnswerError}. */
export type Model = (messages: Message[], signal: AbortSignal) => AsyncIterable<string>;
