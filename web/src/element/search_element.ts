import type { Answer, Hit, OpenOptions, Passage, Search } from "../api.js";
import type { NearfindAsk } from "../ask.js";
import type { Loading } from "./better_answers.js";
import { ICONS, button, create, icon } from "./create.js";
import { isComposing, isWriting } from "./keys.js";
import { destination, withoutDirective } from "./destination.js";
import { isDark, watchTheme } from "./page_theme.js";
import { ordersOf } from "./orders.js";
import { RecentSearches } from "./recent_searches.js";
import type { ResultOption } from "./results.js";
import { type Scope, bundlesOf, limitsOf } from "./scope.js";
import { SearchBox, type BoxOwner } from "./search_box.js";
import { lease, type Lease } from "./shared_search.js";
import { english } from "./strings/en.js";
import { orElse, stringsOf, type Strings } from "./strings.js";
import { style } from "./style.js";

/** The events of {@link NearfindSearch}. They bubble and cross shadow roots. */
export interface NearfindSearchEventMap {
  /** Fires when the box opens. */
  "nearfind-open": CustomEvent<null>;
  /** Fires when a query is answered. */
  "nearfind-query": CustomEvent<{ query: string; answer: Answer }>;
  /**
   * Fires when a reader chooses a result. If your page has a router, prevent the default and pass `url` to the router: the
   * element then does not follow the link. `url` has no text fragment, because only the browser itself can highlight words.
   */
  "nearfind-select": CustomEvent<{ hit: Hit; passage: Passage; url: string | null; query: string }>;
  /** Fires when something fails. The box has already shown the error to the reader. */
  "nearfind-error": CustomEvent<{ error: unknown }>;
}

/** The appearance of the element in the page. */
export type Display = "button" | "modal" | "inline";

/** The base class. A program that builds pages has no `HTMLElement`, but must be able to import this class. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);
const LIMIT = 10;
/** How long to wait before the query is written into the address. Browsers limit how often a page may change its address. */
const QUIET_MS = 300;
/** Attributes that determine which search to open. */
const OPENED = ["bundle", "model", "worker", "wasm"];
const ATTRIBUTES = [...OPENED, "base", "display", "placeholder", "lang", "language", "limit", "filters", "facets", "sort", "preview"];

/**
 * A search box. Until a reader is about to search, it loads only this script.
 *
 * | attribute | |
 * |---|---|
 * | `bundle` | URL of the bundle, or several URLs separated by spaces, which are searched as one; default the bundle beside `box.js`, else `search/` |
 * | `display` | `button` (default) opens a dialog, `modal` is the dialog without a button, and `inline` is a field in the page |
 * | `placeholder` | placeholder of the field |
 * | `limit` | number of pages to show at first; default 10 |
 * | `filters` | filters for every answer, such as `version=2.1&project=panel` |
 * | `facets` | names of the properties to offer as filters, or `none`; default all |
 * | `sort` | sort orders that readers can choose, such as `Newest=-date&Title=title`; pages without the property come last |
 * | `preview` | shows the page of a result beside the list, if there is room |
 * | `shortcuts` | `none` turns off Ctrl-K, Cmd-K and `/` |
 * | `param` | parameter of the page's URL that contains the query, or `none`; default `q` |
 * | `highlight` | `none` leaves text fragments out of links |
 * | `model` | when the page loads an encoder that understands questions better: `auto` (automatically), `ask` (when the reader requests it) or `never`; by default, the bundle decides. Or the URL of the model pack, if the bundle does not ship it |
 * | `theme` | `light` or `dark`; default the theme of the page |
 * | `lang` | language of the box; default the language of the page |
 * | `base` | base of relative page addresses; default the bundle's address |
 * | `language` | language of the pages to find; default the language of the page; `none` finds pages in every language |
 * | `ask` | offers answers in a panel: see {@link NearfindAsk}. The value is the URL of an endpoint, or empty. `ask-…` sets attributes of the panel |
 * | `agents` | `none` offers no search tool to agents in the reader's browser |
 * | `worker`, `wasm` | see {@link OpenOptions} |
 *
 * The element's content is shown until the script runs, and stays if the script never runs. Use it for a form that leads to
 * another search.
 *
 * @example
 * ```ts
 * import { NearfindSearch } from "nearfind/element";
 * customElements.define("docs-search", NearfindSearch);
 * const box = document.createElement("docs-search") as NearfindSearch;
 * box.setAttribute("bundle", "/search/");
 * box.transform = (hit) => (hit.path.startsWith("archive/") ? null : hit);
 * box.addEventListener("nearfind-select", ({ detail }) => console.log(detail.url));
 * document.body.append(box);
 * box.show("how do I share data?");
 * ```
 */
export class NearfindSearch extends Base {
  static readonly observedAttributes = ATTRIBUTES;
  /** URL of the bundle, for elements without the `bundle` attribute. */
  static bundle = "search/";

  /** Changes a hit before it is shown. Return `null` to leave it out. */
  transform: ((hit: Hit) => Hit | null) | undefined;
  /** Changes the look of a result. The callback receives the filled list option, and may replace the option's content. */
  render: ((hit: Hit, option: HTMLElement, passage: Passage) => void) | undefined;
  /**
   * Hands the question and its answer to the site's own assistant when the reader requests it. By default, the box offers no
   * assistant.
   */
  assistant: ((question: string, answer: Answer) => void) | undefined;
  /** Replaces texts of the box. */
  strings: Partial<Strings> = {};

  readonly #root = this.attachShadow({ mode: "open", delegatesFocus: true });
  #box: SearchBox | undefined;
  #dialog: HTMLDialogElement | undefined;
  #lease: Lease | undefined;
  #built = 0;
  #deepLinking: ReturnType<typeof setTimeout> | undefined;
  /**
   * The base of relative addresses in attributes: the address of the page that they were written for, even if a router changes it
   * later.
   */
  #writtenFor = "";
  #connected = new AbortController();
  /** A call to `show` before the box was built. */
  #awaited: { text: string | undefined } | undefined;

  /** Whether the dialog, or the list of an inline box, is open. */
  get isOpen(): boolean {
    return this.#dialog?.open ?? this.#box?.isExpanded ?? false;
  }

  /** The text in the field. */
  get value(): string {
    return this.#box?.field.value ?? "";
  }

  set value(text: string) {
    this.#box?.ask(text);
  }

  /** The element's search. Opens the bundle if it is not open yet. */
  get search(): Promise<Search> {
    this.#lease ??= lease(this.#bundles, this.#openOptions());
    // After a failure, the next call tries again.
    const held = this.#lease;
    held.search.catch(() => {
      if (this.#lease === held) {
        this.#lease = undefined;
      }
    });
    return held.search;
  }

  constructor() {
    super();
    // Sites may have single-key shortcuts. Their handlers see that a key was pressed in this element, but not that it went to a
    // field.
    for (const kind of ["keydown", "keypress", "keyup"]) {
      this.#root.addEventListener(kind, (event) => {
        const { target, ctrlKey, metaKey } = event as KeyboardEvent;
        if (target instanceof HTMLInputElement && !ctrlKey && !metaKey) {
          event.stopPropagation();
        }
      });
    }
  }

  connectedCallback(): void {
    this.#writtenFor ||= document.baseURI;
    this.#connected = new AbortController();
    const { signal } = this.#connected;
    watchTheme(() => this.#box && this.#followTheme(), signal);
    document.addEventListener("keydown", this.#shortcut, { signal });
    document.addEventListener("pointerdown", this.#outside, { signal });
    if (this.getAttribute("agents") !== "none" && "modelContext" in navigator) {
      import("./agent_tool.js").then(
        ({ offerAgentTool }) => offerAgentTool(() => this.scope, destination, signal),
        () => {},
      );
    }
    if (this.hasAttribute("ask")) {
      // Load the panel if a link asks a question, or if the panel was open on the previous page. Once loaded, the panel handles
      // both itself.
      const follow = (): void => {
        if (location.hash.startsWith("#ask=") || orElse(() => sessionStorage["nearfind:asking"], undefined)) {
          void this.#panel();
        }
      };
      addEventListener("hashchange", follow, { signal });
      follow();
    }
    void this.#build();
  }

  disconnectedCallback(): void {
    this.#connected.abort();
    // An element that is only moved keeps its state.
    queueMicrotask(() => {
      if (!this.isConnected) {
        this.#box?.stop();
        this.#dialog?.close();
        this.#giveBack();
      }
    });
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (this.#box && before !== after) {
      if (name === "bundle" || name === "base") {
        this.#writtenFor = document.baseURI;
      }
      if (OPENED.includes(name)) {
        this.#giveBack();
      }
      void this.#build();
    }
  }

  /** Opens the dialog, or focuses the field, and searches for `text` if present. */
  show(text?: string): void {
    if (!this.#box) {
      this.#awaited = { text };
      return;
    }
    if (this.#dialog && !this.#dialog.open) {
      this.#dialog.showModal();
    }
    this.#opened();
    this.#box.field.focus();
    if (text !== undefined) {
      this.#box.ask(text);
    } else {
      this.#box.field.select();
    }
  }

  /** Closes the dialog, or the list of an inline box. */
  hide(): void {
    this.#box?.stop();
    this.#dialog?.close();
    if (!this.#dialog) {
      this.#box?.expand(false);
    }
    this.#deepLink("");
  }

  /** Opens the panel that answers questions, if the element has the `ask` attribute, and asks `question` if present. */
  async ask(question?: string): Promise<void> {
    this.hide();
    await (await this.#panel()).show(question);
  }

  /** Returns the panel that answers questions. The first call loads it. */
  async #panel(): Promise<NearfindAsk> {
    return (await import("../ask.js")).panelOf(this);
  }

  /** Builds the parts of the element in the reader's language. */
  async #build(): Promise<void> {
    const built = ++this.#built;
    const tag = (this.getAttribute("lang") ?? this.closest<HTMLElement>("[lang]")?.lang) || navigator.language;
    const spoken = await stringsOf(tag);
    if (built !== this.#built || !this.isConnected) {
      return;
    }
    const strings = { ...spoken, ...this.strings };
    const language = spoken === english ? "en" : tag.split("-")[0]!;
    const text = this.value;
    if (this.isOpen) {
      // If an attribute changed while the box was open, open the box again.
      this.#awaited ??= { text: text || undefined };
    }
    this.#box?.stop();
    this.#dialog?.close();
    this.#dialog = undefined;
    const owner = this.#owner(strings, language);
    this.#root.adoptedStyleSheets = [style()];
    if (this.#display === "inline") {
      this.#box = new SearchBox(owner);
      this.#box.root.classList.add("inline");
      this.#box.expand(false);
      this.#box.field.addEventListener("focus", () => this.#opened());
      this.#root.replaceChildren(this.#box.root);
    } else {
      this.#box = new SearchBox(
        owner,
        button({ part: "close", class: "quiet" }, () => this.hide(), strings.close),
      );
      this.#dialog = this.#makeDialog(this.#box, strings);
      const opener = button(
        { part: "button", class: "opener", "aria-haspopup": "dialog", "aria-keyshortcuts": "Control+K Meta+K /" },
        () => this.show(),
        icon(ICONS.search),
        create("span", {}, strings.search),
        create("kbd", { "aria-hidden": "true" }, isApple() ? "⌘K" : "Ctrl K"),
      );
      // Start loading while the pointer approaches the button.
      opener.addEventListener(
        "pointerenter",
        () => {
          this.search.catch(() => {});
        },
        { once: true },
      );
      this.#root.replaceChildren(...(this.#display === "button" ? [opener] : []), this.#dialog);
    }
    this.#box.field.value = text;
    this.#followTheme();
    this.#followDeepLink();
    if (this.#awaited) {
      this.show(this.#awaited.text);
      this.#awaited = undefined;
    }
  }

  #makeDialog(box: SearchBox, strings: Strings): HTMLDialogElement {
    const [move, open, close] = strings.keys;
    const hint = (keys: string, does: string): HTMLElement => create("span", {}, create("kbd", {}, keys), ` ${does}`);
    const hints = create("div", { part: "hints", "aria-hidden": "true" }, hint("↑↓", move), hint("↵", open), hint("esc", close));
    box.root.append(hints);
    const dialog = create("dialog", { part: "dialog", "aria-label": strings.search }, box.root);
    // A click outside the box hits the dialog itself.
    dialog.addEventListener("click", (event) => event.target === dialog && this.hide());
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.hide();
    });
    dialog.addEventListener("keydown", (event) => {
      if (isComposing(event)) {
        return;
      }
      if (event.key === "Tab") {
        this.#keepFocus(event, dialog);
      } else if (event.key === "Escape") {
        // Handling `cancel` is not enough, because pages that block the key except in fields keep the dialog open.
        event.stopPropagation();
        this.hide();
      }
    });
    return dialog;
  }

  /** Moves the focus from the dialog's last element to its first one, and back, so that it never leaves the dialog. */
  #keepFocus(event: KeyboardEvent, dialog: HTMLElement): void {
    const stops = [...dialog.querySelectorAll<HTMLElement>("input, button")].filter((stop) => stop.getClientRects().length > 0);
    const [end, start] = event.shiftKey ? [stops[0], stops.at(-1)] : [stops.at(-1), stops[0]];
    if (this.#root.activeElement === end) {
      event.preventDefault();
      start?.focus();
    }
  }

  /** The search and its limits, for the panel that answers questions and for agents. */
  get scope(): Scope {
    return { search: this.search, ...this.#limits };
  }

  get #limits(): Omit<Scope, "search"> {
    return limitsOf(this, this.#bundles, this.#here);
  }

  #owner(strings: Strings, language: string): BoxOwner {
    const { filters, language: reads } = this.#limits;
    return {
      strings,
      language,
      reads,
      filters,
      placeholder: this.getAttribute("placeholder") ?? strings.placeholder,
      limit: Math.min(Math.max(Math.floor(Number(this.getAttribute("limit"))) || LIMIT, 1), 100),
      facets: this.getAttribute("facets")
        ?.split(/[\s,]+/)
        .filter((name) => name && name !== "none"),
      orders: ordersOf(this.getAttribute("sort") ?? ""),
      previews: this.hasAttribute("preview"),
      recents: new RecentSearches(this.#bundles.join(" ")),
      assistant: () => this.assistant ?? (this.hasAttribute("ask") ? (question) => void this.ask(question) : undefined),
      loading: this.#loading,
      results: () => ({
        bases: this.#limits.bases,
        highlights: this.getAttribute("highlight") !== "none",
        transform: this.transform,
        render: this.render,
      }),
      search: () => this.search,
      answered: (query, answer) => {
        this.#deepLink(query, QUIET_MS);
        if (answer) {
          this.#emit("nearfind-query", { query, answer });
        }
      },
      selected: (option) => this.#selected(option),
      failed: (error) => {
        this.#emit("nearfind-error", { error });
      },
      open: () => this.#opened(),
      escape: () => {
        if (this.isOpen) {
          this.hide();
        } else {
          this.value = "";
        }
      },
    };
  }

  #selected({ hit, passage, url }: ResultOption): boolean {
    const plain = url && withoutDirective(url);
    const goes = this.#emit("nearfind-select", { hit, passage, url: plain, query: this.value }, true);
    const isHere = url !== null && url.split("#")[0] === location.href.split("#")[0];
    if (!goes || isHere) {
      this.hide();
    } else {
      // Going back leads to this answer.
      this.#deepLink(this.value);
    }
    return goes;
  }

  #opened(): void {
    this.#followTheme();
    this.#box!.expand(true);
    void this.#box!.ready();
    this.#emit("nearfind-open", null);
  }

  #followTheme(): void {
    const theme = this.getAttribute("theme");
    const name = (theme ? theme === "dark" : isDark()) ? "dark" : "light";
    this.#box!.root.dataset.theme = name;
    if (this.#dialog) {
      this.#dialog.dataset.theme = name;
    }
  }

  #emit<K extends keyof NearfindSearchEventMap>(name: K, detail: NearfindSearchEventMap[K]["detail"], cancelable = false): boolean {
    return this.dispatchEvent(new CustomEvent(name, { detail, cancelable, bubbles: true, composed: true }));
  }

  /** Returns the base of relative addresses. */
  get #here(): string {
    return this.#writtenFor || document.baseURI;
  }

  get #bundles(): string[] {
    return bundlesOf(this, NearfindSearch.bundle, this.#here);
  }

  get #display(): Display {
    const display = this.getAttribute("display");
    return display === "modal" || display === "inline" ? display : "button";
  }

  #openOptions(): OpenOptions {
    const options: OpenOptions = {};
    for (const name of ["model", "worker", "wasm"] as const) {
      const value = this.getAttribute(name);
      if (value && !(name === "model" && this.#loading)) {
        options[name] = value;
      }
    }
    return options;
  }

  /** Returns when the page loads the question encoder, if the `model` attribute says so and is not an address. */
  get #loading(): Loading | undefined {
    const value = this.getAttribute("model");
    return value === "none" ? "never" : value === "auto" || value === "ask" || value === "never" ? value : undefined;
  }

  #giveBack(): void {
    this.#lease?.release();
    this.#lease = undefined;
  }

  /**
   * Returns the URL parameter that contains the query. If the page has several elements, only the first one has the parameter by
   * default.
   */
  get #param(): string | undefined {
    const given = this.getAttribute("param");
    const isFirst = document.querySelector(this.localName) === this;
    return given === "none" || (given === null && !isFirst) ? undefined : (given ?? "q");
  }

  #followDeepLink(): void {
    const text = this.#param && new URLSearchParams(location.search).get(this.#param);
    if (text && !this.value) {
      this.show(text);
    }
  }

  /** Makes the address of the page lead to the same answer. */
  #deepLink(query: string, after = 0): void {
    clearTimeout(this.#deepLinking);
    const follow = (): void => {
      const url = new URL(location.href);
      if (this.#param && (url.searchParams.get(this.#param) ?? "") !== query) {
        url.searchParams.delete(this.#param);
        if (query) {
          url.searchParams.set(this.#param, query);
        }
        history.replaceState(history.state, "", url);
      }
    };
    if (after > 0) {
      this.#deepLinking = setTimeout(follow, after);
    } else {
      follow();
    }
  }

  readonly #shortcut = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.altKey || isComposing(event) || this.getAttribute("shortcuts") === "none") {
      return;
    }
    const isControl = event.ctrlKey || event.metaKey;
    const key = event.key?.toLowerCase();
    const asks = key === "i" && this.hasAttribute("ask");
    const isCombination = isControl && !event.shiftKey && (key === "k" || asks);
    const isKey = isCombination || (event.key === "/" && !isControl);
    // A closed root hides which of its elements has the focus, and it may be this one. An element that is not shown leaves the
    // keys to others.
    if (isKey && this.getClientRects()[0] && (this.#root.activeElement || !isWriting(event, isCombination))) {
      event.preventDefault();
      if (asks) {
        this.hide();
        void this.#panel().then((panel) => panel.toggle());
      } else if (isCombination && this.#dialog?.open) {
        this.hide();
      } else {
        this.show();
      }
    }
  };

  readonly #outside = (event: PointerEvent): void => {
    if (!this.#dialog && !event.composedPath().includes(this)) {
      this.#box?.expand(false);
    }
  };
}

function isApple(): boolean {
  return /mac|iphone|ipad/i.test(navigator.platform);
}

declare global {
  interface HTMLElementTagNameMap {
    "nearfind-search": NearfindSearch;
  }
  interface HTMLElementEventMap extends NearfindSearchEventMap {}
}
