// Tests which keys the box handles. It leaves keys to readers who write elsewhere in the page, and to input methods. No
// engine is needed, because the page answers queries instead.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { BROWSERS, closeBrowsers, openIn } from "./browsers.mjs";
import { PACKAGE, serveFolders } from "./support.mjs";

const server = await serveFolders({ nearfind: fileURLToPath(PACKAGE), page: fileURLToPath(new URL("page/", import.meta.url)) });
after(async () => {
  await closeBrowsers();
  server.close();
});

/** Elements in which both keys belong to the page. `hidden` is the content of a closed shadow root. */
const EDITORS = {
  "a text area": { html: "<textarea></textarea>" },
  "an editable element": { html: "<div contenteditable></div>" },
  "an editable element of plain text": { html: '<div contenteditable="plaintext-only"></div>' },
  "an element in an editable one": { html: "<div contenteditable><p>text</p></div>" },
  "a text box by its role": { html: "<div role=textbox tabindex=0></div>" },
  "a text box by one of its roles": { html: '<div role="searchbox textbox" tabindex=0></div>' },
  "an editor in a closed root": { html: "<x-editor></x-editor>", hidden: "<div contenteditable></div>" },
  "a text area in a closed root": { html: "<x-editor></x-editor>", hidden: "<textarea></textarea>" },
  "an editor in a closed root of a plain element": { html: "<div></div>", hidden: "<div contenteditable></div>" },
  "an editor in a closed root that hands focus on": { html: "<div></div>", hidden: "<div contenteditable></div>", delegatesFocus: true },
  "an element that is an editor by itself": { html: "<x-editor tabindex=0></x-editor>" },
};
/** Elements in which the slash belongs to the page, and Ctrl-K opens the box. */
const FIELDS = {
  "a field": { html: "<input>" },
  "a field in a page's own combobox": { html: "<input role=combobox>" },
  "a choice": { html: "<select><option>one<option>/two</select>" },
  "a search box by its role": { html: "<div role=searchbox tabindex=0></div>" },
  "a combobox by its role": { html: "<div role=combobox tabindex=0></div>" },
  "a spin button by its role": { html: "<div role=spinbutton tabindex=0></div>" },
};
/** Elements in which readers do not write. */
const OTHERS = {
  "a link": { html: "<a href='#'>link</a>" },
  "a button": { html: "<button>button</button>" },
  "a summary": { html: "<details><summary>summary</summary>text</details>", focus: "summary" },
  "the page's main part": { html: "<section tabindex=-1>text</section>" },
  "a list box": { html: "<div role=listbox tabindex=0></div>" },
  "a button in an open root": { html: "<x-button></x-button>", hidden: "<button>button</button>", mode: "open" },
};

/** Adds an element to the page and focuses it. */
const put = ({ html, hidden, focus, mode = "closed", delegatesFocus = false }) => {
  document.querySelector("#place")?.remove();
  const place = document.createElement("div");
  place.id = "place";
  place.innerHTML = html;
  document.body.append(place);
  let inside = place;
  if (hidden) {
    inside = place.firstElementChild.attachShadow({ mode, delegatesFocus });
    inside.innerHTML = hidden;
  }
  window.focused = focus ? inside.querySelector(focus) : inside.firstElementChild;
  window.focused.focus();
  // Firefox does not place the cursor in editable elements of a shadow root.
  if (window.focused.isContentEditable) {
    getSelection().collapse(window.focused, 0);
  }
};

/**
 * Returns the effect of a key: whether the box is open, whether the page still receives the key, and the text of the
 * focused element.
 */
const outcome = () => {
  const element = document.querySelector("nearfind-search");
  const { isOpen } = element;
  element.hide();
  return { isOpen, isLeft: window.isLeft, text: window.focused.value ?? window.focused.textContent };
};

/** Dispatches Ctrl-K in the page, because Firefox would take a real one that the page leaves alone. */
const combination = (more) => {
  const init = { key: "k", ctrlKey: true, bubbles: true, composed: true, cancelable: true, ...more };
  (window.focused ?? document.body).dispatchEvent(new KeyboardEvent("keydown", init));
};

/** Opens the page with a search that finds the same pages for every query. */
async function boxIn(name) {
  const box = await openIn(name, `${server.url}/page/element.html`);
  await box.until(() => document.querySelector("nearfind-search")?.shadowRoot?.querySelector("dialog") != null);
  await box.run(() => {
    const hit = (title) => ({
      ...{ title, url: `/${title}`, path: title, project: "", section: "", anchor: "", bundle: 0, meta: {}, more: [], why: { fit: 1 } },
      excerpt: { text: title, highlights: [] },
    });
    const answer = { hits: ["one", "two", "three"].map(hit), found: 3, tier: 2, corrections: [], missingPhrases: [], filters: [] };
    const search = { query: async (query) => ({ ...answer, query }), prefetch: async () => {}, close() {}, model: {} };
    const element = document.querySelector("nearfind-search");
    Object.defineProperty(element, "search", { value: Promise.resolve(search) });
    window.selected = [];
    element.addEventListener("nearfind-select", (event) => {
      event.preventDefault();
      window.selected.push(event.detail.hit.title);
    });
    addEventListener("keydown", (event) => {
      window.isLeft = !event.defaultPrevented;
    });
  });
  return {
    ...box,
    /** Returns the outcomes of typing a slash and of a key combination. */
    tryBoth: async (kind) => {
      await box.run(put, kind);
      await box.press("/");
      const slash = await box.run(outcome);
      await box.run(put, kind);
      await box.run(combination);
      return { slash, combination: await box.run(outcome) };
    },
  };
}

for (const name of BROWSERS) {
  describe(name, () => {
    test("readers in an editor keep slash and Ctrl-K", async () => {
      const box = await boxIn(name);
      try {
        for (const [what, kind] of Object.entries(EDITORS)) {
          const { slash, combination } = await box.tryBoth(kind);
          assert.deepEqual([slash.isOpen, slash.isLeft], [false, true], `a slash in ${what}`);
          assert.deepEqual([combination.isOpen, combination.isLeft], [false, true], `Ctrl-K in ${what}`);
          if (/contenteditable|<textarea/.test(kind.hidden ?? kind.html)) {
            assert.match(slash.text, /\//, `what is typed in ${what} is there`);
          }
        }
        assert.deepEqual(box.problems, []);
      } finally {
        await box.close();
      }
    });

    test("readers in a field keep the slash, and Ctrl-K opens the box", async () => {
      const box = await boxIn(name);
      try {
        for (const [what, kind] of Object.entries(FIELDS)) {
          const { slash, combination } = await box.tryBoth(kind);
          assert.deepEqual([slash.isOpen, slash.isLeft], [false, true], `a slash in ${what}`);
          assert.deepEqual([combination.isOpen, combination.isLeft], [true, false], `Ctrl-K in ${what}`);
          if (kind.html.startsWith("<input")) {
            assert.equal(slash.text, "/", `what is typed in ${what} is there`);
          }
        }
      } finally {
        await box.close();
      }
    });

    test("slash and Ctrl-K open the box elsewhere", async () => {
      const box = await boxIn(name);
      try {
        for (const [what, kind] of Object.entries(OTHERS)) {
          const { slash, combination } = await box.tryBoth(kind);
          assert.deepEqual([slash.isOpen, slash.isLeft], [true, false], `a slash in ${what}`);
          assert.deepEqual([combination.isOpen, combination.isLeft], [true, false], `Ctrl-K in ${what}`);
        }
        // Elements that scroll can be reached by Tab, although they have no tabindex.
        await box.run(put, { html: "<button>before</button><div style='height:3em;overflow:auto'><p style='height:9em'>text</div>" });
        await box.press("Tab");
        assert.equal(await box.run(() => document.activeElement.localName), "div");
        await box.press("/");
        assert.equal((await box.run(outcome)).isOpen, true);
      } finally {
        await box.close();
      }
    });

    test("a document in design mode keeps slash and Ctrl-K", async () => {
      const box = await boxIn(name);
      try {
        await box.run(() => {
          document.designMode = "on";
          window.focused = document.body;
          getSelection().collapse(document.querySelector("h1"), 0);
        });
        await box.press("/");
        const { isOpen, isLeft } = await box.run(outcome);
        assert.deepEqual([isOpen, isLeft], [false, true]);
        await box.run(combination);
        assert.equal((await box.run(outcome)).isOpen, false);
      } finally {
        await box.close();
      }
    });

    test("the box takes Ctrl-K only without other modifiers, and only if no other script has taken it", async () => {
      const box = await boxIn(name);
      try {
        for (const more of [{ shiftKey: true }, { altKey: true }, { ctrlKey: false }, { keyCode: 229 }, { isComposing: true }]) {
          await box.run(combination, more);
          assert.equal(await box.run(() => document.querySelector("nearfind-search").isOpen), false, JSON.stringify(more));
        }
        await box.run(() => document.body.addEventListener("keydown", (event) => event.preventDefault(), { once: true }));
        await box.run(combination);
        assert.equal(await box.run(() => document.querySelector("nearfind-search").isOpen), false, "taken by the page");
        await box.run(combination, { ctrlKey: false, metaKey: true });
        assert.equal(await box.run(() => document.querySelector("nearfind-search").isOpen), true);
      } finally {
        await box.close();
      }
    });

    test("a box in a closed shadow root closes with the key that opened it", async () => {
      const box = await boxIn(name);
      try {
        await box.run(() => {
          const header = document.createElement("x-header");
          document.body.append(header);
          header.attachShadow({ mode: "closed" }).append(document.querySelector("nearfind-search"));
        });
        // No event reports when the moved box is ready.
        await box.run(() => new Promise((resolve) => setTimeout(resolve, 100)));
        await box.press("Control+k");
        assert.equal(await box.run(() => document.activeElement.localName), "x-header");
        await box.press("Control+k");
        await box.until(() => document.activeElement.localName !== "x-header");
      } finally {
        await box.close();
      }
    });

    test("keys of an input method do not move, choose or close anything", async () => {
      const box = await boxIn(name);
      try {
        await box.press("Control+k");
        await box.type("kana");
        await box.until(() => document.querySelector("nearfind-search").shadowRoot.querySelector("[role=option]") !== null);
        const state = () => {
          const { isOpen, value, shadowRoot } = document.querySelector("nearfind-search");
          const field = shadowRoot.querySelector("input");
          const isFocused = shadowRoot.activeElement === field;
          return [isOpen, value, isFocused, field.getAttribute("aria-activedescendant"), window.selected.join()];
        };
        await box.press("ArrowDown");
        const before = await box.run(state);
        for (const composing of [{ isComposing: true }, { keyCode: 229 }]) {
          for (const key of ["ArrowDown", "ArrowUp", "Home", "End", "Tab", "Enter", "Escape", "k"]) {
            const isTaken = await box.run(
              (init) => {
                const event = new KeyboardEvent("keydown", { bubbles: true, composed: true, cancelable: true, ...init });
                document.querySelector("nearfind-search").shadowRoot.querySelector("input").dispatchEvent(event);
                return event.defaultPrevented;
              },
              { key, ctrlKey: key === "k", shiftKey: key === "Tab", ...composing },
            );
            assert.equal(isTaken, false, `${key} ${JSON.stringify(composing)}`);
            assert.deepEqual(await box.run(state), before, `${key} ${JSON.stringify(composing)}`);
          }
        }
        await box.press("Enter");
        assert.deepEqual(await box.run(() => window.selected), ["one"], "the next Enter is the reader's");
      } finally {
        await box.close();
      }
    });
  });
}

test("an editor that draws its text itself keeps slash and Ctrl-K", async () => {
  const box = await boxIn("chromium");
  try {
    await box.run(put, { html: "<div tabindex=0></div>" });
    await box.run(() => {
      window.focused.editContext = new EditContext();
    });
    await box.press("/");
    await box.run(combination);
    const { isOpen, isLeft } = await box.run(outcome);
    assert.deepEqual([isOpen, isLeft, await box.run(() => window.focused.editContext.text)], [false, true, "/"]);
  } finally {
    await box.close();
  }
});

test("the last Enter of a composition only ends the composition", async () => {
  const box = await boxIn("chromium");
  try {
    await box.press("Control+k");
    const session = await box.page.context().newCDPSession(box.page);
    const enter = (windowsVirtualKeyCode) =>
      session.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key: "Enter", code: "Enter", windowsVirtualKeyCode });
    await session.send("Input.imeSetComposition", { text: "かな", selectionStart: 2, selectionEnd: 2 });
    await box.until(() => document.querySelector("nearfind-search").shadowRoot.querySelector("[role=option]") !== null);
    // Chromium sends this key during the composition. Safari sends it afterwards, with the code for keys of input
    // methods.
    await enter(13);
    await session.send("Input.insertText", { text: "仮名" });
    await box.until(() => document.querySelector("nearfind-search").shadowRoot.querySelector("[role=listbox]").dataset.query === "仮名");
    await enter(229);
    assert.deepEqual(await box.run(() => [window.selected, document.querySelector("nearfind-search").isOpen]), [[], true]);
    await enter(13);
    assert.deepEqual(await box.run(() => window.selected), ["one"]);
  } finally {
    await box.close();
  }
});
