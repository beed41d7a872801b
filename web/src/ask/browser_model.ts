/**
 * The language model that some browsers have: https://webmachinelearning.github.io/prompt-api. It runs on the reader's machine,
 * and nothing is sent anywhere.
 */
import { AnswerError, type Model } from "./model.js";

interface Session {
  promptStreaming(input: string, options: { signal: AbortSignal }): ReadableStream<string>;
  destroy(): void;
}

interface LanguageModel {
  availability?(): Promise<"unavailable" | "downloadable" | "downloading" | "available">;
  create(options: {
    initialPrompts?: { role: string; content: string }[];
    signal?: AbortSignal;
    monitor?: (monitor: EventTarget) => void;
  }): Promise<Session>;
}

const model = (): LanguageModel | undefined => (globalThis as { LanguageModel?: LanguageModel }).LanguageModel;

/** Returns whether the browser's model is available or can be downloaded; `undefined` if neither. */
export async function browserModel(): Promise<"available" | "downloadable" | undefined> {
  let state: string | undefined;
  try {
    state = await model()?.availability?.();
  } catch {
    // Another object has this name, or the model cannot be used on this page.
  }
  return state === "available" ? state : state === "downloadable" || state === "downloading" ? "downloadable" : undefined;
}

/**
 * Downloads the model, which is several gigabytes in size. Browsers require a click to start the download. `progress` is called
 * with the completed fraction, from 0 to 1.
 */
export async function downloadBrowserModel(progress: (part: number) => void): Promise<void> {
  const session = await model()!.create({
    monitor: (monitor) => monitor.addEventListener("downloadprogress", (event) => progress((event as ProgressEvent).loaded)),
  });
  session.destroy();
}

/** Asks the browser's model. */
export const askBrowser: Model = async function* answer(messages, signal) {
  const session = await model()!
    .create({ initialPrompts: messages.slice(0, -1), signal })
    .catch((error: unknown) => failed(error, signal));
  try {
    const reader = session.promptStreaming(messages.at(-1)!.content, { signal }).getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      yield next.value;
    }
  } catch (error) {
    failed(error, signal);
  } finally {
    session.destroy();
  }
};

function failed(error: unknown, signal: AbortSignal): never {
  throw signal.aborted ? signal.reason : new AnswerError("failed", error instanceof Error ? error.message : String(error));
}
