// Checks that axe finds no violation in any state of the answer panel, light and dark, in every browser.
// SCREENSHOTS=folder also saves a screenshot of each state for people to look at.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { assertAccessible } from "./accessible.mjs";
import { BROWSERS, closeBrowsers, openIn } from "./browsers.mjs";
import { chat, startModel } from "./language_model.mjs";
import { makeSite, serveFolders } from "./support.mjs";

const site = makeSite();
const server = await serveFolders(site.folders);
const model = await startModel();
after(async () => {
  await closeBrowsers();
  server.close();
  model.close();
  site.cleanUp();
});

const WRITTEN = [
  "Threads share memory, so they need a **lock** [1]. Bananas ripen faster near apples.\n\n",
  "1. Take the lock:\n   ```rust\n   let guard = mutex.lock().unwrap();\n   ```\n2. Use the memory [2].\n\n",
  "| call | waits |\n|---|---|\n| `lock` | yes [3] |\n\n> Locks are released at the end.\n",
];
const panel = (answer) => async (box) => {
  if (answer) model.next(answer);
  await box.run(() => document.querySelector("nearfind-ask").show("mutex"));
  await box.until(() => {
    const { shadowRoot } = document.querySelector("nearfind-ask");
    return (
      shadowRoot.querySelector("[role=log]")?.getAttribute("aria-busy") === "false" &&
      shadowRoot.querySelector("[part=turn] > div > *") !== null
    );
  });
};

/** For each state: attributes of the panel and of the page, and the actions that lead to it. */
const STATES = {
  button: [{}, {}, async () => {}],
  empty: [
    {},
    {},
    async (box) => {
      await box.run(() => document.querySelector("nearfind-ask").show());
      await box.until(() => document.querySelector("nearfind-ask").isOpen);
    },
  ],
  "the pages' sentences": [{}, {}, panel()],
  "nothing fits": [
    {},
    {},
    async (box) => {
      await box.run(() => document.querySelector("nearfind-ask").show("carburettor"));
      await box.until(() => /No page/.test(document.querySelector("nearfind-ask").shadowRoot.querySelector("[part=turn]")?.textContent));
    },
  ],
  "a written answer": [{ endpoint: model.url }, {}, panel({ body: chat(WRITTEN) })],
  "a failure": [{ endpoint: model.url }, {}, panel({ body: chat(["Threads share"], null) })],
  "right to left": [{ endpoint: model.url }, { lang: "ar", dir: "rtl" }, panel({ body: chat(WRITTEN) })],
  German: [{}, { lang: "de" }, panel()],
  French: [{}, { lang: "fr" }, panel()],
  Japanese: [{}, { lang: "ja" }, panel()],
};

for (const browser of BROWSERS) {
  for (const [name, [attributes, ofPage, reach]] of Object.entries(STATES)) {
    for (const theme of ["light", "dark"]) {
      test(`${name}, ${theme}, ${browser}`, async () => {
        const box = await openIn(browser, `${server.url}/page/ask.html`, { expects: [/Failed to load/] });
        try {
          await box.run(
            ([attributes, ofPage, theme]) => {
              Object.assign(document.documentElement, ofPage);
              document.documentElement.dataset.theme = theme;
              document.documentElement.style.cssText = `color-scheme: ${theme}; background: Canvas; color: CanvasText; font: 1rem system-ui`;
              const element = document.createElement("nearfind-ask");
              for (const [name, value] of Object.entries({ bundle: "/bundle/", language: "none", ...attributes })) {
                element.setAttribute(name, value);
              }
              document.querySelector("main").append(element);
              return import("/nearfind/dist/ask.js").then(() => {});
            },
            [attributes, ofPage, theme],
          );
          await box.until(() => document.querySelector("nearfind-ask").shadowRoot.querySelector("[part=button]") !== null);
          await reach(box);
          // Wait for the end of the animation.
          await new Promise((resolve) => setTimeout(resolve, 250));
          await assertAccessible(box, `ask ${name} ${theme} ${browser}`);
          assert.deepEqual(box.problems, []);
        } finally {
          await box.close();
        }
      });
    }
  }
}
