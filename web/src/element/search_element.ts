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

/** The events of a {@link NearfindSearch}; they bubble and cross shadow roots. */
export interface NearfindSearchEventMap {
  /** The box was opened. */
  "nearfind-open": CustomEvent<null>;
  /** A query was answered. */
  "nearfind-query": CustomEvent<{ query: string; answer: Answer }>;
  /**
   * A result was chosen. Prevented, the element does not go there: for pages with a router of their own, to which `url` may be
   * given as it is. It has no words to highlight, which are the browser's alone.
   */
  "nearfind-select": CustomEvent<{ hit: Hit; passage: Passage; url: string | null; query: string }>;
  /** Something failed; the reader was told. */
  "nearfind-error": CustomEvent<{ error: unknown }>;
}

/** How the element shows itself. */
export type Display = "button" | "modal" | "inline";

/** Where pages are built there are no elements: the class can be imported there all the same. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);
const LIMIT = 10;
/** The address follows the query when nobody has typed for so long: browsers refuse to change it all the time. */
const QUIET_MS = 300;
/** Attributes that say what is opened. */
const OPENED = ["bundle", "model", "worker", "wasm"];
const ATTRIBUTES = [...OPENED, "base", "display", "placeholder", "lang", "language", "limit", "filters", "facets", "sort", "preview"];

/**
 * A search box. Nothing but this script is loaded before a reader is about to search.
 *
 * | attribute | |
 * |---|---|
 * | `bundle` | URL of the bundle, or of several with spaces between, which answer as one; default `search/` |
 * | `display` | `button` (default) opens a dialog, `modal` is the dialog alone, `inline` a field in the page |
 * | `placeholder` | of the field |
 * | `limit` | pages to show at first, default 10 |
 * | `filters` | what every answer is filtered by, as in `version=2.1&project=panel` |
 * | `facets` | names of properties to offer as filters, default all; `none` |
 * | `sort` | what readers may sort by, as in `Newest=-date&Title=title`; pages without it come last |
 * | `preview` | shows the page of a result beside the list, where there is room |
 * | `shortcuts` | `none` leaves Ctrl-K, Cmd-K and `/` alone |
 * | `param` | the page's parameter that holds a query, default `q`; `none` |
 * | `highlight` | `none` leaves text fragments out of links |
 * | `model` | when the page loads what understands questions better: `auto` by itself, `ask` when the reader asks, `never`; default as the bundle says. Or the URL of the model pack, if the bundle does not ship it |
 * | `theme` | `light` or `dark`; default as the page |
 * | `lang` | default the page's |
 * | `base` | what relative addresses of pages are relative to, default their bundle |
 * | `language` | answers in this language come alone, default the page's; `none` does not tell languages apart |
 * | `ask` | offers answers in a panel, see {@link NearfindAsk}: by the URL of an endpoint, or without a value; `ask-…` are its attributes |
 * | `agents` | `none` offers agents in the reader's browser no tool to search with, where it has an interface for them |
 * | `worker`, `wasm` | see {@link OpenOptions} |
 *
 * What is inside is shown until the script runs, and where it does not: a form that leads to another search.
 */
export class NearfindSearch extends Base {
  static readonly observedAttributes = ATTRIBUTES;
  /** URL of the bundle of elements that name none. */
  static bundle = "search/";

  /** Changes a hit before it is shown, or leaves it out with `null`. */
  transform: ((hit: Hit) => Hit | null) | undefined;
  /** Changes how a result is shown: gets its option, filled, whose content it may replace. */
  render: ((hit: Hit, option: HTMLElement, passage: Passage) => void) | undefined;
  /** Gets question and answer where the reader asks for it: the site's own assistant. Without it none is offered. */
  assistant: ((question: string, answer: Answer) => void) | undefined;
  /** Texts in place of those of the page's language. */
  strings: Partial<Strings> = {};

  readonly #root = this.attachShadow({ mode: "open", delegatesFocus: true });
  #box: SearchBox | undefined;
  #dialog: HTMLDialogElement | undefined;
  #lease: Lease | undefined;
  #built = 0;
  #deepLinking: ReturnType<typeof setTimeout> | undefined;
  /** Where relative addresses of attributes begin: at the page that they were written for, whatever the router does then. */
  #writtenFor = "";
  #connected = new AbortController();
  /** A call of `show` before there was anything to show. */
  #awaited: { text: string | undefined } | undefined;

  /** Whether dialog or panel are open. */
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

  /** The search of the element; opens the bundle if it is not open yet. */
  get search(): Promise<Search> {
    this.#lease ??= lease(this.#bundles, this.#openOptions());
    // What failed may be tried again.
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
    // Sites have shortcuts of single keys. They see who types in this element, not that it is in a field.
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
      // A link asks, or the panel was open on the page before. Once it is there it sees to itself.
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
    // Moved to another place it stays as it is.
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

  /** Opens the dialog, or goes to the field, with a text if one is given. */
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

  /** Closes the dialog or the panel. */
  hide(): void {
    this.#box?.stop();
    this.#dialog?.close();
    if (!this.#dialog) {
      this.#box?.expand(false);
    }
    this.#deepLink("");
  }

  /** Opens the panel that answers questions, if the element has the attribute `ask`, and asks one if it is given. */
  async ask(question?: string): Promise<void> {
    this.hide();
    await (await this.#panel()).show(question);
  }

  /** That panel, which is loaded at the first call. */
  async #panel(): Promise<NearfindAsk> {
    return (await import("../ask.js")).panelOf(this);
  }

  /** The element's parts, in the reader's language. */
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
      // An attribute was changed: the box that is open opens again.
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
      // What it will need may come while the pointer is on its way.
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
    // Around the box is the dialog itself.
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
        // Not left to `cancel`: pages that prevent the key outside of fields would keep it open.
        event.stopPropagation();
        this.hide();
      }
    });
    return dialog;
  }

  /** From the last element of the dialog to its first one, and back: not into the browser's own buttons. */
  #keepFocus(event: KeyboardEvent, dialog: HTMLElement): void {
    const stops = [...dialog.querySelectorAll<HTMLElement>("input, button")].filter((stop) => stop.getClientRects().length > 0);
    const [end, start] = event.shiftKey ? [stops[0], stops.at(-1)] : [stops.at(-1), stops[0]];
    if (this.#root.activeElement === end) {
      event.preventDefault();
      start?.focus();
    }
  }

  /** The search, and how it is asked, for programs that ask the same. */
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
      // Going back leads to the answer again.
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

  /** Where relative addresses begin. */
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

  /** When the page loads what encodes questions, if the attribute says that and no address. */
  get #loading(): Loading | undefined {
    const value = this.getAttribute("model");
    return value === "none" ? "never" : value === "auto" || value === "ask" || value === "never" ? value : undefined;
  }

  #giveBack(): void {
    this.#lease?.release();
    this.#lease = undefined;
  }

  /** The parameter that holds the query; of several elements the first one has it, unless it is given. */
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

  /** The page's address leads to the same answer. */
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
    // What is hidden in a closed root of the page may be this element. One that is not shown leaves keys to others.
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
