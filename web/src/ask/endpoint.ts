/**
 * An endpoint of the site that lets a language model answer. It speaks the protocol of chat-completions APIs or of Anthropic's
 * Messages API, and holds the API key. Its answers are treated as text, and their length is limited.
 */
import { createParser } from "eventsource-parser";
import { AnswerError, type Message, type Model } from "./model.js";

/** The address and protocol of an endpoint. */
export interface Endpoint {
  url: string;
  api: "chat" | "anthropic";
  /** The model to request, if the endpoint does not choose one itself. */
  model: string | undefined;
}

/** The maximum number of tokens in an answer, for APIs that require it. */
const MOST_TOKENS = 1_000;
/**
 * The maximum number of bytes to read. An answer is a few kilobytes long, and each piece of it is wrapped in about a hundred
 * bytes.
 */
const MOST_BYTES = 4 << 20;
/** The maximum time between two messages from an endpoint. */
const PATIENCE_MS = 60_000;

/** A piece of an answer in a stream, or a whole answer, in either protocol. */
interface Sent {
  type?: string;
  error?: { message?: unknown } | string;
  choices?: { delta?: { content?: unknown }; message?: { content?: unknown }; finish_reason?: unknown }[];
  delta?: { text?: unknown; stop_reason?: unknown };
  content?: { text?: unknown }[];
  stop_reason?: unknown;
}

/** Creates a model that asks an endpoint. */
export function endpointModel(endpoint: Endpoint): Model {
  return async function* answer(messages, signal) {
    const ending = new AbortController();
    const stop = (): void => ending.abort(signal.reason);
    signal.addEventListener("abort", stop);
    const wait = (): ReturnType<typeof setTimeout> =>
      setTimeout(() => ending.abort(new AnswerError("cut", `${endpoint.url} has sent nothing for ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
    let patience = wait();
    try {
      signal.throwIfAborted();
      const response = await post(endpoint, messages, ending.signal);
      const reader = response.body!.getReader();
      const isStream = response.headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") ?? false;
      const reading = isStream ? new StreamedAnswer() : new WholeAnswer(endpoint.url);
      const decoder = new TextDecoder();
      for (let bytes = 0; bytes < MOST_BYTES && !reading.isComplete; ) {
        const { done, value } = await reader.read();
        clearTimeout(patience);
        patience = wait();
        bytes += value?.length ?? 0;
        yield* reading.read(decoder.decode(value, { stream: !done }), done);
        if (done) {
          break;
        }
      }
      void reader.cancel();
      if (!reading.isComplete) {
        throw new AnswerError("cut", `${endpoint.url} ended the answer in the middle`);
      }
    } catch (error) {
      throw ending.signal.aborted ? ending.signal.reason : failed(error);
    } finally {
      clearTimeout(patience);
      signal.removeEventListener("abort", stop);
      ending.abort();
    }
  };
}

function failed(error: unknown): AnswerError {
  return error instanceof AnswerError ? error : new AnswerError("failed", error instanceof Error ? error.message : String(error));
}

async function post({ url, api, model }: Endpoint, messages: Message[], signal: AbortSignal): Promise<Response> {
  const system = messages.filter(({ role }) => role === "system").map(({ content }) => content);
  const body =
    api === "anthropic"
      ? { system: system.join("\n\n"), messages: messages.filter(({ role }) => role !== "system"), max_tokens: MOST_TOKENS }
      : { messages };
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream, application/json" },
    body: JSON.stringify({ ...body, ...(model && { model }), stream: true }),
    signal,
  });
  if (response.ok && response.body) {
    return response;
  }
  void response.body?.cancel();
  const seconds = Number(response.headers.get("retry-after"));
  throw response.status === 429 || response.status === 503 || response.status === 529
    ? new AnswerError("busy", `${url} answers ${response.status}`, seconds > 0 ? Math.ceil(seconds) : undefined)
    : new AnswerError("failed", `${url} answers ${response.status}`);
}

/** Reads an answer as it arrives. */
interface Reading {
  /** Whether the end has arrived. A stream that stops without an end was cut off. */
  readonly isComplete: boolean;
  /** Yields the pieces of an answer that a text contains. `isLast` tells whether this is the last text. */
  read(text: string, isLast: boolean): Iterable<string>;
}

/** Reads server-sent events, one per piece. */
class StreamedAnswer implements Reading {
  isComplete = false;
  #pieces: string[] = [];
  readonly #parser = createParser({ onEvent: ({ data }) => this.#event(data) });

  *read(text: string): Generator<string> {
    let failure: unknown;
    try {
      this.#parser.feed(text);
    } catch (error) {
      failure = error;
    }
    // These pieces arrived before the failure.
    yield* this.#pieces.splice(0);
    if (failure !== undefined) {
      throw failure;
    }
  }

  #event(data: string): void {
    if (this.isComplete || data.trim() === "") {
      return;
    }
    if (data === "[DONE]") {
      this.isComplete = true;
      return;
    }
    const sent = parsed(data);
    const [choice] = sent.choices ?? [];
    this.#pieces.push(textOf(choice?.delta?.content ?? sent.delta?.text));
    const end = choice?.finish_reason ?? sent.delta?.stop_reason;
    if (isTooLong(end)) {
      throw new AnswerError("cut", "the answer is longer than the endpoint allows");
    }
    this.isComplete = (typeof end === "string" && end !== "") || sent.type === "message_stop";
  }
}

/** Reads one JSON text, from endpoints that do not stream. */
class WholeAnswer implements Reading {
  isComplete = false;
  #text = "";
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  read(text: string, isLast: boolean): string[] {
    this.#text += text;
    if (!isLast) {
      return [];
    }
    const sent = parsed(this.#text);
    const answer = sent.choices?.[0]?.message?.content ?? sent.content;
    if (answer === undefined || answer === null) {
      throw new AnswerError("failed", `${this.#url} answers neither as chat-completions nor Anthropic's Messages`);
    }
    this.isComplete = !isTooLong(sent.choices?.[0]?.finish_reason ?? sent.stop_reason);
    return [textOf(answer)];
  }
}

function parsed(data: string): Sent {
  let sent: Sent | null;
  try {
    sent = JSON.parse(data) as Sent | null;
  } catch {
    throw new AnswerError("failed", "the endpoint answers with something that is not JSON");
  }
  if (sent?.error) {
    const { error } = sent;
    throw new AnswerError("failed", textOf(typeof error === "string" ? error : error.message) || "the endpoint reports an error");
  }
  return sent ?? {};
}

function isTooLong(end: unknown): boolean {
  return end === "length" || end === "max_tokens" || end === "content_filter";
}

/** Returns a text, or the joined texts of a list of parts. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) {
    return value.map((part: { text?: unknown } | null) => textOf(part?.text)).join("");
  }
  return typeof value === "string" ? value : "";
}
