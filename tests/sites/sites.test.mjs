// The example sites as they were built (examples/sites/build.sh): each answers a question, by keys alone, and the answer's
// page is there. With SCREENSHOTS=folder also a picture of each.
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { BROWSERS, closeBrowsers, openIn } from "../../web/test/browsers.mjs";
import { host } from "./host.mjs";

const SITES = fileURLToPath(new URL("../../target/sites/", import.meta.url));
const { SCREENSHOTS } = process.env;
/** Where the sites say that they are. */
const BASE = "/docs/";
after(closeBrowsers);

/** What is asked of each site, and what the best page may be called. */
const QUESTION = ["why does a page not need the whole index?", /Architecture|nearfind/i];
const SITE_QUESTIONS = {
  mdbook: QUESTION,
  vitepress: QUESTION,
  starlight: QUESTION,
  docusaurus: QUESTION,
  mkdocs: QUESTION,
  sphinx: QUESTION,
  hugo: QUESTION,
  jekyll: QUESTION,
  rustdoc: ["how many bits does a value have", /RowBits/],
};
/** Their routers follow the result: the page is not loaded anew. */
const HAVE_ROUTERS = ["vitepress", "docusaurus"];
const answered = (question) => {
  const { dataset } = document.querySelector("nearfind-search").shadowRoot.querySelector("[role=listbox]");
  return dataset.query === question && dataset.tier !== "";
};

for (const [site, [question, title]] of Object.entries(SITE_QUESTIONS)) {
  for (const browser of BROWSERS) {
    test(`${site} in ${browser}`, async () => {
      assert.ok(existsSync(join(SITES, site)), `${site} is not built: run examples/sites/build.sh ${site}`);
      const server = await host(join(SITES, site), BASE);
      const box = await openIn(browser, server.url);
      try {
        await box.until(() => document.querySelector("nearfind-search")?.shadowRoot?.querySelector("[role=combobox]") != null);
        await box.press("Control+k");
        await box.type(question);
        await box.until(answered, question);
        const found = await box.run(() => {
          const { shadowRoot } = document.querySelector("nearfind-search");
          const [first] = shadowRoot.querySelectorAll("a[role=option]");
          return { title: first.querySelector("[part=title]").textContent, href: first.href };
        });
        if (SCREENSHOTS && browser === "chromium") {
          mkdirSync(SCREENSHOTS, { recursive: true });
          await box.page.screenshot({ path: join(SCREENSHOTS, `${site}.png`) });
        }
        assert.match(found.title, title);
        // The answer may be on the page that is asked from.
        const isHere = await box.run((href) => {
          window.isSamePage = true;
          return new URL(href).pathname === location.pathname;
        }, found.href);
        await box.press("Enter");
        const { pathname, hash } = new URL(found.href);
        await box.until(
          (pathname) =>
            location.pathname.replace(/\.html$/, "") === pathname.replace(/\.html$/, "") && document.querySelector("h1, h2") !== null,
          pathname,
        );
        const anchor = hash.slice(1).split(":~:")[0];
        await box.until((anchor) => anchor === "" || document.getElementById(decodeURIComponent(anchor)) !== null, anchor);
        assert.equal(await box.run(() => window.isSamePage ?? false), isHere || HAVE_ROUTERS.includes(site));
        assert.deepEqual(box.problems, []);
      } finally {
        await box.close();
        server.close();
      }
    });
  }
}
