/**
 * The panel where readers ask questions. It is a dialog beside the page, which stays usable. Its code is a separate file, loaded
 * when the panel is first opened.
 */
import { ICONS, button, create, icon } from "../element/create.js";
import { isComposing } from "../element/keys.js";
import type { Scope } from "../element/scope.js";
import type { Loading } from "../element/better_answers.js";
import { fill } from "../element/strings.js";
import { askBrowser, browserModel, downloadBrowserModel } from "./browser_model.js";
import { Conversation, type Turn } from "./conversation.js";
import { type Endpoint, endpointModel } from "./endpoint.js";
import { assistantsOf } from "./hand_over.js";
import { untilAborted } from "../until_aborted.js";
import { AnswerError, type Model } from "./model.js";
import { cutAt } from "./markdown.js";
import { messagesFor } from "./prompt.js";
import { type Source, sourcesFor } from "./source.js";
import type { AskStrings } from "./strings.js";
import { style } from "./style.js";
import { TurnView } from "./turn_view.js";

/** The maximum number of characters in an answer. If an endpoint sends more, its answer is stopped. */
const LONGEST = 20_000;
/** The number of characters of sources that a model can read. Small models in browsers forget longer texts. */
const READS = { endpoint: 12_000, browser: 4_000 };
/** The maximum number of characters in a question. Longer texts were pasted, and would find nothing. */
const LONGEST_QUESTION = 2_000;
/** Matches the thoughts that some models write before the answer. */
const THOUGHTS = /^\s*<think>[\s\S]*?(?:<\/think>\s*|$)/;

/** A way to answer: an endpoint of the site, the browser's own model, or an assistant that the reader uses. */
export type Way = "endpoint" | "browser" | "hand-over";

/** The settings of a panel. */
export interface PanelOwner {
  strings: AskStrings;
  language: string;
  endpoint: Endpoint | undefined;
  /** The ways to answer, the preferred one first. */
  ways: Way[];
  /** The attribute that lists assistants. */
  assistants: string | null;
  /** When to load a question encoder, if the page decides that. */
  loading: Loading | undefined;
  /** Distinguishes the conversations of sites that share an origin. */
  key: string;
  scope(): Promise<Scope>;
  asked(question: string): void;
  answered(turn: Turn): void;
  /** Called when the reader chooses a citation. Returns whether to follow it. */
  selected(source: Source, turn: Turn): boolean;
  closed(): void;
}

/**
 * The dialog with its conversation. It is not a `<dialog>`, because browsers focus a `<dialog>` even if the panel is only
 * restored.
 */
export class AskPanel {
  readonly dialog: HTMLElement;
  readonly field: HTMLTextAreaElement;
  readonly #owner: PanelOwner;
  readonly #conversation: Conversation;
  readonly #log = create("div", { part: "log", role: "log", "aria-busy": "false" });
  readonly #status = create("p", { part: "status", role: "status" });
  readonly #offer = create("div", { class: "status" });
  readonly #send: HTMLButtonElement;
  #asking: AbortController | undefined;
  #isPressed = false;

  constructor(owner: PanelOwner, root: ShadowRoot) {
    this.#owner = owner;
    const { strings } = owner;
    this.#conversation = new Conversation(owner.key);
    this.field = create("textarea", {
      part: "input",
      rows: 1,
      "aria-label": strings.placeholder,
      placeholder: strings.placeholder,
      maxlength: LONGEST_QUESTION,
      enterkeyhint: "send",
    });
    this.#send = create("button", { part: "send", type: "submit" }, strings.ask);
    const form = create("form", { part: "form" }, this.field, this.#send);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !isComposing(event)) {
        event.preventDefault();
        if (!this.#asking) {
          this.#submit();
        }
      }
    });
    const head = create(
      "div",
      { part: "head" },
      create("h2", {}, strings.ask),
      button({ part: "fresh", class: "quiet" }, () => this.#restart(), strings.fresh),
      button({ part: "close", class: "quiet", "aria-label": strings.close }, () => owner.closed(), icon(ICONS.close)),
    );
    this.dialog = create(
      "div",
      { part: "panel", role: "dialog", "aria-label": strings.ask },
      head,
      this.#log,
      this.#status,
      this.#offer,
      form,
    );
    this.dialog.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !isComposing(event)) {
        event.stopPropagation();
        event.preventDefault();
        owner.closed();
      }
    });
    root.adoptedStyleSheets.push(style());
    this.#conversation.turns.forEach((turn) => this.#view(turn));
    // A reader may leave the page in the middle of an answer.
    addEventListener("pagehide", () => {
      this.stop();
      this.#conversation.keep();
    });
    // A click would miss a citation that is replaced while it is pressed.
    this.#log.addEventListener("pointerdown", () => {
      this.#isPressed = true;
      addEventListener("pointerup", () => (this.#isPressed = false), { once: true });
    });
    this.#send.addEventListener("click", (event) => {
      // The second click of a double click would stop the answer that the first one requested.
      if (event.detail > 1) {
        event.preventDefault();
      }
    });
    void this.#offerModel();
  }

  /** Asks a question, which may refer to the previous ones. */
  ask(question: string): void {
    const text = cutAt(question.trim(), LONGEST_QUESTION);
    if (text) {
      const turn: Turn = { question: text, sources: [], answer: "", state: "searching" };
      this.#conversation.turns.push(turn);
      this.#owner.asked(text);
      void this.#answer(turn);
    }
  }

  /** Stops the answer that is being written. */
  stop(): void {
    this.#asking?.abort();
  }

  #submit(): void {
    if (this.#asking) {
      this.stop();
    } else {
      this.ask(this.field.value);
      this.field.value = "";
    }
  }

  #restart(): void {
    this.stop();
    this.#conversation.turns = [];
    this.#conversation.keep();
    this.#log.replaceChildren();
    this.#status.textContent = "";
    this.field.focus();
  }

  #view(turn: Turn): TurnView {
    const { strings, language, ways, assistants, selected } = this.#owner;
    const view = new TurnView(turn, {
      strings,
      language,
      selected: (source) => selected(source, turn),
      assistants: ways.includes("hand-over") ? assistantsOf(assistants) : undefined,
      retry: (again) => {
        this.#conversation.turns = this.#conversation.turns.filter((known) => known !== again);
        view.root.remove();
        this.ask(again.question);
      },
    });
    this.#log.append(view.root);
    return view;
  }

  async #answer(turn: Turn): Promise<void> {
    const { strings, loading } = this.#owner;
    const asking = new AbortController();
    this.#asking?.abort();
    this.#asking = asking;
    this.#send.textContent = strings.stop;
    this.#log.setAttribute("aria-busy", "true");
    this.#status.textContent = strings.searching;
    let view = this.#view(turn);
    view.root.scrollIntoView({ block: "nearest" });
    try {
      const before = this.#conversation.turns.slice(0, this.#conversation.turns.indexOf(turn));
      const scope = await untilAborted(asking.signal, () => this.#owner.scope());
      turn.sources = await sourcesFor(scope, turn.question, before.at(-1)?.question, loading, asking.signal);
      asking.signal.throwIfAborted();
      // The sources of citations are known from this point on.
      const found = this.#view(turn);
      view.root.replaceWith(found.root);
      view = found;
      if (turn.sources.length > 0) {
        await this.#write(turn, before, view, asking.signal);
      }
      turn.state = "answered";
    } catch (error) {
      tellFailure(turn, error, asking.signal);
    }
    this.#conversation.keep();
    if (this.#asking === asking) {
      this.#asking = undefined;
      this.#send.textContent = strings.ask;
      this.#log.setAttribute("aria-busy", "false");
      this.#status.textContent = turn.state === "answered" && turn.sources.length > 0 ? strings.ready : "";
    }
    view.update();
    this.#owner.answered(turn);
  }

  /** Lets a model write the answer, if one is available. */
  async #write(turn: Turn, before: Turn[], view: TurnView, signal: AbortSignal): Promise<void> {
    const [model, length] = (await untilAborted(signal, () => this.#model())) ?? [];
    if (!model) {
      return;
    }
    turn.state = "writing";
    this.#status.textContent = this.#owner.strings.writing;
    const answered = before.filter(({ answer }) => answer !== "");
    let [written, frame, free] = ["", 0, 0];
    const update = (): void => {
      const start = performance.now();
      // Showing a long answer takes time. Leave half of the time to the page.
      if (!this.#isPressed && start >= free) {
        view.update();
        free = 2 * performance.now() - start;
      }
    };
    try {
      for await (const piece of model(messagesFor(turn.question, turn.sources, answered, length!), signal)) {
        signal.throwIfAborted();
        written += piece;
        turn.answer = cutAt(written.replace(THOUGHTS, ""), LONGEST);
        if (written.length > 2 * LONGEST || turn.answer.length >= LONGEST - 1) {
          throw new AnswerError("cut", `the answer is longer than ${LONGEST} characters`);
        }
        cancelAnimationFrame(frame);
        frame = requestAnimationFrame(update);
      }
    } finally {
      // Leaving the loop stops the model, so no further frame is needed.
      cancelAnimationFrame(frame);
    }
    if (!turn.answer.trim()) {
      throw new AnswerError("failed", "the answer is empty");
    }
  }

  /** Returns the first available model, and the number of characters of sources that it can read. */
  async #model(): Promise<[Model, number] | undefined> {
    const { ways, endpoint } = this.#owner;
    for (const way of ways) {
      if (way === "hand-over") {
        return undefined;
      }
      if (way === "endpoint" && endpoint) {
        return [endpointModel(endpoint), READS.endpoint];
      }
      if (way === "browser" && (await browserModel()) === "available") {
        return [askBrowser, READS.browser];
      }
    }
    return undefined;
  }

  /** Offers to download the browser's model, if nothing else writes answers. */
  async #offerModel(): Promise<void> {
    const { ways, strings } = this.#owner;
    if (!ways.includes("browser") || (await this.#model()) || (await browserModel()) !== "downloadable") {
      return;
    }
    const load = button(
      { part: "load", class: "text" },
      async () => {
        try {
          await downloadBrowserModel((part) => {
            this.#offer.textContent = fill(strings.loading, { percent: Math.floor(part * 100) });
          });
          this.#offer.replaceChildren();
        } catch {
          this.#offer.textContent = strings.failed;
        }
      },
      strings.load,
    );
    this.#offer.replaceChildren(load);
  }
}

function tellFailure(turn: Turn, error: unknown, signal: AbortSignal): void {
  const isSearched = turn.sources.length > 0;
  if (signal.aborted) {
    turn.state = "stopped";
  } else if (error instanceof AnswerError) {
    turn.state = error.failure;
    turn.seconds = error.seconds;
  } else if ((error as { code?: unknown } | null)?.code === "empty-query") {
    turn.state = "answered";
    return;
  } else {
    turn.state = isSearched ? "failed" : "unsearched";
  }
  if (!signal.aborted) {
    turn.reason = (error instanceof Error ? error.message : String(error)).slice(0, 300);
  }
}
