/** Questions and answers, kept for the browser's tab: a reader who follows a citation comes back to them. */
import type { Failure } from "./model.js";
import type { Source } from "./source.js";

/** A question with its answer. */
export interface Turn {
  question: string;
  /** The passages that the answer is made of. */
  sources: Source[];
  /** The text of a model, if one wrote; else there is a digest. */
  answer: string;
  /** `answered` also where no page fits or the model has no answer. */
  state: "searching" | "writing" | "answered" | "stopped" | Failure | "unsearched";
  /** A maintainer needs to know this of a failure. */
  reason?: string;
  /** When to try again. */
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
      return Array.isArray(kept) ? kept.filter(isTurn) : [];
    } catch {
      return [];
    }
  }
}

const STATES: unknown[] = ["answered", "stopped", "busy", "cut", "failed", "unsearched"] satisfies Turn["state"][];

/** Whether a value is a turn as it is kept: one of an older version of this script may not be. */
function isTurn(value: unknown): value is Turn {
  const turn = value as Partial<Turn> | null;
  return (
    areTexts(turn?.question, turn?.answer) && STATES.includes(turn?.state) && Array.isArray(turn?.sources) && turn.sources.every(isSource)
  );
}

function isSource(value: unknown): value is Source {
  const source = value as Partial<Source> | null;
  return (
    areTexts(source?.title, source?.section, source?.text, source?.excerpt) &&
    typeof source?.number === "number" &&
    typeof source.score === "number" &&
    (source.url === null || typeof source.url === "string") &&
    Array.isArray(source.matches) &&
    areTexts(...source.matches)
  );
}

function areTexts(...values: unknown[]): boolean {
  return values.every((value) => typeof value === "string");
}
