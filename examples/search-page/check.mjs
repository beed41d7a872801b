// Asks one question in the terminal, in Node and in Chromium. The three must agree, and the box must look as in README.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { open } from "nearfind";
import { QUESTION as question, ask, readBox } from "./box.mjs";
import { openPage } from "./browser.mjs";
import { serve } from "./serve.mjs";

const [nearfind, bundle, ...docs] = process.argv.slice(2);
const limit = 10;

const terminal = JSON.parse(
  execFileSync(nearfind, ["search", bundle, question, "--json", "--tier", "1", "--limit", String(limit)], { encoding: "utf8" }),
);

const search = await open(bundle);
const node = await search.query(question, { limit });
search.close();

const server = await serve(bundle, docs);
const { browser, page, problems } = await openPage(`http://127.0.0.1:${server.address().port}/`);
const chromium = (await ask(page)).hits.map((hit) => hit.document);
const shown = await readBox(page);
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
const pictured = readFileSync(new URL("pictures.txt", import.meta.url), "utf8");
if (shown !== pictured) {
  console.error(
    `\nthe pictures show another box; take them again with examples/search-page/pictures.mjs\npictured:\n${pictured}\nnow:\n${shown}`,
  );
}
console.log(agree ? "\nterminal, Node and Chromium agree" : "\nterminal, Node and Chromium do NOT agree");
process.exit(agree && problems.length === 0 && shown === pictured ? 0 : 1);
