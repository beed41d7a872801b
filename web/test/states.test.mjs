// Checks that axe finds no violation in any state of the search box, light and dark. SCREENSHOTS=folder also saves a
// screenshot of each state for people to look at.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { assertAccessible } from "./accessible.mjs";
import { BROWSERS, closeBrowsers, openIn } from "./browsers.mjs";
import { makeSite, serveFolders } from "./support.mjs";

const site = makeSite();
const server = await serveFolders(site.folders);
after(async () => {
  await closeBrowsers();
  server.close();
  site.cleanUp();
});

const status = (pattern) =>
  new RegExp(pattern).test(document.querySelector("nearfind-search").shadowRoot.querySelector("[role=status]").textContent);
/** Whether the final answer to a text is shown. */
const isAnswered = (text) => {
  const { dataset } = document.querySelector("nearfind-search").shadowRoot.querySelector("[role=listbox]");
  return dataset.query === text && dataset.tier !== "";
};
const ask = async (box, text, pattern) => {
  await box.type(text);
  await (pattern ? box.until(status, pattern) : box.until(isAnswered, text));
};
const openBox = (box) => box.press("Control+k");
const remake = ([attributes, page = {}]) => {
  Object.assign(document.documentElement, page);
  const element = document.createElement("nearfind-search");
  element.setAttribute("bundle", "/bundle/");
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  document.querySelector("nearfind-search").replaceWith(element);
};
const made = async (box, attributes, page) => {
  await box.run(remake, [attributes, page]);
  await box.until(() => document.querySelector("nearfind-search").shadowRoot.querySelector("[role=combobox]") !== null);
};

/** The actions that lead to each state. */
const STATES = {
  button: async () => {},
  "just opened": openBox,
  results: async (box) => {
    await openBox(box);
    await ask(box, "threads");
  },
  "active option": async (box) => {
    await openBox(box);
    await ask(box, "threads");
    await box.press("ArrowDown");
    await box.press("ArrowDown");
  },
  filtered: async (box) => {
    await openBox(box);
    await ask(box, "mutex");
    await box.run(() => document.querySelector("nearfind-search").shadowRoot.querySelector("[part=choice]").click());
    await box.until(
      () => document.querySelector("nearfind-search").shadowRoot.querySelector("[part=choice]").getAttribute("aria-pressed") === "true",
    );
  },
  corrected: async (box) => {
    await openBox(box);
    await ask(box, 'thraeds "share a lock"');
  },
  nothing: async (box) => {
    await openBox(box);
    await ask(box, "-threads -mutexes -flour thr");
  },
  recent: async (box) => {
    await box.run(() =>
      localStorage.setItem(
        `nearfind:recent:${new URL("/bundle/", location.href)}`,
        JSON.stringify([
          { query: "how do threads share memory?", pinned: true },
          { query: "a mutex", pinned: false },
        ]),
      ),
    );
    await openBox(box);
    await box.press("ArrowDown");
  },
  loading: async (box) => {
    await box.page.route("**/bundle/**", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 2000));
      await route.continue();
    });
    await openBox(box);
    await ask(box, "threads", "Loading");
  },
  "not published": async (box) => {
    await made(box, { bundle: "/nowhere/" });
    await openBox(box);
    await ask(box, "threads", "not published here");
  },
  "cannot be reached": async (box) => {
    await box.page.route("**/bundle/nearfind.json", (route) => route.abort());
    await openBox(box);
    await ask(box, "threads", "offline");
  },
  inline: async (box) => {
    await made(box, { display: "inline", placeholder: "Ask me" });
    await box.run(() => document.querySelector("nearfind-search").shadowRoot.querySelector("input").focus());
    await ask(box, "threads");
  },
  "orders and a preview": async (box) => {
    await made(box, { sort: "Newest=-date&Oldest=date", preview: "" });
    await box.page.setViewportSize({ width: 1300, height: 800 });
    await openBox(box);
    await ask(box, "threads share memory");
    await box.press("ArrowDown");
    await box.until(() => document.querySelector("nearfind-search").shadowRoot.querySelector("iframe").src !== "");
  },
  "right to left": async (box) => {
    await made(box, {}, { lang: "ar", dir: "rtl" });
    await openBox(box);
    await ask(box, "threads");
    await box.press("ArrowDown");
  },
  ...Object.fromEntries(
    [
      ["German", "de"],
      ["French", "fr"],
      ["Japanese", "ja"],
    ].map(([name, lang]) => [
      name,
      async (box) => {
        await made(box, { language: "none" }, { lang });
        await openBox(box);
        await ask(box, "threads");
      },
    ]),
  ),
  "small screen": async (box) => {
    await box.page.setViewportSize({ width: 390, height: 700 });
    await openBox(box);
    await ask(box, "threads");
  },
  "forced colours": async (box) => {
    await box.page.emulateMedia({ forcedColors: "active" });
    await openBox(box);
    await ask(box, "threads");
    await box.press("ArrowDown");
  },
};

/** States that only Playwright can produce. */
const OF_CHROMIUM = ["loading", "cannot be reached", "orders and a preview", "small screen", "forced colours"];

for (const browser of BROWSERS) {
  const states = Object.entries(STATES).filter(([name]) => browser === "chromium" || !OF_CHROMIUM.includes(name));
  for (const [name, reach] of states) {
    for (const theme of ["light", "dark"]) {
      test(`${name}, ${theme}, ${browser}`, async () => {
        const box = await openIn(browser, `${server.url}/page/element.html`, {
          colorScheme: theme,
          expects: [/404|ERR_FAILED|Failed to load/],
        });
        try {
          await box.run((theme) => {
            // Not every driver can set the color scheme.
            document.documentElement.style.cssText = `color-scheme: ${theme}; background: Canvas; color: CanvasText; font: 1rem system-ui`;
          }, theme);
          await box.until(() => document.querySelector("nearfind-search")?.shadowRoot?.querySelector("[role=combobox]") != null);
          await reach(box);
          // Wait for the end of the animation.
          await new Promise((resolve) => setTimeout(resolve, 200));
          await assertAccessible(box, `${name} ${theme} ${browser}`);
          assert.deepEqual(box.problems, []);
        } finally {
          await box.close();
        }
      });
    }
  }
}

test("elements that screen readers announce have names and roles", async () => {
  const box = await openIn("chromium", `${server.url}/page/element.html`);
  try {
    const { page } = box;
    await page.getByRole("button", { name: "Search" }).click();
    const field = page.getByRole("dialog", { name: "Search" }).getByRole("combobox", { name: "Search" });
    await field.waitFor();
    await ask(box, "mutex");
    const list = page.getByRole("listbox", { name: "Results" });
    assert.ok(await list.getByRole("group", { name: "Locks" }).getByRole("option").first().isVisible());
    assert.match(await page.getByRole("status").textContent(), /^\d+ pages$/);
    assert.ok(await page.getByRole("group", { name: "project" }).getByRole("button", { name: "api 2" }).isVisible());
    for (const name of ["Clear", "Close"]) assert.ok(await page.getByRole("button", { name }).isVisible(), name);
  } finally {
    await box.close();
  }
});
