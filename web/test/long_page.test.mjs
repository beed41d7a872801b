// Types ten thousand questions into a page's search box. The memory that the first ones needed must suffice for all of
// them.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openPage } from "../../examples/search-page/browser.mjs";
import { makeSite, serveFolders } from "./support.mjs";

// Browsers measure memory only in isolated pages. The flag makes them do so immediately.
const isolated = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };
const site = makeSite();
const server = await serveFolders(site.folders, { headers: isolated });
const { browser, page, problems } = await openPage(`${server.url}/page/element.html`, ["--enable-blink-features=ForceEagerMeasureMemory"]);
after(async () => {
  await browser.close();
  server.close();
  site.cleanUp();
});

/**
 * Asks the questions from `first` to before `last`, all of them different. Each replaces the previous one in the field
 * and is answered.
 */
const ask = async ([first, last]) => {
  const words = ["thread", "channel", "message", "dough", "flour", "water", "bread", "zebra", "page", "salt"];
  const root = document.querySelector("nearfind-search").shadowRoot;
  const input = root.querySelector("[role=combobox]");
  const list = root.querySelector("[role=listbox]");
  for (let number = first; number < last; number++) {
    const question = `${words[number % 10]} ${words[Math.floor(number / 10) % 10]} w${number}`;
    const answered = new Promise((resolve) => {
      const seen = new MutationObserver(() => {
        if (list.dataset.query === question) {
          seen.disconnect();
          resolve();
        }
      });
      seen.observe(list, { attributes: true, attributeFilter: ["data-query"] });
    });
    input.value = question;
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    await answered;
  }
};
const measure = async () => {
  const { bytes } = await performance.measureUserAgentSpecificMemory();
  return { bytes, elements: document.querySelector("nearfind-search").shadowRoot.querySelectorAll("*").length };
};

test("the memory of a page and its worker stays flat over ten thousand questions", async () => {
  await page.keyboard.press("Control+k");
  await page.waitForFunction(() => document.querySelector("nearfind-search").shadowRoot.querySelector("[role=combobox]") !== null);
  await page.evaluate(ask, [0, 2000]);
  const before = await page.evaluate(measure);
  await page.evaluate(ask, [2000, 10_000]);
  const after = await page.evaluate(measure);
  const grown = after.bytes - before.bytes;
  assert.ok(grown < before.bytes * 0.05, `${before.bytes} bytes after 2,000 questions, ${grown} more after 10,000`);
  assert.ok(after.elements < before.elements + 100, `${before.elements} elements, then ${after.elements}`);
  assert.deepEqual(problems, []);
});
