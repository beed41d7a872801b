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

const QUESTION = "why does a page not need the whole index?";
const answered = (question) => {
  const { dataset } = document.querySelector("nearfind-search").shadowRoot.querySelector("[role=listbox]");
  return dataset.query === question && dataset.tier !== "";
};

for (const site of ["mdbook", "vitepress", "starlight", "sphinx"]) {
  for (const browser of BROWSERS) {
    test(`${site} in ${browser}`, async () => {
      assert.ok(existsSync(join(SITES, site)), `${site} is not built: run examples/sites/build.sh ${site}`);
      const server = await host(join(SITES, site), BASE);
      const box = await openIn(browser, server.url);
      try {
        await box.until(() => document.querySelector("nearfind-search")?.shadowRoot?.querySelector("[role=combobox]") != null);
        await box.press("Control+k");
        await box.type(QUESTION);
        await box.until(answered, QUESTION);
        const found = await box.run(() => {
          const { shadowRoot } = document.querySelector("nearfind-search");
          const [first] = shadowRoot.querySelectorAll("a[role=option]");
          return { title: first.querySelector("[part=title]").textContent, href: first.href };
        });
        if (SCREENSHOTS && browser === "chromium") {
          mkdirSync(SCREENSHOTS, { recursive: true });
          await box.page.screenshot({ path: join(SCREENSHOTS, `${site}.png`) });
        }
        assert.match(found.title, /Architecture|nearfind/i);
        await box.run(() => { window.isSamePage = true; });
        await box.press("Enter");
        const { pathname, hash } = new URL(found.href);
        await box.until((pathname) => location.pathname.replace(/\.html$/, "") === pathname.replace(/\.html$/, "") && document.querySelector("h1, h2") !== null, pathname);
        const anchor = hash.slice(1).split(":~:")[0];
        assert.ok(!anchor || (await box.run((anchor) => document.getElementById(decodeURIComponent(anchor)) !== null, anchor)), `${found.href} has no such anchor`);
        // Its router follows the result: the page is not loaded anew.
        assert.equal(await box.run(() => window.isSamePage ?? false), site === "vitepress");
        assert.deepEqual(box.problems, []);
      } finally {
        await box.close();
        server.close();
      }
    });
  }
}
