/** Questions and answers, kept for the browser's tab: a reader who follows a citation comes back to them. */
import type { Failure } from "./model.js";
import type { Source } from "./source.js";

/** A question, and what became of it. */
export interface Turn {
  question: string;
  /** What the answer is made of. */
  sources: Source[];
  /** What a model wrote, if one did; else there is a digest. */
  answer: string;
  /** `answered` also where no page fits or the model has no answer. */
  state: "searching" | "writing" | "answered" | "stopped" | Failure | "unsearched";
  /** Of a failure: what a maintainer needs to know, and when to try again. */
  reason?: string;
  seconds?: number | undefined;
}

/** Turns that are kept. */
const MOST = 20;

/** The turns of a panel. */
export class Conversation {
  readonly #key: string;
  turns: Turn[] = [];

  /** `key` tells sites of one origin apart. */
  constructor(key: string) {
    this.#key = `nearfind:ask:${key}`;
    this.turns = this.#kept();
  }

  /** Keeps the turns as they are, in the tab's own storage. */
  keep(): void {
    const kept = this.turns
      .slice(-MOST)
      .map((turn) => (turn.state === "searching" || turn.state === "writing" ? { ...turn, state: "stopped" } : turn));
    try {
      sessionStorage.setItem(this.#key, JSON.stringify(kept));
    } catch {
      // No storage here, or it is full: the conversation ends with the page.
    }
  }

  #kept(): Turn[] {
    try {
      const kept: unknown = JSON.parse(sessionStorage.getItem(this.#key) ?? "[]");
      const is = (turn: Partial<Turn> | null): turn is Turn =>
        typeof turn?.question === "string" && typeof turn.answer === "string" && Array.isArray(turn.sources);
      return Array.isArray(kept) ? kept.filter(is) : [];
    } catch {
      return [];
    }
  }
}
