// Measures third-party sites, indexed as the documentation recommends. Is the right page found, and would a maintainer
// keep the box? Asks through the search box in Chromium, and with Pagefind over the same pages.
//
//   node measure.mjs --sites FOLDER [--nearfind PROGRAM] [--json FILE] [--pictures FOLDER] [NAME…]      FOLDER is the one of build.sh
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { serve } from "../weight/server.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..", "..");
const { chromium } = createRequire(join(root, "tests", "weight", "package.json"))("playwright-core");
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sites: { type: "string" },
    nearfind: { type: "string", default: join(root, "target", "release", "nearfind") },
    json: { type: "string" },
    pictures: { type: "string" },
  },
});
const lines = (file) => readFileSync(file, "utf8").trim().split("\n");
/**
 * The constants of the floor were tuned with the first list. The second list was written later and shows the expected
 * quality.
 */
const offTopic = lines(join(here, "questions", "off_topic.txt"));
const unseen = lines(join(here, "questions", "off_topic_unseen.txt"));
const names =
  positionals.length > 0
    ? positionals
    : readdirSync(join(here, "questions"))
        .filter((file) => file.endsWith(".jsonl"))
        .map((file) => file.slice(0, -6));

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic"],
});
const report = {};
for (const name of names) {
  const site = join(options.sites, "built", name);
  if (!existsSync(site)) {
    console.log(`${name}: not built`);
    continue;
  }
  report[name] = await measure(name, site);
  print(name, report[name]);
}
await browser.close();
if (Object.keys(report).length > 1) {
  print(
    "all",
    Object.values(report).reduce(
      (sum, one) =>
        Object.fromEntries(
          Object.keys(one).map((key) => [
            key,
            typeof one[key] === "number" ? (sum[key] ?? 0) + one[key] : [...(sum[key] ?? []), ...one[key]],
          ]),
        ),
      {},
    ),
  );
}
if (options.json) writeFileSync(options.json, JSON.stringify(report, null, 1));

async function measure(name, site) {
  const questions = lines(join(here, "questions", `${name}.jsonl`)).map((line) => JSON.parse(line));
  execFileSync(options.nearfind, ["index", site, "-o", join(site, "nearfind"), "--quiet"], { stdio: "inherit" });
  const pagefind = join(options.sites, "pagefind", name);
  if (!existsSync(join(pagefind, "pagefind.js"))) {
    rmSync(pagefind, { recursive: true, force: true });
    execFileSync(
      join(root, "tests", "weight", "node_modules", ".bin", "pagefind"),
      ["--site", site, "--output-path", pagefind, "--quiet"],
      { stdio: "inherit" },
    );
  }
  const server = await serve({ "/measure/": join(here, "pages"), "/package/": join(root, "web"), "/pagefind/": pagefind, "/": site });
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(`${name}: ${error.message}`));
  const result = {
    questions: questions.length,
    first: 0,
    three: 0,
    pagefindFirst: 0,
    pagefindThree: 0,
    rows: 0,
    stays: 0,
    anchors: 0,
    headings: 0,
    headingsKnown: 0,
    fragments: 0,
    fragmentsMatch: 0,
    bad: [],
    unlabelled: 0,
    answered: 0,
    offTopic: offTopic.length,
    offTopicAnswered: 0,
    unseen: unseen.length,
    unseenAnswered: 0,
    misses: [],
    kept: [],
  };
  await page.goto(`${server.origin}/measure/box.html`);
  await page.evaluate('window.box = import("/measure/box.js"); undefined');
  const ask = (text) => page.evaluate((text) => window.box.then((box) => box.ask(text)), text);
  for (const { text, pages } of questions) {
    const { hits, rows, corrections } = await ask(text);
    const at = hits.findIndex(({ path }) => pages.includes(path));
    result.first += at === 0;
    result.three += at >= 0 && at < 3;
    result.answered += hits.length > 0;
    if (at !== 0)
      result.misses.push(
        `${text} → ${at < 0 ? "none" : at + 1}: ${hits
          .slice(0, 3)
          .map(({ path }) => path)
          .join(", ")}`,
      );
    if (corrections.length > 0) result.misses.push(`${text}: ${JSON.stringify(corrections)}`);
    for (const row of rows) {
      result.rows += 1;
      result.stays += row.stays && row.exists;
      result.anchors += row.anchorThere === true;
      result.headings += row.headingIsOwn === true;
      result.headingsKnown += row.headingIsOwn !== undefined;
      result.fragments += row.fragmentMatches !== undefined;
      result.fragmentsMatch += row.fragmentMatches === true;
      result.unlabelled += row.label.trim() === "";
      const why = [
        !row.inOneBlock && "glued",
        row.hasBar && "bar",
        row.repeatsHeading && "heading",
        row.fragmentMatches === false && "fragment",
        row.headingIsOwn === false && "elsewhere",
        row.anchorThere === false && "no anchor",
      ].filter(Boolean);
      if (why.length > 0) result.bad.push({ why: why.join("+"), href: row.href, section: row.section, text: row.text });
    }
  }
  for (const text of offTopic) {
    const { hits, why } = await ask(text);
    result.offTopicAnswered += hits.length > 0;
    if (hits.length > 0) result.kept.push(`${text} → ${hits[0].path} ${JSON.stringify(why[0])}`);
  }
  for (const text of unseen) result.unseenAnswered += (await ask(text)).hits.length > 0;
  if (options.pictures) await picture(page, `${server.origin}/`, questions[0].text, join(options.pictures, `${name}.png`));
  await page.goto(`${server.origin}/measure/pagefind.html`);
  await page.evaluate(
    'window.pagefind = import("/pagefind/pagefind.js").then(async (pagefind) => { await pagefind.init(); return pagefind; }); undefined',
  );
  for (const { text, pages } of questions) {
    const found = await page.evaluate(async (text) => {
      const { results } = await (await window.pagefind).search(text);
      return Promise.all(results.slice(0, 3).map(async (result) => (await result.data()).url));
    }, text);
    const at = found
      .map((url) => url.replace(/^\//, "").replace(/(^|\/)$/, "$1index.html"))
      .findIndex((path) => pages.includes(path) || pages.includes(`${path}.html`));
    result.pagefindFirst += at === 0;
    result.pagefindThree += at >= 0;
  }
  await page.close();
  server.close();
  return result;
}

/** Saves a picture of the box on a page of the site, with the answer to a question. */
async function picture(page, url, question, file) {
  await page.goto(url);
  await page.addScriptTag({ type: "module", url: "/package/dist/define.js" });
  await page.evaluate((question) => {
    const box = document.createElement("nearfind-search");
    box.setAttribute("bundle", "/nearfind/");
    document.body.append(box);
    customElements.whenDefined("nearfind-search").then(() => box.show(question));
  }, question);
  await page.waitForTimeout(2500);
  await page.screenshot({ path: file });
}

function print(name, result) {
  const share = (count, of) => `${count}/${of} (${of > 0 ? ((100 * count) / of).toFixed(0) : "–"} %)`;
  const bad = {};
  result.bad.forEach(({ why }) =>
    why.split("+").forEach((one) => {
      bad[one] = (bad[one] ?? 0) + 1;
    }),
  );
  console.log(`${name.padEnd(10)} first ${share(result.first, result.questions)} · three ${share(result.three, result.questions)} · Pagefind ${share(result.pagefindFirst, result.questions)} · ${share(result.pagefindThree, result.questions)}
           links stay ${share(result.stays, result.rows)} · anchors ${share(result.anchors, result.rows)} · own heading ${share(result.headings, result.headingsKnown)} · fragments ${share(result.fragmentsMatch, result.fragments)} · passages ${JSON.stringify(bad)} · rows without label ${result.unlabelled}
           answered ${share(result.answered, result.questions)} · off topic ${share(result.offTopicAnswered, result.offTopic)}, not seen before ${share(result.unseenAnswered, result.unseen)}`);
}
