// Tests the search box as readers use it, with the keyboard, in every installed browser.
import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { after, describe, test } from "node:test";
import { BROWSERS, closeBrowsers, openIn } from "./browsers.mjs";
import { makeSite, serveFolders } from "./support.mjs";

const site = makeSite();
const server = await serveFolders(site.folders);
after(async () => {
  await closeBrowsers();
  server.close();
  site.cleanUp();
});

const PAGE = `${server.url}/page/element.html`;

/** Returns the visible state of the first box. */
const state = () => {
  const root = document.querySelector("nearfind-search").shadowRoot;
  const field = root.querySelector("[role=combobox]");
  const active = root.getElementById(field.getAttribute("aria-activedescendant") ?? "-");
  return {
    open: root.querySelector("dialog").open,
    focused: document.activeElement?.localName === "nearfind-search" && root.activeElement === field,
    query: root.querySelector("[role=listbox]").dataset.query,
    titles: [...root.querySelectorAll(".title")].map((title) => title.textContent),
    options: [...root.querySelectorAll("[role=option]")].map((option) => option.textContent),
    links: [...root.querySelectorAll("a[role=option]")].map((option) => option.href),
    active: active ? [...root.querySelectorAll("[role=option]")].indexOf(active) : -1,
    selected: [...root.querySelectorAll("[aria-selected=true]")].length,
    expanded: field.getAttribute("aria-expanded"),
    status: root.querySelector("[role=status]").textContent,
    actions: [...root.querySelectorAll("[part=actions] button")].map((button) => button.textContent),
    choices: [...root.querySelectorAll("[part=choice]")].map((choice) =>
      [choice.textContent, choice.getAttribute("aria-pressed")].join(" "),
    ),
  };
};
const isDefined = () => document.querySelector("nearfind-search")?.shadowRoot?.querySelector("dialog") != null;
/** Whether the final answer to `query` is shown. */
const isAnswered = (query) => {
  const root = document.querySelector("nearfind-search").shadowRoot;
  const { dataset } = root.querySelector("[role=listbox]");
  return dataset.query === query && dataset.tier !== "";
};
const press = (part) => document.querySelector("nearfind-search").shadowRoot.querySelector(`[part~=${part}]`).click();

async function boxIn(name, options, url = PAGE) {
  const box = await openIn(name, url, options);
  await box.until(isDefined);
  return {
    ...box,
    state: () => box.run(state),
    ask: async (text) => {
      await box.type(text);
      await box.until(isAnswered, text);
    },
  };
}

for (const name of BROWSERS) {
  describe(name, () => {
    test("every key has its documented effect", async () => {
      const box = await boxIn(name);
      try {
        await box.press("Control+k");
        assert.deepEqual(await box.state().then(({ open, focused, expanded }) => [open, focused, expanded]), [true, true, "false"]);
        await box.ask("threads share no memory");
        const { options, titles, expanded, status } = await box.state();
        assert.ok(options.length > titles.length && titles.includes("Threads") && expanded === "true", "pages with their sections");
        assert.match(status, /^\d+ pages$/);
        const active = async (key) => {
          await box.press(key);
          return (await box.state()).active;
        };
        const last = options.length - 1;
        assert.deepEqual(
          [await active("ArrowDown"), await active("ArrowDown"), await active("ArrowUp"), await active("ArrowUp")],
          [0, 1, 0, last],
        );
        assert.deepEqual([await active("ArrowDown"), await active("End"), await active("Home")], [0, last, 0]);
        assert.equal((await box.state()).selected, 1);
        await box.press("Escape");
        assert.equal((await box.state()).open, false);
        // The focus returns to the button that a reader would have used.
        await box.run(() => document.querySelector("#other").focus());
        await box.type("a/b");
        assert.equal(await box.run(() => document.querySelector("#other").value), "a/b", "a slash in another field is a slash");
        await box.run(() => document.activeElement.blur());
        await box.press("/");
        assert.deepEqual(await box.state().then(({ open, focused }) => [open, focused]), [true, true]);
        await box.press("Control+k");
        assert.equal((await box.state()).open, false);
        assert.deepEqual(box.problems, []);
      } finally {
        await box.close();
      }
    });

    test("the focus stays in the dialog and returns to its previous place", async () => {
      const box = await boxIn(name);
      try {
        await box.run(() => document.querySelector("#other").focus());
        await box.press("Control+k");
        await box.ask("mutex");
        const seen = new Set();
        for (let stop = 0; stop < 12; stop++) {
          await box.press("Tab");
          seen.add(await box.run(() => document.activeElement?.shadowRoot?.activeElement?.getAttribute("part") ?? "outside"));
        }
        assert.ok(!seen.has("outside") && seen.has("input") && seen.has("close") && seen.has("choice"), [...seen].join());
        await box.run(() => document.querySelector("nearfind-search").shadowRoot.querySelector("input").focus());
        await box.press("Escape");
        assert.equal(await box.run(() => document.activeElement.id), "other");
      } finally {
        await box.close();
      }
    });

    test("Enter follows the first or the active result, and Control-Enter opens a tab", async () => {
      const box = await boxIn(name);
      try {
        await box.press("Control+k");
        await box.ask("deadlocks");
        await box.press("Control+Enter");
        for (let tries = 0; (await box.pages()).length < 2 && tries < 100; tries++) {
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        assert.equal((await box.pages()).length, 2);
        await box.page.bringToFront();
        const [first] = (await box.state()).links;
        // The question is a heading, so the answer begins there.
        assert.match(first, /\/guide\/locks\.html#deadlock$/);
        await box.press("Enter");
        await box.until(() => location.pathname === "/guide/locks.html");
        assert.equal(await box.run(() => location.hash), "#deadlock");
        assert.deepEqual(box.problems, []);
      } finally {
        await box.close();
      }
    });

    test("in the page, Escape closes the panel and then clears the field, and arrows and letters open it", async () => {
      const box = await boxIn(name);
      try {
        await box.run(() => {
          const inline = document.createElement("nearfind-search");
          inline.setAttribute("bundle", "/bundle/");
          inline.setAttribute("display", "inline");
          document.querySelector("nearfind-search").replaceWith(inline);
        });
        const inline = () => {
          const element = document.querySelector("nearfind-search");
          const field = element.shadowRoot.querySelector("[role=combobox]");
          const active = element.shadowRoot.getElementById(field.getAttribute("aria-activedescendant") ?? "-");
          return [element.isOpen, field.getAttribute("aria-expanded"), field.value, active !== null];
        };
        await box.until(() => document.querySelector("nearfind-search").shadowRoot.querySelector("[role=combobox]") !== null);
        await box.press("/");
        await box.ask("dough");
        assert.deepEqual(await box.run(inline), [true, "true", "dough", false]);
        await box.press("ArrowDown");
        assert.deepEqual(await box.run(inline), [true, "true", "dough", true]);
        await box.press("Escape");
        assert.deepEqual(await box.run(inline), [false, "false", "dough", false]);
        await box.press("ArrowDown");
        assert.deepEqual(await box.run(inline), [true, "true", "dough", false]);
        await box.press("Escape");
        await box.press("Escape");
        assert.deepEqual(await box.run(inline), [false, "false", "", false]);
        await box.ask("mutex");
        assert.deepEqual(await box.run(inline), [true, "true", "mutex", false]);
        await box.page.mouse.click(5, 5);
        assert.equal((await box.run(inline))[0], false);
        assert.deepEqual(box.problems, []);
      } finally {
        await box.close();
      }
    });

    test("the address contains the query and opens it", async () => {
      const box = await boxIn(name, {}, `${PAGE}?q=dough&x=1`);
      try {
        await box.until(isAnswered, "dough");
        assert.deepEqual(await box.state().then(({ open, titles }) => [open, titles[0]]), [true, "Bread"]);
        await box.type(" rest");
        await box.until(() => new URLSearchParams(location.search).get("q") === "dough rest");
        await box.press("Escape");
        assert.equal(await box.run(() => location.search), "?x=1");
      } finally {
        await box.close();
      }
    });

    test("results never belong to an older query, however fast a reader types", async () => {
      const box = await boxIn(name);
      try {
        await box.press("Control+k");
        await box.run(() => {
          const root = document.querySelector("nearfind-search").shadowRoot;
          const [field, list] = [root.querySelector("input"), root.querySelector("[role=listbox]")];
          window.stale = [];
          window.shown = 0;
          new MutationObserver(() => {
            window.shown++;
            if (list.childElementCount > 0 && list.dataset.query !== field.value) window.stale.push([field.value, list.dataset.query]);
          }).observe(list, { childList: true });
        });
        await box.type("threads that share memory wait for a mutex", 15);
        await box.until(isAnswered, "threads that share memory wait for a mutex");
        const { stale, shown } = await box.run(() => ({ stale: window.stale, shown: window.shown }));
        assert.deepEqual(stale, []);
        assert.ok(shown > 0);
        assert.deepEqual(box.problems, []);
      } finally {
        await box.close();
      }
    });

    test("texts of pages and queries never become markup, and long queries are answered", async () => {
      const box = await boxIn(name);
      try {
        await box.press("Control+k");
        await box.ask("zebras");
        const { titles } = await box.state();
        assert.equal(titles[0], '<img src=x onerror="window.hacked=1">');
        assert.match((await box.state()).options[0], /\ufffdzebras/, "what turns the order of letters around is seen");
        for (const text of ["<img src=x onerror=window.hacked=1>", "zebra ".repeat(1700)]) {
          await box.run((text) => {
            document.querySelector("nearfind-search").value = text;
          }, text);
          await box.until(
            (text) =>
              document
                .querySelector("nearfind-search")
                .shadowRoot.querySelector("[role=listbox]")
                .dataset.query.startsWith(text.slice(0, 100)),
            text,
          );
        }
        const found = await box.run(() => [
          window.hacked,
          document.querySelector("nearfind-search").shadowRoot.querySelectorAll("img, script").length,
        ]);
        assert.ok(!found[0] && found[1] === 0, "no element, and nothing ran");
        assert.deepEqual(box.problems, []);
      } finally {
        await box.close();
      }
    });

    test("a bundle that disappears is reported and requested again", async () => {
      const box = await boxIn(name, { expects: [/404/] });
      const { bundle } = site.folders;
      try {
        await box.press("Control+k");
        await box.ask("dough");
        renameSync(bundle, `${bundle}-gone`);
        await box.run(() => {
          document.querySelector("nearfind-search").value = '"panics poisons" mutexes';
        });
        await box.until(() =>
          /not published/.test(document.querySelector("nearfind-search").shadowRoot.querySelector("[role=status]").textContent),
        );
        renameSync(`${bundle}-gone`, bundle);
        await box.run(press, "retry");
        await box.until(isAnswered, '"panics poisons" mutexes');
        assert.deepEqual(box.problems, []);
      } finally {
        await box.close();
      }
    });

    test("two boxes share one engine, and a box that is removed during a query stays silent", async () => {
      const box = await boxIn(name);
      try {
        await box.run(async () => {
          const inline = document.createElement("nearfind-search");
          inline.setAttribute("bundle", "/bundle/");
          inline.setAttribute("display", "inline");
          document.querySelector("main").append(inline);
          const [first, second] = document.querySelectorAll("nearfind-search");
          window.errors = [];
          addEventListener("nearfind-error", (event) => window.errors.push(String(event.detail.error)));
          window.same = (await first.search) === (await second.search);
        });
        assert.equal(await box.run(() => window.same), true);
        await box.press("Control+k");
        assert.equal((await box.state()).open, true);
        await box.press("Escape");
        await box.run(() => {
          const second = document.querySelectorAll("nearfind-search")[1];
          second.value = "threads";
          second.remove();
        });
        await box.press("Control+k");
        await box.ask("dough");
        assert.deepEqual(await box.run(() => window.errors), []);
        // The last box closes the engine.
        const code = await box.run(async () => {
          const element = document.querySelector("nearfind-search");
          const search = await element.search;
          element.remove();
          await new Promise((resolve) => setTimeout(resolve, 50));
          return search.query("dough").catch((error) => error.code);
        });
        assert.equal(code, "closed");
        assert.deepEqual(box.problems, []);
      } finally {
        await box.close();
      }
    });

    test("answers can be narrowed by project, with counts", async () => {
      const box = await boxIn(name);
      try {
        await box.press("Control+k");
        await box.ask("mutex");
        assert.deepEqual((await box.state()).choices, ["api 2 false", "guide 1 false"]);
        await box.run(press, "choice");
        await box.until(
          () => document.querySelector("nearfind-search").shadowRoot.querySelector("[part=choice]").getAttribute("aria-pressed") === "true",
        );
        const narrowed = await box.state();
        assert.deepEqual([narrowed.titles.length, narrowed.choices], [2, ["api 2 true", "guide 1 false"]]);
        // Nothing is found in that project, so the box offers to remove the filter.
        await box.run(() => {
          document.querySelector("nearfind-search").value = "flour and dough";
        });
        await box.until(() =>
          /Nothing found/.test(document.querySelector("nearfind-search").shadowRoot.querySelector("[role=status]").textContent),
        );
        await box.run(press, "unfiltered");
        await box.until(() => document.querySelector("nearfind-search").shadowRoot.querySelector("[role=option]") !== null);
      } finally {
        await box.close();
      }
    });

    test("searches are stored on the device, and can be pinned and forgotten", async () => {
      const box = await boxIn(name);
      try {
        const searchFor = async (text) => {
          await box.press("Control+k");
          await box.run(() => {
            document.querySelector("nearfind-search").value = "";
          });
          await box.ask(text);
          await box.run(() => document.addEventListener("nearfind-select", (event) => event.preventDefault(), { once: true }));
          await box.press("Enter");
        };
        await searchFor("dough");
        await searchFor("mutex");
        await box.press("Control+k");
        await box.run(() => {
          document.querySelector("nearfind-search").value = "";
        });
        assert.deepEqual((await box.state()).titles, ["mutex", "dough"]);
        const tool = (label) => document.querySelector("nearfind-search").shadowRoot.querySelector(`[aria-label="${label}"]`).click();
        await box.run(tool, "Pin “dough”");
        assert.deepEqual((await box.state()).titles, ["dough", "mutex"]);
        await box.run(tool, "Forget “mutex”");
        assert.deepEqual((await box.state()).titles, ["dough"]);
        await box.press("ArrowDown");
        await box.press("Enter");
        await box.until(isAnswered, "dough");
        assert.equal((await box.state()).titles[0], "Bread");
        assert.deepEqual(box.problems, []);
      } finally {
        await box.close();
      }
    });

    test("the model is offered with its size, and loaded on request", async () => {
      const box = await boxIn(name);
      try {
        await box.press("Control+k");
        await box.ask("baking a loaf");
        assert.ok((await box.state()).actions.includes("Better results: load the model (8 MB)"));
        await box.run(press, "offer");
        await box.until(() => document.querySelector("nearfind-search").shadowRoot.querySelector("[role=listbox]").dataset.tier === "2");
        assert.ok(!(await box.state()).actions.some((action) => /MB/.test(action)));
        assert.deepEqual(box.problems, []);
      } finally {
        await box.close();
      }
    });

    test("hooks let a page observe, change, leave out and follow results", async () => {
      const box = await boxIn(name);
      try {
        await box.run(() => {
          const element = document.querySelector("nearfind-search");
          window.heard = [];
          for (const type of ["open", "query", "select"]) {
            document.addEventListener(`nearfind-${type}`, (event) => window.heard.push([type, event.detail?.query ?? null]));
          }
          document.addEventListener("nearfind-select", (event) => {
            event.preventDefault();
            window.went = event.detail.url;
          });
          element.transform = (hit) => (hit.title === "Bread" ? null : { ...hit, title: hit.title.toUpperCase() });
          element.render = (hit, option) => option.append(` (${hit.project})`);
        });
        await box.press("Control+k");
        await box.ask("threads");
        const { titles, options } = await box.state();
        assert.ok(titles.includes("THREADS") && !titles.includes("BREAD") && options[0].endsWith(" (guide)"));
        await box.press("Enter");
        assert.match(await box.run(() => window.went), /\/guide\/threads\.html/);
        assert.deepEqual(await box.run(() => [window.heard[0][0], window.heard.at(-1), location.pathname]), [
          "open",
          ["select", "threads"],
          "/page/element.html",
        ]);
      } finally {
        await box.close();
      }
    });
  });
}

test("without scripts, the form inside the element is visible", async () => {
  const { page, close } = await openIn("chromium", PAGE, { javaScriptEnabled: false });
  try {
    assert.ok(await page.getByRole("button", { name: "Elsewhere" }).isVisible());
  } finally {
    await close();
  }
});

test("the box has the language and the direction of the page", async () => {
  const box = await boxIn("chromium");
  try {
    const spoken = {};
    for (const language of ["de", "fr-CA", "ar", "zh-Hans", "tlh"]) {
      spoken[language] = await box.run(async (language) => {
        document.querySelector("nearfind-search").remove();
        document.documentElement.lang = language;
        document.documentElement.dir = language === "ar" ? "rtl" : "ltr";
        const element = document.createElement("nearfind-search");
        element.setAttribute("bundle", "/bundle/");
        document.querySelector("main").append(element);
        await new Promise((resolve) => setTimeout(resolve, 300));
        return element.shadowRoot.querySelector("[role=combobox]").placeholder;
      }, language);
    }
    assert.deepEqual(spoken, {
      de: "In der Dokumentation suchen",
      "fr-CA": "Rechercher dans la documentation",
      ar: "ابحث في الوثائق",
      "zh-Hans": "搜索文档",
      tlh: "Search the docs",
    });
    assert.deepEqual(box.problems, []);
  } finally {
    await box.close();
  }
});

test("nothing loads before a reader is about to search, and nothing ever from another origin", async () => {
  const box = await boxIn("chromium");
  try {
    const loaded = () => performance.getEntriesByType("resource").map(({ name }) => new URL(name).href);
    const before = await box.run(loaded);
    assert.deepEqual(
      before.map((url) => url.split("/").at(-1)),
      ["define.js", "element.js"],
    );
    await box.press("Control+k");
    await box.ask("threads");
    const all = await box.run(loaded);
    assert.ok(all.length > before.length && all.every((url) => url.startsWith(server.url)), all.join("\n"));
  } finally {
    await box.close();
  }
});
