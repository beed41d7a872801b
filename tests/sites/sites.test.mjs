// Tests the built example sites (examples/sites/build.sh): each answers a question, with keys alone, and the page of
// the answer exists. SCREENSHOTS=folder also saves a screenshot of each.
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { BROWSERS, closeBrowsers, openIn } from "../../web/test/browsers.mjs";
import { host } from "./host.mjs";

const SITES = fileURLToPath(new URL("../../target/sites/", import.meta.url));
const { SCREENSHOTS } = process.env;
/** The path under which the sites are published. */
const BASE = "/docs/";
after(closeBrowsers);

/** The question for each site, and the expected titles of the best page. */
const QUESTION = ["how does a quantized encoder do its arithmetic?", /Bundle format/i];
/** The question for the samples of source code. */
const SAMPLE_QUESTION = ["how do I keep clients from retrying all at once?", /Backoff/];
const SITE_QUESTIONS = {
  mdbook: QUESTION,
  vitepress: QUESTION,
  starlight: QUESTION,
  sveltekit: QUESTION,
  docusaurus: QUESTION,
  nextra: QUESTION,
  fumadocs: QUESTION,
  mkdocs: QUESTION,
  zensical: QUESTION,
  sphinx: QUESTION,
  hugo: QUESTION,
  eleventy: QUESTION,
  jekyll: QUESTION,
  antora: QUESTION,
  doxygen: SAMPLE_QUESTION,
  yard: SAMPLE_QUESTION,
  javadoc: SAMPLE_QUESTION,
  rustdoc: ["how many bits does a value have", /RowBits/],
};
/** References, which have short pages. */
const REFERENCES = ["doxygen", "yard", "javadoc", "rustdoc"];
/** Sites with routers, which follow results without reloading the page. */
const HAVE_ROUTERS = ["vitepress", "docusaurus"];
/** Sites with routers that drop text fragments, so the box highlights the words. */
const HAVE_HIGHLIGHTS = ["vitepress", "docusaurus"];
const longest = (texts) => texts.reduce((most, text) => (text.length > most.length ? text : most));
/** Returns whether the heading or the passage is visible. */
const isInView = ({ anchor, beginning }) => {
  const isIn = (element) => {
    const { top, bottom, width } = element.getBoundingClientRect();
    return width > 0 && top < innerHeight && bottom > 0;
  };
  const passages = [...document.querySelectorAll("p, li, td, pre, dd")].filter((element) =>
    element.textContent.replaceAll(/\s/g, "").includes(beginning),
  );
  const heading = document.getElementById(anchor);
  return (heading !== null && isIn(heading)) || passages.some(isIn);
};
/**
 * Whether the final answer is shown, which is that of the small encoder. The page loads the encoder without being
 * asked.
 */
const answered = (question) => {
  const { dataset } = document.querySelector("nearfind-search").shadowRoot.querySelector("[role=listbox]");
  return dataset.query === question && dataset.tier === "2";
};

for (const [site, [question, title]] of Object.entries(SITE_QUESTIONS)) {
  for (const browser of BROWSERS) {
    test(`${site} answers a question in ${browser}`, async () => {
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
          const text = (part) => first.querySelector(`[part=${part}]`).textContent;
          return { title: text("title"), excerpt: text("excerpt").replace(/…$/, ""), href: first.href };
        });
        if (SCREENSHOTS && browser === "chromium") {
          mkdirSync(SCREENSHOTS, { recursive: true });
          await box.page.screenshot({ path: join(SCREENSHOTS, `${site}.png`) });
        }
        assert.match(found.title, title);
        // The answer may be on the current page.
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
        // Readers see the target without scrolling: the passage, or its heading.
        const anchor = decodeURIComponent(hash.slice(1).split(":~:")[0]);
        await box.until(isInView, { anchor, beginning: longest(found.excerpt.split(" · ")).replaceAll(/\s/g, "").slice(0, 40) });
        const place = await box.run((anchor) => document.getElementById(anchor)?.getBoundingClientRect().top + scrollY, anchor);
        assert.ok(
          place > 1600 || REFERENCES.includes(site),
          `${anchor} is ${place} below the top: a place further down is needed to tell that pages scroll`,
        );
        assert.equal(await box.run(() => window.isSamePage ?? false), isHere || HAVE_ROUTERS.includes(site));
        if (HAVE_HIGHLIGHTS.includes(site) && (await box.run(() => "highlights" in CSS))) {
          await box.until(() => CSS.highlights.has("nearfind-passage"));
          await box.press("ArrowDown");
          await box.until(() => !CSS.highlights.has("nearfind-passage"));
        }
        assert.deepEqual(box.problems, []);
      } finally {
        await box.close();
        server.close();
      }
    });
  }
}
