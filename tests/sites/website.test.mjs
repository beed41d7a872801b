// Tests the built website of the project (examples/website/build.sh): its live box answers over the book, its own
// search covers its pages, and the page about costs measures them. SCREENSHOTS=folder also saves screenshots.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { BROWSERS, closeBrowsers, openIn } from "../../web/test/browsers.mjs";
import { host } from "./host.mjs";

const SITE = fileURLToPath(new URL("../../target/website/", import.meta.url));
const { SCREENSHOTS } = process.env;
after(closeBrowsers);

const answered = ([which, question]) => {
  const list = document.querySelectorAll("nearfind-search")[which].shadowRoot?.querySelector("[role=listbox]");
  return list?.dataset.query === question && list.dataset.tier !== "";
};
const first = (which) => {
  const option = document.querySelectorAll("nearfind-search")[which].shadowRoot.querySelector("a[role=option]");
  return { title: option.querySelector("[part=title]").textContent, href: option.href };
};

test("every link of the website leads to a file and an anchor that exist", () => {
  assert.ok(existsSync(SITE), "the site is not built: run examples/website/build.sh");
  const pages = readdirSync(SITE, { recursive: true }).filter((path) => /\.html$/.test(path) && path !== "404.html");
  const anchors = new Map();
  const anchorsOf = (path) => {
    if (!anchors.has(path)) {
      const ids = [...readFileSync(path, "utf8").matchAll(/\s(?:id|name)="?([^"\s>]+)/g)].map(([, id]) => id);
      anchors.set(path, new Set(ids.map(decodeURIComponent)));
    }
    return anchors.get(path);
  };
  const broken = [];
  let count = 0;
  for (const page of pages) {
    for (const [, target] of readFileSync(join(SITE, page), "utf8").matchAll(/<(?:a|img|link|script)\s[^>]*?(?:href|src)="?([^"\s>]+)/g)) {
      if (/^[a-z]+:|^\/|^#(?:ask=|__|$)/.test(target)) {
        continue;
      }
      count += 1;
      const { pathname, hash } = new URL(target.replaceAll("&amp;", "&"), `http://x/${page}`);
      const path = join(SITE, decodeURIComponent(pathname));
      const file = existsSync(path) && statSync(path).isDirectory() ? join(path, "index.html") : path;
      if (!existsSync(file)) {
        broken.push(`${page}: ${target}: no such file`);
      } else if (hash !== "" && !hash.startsWith("#ask=") && !anchorsOf(file).has(decodeURIComponent(hash.slice(1)))) {
        broken.push(`${page}: ${target}: no such anchor`);
      }
    }
  }
  assert.deepEqual(broken, []);
  assert.ok(count > 1000, `${count} links`);
});

for (const browser of BROWSERS) {
  test(`the project's website works in ${browser}`, async () => {
    assert.ok(existsSync(SITE), "the site is not built: run examples/website/build.sh");
    const server = await host(SITE, "/nearfind/");
    const box = await openIn(browser, server.url);
    const picture = async (name) => {
      if (SCREENSHOTS && browser === "chromium") {
        mkdirSync(SCREENSHOTS, { recursive: true });
        await box.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
      }
    };
    try {
      await box.until(() => document.querySelectorAll("nearfind-search")[1]?.shadowRoot?.querySelector("[role=combobox]") != null);
      const live = "how do two threads share data?";
      await box.run(() => document.querySelectorAll("nearfind-search")[1].shadowRoot.querySelector("input").focus());
      await box.type(live);
      await box.until(answered, [1, live]);
      assert.match((await box.run(first, 1)).href, /^https:\/\/doc\.rust-lang\.org\/book\/ch16-/);
      await picture("website");

      // A link asks the live box a question.
      const linked = "catch a crash";
      await box.run(() => [...document.querySelectorAll("article a")].find((link) => link.textContent === "catch a crash").click());
      await box.until(() => document.querySelectorAll("nearfind-search")[1]?.shadowRoot?.querySelector("[role=combobox]") != null);
      await box.until(answered, [1, linked]);
      assert.match((await box.run(first, 1)).href, /^https:\/\/doc\.rust-lang\.org\/book\/ch/);

      const reference = await (await fetch(`${server.url}reference/api/`)).text();
      assert.ok(
        reference.includes("onPreview") && reference.includes("Called with preliminary answers"),
        "each option of the library with its comment",
      );

      const own = "add search to a site that Docusaurus builds";
      await box.press("Escape");
      await box.press("Control+k");
      await box.type(own);
      await box.until(answered, [0, own]);
      assert.match((await box.run(first, 0)).href, /\/nearfind\/generators\/docusaurus\//);
      await box.press("Enter");
      await box.until(() => location.pathname.endsWith("/generators/docusaurus/") && document.querySelector("h1") !== null);
      await box.close();

      const cost = await openIn(browser, `${server.url}cost/`);
      try {
        await cost.until(() => customElements.get("nearfind-search") !== undefined);
        await cost.run(() => document.querySelector("#cost button").click());
        await cost.until(() => document.querySelectorAll("#costs tbody tr").length === 6);
        const rows = await cost.run(() =>
          [...document.querySelectorAll("#costs tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent)),
        );
        assert.match(rows[0][1], /Thread|Shared-State|Send/);
        for (const [, , , read, rounds] of rows) {
          assert.ok(Number.parseInt(read, 10) > 0 && Number.parseInt(read, 10) < 1000, read);
          assert.ok(Number(rounds) >= 1, rounds);
        }
        assert.deepEqual(cost.problems, []);
      } finally {
        await cost.close();
      }

      const playground = await openIn(browser, `${server.url}playground/`);
      const rows = () =>
        playground.run(() =>
          [...document.querySelectorAll("#weighted tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent)),
        );
      try {
        await playground.until(() => customElements.get("nearfind-search") !== undefined);
        await playground.run(() => document.querySelector("#weights button").click());
        await playground.until(() => document.querySelectorAll("#weighted tbody tr").length === 10);
        assert.ok(
          (await rows()).every(([, moved]) => moved === ""),
          "the weights of readers keep their order",
        );
        await playground.run(() => {
          const { meaning } = document.querySelector("#weights").elements;
          meaning.value = 0;
          meaning.dispatchEvent(new Event("input", { bubbles: true }));
        });
        const byWords = await rows();
        assert.ok(byWords.every(([, , , meaning]) => Number(meaning) === 0) && byWords.some(([, moved]) => moved.startsWith("▲")));
        const sums = byWords.map(([, , , , sum]) => Number(sum));
        assert.deepEqual(
          sums,
          sums.toSorted((a, b) => b - a),
        );
        assert.deepEqual(playground.problems, []);
      } finally {
        await playground.close();
      }
    } finally {
      await box.close().catch(() => {});
      server.close();
    }
  });
}
