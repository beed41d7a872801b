import type { Answer, Search } from "../api.js";
import { NearfindError } from "../errors.js";
import { improvesByItself, offerFor, type Loading, type Offer } from "./better_answers.js";
import { ICONS, button, create, icon } from "./create.js";
import { facets } from "./facets.js";
import { isComposing } from "./keys.js";
import { type Order, orders } from "./orders.js";
import { ownVersion } from "./own_version.js";
import type { ShowPreview } from "./preview.js";
import type { RecentSearches } from "./recent_searches.js";
import { results, type ResultOption, type ResultSettings } from "./results.js";
import { counted, fill, type Strings } from "./strings.js";
import { typingPace } from "./typing_pace.js";

/** How long the box waits for an answer before it shows that it is loading. */
const PATIENCE_MS = 300;
/** The maximum number of passages per page. */
const PASSAGES = 3;
/**
 * The minimum number of pages in a list that is not final. A shorter list may be replaced by one that begins with another page.
 */
const WORTH_SHOWING = 3;

/** The property that distinguishes versions of a page. */
const VERSION = "version";

/** The number of nearest pages to show if no page fits. */
const NEAREST = 5;

/** The settings of a box. */
interface BoxSettings {
  strings: Strings;
  language: string;
  /** The language of the pages to find, if the page declares one. */
  reads: string | undefined;
  placeholder: string;
  limit: number;
  /** Filters for every answer. */
  filters: Record<string, string[]>;
  /** Names of the properties to offer as filters, or `undefined` for all. */
  facets: string[] | undefined;
  /** The sort orders that readers can choose. */
  orders: Order[];
  /** Whether to show the page of a result beside the list. */
  previews: boolean;
  recents: RecentSearches;
  /** When to load a question encoder, if the page decides that. */
  loading: Loading | undefined;
}

/**
 * The element around a box. It opens the search, receives events, and holds the settings, which a page may change at any time.
 */
export interface BoxOwner extends BoxSettings {
  search(): Promise<Search>;
  results(): Omit<ResultSettings, "projects" | "strings" | "language">;
  /** The site's own assistant, if it has one. */
  assistant(): ((question: string, answer: Answer) => void) | undefined;
  answered(query: string, answer: Answer | undefined): void;
  /** Returns whether to follow the reader's choice. */
  selected(option: ResultOption): boolean;
  failed(error: unknown): void;
  /** Called when the part below the field should open. */
  open(): void;
  /** Called when the reader presses Escape. */
  escape(): void;
}

let boxes = 0;

/** Returns whether any document in an answer fits. If none fits, the nearest documents are shown as such. */
function fits({ hits }: Answer): boolean {
  return hits.some(({ pinned, why }) => pinned || why.fit >= 1);
}

/**
 * The field and its list, as a combobox. The focus stays in the field, which refers to the active option.
 * https://www.w3.org/WAI/ARIA/apg/patterns/combobox
 */
export class SearchBox {
  readonly root: HTMLElement;
  readonly field: HTMLInputElement;
  /** The part that opens below the field. */
  readonly panel: HTMLElement;
  readonly #owner: BoxOwner;
  readonly #id = `nearfind-${++boxes}`;
  readonly #list: HTMLElement;
  readonly #facets = create("div", { part: "facets" });
  readonly #tools = create("div", { class: "tools", role: "group" });
  readonly #notes = create("div", { part: "notes" });
  readonly #status = create("p", { part: "status", role: "status" });
  readonly #actions = create("div", { part: "actions" });
  readonly #clear: HTMLButtonElement;
  #asking = new AbortController();
  readonly #pause = typingPace();
  #chosen: Record<string, string[]> = {};
  #order: Order | undefined;
  /** The page's version, if answers have been limited to it. The reader may choose another. */
  #version: string | undefined;
  #preview: ShowPreview | undefined;
  #limit = 0;
  #options = new Map<Element, ResultOption | string>();
  #active: Element | undefined;
  /** The query whose results are shown. */
  #shown = "";
  /** A better answer, which waits while the reader is about to choose from the previous one. */
  #held: (() => void) | undefined;

  constructor(owner: BoxOwner, ...closing: HTMLElement[]) {
    this.#owner = owner;
    const { strings } = owner;
    this.#list = create("div", {
      id: `${this.#id}-list`,
      part: "list",
      role: "listbox",
      "aria-label": strings.results,
      hidden: true,
    });
    this.field = create("input", {
      part: "input",
      type: "search",
      role: "combobox",
      "aria-label": strings.search,
      placeholder: owner.placeholder,
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": this.#list.id,
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      enterkeyhint: "search",
    });
    this.#clear = button(
      { part: "clear", class: "quiet", "aria-label": strings.clear, hidden: true },
      () => this.ask(""),
      icon(ICONS.close),
    );
    this.#tools.hidden = true;
    const body = create("div", { class: "body" }, this.#list, this.#tools);
    if (owner.previews) {
      import("./preview.js").then(
        ({ preview }) => {
          this.#preview = preview(body);
          this.#previewed(this.#options.keys().next().value);
        },
        () => {},
      );
    }
    this.panel = create("div", { part: "panel" }, this.#facets, this.#notes, body, this.#status, this.#actions);
    const label = create("div", { part: "field" }, icon(ICONS.search), this.field, this.#clear, ...closing);
    this.root = create("div", { part: "box", role: "search", lang: owner.language }, label, this.panel);
    this.field.addEventListener("input", () => {
      if (!this.isExpanded) {
        owner.open();
      }
      this.#typed(this.#pause());
    });
    this.field.addEventListener("keydown", (event) => isComposing(event) || this.#key(event));
    this.#list.addEventListener("click", (event) => this.#clicked(event));
    // The field keeps the focus.
    this.#list.addEventListener("mousedown", (event) => event.preventDefault());
    this.#list.addEventListener("pointerleave", () => this.#release());
    this.#list.addEventListener("pointerover", (event) => this.#previewed((event.target as Element).closest("[role=option]")));
  }

  /** Puts a text into the field and searches for it. */
  ask(text: string): void {
    this.field.value = text;
    this.#typed();
    this.field.focus();
  }

  /** Shows recent searches in an empty field, and prefetches data for the search. */
  async ready(): Promise<void> {
    if (!this.field.value) {
      this.#showRecents();
    }
    try {
      await (await this.#owner.search()).prefetch();
    } catch {
      // The next query reports the error.
    }
  }

  get isExpanded(): boolean {
    return !this.panel.hidden;
  }

  /** Opens or closes the part below the field. */
  expand(open: boolean): void {
    this.panel.hidden = !open;
    this.#activate(undefined);
    this.#tellExpanded();
  }

  /** Stops the query that is running. */
  stop(): void {
    this.#asking.abort();
  }

  #typed(pause = 0): void {
    this.#limit = this.#owner.limit;
    void this.#ask(pause);
  }

  /** Searches for the text in the field: immediately in data that is already loaded, and after a pause in all data. */
  async #ask(pause = 0): Promise<void> {
    this.#asking.abort();
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    const text = this.field.value;
    this.#clear.hidden = text === "";
    this.#held = undefined;
    if (!text.trim()) {
      this.#showRecents();
      this.#owner.answered("", undefined);
      return;
    }
    const { strings, filters, reads } = this.#owner;
    const patience = setTimeout(() => {
      this.#list.setAttribute("aria-busy", "true");
      this.#status.textContent = strings.loading;
    }, pause + PATIENCE_MS);
    signal.addEventListener("abort", () => clearTimeout(patience));
    try {
      const search = await this.#owner.search();
      const show = (answer: Answer, last: boolean): void => {
        if (!signal.aborted && (last || (fits(answer) && answer.hits.length >= WORTH_SHOWING))) {
          clearTimeout(patience);
          this.#offer(() => this.#show(answer, search, last));
          if (last) {
            this.#answered(text, answer);
          }
        }
      };
      const ask = (fetch: boolean, previews = true): Promise<Answer> =>
        search.query(text, {
          limit: this.#limit,
          passages: PASSAGES,
          typing: true,
          counts: true,
          filters: { ...filters, ...this.#chosen },
          ...(reads && { language: reads }),
          ...(this.#order && { sort: this.#order }),
          unfit: "nearest",
          signal,
          fetch,
          ...(previews && { onPreview: (preview) => show(preview, false) }),
        });
      let answer = pause > 0 ? await ask(false).catch(() => undefined) : undefined;
      if (!answer) {
        await new Promise((go) => setTimeout(go, pause));
        signal.throwIfAborted();
        answer = await ask(true);
      }
      if (!signal.aborted && this.#keepsToVersion(answer)) {
        return this.#ask();
      }
      show(answer, true);
      if (!signal.aborted) {
        if (await improvesByItself(search, text, answer, this.#owner.loading, signal)) {
          // The reader did not request a better answer. If the query fails, the first answer is still good.
          const better = await ask(true, false).catch(() => answer);
          if (better.encoder !== answer.encoder) {
            show(better, true);
          }
        }
      }
    } catch (error) {
      clearTimeout(patience);
      if (!signal.aborted) {
        this.#fail(error);
      }
    }
  }

  /** Limits answers to the page's version, once per version. Returns whether this call did so. */
  #keepsToVersion({ filters }: Answer): boolean {
    const known = filters?.find(({ name }) => name === VERSION && !(name in this.#owner.filters))?.values ?? [];
    const own = known.length > 1 ? ownVersion(known.map(({ value }) => value)) : undefined;
    const isNew = own !== undefined && own !== this.#version;
    if (isNew) {
      this.#version = own;
      this.#chosen = { ...this.#chosen, [VERSION]: [own] };
    }
    return isNew;
  }

  /** Reports an answer to the owner. If no page fits, the nearest pages do not count as an answer. */
  #answered(text: string, answer: Answer): void {
    this.#owner.answered(text, fits(answer) ? answer : { ...answer, found: 0, hits: [] });
  }

  /** Shows an answer. If the reader is about to choose from a worse answer to the same query, the new one waits. */
  #offer(show: () => void): void {
    const isChoosing = this.#shown === this.field.value && (this.#active !== undefined || this.#list.matches(":hover"));
    if (isChoosing) {
      this.#held = show;
    } else {
      show();
    }
  }

  #release(): void {
    if (!this.#active) {
      this.#held?.();
      this.#held = undefined;
    }
  }

  #show(answer: Answer, search: Search, isLast: boolean): void {
    const { strings, language, filters, facets: wanted } = this.#owner;
    this.#shown = answer.query;
    this.#list.dataset.query = answer.query;
    // Set the tier only when the answer is final.
    this.#list.dataset.tier = isLast ? String(answer.tier) : "";
    const options = new Map<Element, ResultOption>();
    const several = (answer.filters ?? []).filter(({ values }) => values.length > 1);
    const projects = several.some(({ name }) => name === "project");
    const isFound = fits(answer);
    const hits = isFound ? answer.hits : answer.hits.slice(0, NEAREST);
    const isNear = hits.length > 0 && !isFound;
    const groups = results({ ...answer, hits }, { ...this.#owner.results(), projects, strings, language }, options);
    this.#fillList(groups, options, strings.results);
    // If nothing fits, readers can remove only the filters that they chose.
    const offered = several.filter(
      ({ name }) => !(name in filters) && (name in this.#chosen || (isFound && (wanted?.includes(name) ?? true))),
    );
    const chosen = { ...(answer.language && { language: [answer.language] }), ...this.#chosen };
    const { orders: sorted } = this.#owner;
    const rows = sorted.length > 0 && answer.hits.length > 0 ? [orders(sorted, this.#order, strings, (order) => this.#sort(order))] : [];
    this.#facets.replaceChildren(
      ...rows,
      ...facets(offered, chosen, language, strings, (name, value) => this.#choose(name, value, chosen, answer)),
    );
    const mistyped = answer.corrections.map(({ word }) => word).join(", ");
    const meant = answer.searched ?? answer.corrections.map((correction) => correction.meant).join(", ");
    const notes = mistyped ? [fill(strings.corrected, { word: mistyped, meant })] : [];
    notes.push(...answer.missingPhrases.map((phrase) => fill(strings.noPhrase, { phrase })), ...(answer.notice ? [answer.notice] : []));
    this.#notes.replaceChildren(...notes.map((note) => create("p", {}, note)));
    const found = isFound
      ? counted(strings.found, groups.length, language)
      : fill(strings[isNear ? "nearest" : "nothing"], { query: answer.query });
    this.#status.textContent = hits.length > 0 || isLast ? found : "";
    this.#status.style.order = isNear ? "-1" : "";
    const actions: HTMLElement[] = [];
    if (hits.length === 0 && isLast) {
      actions.push(create("span", {}, strings.tips));
    }
    if (isFound && isLast && answer.found > hits.length) {
      actions.push(button({ part: "more", class: "text" }, () => this.#more(), strings.more));
    }
    if (hits.length === 0 && Object.keys(this.#chosen).length > 0) {
      actions.push(button({ part: "unfiltered", class: "text" }, () => this.#unfilter(), strings.unfiltered));
    }
    const offer = isLast ? offerFor(search, answer, this.#owner.loading) : undefined;
    if (offer) {
      const offered = fill(strings.offer, { size: Math.ceil(offer.bytes / 1e6) });
      actions.push(button({ part: "offer", class: "text" }, () => void this.#loadModel(search, offer), offered));
    }
    const assistant = this.#owner.assistant();
    if (assistant && isLast) {
      actions.push(button({ part: "ask", class: "text" }, () => assistant(answer.query, answer), strings.ask));
    }
    this.#actions.replaceChildren(...actions);
  }

  #more(): void {
    this.#limit += this.#owner.limit;
    this.#askAgain();
  }

  #sort(order: Order | undefined): void {
    this.#order = order;
    this.#limit = this.#owner.limit;
    this.#askAgain();
  }

  #unfilter(): void {
    this.#chosen = {};
    this.#askAgain();
  }

  /** Searches for the same text with other settings. The new answer does not wait for the reader. */
  #askAgain(): void {
    this.#shown = "";
    void this.#ask();
    this.field.focus();
  }

  #choose(name: string, value: string, shown: Record<string, string[]>, { filters, language }: Answer): void {
    const { [name]: chosen = [] } = shown;
    const { [name]: _, ...others } = this.#chosen;
    let next = chosen.includes(value) ? chosen.filter((known) => known !== value) : [...chosen, value];
    if (next.length === 0 && value === language) {
      // Search in all languages, not only in this one.
      next = filters?.find((filter) => filter.name === name)?.values.map((known) => known.value) ?? [];
    }
    this.#chosen = next.length > 0 ? { ...others, [name]: next } : others;
    this.#limit = this.#owner.limit;
    this.#askAgain();
  }

  async #loadModel(search: Search, { small }: Offer): Promise<void> {
    const { strings } = this.#owner;
    const onProgress = (read: number, total: number): void => {
      this.#status.textContent = fill(strings.loadingModel, { percent: total ? Math.floor((read / total) * 100) : 0 });
    };
    this.#actions.replaceChildren();
    this.field.focus();
    try {
      await search.loadModel({ onProgress, small, asked: true });
      this.#askAgain();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const { strings } = this.#owner;
    const code = error instanceof NearfindError ? error.code : "internal";
    this.#empty();
    this.#fillList([], new Map(), strings.results);
    this.#status.textContent = code === "network" ? strings.offline : code === "not-found" ? strings.missing : strings.failed;
    const reason = create("small", { part: "reason" }, error instanceof Error ? error.message : String(error));
    this.#actions.replaceChildren(
      button({ part: "retry", class: "text" }, () => this.ask(this.field.value), strings.retry),
      reason,
    );
    this.#owner.failed(error);
  }

  /** Removes everything around the list. */
  #empty(): void {
    this.#shown = "";
    for (const part of [this.#facets, this.#notes, this.#status, this.#actions]) {
      part.replaceChildren();
    }
  }

  /**
   * Shows the reader's recent searches as options. An option's buttons are next to it, because an option cannot contain buttons.
   */
  #showRecents(): void {
    const { strings, recents } = this.#owner;
    this.#empty();
    const kept = recents.list();
    const options = new Map<Element, string>();
    const rows = kept.map(({ query, pinned }) => {
      const option = create(
        "div",
        { part: "recent", class: "option recent", role: "option", "aria-selected": "false" },
        icon(pinned ? ICONS.pin : ICONS.recent),
        create("span", { class: "title" }, query),
      );
      options.set(option, query);
      return option;
    });
    this.#fillList(rows, options, strings.recent);
    const again = (change: () => void) => (): void => {
      change();
      this.#showRecents();
      this.field.focus();
    };
    this.#tools.hidden = kept.length === 0;
    this.#tools.setAttribute("aria-label", strings.recent);
    this.#tools.replaceChildren(
      ...kept.map(({ query, pinned }) =>
        create(
          "div",
          { class: "row" },
          button(
            { class: "quiet", "aria-label": fill(pinned ? strings.unpin : strings.pin, { query }) },
            again(() => recents.pin(query, !pinned)),
            icon(ICONS.pin),
          ),
          button(
            { class: "quiet", "aria-label": fill(strings.forget, { query }) },
            again(() => recents.forget(query)),
            icon(ICONS.close),
          ),
        ),
      ),
    );
  }

  #fillList(children: HTMLElement[], options: Map<Element, ResultOption | string>, label: string): void {
    this.#activate(undefined);
    this.#held = undefined;
    this.#options = options;
    [...options.keys()].forEach((option, at) => {
      option.id = `${this.#id}-${at}`;
    });
    // Scroll before the change. After it, the browser would have to lay out the page immediately.
    this.#list.scrollTop = 0;
    this.#list.replaceChildren(...children);
    this.#list.hidden = children.length === 0;
    this.#list.setAttribute("aria-label", label);
    this.#list.removeAttribute("aria-busy");
    this.#tools.hidden = true;
    this.#tellExpanded();
    this.#previewed(children[0]?.querySelector("[role=option]"));
  }

  /** Shows the page of an option beside the list, if previews are on. */
  #previewed(option: Element | null | undefined): void {
    const found = option && this.#options.get(option);
    this.#preview?.(typeof found === "object" && found ? found : undefined);
  }

  #tellExpanded(): void {
    this.field.setAttribute("aria-expanded", String(this.isExpanded && this.#options.size > 0));
  }

  #activate(option: Element | undefined): void {
    this.#active?.setAttribute("aria-selected", "false");
    this.#active = option;
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    if (option) {
      this.#previewed(option);
      this.field.setAttribute("aria-activedescendant", option.id);
    } else {
      this.field.removeAttribute("aria-activedescendant");
    }
  }

  #key(event: KeyboardEvent): void {
    const options = [...this.#options.keys()];
    const at = this.#active ? options.indexOf(this.#active) : -1;
    const moves: Record<string, number> = {
      ArrowDown: at + 1 < options.length ? at + 1 : 0,
      ArrowUp: at > 0 ? at - 1 : options.length - 1,
      // Without an active option, these keys move the cursor in the text.
      ...(at >= 0 && { Home: 0, End: options.length - 1 }),
    };
    const to = moves[event.key];
    if (!this.isExpanded && to !== undefined) {
      this.#owner.open();
    } else if (to !== undefined && options.length > 0) {
      this.#activate(options[to]);
    } else if (event.key === "Enter" && !this.#active && this.#shown !== this.field.value) {
      // The list is for another text, or is not complete yet.
      this.#typed();
    } else if (event.key === "Enter") {
      this.#follow(this.#active ?? options[0], event.ctrlKey || event.metaKey);
    } else if (event.key === "Escape") {
      this.#owner.escape();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #clicked(event: MouseEvent): void {
    const option = (event.target as Element).closest("[role=option]");
    const found = option && this.#options.get(option);
    if (typeof found === "string") {
      this.ask(found);
    } else if (found && !this.#select(found)) {
      event.preventDefault();
    }
  }

  /** Follows an option as a click would, or opens it in a new tab. */
  #follow(option: Element | undefined, inNewTab: boolean): void {
    const found = option && this.#options.get(option);
    if (typeof found === "object" && inNewTab) {
      if (this.#select(found) && found.url) {
        window.open(found.url, "_blank", "noopener");
      }
    } else {
      (option as HTMLElement | undefined)?.click();
    }
  }

  #select(option: ResultOption): boolean {
    this.#owner.recents.add(this.field.value);
    return this.#owner.selected(option);
  }
}
