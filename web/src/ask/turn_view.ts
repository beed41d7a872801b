/** Shows a question and its answer in the panel. */
import { button, create } from "../element/create.js";
import { counted, fill } from "../element/strings.js";
import { AnswerView } from "./answer_view.js";
import type { Turn } from "./conversation.js";
import { type Quote, digestOf } from "./digest.js";
import { type Assistant, addressOf, copy } from "./hand_over.js";
import { NO_ANSWER, promptFor } from "./prompt.js";
import type { Source } from "./source.js";
import type { AskStrings } from "./strings.js";

/** The number of passages to list if no page clearly answers the question. */
const NEAREST = 4;

/** The settings of turns. */
export interface TurnSettings {
  strings: AskStrings;
  language: string;
  /** The assistants that the reader can hand a question to; `undefined` if questions cannot be handed over. */
  assistants: Assistant[] | undefined;
  /** Asks the question of a turn again. */
  retry(turn: Turn): void;
  /** Called when the reader chooses a citation. Returns whether to follow it. */
  selected(source: Source): boolean;
}

/** The element that shows a turn. It grows with the answer. */
export class TurnView {
  readonly root = create("section", { part: "turn" });
  readonly #turn: Turn;
  readonly #settings: TurnSettings;
  readonly #answer: AnswerView;
  readonly #body = create("div");

  constructor(turn: Turn, settings: TurnSettings) {
    this.#turn = turn;
    this.#settings = settings;
    const { strings, language } = settings;
    this.#answer = new AnswerView({
      sources: turn.sources,
      question: turn.question,
      language,
      noSource: strings.noSource,
      cite: (source) => this.#link(source, { part: "cite", title: nameOf(source) }, String(source.number)),
    });
    this.root.append(create("h3", { part: "question" }, turn.question), this.#body);
    this.update();
  }

  /** Returns whether the model has no answer, or may be about to report that. Such text is not shown. */
  get #isUnanswered(): boolean {
    const answer = this.#turn.answer.replace(/^[^\p{L}\p{N}]+/u, "");
    return answer.startsWith(NO_ANSWER) || (this.#turn.state === "writing" && NO_ANSWER.startsWith(answer));
  }

  /** Shows the current state of the turn. */
  update(): void {
    const { state, answer, sources } = this.#turn;
    const isLast = state !== "searching" && state !== "writing";
    const isWritten = answer !== "" && !this.#isUnanswered;
    if (isWritten) {
      this.#answer.show(answer, isLast);
      if (this.#body.firstChild !== this.#answer.root) {
        this.#body.replaceChildren(this.#answer.root);
      }
    }
    if (isLast) {
      const shown = isWritten ? [this.#answer.root, ...this.#below()] : sources.length > 0 ? this.#digest() : [];
      this.#body.replaceChildren(...shown, ...this.#notes(), ...this.#actions());
    }
  }

  /** Creates the list of cited sources below a written answer. */
  #below(): HTMLElement[] {
    const { strings } = this.#settings;
    const { cited, hasUnsupported } = this.#answer;
    const sources = this.#turn.sources.filter(({ number }) => cited.size === 0 || cited.has(number));
    return [
      create("p", { part: "note" }, [hasUnsupported ? strings.unsupported : "", strings.written].filter(Boolean).join(" ")),
      create("h3", {}, strings.sources),
      this.#list(sources),
    ];
  }

  /** Creates quotes, page by page, or links to the nearest pages if no page clearly answers the question. */
  #digest(): HTMLElement[] {
    const { strings, language } = this.#settings;
    const { sources } = this.#turn;
    const pages = this.#isUnanswered ? [] : digestOf(sources, language);
    if (pages.length === 0) {
      return [create("p", { part: "note" }, strings.unanswered), this.#list(sources.slice(0, NEAREST))];
    }
    return [
      create("p", { part: "note" }, strings.digest),
      ...pages.map((quotes) =>
        create("div", { part: "page" }, create("h3", {}, quotes[0]!.source.title), ...quotes.map((quote) => this.#quote(quote))),
      ),
    ];
  }

  #list(sources: Source[]): HTMLElement {
    const items = sources.map((source) => create("li", { value: source.number }, this.#link(source, {}, nameOf(source))));
    return create("ol", { part: "sources" }, ...items);
  }

  #quote({ source, text, code, items }: Quote): HTMLElement {
    const place = source.section.split(" > ").filter((heading) => heading && heading !== source.title);
    return create(
      "div",
      { part: "quote" },
      ...(text ? [create("p", {}, text)] : []),
      ...(items ? [create("ul", {}, ...items.map((item) => create("li", {}, item)))] : []),
      ...(code ? [create("pre", { tabindex: 0 }, create("code", {}, code))] : []),
      this.#link(source, { part: "place" }, place.join(" › ") || source.title),
    );
  }

  #notes(): HTMLElement[] {
    const { strings, language } = this.#settings;
    const { state, sources, seconds, reason } = this.#turn;
    const said: Partial<Record<Turn["state"], string>> = {
      answered: sources.length === 0 ? strings.nothing : "",
      stopped: strings.stopped,
      cut: strings.cut,
      failed: strings.failed,
      busy: seconds ? counted(strings.busyFor, seconds, language) : strings.busy,
      unsearched: strings.unsearched,
    };
    const text = said[state];
    return text
      ? [create("p", { part: "note" }, text, ...(reason ? [create("br"), create("small", { part: "reason" }, reason)] : []))]
      : [];
  }

  #actions(): HTMLElement[] {
    const { strings, assistants } = this.#settings;
    const { state, question, sources } = this.#turn;
    const actions: HTMLElement[] = [];
    if (state !== "answered") {
      actions.push(button({ part: "retry", class: "text" }, () => this.#settings.retry(this.#turn), strings.retry));
    }
    if (assistants && sources.length > 0) {
      const copying = button(
        { part: "copy", class: "text" },
        async () => {
          if (await copy(promptFor(question, sources), row, strings.copy)) {
            copying.textContent = strings.copied;
          }
        },
        strings.copy,
      );
      const links = assistants.map((assistant) =>
        create(
          "a",
          { part: "hand-over", class: "text", href: addressOf(assistant, question, sources), target: "_blank", rel: "noopener noreferrer" },
          fill(strings.openIn, { name: assistant.name }),
        ),
      );
      actions.push(copying, ...links);
    }
    const row = create("div", { part: "actions" }, ...actions);
    return actions.length > 0 ? [row] : [];
  }

  /** Creates a link to a source, or text if it has no address. */
  #link(source: Source, attributes: Record<string, string>, text: string): HTMLElement {
    const href = source.url && /^https?:/.test(source.url) ? source.url : undefined;
    const link = create(href ? "a" : "span", { ...attributes, ...(href && { href }) }, text);
    link.addEventListener("click", (event) => href && !this.#settings.selected(source) && event.preventDefault());
    return link;
  }
}

function nameOf({ title, section }: Source): string {
  const last = section.split(" > ").at(-1);
  return last && last !== title ? `${title} › ${last}` : title;
}
