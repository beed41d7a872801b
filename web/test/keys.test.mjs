// Which keys are the box's and which are not: those of input methods. No engine is needed: a page answers in its place.
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

/** Made in the page: Firefox takes Ctrl-K for itself where the page leaves it. */
const combination = (more) => {
  const init = { key: "k", ctrlKey: true, bubbles: true, composed: true, cancelable: true, ...more };
  document.body.dispatchEvent(new KeyboardEvent("keydown", init));
};

/** The page, with a search that finds the same pages for everything. */
async function boxIn(name) {
  const box = await openIn(name, `${server.url}/page/element.html`);
  await box.until(() => document.querySelector("nearfind-search")?.shadowRoot?.querySelector("dialog") != null);
  await box.run(() => {
    const hit = (title) => ({
      ...{ title, url: `/${title}`, path: title, project: "", section: "", anchor: "", bundle: 0, meta: {}, more: [] },
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
  });
  return box;
}

for (const name of BROWSERS) {
  describe(name, () => {
    test("Ctrl-K is the box's alone with no other modifier, and where nobody has taken it", async () => {
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

    test("keys of an input method move, choose and close nothing", async () => {
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

test("the last Enter of a composition, as browsers send it, only ends that", async () => {
  const box = await boxIn("chromium");
  try {
    await box.press("Control+k");
    const session = await box.page.context().newCDPSession(box.page);
    const enter = (windowsVirtualKeyCode) =>
      session.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key: "Enter", code: "Enter", windowsVirtualKeyCode });
    await session.send("Input.imeSetComposition", { text: "かな", selectionStart: 2, selectionEnd: 2 });
    await box.until(() => document.querySelector("nearfind-search").shadowRoot.querySelector("[role=option]") !== null);
    // Chromium: while it composes. Safari: after that, with the code of a key that an input method has.
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
