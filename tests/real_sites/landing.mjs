// Measures where results lead. Questions with known pages and sections are typed into the box of built sites in
// Chromium. Is the right page first? Is it the right section? Is the section in view after the reader follows the link?
// Does the browser find the words that the link names?
//
//   node landing.mjs --sites FOLDER [--nearfind PROGRAM] [--json FILE] [NAME…]
//
// FOLDER/NAME/html is a built site: biopython (Sphinx, rtd theme), eslint (Eleventy), papermc (Starlight), rclone
// (Hugo) or zmk (Docusaurus). landing/NAME.jsonl has `{ q, kind, pages, anchors }` for each question: pages that answer
// it, and ids on these pages, or no ids if the top of the page is right. landing/nothing.jsonl has questions that no
// page of a site answers. All questions were written from the sources before any search. `--nearfind` indexes the sites
// first.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { closeBrowsers, openIn } from "../../web/test/browsers.mjs";
import { serve } from "../weight/server.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { sites: { type: "string" }, nearfind: { type: "string" }, json: { type: "string" } },
});
const here = dirname(fileURLToPath(import.meta.url));
const read = (name) =>
  readFileSync(join(here, "landing", `${name}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const nothing = read("nothing");
const known = readdirSync(join(here, "landing")).map((file) => file.replace(".jsonl", ""));
const names = positionals.length > 0 ? positionals : known.filter((name) => existsSync(join(options.sites, name, "html")));
/** Pushes a page down, so that a browser that finds nothing stays above it. */
const SPACER = '<div style="height:20000px"></div>';
const share = (part, all) => `${part} of ${all} (${Math.round((100 * part) / Math.max(all, 1))} %)`;

/** Types a question into the box. Returns the rows of the final answer. */
async function ask(box, text) {
  return box.page.evaluate(async (text) => {
    const element = document.querySelector("nearfind-search");
    let answer;
    const hear = ({ detail }) => {
      if (detail.query === text) answer = detail.answer;
    };
    element.addEventListener("nearfind-query", hear);
    element.show(text);
    const list = () => element.shadowRoot.querySelector("[role=listbox]").dataset;
    let quiet = 0;
    // The small encoder may load after the first answer, and then improve it.
    for (let last; quiet < 8; await new Promise((resolve) => setTimeout(resolve, 50))) {
      const isLast = answer && list().query === text && list().tier !== "" && answer === last;
      quiet = isLast ? quiet + 1 : 0;
      last = answer;
    }
    element.removeEventListener("nearfind-query", hear);
    const { shadowRoot } = element;
    const rows = [...shadowRoot.querySelectorAll("[role=option]")].map((row) => ({
      href: row.href,
      excerpt: row.querySelector("[part=excerpt]")?.textContent ?? "",
    }));
    return {
      found: answer.found,
      encoder: answer.encoder,
      hits: answer.hits.map(({ path, anchor, section, title }) => ({ path, anchor, section, title })),
      rows,
      status: shadowRoot.querySelector("[part=status]").textContent,
    };
  }, text);
}

/**
 * Opens an address in a separate page. Returns whether the browser scrolled to its target, and whether the target is
 * visible.
 */
async function land(page, href, excerpt) {
  await page.goto("about:blank");
  await page.goto(href);
  return page.evaluate(async (excerpt) => {
    // Sites may scroll slowly, and may start to scroll only when they are ready.
    for (let still = 0, last = -1; still < 5; await new Promise((resolve) => setTimeout(resolve, 100))) {
      still = scrollY === last ? still + 1 : 0;
      last = scrollY;
    }
    const anchor = decodeURIComponent(location.hash.slice(1).split(":~:")[0]);
    const target = anchor === "" ? null : (document.getElementById(anchor) ?? document.getElementsByName(anchor)[0]);
    const isIn = (element) => {
      const { top, bottom, width, height } = element.getBoundingClientRect();
      return width + height > 0 && top < innerHeight - 10 && bottom > 10;
    };
    const plain = (text) => text.replace(/\s+/g, "");
    const beginning = plain(excerpt.replace(/…$/, "").split(" · ")[0]).slice(0, 40);
    const holding = [...document.querySelectorAll("p,li,td,pre,dd,div,blockquote,summary,dt")].filter((element) =>
      plain(element.textContent).includes(beginning),
    );
    const passage = holding.filter((element) => !holding.some((inner) => inner !== element && element.contains(inner)));
    const title = document.querySelector("h1");
    const isTop = anchor === "" || (target !== null && title !== null && (target.contains(title) || title.contains(target)));
    return { y: scrollY, inView: anchor === "" || (target !== null && target !== undefined && isIn(target)) || passage.some(isIn), isTop };
  }, excerpt);
}

const report = {};
for (const name of names) {
  const site = join(options.sites, name, "html");
  if (options.nearfind) {
    execFileSync(options.nearfind, ["index", site, "-o", join(site, "nearfind"), "--quiet"], { stdio: "inherit" });
  }
  const server = await serve({ "/": site });
  const box = await openIn("chromium", `${server.origin}/nearfind/nearfind.json`, { expects: [/./] });
  await box.page.setContent('<html lang="en"><title>x</title></html>');
  await box.page.evaluate(async () => {
    await import("/nearfind/box/box.js");
    const element = document.createElement("nearfind-search");
    element.setAttribute("param", "none");
    document.body.append(element);
    while (!element.shadowRoot.querySelector("input")) await new Promise((resolve) => setTimeout(resolve, 10));
  });
  const place = await openIn("chromium", "about:blank", { expects: [/./] });
  const pushed = await openIn("chromium", "about:blank", { expects: [/./] });
  // Load only the sites themselves, and nothing from other origins.
  await place.page.route("**/*", (route) => (route.request().url().startsWith(server.origin) ? route.continue() : route.abort()));
  await pushed.page.route("**/*", async (route) => {
    if (!route.request().url().startsWith(server.origin)) return route.abort();
    if (route.request().resourceType() !== "document") return route.continue();
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace(/<body[^>]*>/i, (body) => body + SPACER) });
  });
  const rows = [];
  for (const question of read(name)) {
    const answer = await ask(box, question.q);
    const at = answer.hits.findIndex(({ path }) => question.pages.includes(path));
    const row = { ...question, at, status: answer.status, found: answer.found, encoder: answer.encoder, hits: answer.hits.slice(0, 3) };
    const [first] = answer.rows;
    if (first?.href) {
      const [page, hash = ""] = first.href.split("#");
      const [anchor, directive] = hash.split(":~:");
      Object.assign(row, { href: first.href, excerpt: first.excerpt, ...(await land(place.page, first.href, first.excerpt)) });
      row.isPlace = at === 0 && (question.anchors.includes(decodeURIComponent(anchor)) || (question.anchors.length === 0 && row.isTop));
      if (directive) {
        row.matches = (await land(pushed.page, `${page}#:~:${directive}`, first.excerpt)).y > 15000;
      }
    }
    rows.push(row);
  }
  const off = [];
  for (const { q: text } of nothing.filter(({ site }) => site === name)) {
    off.push({ q: text, ...(await ask(box, text)) });
  }
  for (const opened of [box, place, pushed]) await opened.close();
  server.close();
  report[name] = { rows, off };
  print(name, rows, off);
}
const all = Object.values(report);
print(
  "all",
  all.flatMap(({ rows }) => rows),
  all.flatMap(({ off }) => off),
  true,
);
if (options.json) writeFileSync(options.json, JSON.stringify(report, null, 1));
await closeBrowsers();

function print(name, rows, off, byKind = false) {
  const count = (is, of = rows) => share(of.filter(is).length, of.length);
  const went = rows.filter(({ href }) => href);
  const named = rows.filter(({ matches }) => matches !== undefined);
  console.log(
    `${name}: first ${count(({ at }) => at === 0)}, in three ${count(({ at }) => at >= 0 && at < 3)}, right place first ${count(({ isPlace }) => isPlace)}, ` +
      `in view ${count(({ inView }) => inView, went)}, fragments found ${count(({ matches }) => matches, named)}, nothing found ${count(({ found }) => found === 0)}, ` +
      `something else answered ${count(({ found }) => found > 0, off)}`,
  );
  if (byKind) {
    for (const kind of new Set(rows.map((row) => row.kind))) {
      const of = rows.filter((row) => row.kind === kind);
      console.log(
        `  ${kind}: first ${count(({ at }) => at === 0, of)}, in three ${count(({ at }) => at >= 0 && at < 3, of)}, place ${count(({ isPlace }) => isPlace, of)}`,
      );
    }
  }
}
