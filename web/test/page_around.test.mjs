// Tests the box in other people's pages, with their themes, languages, routers and links.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { closeBrowsers, openIn } from "./browsers.mjs";
import { PACKAGE, serveFolders } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "nearfind-"));
const site = join(folder, "site");
const BOX = '<script type="module" src="/site/nearfind/box/box.js"></script><nearfind-search></nearfind-search>';
const page = (lang, title, body) =>
  `<!doctype html><html lang="${lang}"><title>${title}</title><link rel=icon href="data:,"><link rel=canonical href="https://example.org/${title}">${BOX}<main><h1 id=top>${title}</h1>${body}</main>`;
const LONG = "Elle attend, elle court, elle finit, puis elle recommence avec ce que la précédente a laissé. ".repeat(12);
const PAGES = {
  "index.html": page("en", "Home", "<p>Where everything begins: a plugin, a theme, a page.</p>"),
  "guide/plugins.html": page(
    "en",
    "Plugins",
    "<h2 id=write>Write a plugin</h2><p>A plugin changes what a page shows.</p><table><tr><th>Option</th><th>Does</th></tr><tr><td>--gamma</td><td>Does things to plugins</td></tr></table>",
  ),
  "api/plugins.html": page("en", "Plugins", "<p>Functions that plugins call, one after the other.</p>"),
  "fr/plugins.html": page(
    "fr",
    "Extensions",
    `<h2 id=ecrire>Écrire un plugin</h2><p>Un plugin change ce que montre une page. La mémoire reste.</p><p>${LONG}</p>`,
  ),
  "ja/plugins.html": page("ja", "プラグイン", "<p>plugin はページの表示を変えます。</p>"),
  "guide/escaping.html": page(
    "en",
    "Escaping",
    "<h2 id=templates>Templates</h2><p>Templates escape &lt;img src=x&gt; and every other tag.</p>",
  ),
  // A language that no browser knows, and one that few browsers know.
  "odd/c.html": page("c", "Odd", "<p>A quinsy in a language without a name.</p>"),
  "odd/tlh.html": page("tlh", "Odder", "<p>A quinsy in another one.</p>"),
  "guide/plugins.md": "# Plugins\n\nA plugin changes what a page shows.",
};
for (const [name, text] of Object.entries(PAGES)) {
  mkdirSync(dirname(join(site, name)), { recursive: true });
  writeFileSync(join(site, name), text);
}
// Exactly as the documentation describes. The index includes the box.
const printed = execFileSync(process.env.NEARFIND ?? "nearfind", ["index", site, "-o", join(site, "nearfind")], {
  encoding: "utf8",
  env: { ...process.env, NEARFIND_PACKAGE: fileURLToPath(PACKAGE) },
});
const server = await serveFolders({ site });
after(async () => {
  await closeBrowsers();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const root = () => document.querySelector("nearfind-search").shadowRoot;
const inBox = (body, ...given) => `(() => { const root = (${root})(); return (${body})(root, ...${JSON.stringify(given)}); })()`;
async function opened(path, options) {
  const box = await openIn("chromium", `${server.url}/site/${path}`, options);
  await box.until(inBox((root) => root.querySelector("dialog") !== null));
  return {
    ...box,
    look: (body, ...given) => box.run(inBox(body, ...given)),
    ask: async (text) => {
      await box.press("Control+k");
      await box.run(
        inBox((root, text) => {
          root.host.value = text;
        }, text),
      );
      await box.until(
        inBox((root, text) => {
          const { dataset } = root.querySelector("[role=listbox]");
          return dataset.query === text && dataset.tier !== "";
        }, text),
      );
    },
    rows: () =>
      box.run(
        inBox((root) =>
          [...root.querySelectorAll("[role=option]")].map((option) => ({
            href: option.href,
            title: option.querySelector(".title")?.textContent,
            place: option.querySelector(".place").textContent,
            text: option.querySelector(".excerpt").textContent,
          })),
        ),
      ),
  };
}

test("one command writes all that a page needs, and prints how to use it", async () => {
  assert.match(printed, /<script type="module" src="\/nearfind\/box\/box\.js"><\/script>\n {2}<nearfind-search><\/nearfind-search>/);
  assert.match(printed, /not indexed: sources next to their built page \(1\)/);
});

test("typing in the box triggers no shortcut of the site", async () => {
  const box = await opened("index.html");
  try {
    await box.run(() => {
      window.pressed = [];
      ["keydown", "keypress", "keyup"].forEach((kind) => document.addEventListener(kind, ({ key }) => window.pressed.push(key)));
    });
    await box.press("Control+k");
    await box.type("s? /n");
    await box.press("Escape");
    assert.equal(await box.look((root) => root.querySelector("dialog").open), false);
    const pressed = await box.run(() => window.pressed.splice(0));
    assert.deepEqual(
      pressed.filter((key) => key.length === 1 && key !== "k"),
      [],
    );
    // Browsers remove the focus from hidden elements when they draw.
    await box.until(inBox((root) => root.activeElement?.localName !== "input"));
    await box.press("n");
    assert.ok((await box.run(() => window.pressed)).includes("n"), "outside the box, keys are the site's");
  } finally {
    await box.close();
  }
});

test("links stay on the host, pages with the same name differ, and the text is found at the target", async () => {
  const box = await opened("index.html");
  try {
    await box.ask("what does --gamma do to plugins");
    const rows = await box.rows();
    assert.ok(
      rows.every(({ href }) => href.startsWith(`${server.url}/site/`)),
      JSON.stringify(rows),
    );
    assert.ok(
      rows.some(({ text }) => text === "Option: --gamma · Does: Does things to plugins"),
      JSON.stringify(rows),
    );
    await box.ask("plugins");
    const named = (await box.rows()).filter(({ title }) => title === "Plugins");
    assert.deepEqual(named.map(({ place }) => place).sort(), ["api › plugins", "guide › plugins"]);
    assert.deepEqual(box.problems, []);
  } finally {
    await box.close();
  }
});

test("the site's assistant gets the question and the answer on request", async () => {
  const box = await opened("index.html");
  try {
    const offered = () => box.look((root) => root.querySelector("[part=ask]")?.textContent);
    await box.ask("write a plugin");
    assert.equal(await offered(), undefined);
    await box.run(() => {
      window.handed = [];
      document.querySelector("nearfind-search").assistant = (question, { hits }) => window.handed.push([question, hits[0].title]);
    });
    await box.ask("a plugin that changes a page");
    assert.equal(await offered(), "Ask an assistant");
    await box.look((root) => root.querySelector("[part=ask]").click());
    assert.deepEqual(await box.run(() => window.handed), [["a plugin that changes a page", "Plugins"]]);
  } finally {
    await box.close();
  }
});

test("answers need one further script, with or without the box", async () => {
  const alone = '<script type="module" src="/site/nearfind/box/ask.js"></script><nearfind-ask></nearfind-ask>';
  for (const elements of [alone, alone + BOX]) {
    writeFileSync(join(site, "ask.html"), `<!doctype html><html lang="en"><title>Ask</title><link rel=icon href="data:,">${elements}`);
    const box = await openIn("chromium", `${server.url}/site/ask.html`);
    await box.until(() => document.querySelector("nearfind-ask").shadowRoot?.querySelector("[part=button]") !== null);
    await box.run(() => document.querySelector("nearfind-ask").show("What does a plugin change?"));
    await box.until(() => document.querySelector("nearfind-ask").shadowRoot.querySelector("[part=quote]") !== null);
    assert.match(
      await box.run(() => document.querySelector("nearfind-ask").shadowRoot.querySelector("[part=quote]").textContent),
      /A plugin changes what a page shows\./,
    );
    assert.deepEqual(box.problems, []);
    await box.close();
  }
});

test("a hidden box leaves its keys to a visible one", async () => {
  const box = await opened("guide/plugins.html");
  await box.run(() => {
    const hidden = document.createElement("div");
    hidden.style.display = "none";
    const [shown] = document.querySelectorAll("nearfind-search");
    const other = shown.cloneNode();
    hidden.append(other);
    document.body.prepend(hidden);
    other.id = "hidden";
  });
  await box.until(() => document.querySelector("#hidden").shadowRoot.querySelector("dialog") !== null);
  await box.press("Control+k");
  await box.until(() => document.querySelector("nearfind-search:not(#hidden)").isOpen);
  assert.equal(await box.run(() => document.querySelector("#hidden").isOpen), false);
  await box.close();
});

test("agents in the reader's browser are offered the search as a tool", async () => {
  const box = await opened("index.html");
  try {
    const [tools, found, left, offered] = await box.run(async () => {
      // As in browsers with WebMCP.
      const tools = new Map();
      Object.defineProperty(navigator, "modelContext", {
        configurable: true,
        value: {
          registerTool: (tool, { signal }) => {
            if (tools.has(tool.name)) throw new Error("it already exists");
            tools.set(tool.name, tool);
            signal.addEventListener("abort", () => tools.delete(tool.name));
          },
        },
      });
      const element = document.querySelector("nearfind-search");
      const parent = element.parentNode;
      element.remove();
      parent.prepend(element);
      for (let tries = 0; tools.size === 0 && tries < 200; tries++) await new Promise((resolve) => setTimeout(resolve, 20));
      const names = [...tools.keys()];
      const found = await tools.get(names[0]).execute({ query: "write a plugin", limit: 1 });
      element.remove();
      const left = tools.size;
      element.setAttribute("agents", "none");
      parent.prepend(element);
      await new Promise((resolve) => setTimeout(resolve, 200));
      return [names, found, left, tools.size];
    });
    assert.deepEqual([tools, left, offered], [["search_documentation"], 0, 0]);
    assert.match(found.content[0].text, /^1\. Plugins\n[\s\S]*\/site\/guide\/plugins\.html#write\nA plugin changes what a page shows\./);
    assert.deepEqual(box.problems, []);
  } finally {
    await box.close();
  }
});

test("code for Pagefind works with another import", async () => {
  const box = await opened("index.html");
  try {
    const asked = (...given) =>
      box.run(async ([term, options]) => {
        const pagefind = await import("/site/nearfind/box/pagefind.js");
        await pagefind.options({ baseUrl: "/" });
        const { results } = await pagefind.search(term, options);
        return Promise.all(results.map((result) => result.data()));
      }, given);
    const [first] = await asked("write a plugin");
    assert.deepEqual([first.url, first.meta.title], ["/site/guide/plugins.html", "Plugins"]);
    const written = first.sub_results.find(({ url }) => url === "/site/guide/plugins.html#write");
    assert.deepEqual([written.title, written.excerpt], ["Write a plugin", "A <mark>plugin</mark> changes what a page shows."]);
    const [escaping] = await asked("templates escape tags");
    assert.match(escaping.excerpt, /&#60;img src=x&#62;/, "text of pages is no markup");
    const [french] = await asked("plugin", { filters: { language: "fr" } });
    assert.equal(french.url, "/site/fr/plugins.html");
    const [superseded, answered, languages, nothing] = await box.run(async () => {
      const pagefind = await import("/site/nearfind/box/pagefind.js");
      const [superseded, answered] = await Promise.all([pagefind.debouncedSearch("them"), pagefind.debouncedSearch("theme")]);
      return [superseded, answered.results.length, (await pagefind.filters()).language, (await pagefind.search(null)).results];
    });
    assert.deepEqual([superseded, answered > 0, nothing], [null, true, []]);
    assert.deepEqual(Object.keys(languages).sort(), ["c", "en", "fr", "ja", "tlh"]);
    assert.deepEqual(box.problems, []);
  } finally {
    await box.close();
  }
});

test("pages in the page's language come first, and others can be chosen", async () => {
  const box = await opened("fr/plugins.html");
  try {
    await box.ask("plugin");
    assert.deepEqual(
      (await box.rows()).map(({ href }) => new URL(href).pathname),
      ["/site/fr/plugins.html"],
    );
    const choices = () =>
      box.look((root) =>
        [...root.querySelectorAll("[part=choice]")].map((choice) => `${choice.textContent} ${choice.getAttribute("aria-pressed")}`),
      );
    assert.deepEqual((await choices()).sort(), ["anglais 3 false", "français 1 true", "japonais 1 false"]);
    await box.look((root) =>
      [...root.querySelectorAll("[part=choice]")].find((choice) => choice.textContent.startsWith("japonais")).click(),
    );
    await box.until(inBox((root) => root.querySelectorAll(".page").length === 2));
    // Accents are optional.
    await box.ask("memoire");
    assert.match((await box.rows())[0].text, /La mémoire reste/);
    assert.equal(await box.look((root) => root.querySelector(".excerpt mark").textContent), "mémoire");
  } finally {
    await box.close();
  }
});

test("a router that changes the address does not move the bundle", async () => {
  const box = await opened("index.html");
  try {
    await box.run(() => {
      const other = document.createElement("nearfind-search");
      other.setAttribute("bundle", "nearfind/");
      document.querySelector("nearfind-search").replaceWith(other);
      history.pushState(null, "", "/site/guide/deep/plugins.html");
    });
    await box.until(inBox((root) => root.querySelector("dialog") !== null));
    await box.ask("plugin");
    assert.ok((await box.rows()).length > 0);
  } finally {
    await box.close();
  }
});

test("the box follows the theme of the page, in any container", async () => {
  const box = await opened("index.html", { colorScheme: "light" });
  const theme = () => box.look((root) => root.querySelector("dialog").dataset.theme);
  const becomes = (wanted) => box.until(inBox((root, wanted) => root.querySelector("dialog").dataset.theme === wanted, wanted));
  try {
    await box.run(() => {
      const header = document.createElement("header");
      header.style.background = "black";
      header.append(document.querySelector("nearfind-search"));
      document.body.prepend(header);
    });
    assert.equal(await theme(), "light", "a black header on a light page");
    for (const [name, value] of [
      ["data-theme", "dark"],
      ["data-md-color-scheme", "slate"],
      ["class", "dark"],
      ["style", "color-scheme: dark"],
      ["style", "background: #111"],
    ]) {
      await box.run(([name, value]) => document.documentElement.setAttribute(name, value), [name, value]);
      await becomes("dark");
      await box.run((name) => document.documentElement.removeAttribute(name), name);
      await becomes("light");
    }
  } finally {
    await box.close();
  }
});

test("while a reader types, only pauses start queries", async () => {
  const box = await opened("index.html");
  try {
    await box.run(() => {
      window.asked = [];
      addEventListener("nearfind-query", ({ detail }) => window.asked.push(detail.query));
    });
    await box.press("Control+k");
    await box.type("write a plugin", 40);
    await box.until(() => window.asked.length > 0);
    assert.deepEqual(await box.run(() => window.asked), ["write a plugin"]);
    // Enter before the answer searches, and follows no link. Both keys are in one task, because an answer could arrive
    // between two tasks.
    await box.look((root) => {
      const field = root.querySelector("input");
      field.value += " that";
      field.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, composed: true, cancelable: true }));
    });
    assert.equal(await box.run(() => location.pathname), "/site/index.html");
    await box.until(() => window.asked.at(-1) === "write a plugin that");
  } finally {
    await box.close();
  }
});

test("a question about something else finds nothing, and the box gives tips", async () => {
  const box = await opened("index.html");
  try {
    await box.ask("zxqwv kjhgf");
    assert.equal((await box.rows()).length, 0);
    assert.equal(await box.look((root) => root.querySelector("[role=status]").textContent), "Nothing found for “zxqwv kjhgf”.");
    assert.match(await box.look((root) => root.querySelector("[part=actions]").textContent), /Try different or fewer keywords/);
  } finally {
    await box.close();
  }
});

test("languages that browsers reject are shown by their tags", async () => {
  const box = await opened("odd/c.html");
  try {
    await box.ask("quinsy");
    assert.equal((await box.rows())[0].title, "Odd");
    const choices = await box.look((root) => [...root.querySelectorAll("[part=choice]")].map((choice) => choice.firstChild.textContent));
    assert.ok(choices.includes("c"), choices.join());
  } finally {
    await box.close();
  }
});

test("addresses that run code are removed, in any letter case and with characters that browsers skip", async () => {
  const source = readFileSync(new URL("../src/engine/addresses.ts", import.meta.url), "utf8");
  const { code } = await transform(source, { loader: "ts", format: "esm" });
  const { linked } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const safe = ["/a/", "a.html#b:c", "?q=a:b", "//example.org/x", "https://example.org/", "HTTP://a", "file:///a", null];
  assert.deepEqual(
    safe.map((url) => linked({ url }).url),
    safe,
  );
  for (const url of [
    "javascript:alert(1)",
    "JavaScript:x",
    " javascript:x",
    "java\tscript:x",
    "\u0001javascript:x",
    "data:text/html,x",
    "vbscript:x",
    "blob:x",
  ]) {
    assert.equal(linked({ url }).url, null, url);
    assert.deepEqual(linked({ url: "/a/", meta: { url, by: "note: a" } }).meta, { by: "note: a" }, url);
  }
  assert.deepEqual(linked({ url: "/a/", meta: { url: "/b/" } }).meta, { url: "/b/" });
  assert.equal(linked(null), null);
});
