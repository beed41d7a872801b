import { type Scope, bundlesOf, limitsOf } from "../element/scope.js";
import type { OpenOptions } from "../api.js";
import type { Loading } from "../element/better_answers.js";
import { button, create, icon } from "../element/create.js";
import { webAddress, withoutDirective } from "../element/destination.js";
import { isComposing, isWriting } from "../element/keys.js";
import { isDark, watchTheme } from "../element/page_theme.js";
import { orElse } from "../element/strings.js";
import type { Turn } from "./conversation.js";
import type { AskPanel, PanelOwner, Way } from "./panel.js";
import type { Source } from "./source.js";
import { type AskStrings, stringsOf } from "./strings.js";
import { openerStyle } from "./opener_style.js";

/** The events of {@link NearfindAsk}. They bubble and cross shadow roots. */
export interface NearfindAskEventMap {
  /** Fires when a question is asked. */
  "nearfind-ask": CustomEvent<{ question: string }>;
  /** Fires when an answer is complete or has failed: see `state`. `answer` is empty if no model wrote one. */
  "nearfind-answer": CustomEvent<Pick<Turn, "question" | "answer" | "state" | "sources">>;
  /**
   * Fires when a reader chooses a citation. Prevent the default if your page has a router: the element then does not follow the
   * link.
   */
  "nearfind-cite": CustomEvent<{ source: Source; url: string | null; question: string }>;
}

/** The base class. A program that builds pages has no `HTMLElement`, but must be able to import this class. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);
/**
 * A key that is in the tab's storage while the panel is open, so that the panel stays open when a citation leads to another page.
 */
const OPEN = "nearfind:asking";
/** The icon, a speech bubble. */
const BUBBLE = "M4 5h16v11H10l-4 4v-4H4zM8 9h8M8 12h5";
const WAYS: Way[] = ["endpoint", "browser", "hand-over"];

/**
 * A panel beside the page. It answers questions from the site's own pages, with citations. Readers open the panel with its
 * button, with Ctrl-I or with a link to `#ask=…`. Until then, it loads only this script.
 *
 * | attribute | |
 * |---|---|
 * | `endpoint` | URL of an endpoint where a language model answers (see `api`); without an endpoint, nothing is sent anywhere |
 * | `api` | protocol of the endpoint: `chat` (default) for chat-completions APIs, `anthropic` for Anthropic's Messages API |
 * | `llm` | model to request from the endpoint, if the endpoint does not choose one itself |
 * | `ways` | ways to answer, the preferred one first; default `endpoint browser hand-over`, if they are available |
 * | `assistants` | assistants that readers can hand a question to, as in `Name=https://assistant.example/?q={prompt}`, separated by `&`; or `none` |
 * | `display` | `button` (default), or `none` |
 * | `bundle`, `base`, `filters`, `language`, `model`, `worker`, `wasm` | as in `<nearfind-search>`; without `bundle`, the panel searches the same index as the page's box |
 * | `shortcuts` | `none` turns off Ctrl-I and Cmd-I |
 * | `theme`, `lang` | `light` or `dark`, and the language of the panel; default those of the page |
 *
 * @example
 * ```ts
 * import "nearfind/ask";
 * const panel = document.createElement("nearfind-ask");
 * panel.setAttribute("bundle", "/search/");
 * panel.addEventListener("nearfind-answer", ({ detail }) => console.log(detail.question, detail.sources.length));
 * document.body.append(panel);
 * await panel.show("How do I share data between threads?");
 * ```
 */
export class NearfindAsk extends Base {
  /** Replaces texts of the panel. */
  strings: Partial<AskStrings> = {};
  /** URL of the bundle, for elements without the `bundle` attribute on pages without a search box. */
  static bundle = "search/";

  /** Returns the search to use, if it belongs to another element. */
  scope: (() => Scope | Promise<Scope>) | undefined;

  readonly #root = this.attachShadow({ mode: "open" });
  #panel: Promise<AskPanel> | undefined;
  #shown: AskPanel | undefined;
  #scope: Promise<Scope> | undefined;
  #connected = new AbortController();
  /** The element that had the focus before the panel opened. */
  #before: Element | null | undefined;
  /** Whether the panel should be open. It may still be loading. */
  #isWanted = false;

  /** Whether the panel is open. */
  get isOpen(): boolean {
    return this.#shown?.dialog.hasAttribute("data-open") ?? false;
  }

  connectedCallback(): void {
    this.#connected = new AbortController();
    const { signal } = this.#connected;
    watchTheme(() => this.#followTheme(), signal);
    addEventListener("hashchange", () => this.#followHash(), { signal });
    document.addEventListener("keydown", this.#shortcut, { signal });
    if (this.getAttribute("display") !== "none" && !this.#root.querySelector("[part=button]")) {
      void this.#makeButton();
    }
    if (this.isOpen) {
      // After a move, the panel must be placed above the page again.
      this.#shown!.dialog.showPopover?.();
    } else if (!this.#followHash() && orElse(() => sessionStorage.getItem(OPEN), null) === this.#key) {
      void this.#open(false);
    }
  }

  disconnectedCallback(): void {
    this.#connected.abort();
    queueMicrotask(() => this.isConnected || this.#shown?.stop());
  }

  /** Opens the panel, and asks `question` if present. */
  async show(question?: string): Promise<void> {
    await this.#open(true);
    if (question && this.isConnected) {
      this.#shown?.ask(question);
    }
  }

  /** Opens the panel, or closes it. */
  async toggle(): Promise<void> {
    if (this.#isWanted) {
      this.hide();
    } else {
      await this.show();
    }
  }

  /** Closes the panel. The conversation stays, and an answer continues. */
  hide(): void {
    this.#isWanted = false;
    const { dialog } = this.#shown ?? {};
    if (!dialog || !this.isOpen) {
      return;
    }
    const hadFocus = this.#root.activeElement !== null;
    dialog.removeAttribute("data-open");
    dialog.hidePopover?.();
    this.#remember(false);
    if (hadFocus) {
      (this.#before as HTMLElement | null | undefined)?.focus();
    }
  }

  async #open(focuses: boolean): Promise<void> {
    this.#isWanted = true;
    this.#panel ??= this.#makePanel();
    const panel = await this.#panel.catch((error: unknown) => {
      this.#panel = undefined;
      throw error;
    });
    if (!this.#isWanted) {
      return;
    }
    if (!this.isOpen && this.isConnected) {
      this.#before = document.activeElement;
      while (this.#before?.shadowRoot?.activeElement) {
        this.#before = this.#before.shadowRoot.activeElement;
      }
      // Readers cannot use the panel while a modal dialog is open.
      const box = document.querySelector("nearfind-search");
      if (focuses && box?.isOpen) {
        box.hide();
      }
      panel.dialog.setAttribute("data-open", "");
      // Place the panel above everything on the page, if the browser can do so.
      panel.dialog.showPopover?.();
      this.#followTheme();
      this.#remember(true);
    }
    if (focuses) {
      panel.field.focus();
    }
  }

  async #makePanel(): Promise<AskPanel> {
    const [{ AskPanel }, { strings, language }] = await Promise.all([import("./panel.js"), stringsOf(this.#spoken)]);
    const panel = new AskPanel(this.#owner({ ...strings, ...this.strings }, language), this.#root);
    panel.dialog.setAttribute("popover", "manual");
    panel.dialog.lang = language;
    this.#root.append(panel.dialog);
    this.#shown = panel;
    return panel;
  }

  async #makeButton(): Promise<void> {
    const { strings } = await stringsOf(this.#spoken);
    const { ask } = { ...strings, ...this.strings };
    const attributes = { part: "button", class: "opener", "aria-haspopup": "dialog", "aria-keyshortcuts": "Control+I Meta+I" };
    const keys = create("kbd", { "aria-hidden": "true" }, /mac|iphone|ipad/i.test(navigator.platform) ? "⌘I" : "Ctrl I");
    this.#root.adoptedStyleSheets.push(openerStyle());
    this.#root.prepend(button(attributes, () => void this.show(), icon(BUBBLE), create("span", {}, ask), keys));
  }

  #owner(strings: AskStrings, language: string): PanelOwner {
    const url = this.getAttribute("endpoint");
    const ways = this.getAttribute("ways")?.split(/[\s,]+/) ?? WAYS;
    const loading = this.getAttribute("model");
    return {
      strings,
      language,
      endpoint: url
        ? {
            url: webAddress(url, document.baseURI)?.href ?? url,
            api: this.getAttribute("api") === "anthropic" ? "anthropic" : "chat",
            model: this.getAttribute("llm") ?? undefined,
          }
        : undefined,
      ways: ways.filter((way): way is Way => (WAYS as string[]).includes(way)),
      assistants: this.getAttribute("assistants"),
      loading: loading === "auto" || loading === "ask" || loading === "never" ? (loading as Loading) : undefined,
      key: this.#key,
      scope: async () => this.scope?.() ?? this.#ownScope(),
      asked: (question) => this.#emit("nearfind-ask", { question }),
      answered: ({ question, answer, state, sources }) => this.#emit("nearfind-answer", { question, answer, state, sources }),
      selected: (source, { question }) => {
        const url = source.url === null ? null : withoutDirective(source.url);
        const goes = this.#emit("nearfind-cite", { source, url, question }, true);
        // On a phone, the panel covers the page.
        if (matchMedia("(max-width:40em)").matches) {
          this.hide();
        }
        return goes;
      },
      closed: () => this.hide(),
    };
  }

  /** Identifies the panel among the panels that share an origin. */
  get #key(): string {
    return [...bundlesOf(this, NearfindAsk.bundle, document.baseURI), this.getAttribute("endpoint")].join(" ");
  }

  #remember(isOpen: boolean): void {
    // Without storage, readers must open the panel on each page.
    orElse(() => (isOpen ? sessionStorage.setItem(OPEN, this.#key) : sessionStorage.removeItem(OPEN)), undefined);
  }

  /**
   * Returns the current scope of the page's search box. If there is no box, or the element has a bundle of its own, it returns
   * the scope of the element's attributes. Their bundle is opened once. If that fails, the next question tries again.
   */
  #ownScope(): Scope | Promise<Scope> {
    const box = this.hasAttribute("bundle") ? null : document.querySelector("nearfind-search");
    if (box?.scope) {
      return box.scope;
    }
    this.#scope ??= scopeOf(this);
    const held = this.#scope;
    held
      .then(({ search }) => search)
      .catch(() => {
        this.#scope = undefined;
      });
    return held;
  }

  #emit<K extends keyof NearfindAskEventMap>(name: K, detail: NearfindAskEventMap[K]["detail"], cancelable = false): boolean {
    return this.dispatchEvent(new CustomEvent(name, { detail, cancelable, bubbles: true, composed: true }));
  }

  /** Returns the language of the panel's texts. */
  get #spoken(): string {
    return (this.getAttribute("lang") ?? this.closest<HTMLElement>("[lang]")?.lang) || navigator.language;
  }

  #followTheme(): void {
    const theme = this.getAttribute("theme");
    if (this.#shown) {
      this.#shown.dialog.dataset.theme = (theme ? theme === "dark" : isDark()) ? "dark" : "light";
    }
  }

  /** Asks the question in the address, and returns whether there is one. */
  #followHash(): boolean {
    const question = new URLSearchParams(location.hash.slice(1)).get("ask");
    if (question === null) {
      return false;
    }
    // Going back or reloading must not ask again.
    orElse(() => history.replaceState(history.state, "", location.href.split("#")[0]), undefined);
    // In a frame, another page could ask in the reader's name.
    const isFramed = window !== window.top;
    void this.show(isFramed ? undefined : question).then(() => {
      if (isFramed && this.#shown) {
        this.#shown.field.value = question;
      }
    });
    return true;
  }

  readonly #shortcut = (event: KeyboardEvent): void => {
    const isKey = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "i";
    const isOurs = isKey && !event.defaultPrevented && !isComposing(event) && this.getAttribute("shortcuts") !== "none";
    if (isOurs && (this.#root.activeElement || !isWriting(event, true))) {
      event.preventDefault();
      void this.toggle();
    }
  };
}

/** Opens the bundles that the attributes of an element name. */
async function scopeOf(element: NearfindAsk): Promise<Scope> {
  const bundles = bundlesOf(element, NearfindAsk.bundle, document.baseURI);
  const options: OpenOptions = {};
  for (const name of ["worker", "wasm"] as const) {
    const value = element.getAttribute(name);
    if (value) {
      options[name] = value;
    }
  }
  const { open } = await import("../browser.js");
  return { search: open(bundles, options), ...limitsOf(element, bundles, document.baseURI) };
}

declare global {
  interface HTMLElementTagNameMap {
    "nearfind-ask": NearfindAsk;
  }
  interface HTMLElementEventMap extends NearfindAskEventMap {}
}
