/** Questions and answers. The tab's storage keeps them, so that a reader who follows a citation can return to them. */
import type { Failure } from "./model.js";
import type { Source } from "./source.js";

/** A question and its answer. */
export interface Turn {
  question: string;
  /** The passages that the answer is based on. */
  sources: Source[];
  /** The text that a model wrote. If it is empty, the answer is a digest. */
  answer: string;
  /** `answered` includes turns where no page fits or the model has no answer. */
  state: "searching" | "writing" | "answered" | "stopped" | Failure | "unsearched";
  /** Details of a failure, for the site's maintainer. */
  reason?: string;
  /** The number of seconds to wait before trying again. */
  seconds?: number | undefined;
}

/** The maximum number of turns to store. */
const MOST = 20;

/** The turns of a panel. */
export class Conversation {
  readonly #key: string;
  turns: Turn[] = [];

  /** `key` distinguishes sites that share an origin. */
  constructor(key: string) {
    this.#key = `nearfind:ask:${key}`;
    this.turns = this.#kept();
  }

  /** Saves the turns in the tab's storage. */
  keep(): void {
    const kept = this.turns
      .slice(-MOST)
      .map((turn) => (turn.state === "searching" || turn.state === "writing" ? { ...turn, state: "stopped" } : turn));
    try {
      sessionStorage.setItem(this.#key, JSON.stringify(kept));
    } catch {
      // There is no storage, or it is full. The conversation ends with the page.
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

/** Returns whether a stored value is a turn. A value from an older version of this script may not be one. */
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
