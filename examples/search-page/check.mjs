// One question in the terminal, in Node and in Chromium: the three must agree.
import { execFileSync } from "node:child_process";
import { open } from "nearfind";
import { openPage } from "./browser.mjs";
import { serve } from "./serve.mjs";

const [nearfind, bundle, ...docs] = process.argv.slice(2);
const question = "how do I share data between threads?";
const limit = 10;

const terminal = JSON.parse(
  execFileSync(nearfind, ["search", bundle, question, "--json", "--tier", "1", "--limit", String(limit)], { encoding: "utf8" }),
);

const search = await open(bundle);
const node = await search.query(question, { limit });
search.close();

const server = await serve(bundle, docs);
const { browser, page, problems } = await openPage(`http://127.0.0.1:${server.address().port}/`);
await page.waitForFunction(() => document.querySelector("nearfind-search")?.shadowRoot?.querySelector("[role=combobox]"), undefined, {
  timeout: 60_000,
});
const asked = page.evaluate(
  (question) =>
    new Promise((resolve) => {
      document.addEventListener("nearfind-query", ({ detail }) => resolve(detail.answer), { once: true });
      document.querySelector("nearfind-search").show(question);
    }),
  question,
);
const chromium = (await asked).hits.map((hit) => hit.document);
if (process.env.SCREENSHOT) {
  await page.keyboard.press("ArrowDown");
  await page.screenshot({ path: process.env.SCREENSHOT });
}
await browser.close();
server.close();

const answers = { terminal: terminal.hits.map((hit) => hit.document), node: node.hits.map((hit) => hit.document), chromium };
console.log(`\n${question}\n`);
for (let rank = 0; rank < limit; rank++) {
  console.log(
    `${String(rank + 1).padStart(2)}  ${Object.values(answers)
      .map((ids) => (ids[rank] ?? "").slice(0, 44).padEnd(46))
      .join("")}`,
  );
}
const agree = Object.values(answers).every((ids) => ids.length === limit && ids.join() === answers.terminal.join());
if (problems.length > 0) {
  console.error(`\nerrors in the page:\n${problems.join("\n")}`);
}
console.log(agree ? "\nterminal, Node and Chromium agree" : "\nterminal, Node and Chromium do NOT agree");
process.exit(agree && problems.length === 0 ? 0 : 1);
