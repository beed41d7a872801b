// Tests a cross-encoder that reorders answers. Node and a page give the same order as the program, and without the
// cross-encoder, the order does not change.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openPage } from "../../examples/search-page/browser.mjs";
import { PACKAGE, makeCrossEncoder, makeSite, serveFolders } from "./support.mjs";

const { open } = await import(new URL("dist/node.js", PACKAGE));
const site = makeSite();
const folder = mkdtempSync(join(tmpdir(), "nearfind-"));
const pack = makeCrossEncoder(folder);
const { bundle } = site.folders;
after(() => {
  site.cleanUp();
  rmSync(folder, { recursive: true, force: true });
});

const QUESTIONS = ["threads share memory", "a lock", "wait for a mutex"];
const OPTIONS = { mode: "words", limit: 3, unfit: true };

/** Returns the values of a hit that are compared. */
const row = ({ document, score, relevance }) => [document, score.toFixed(5), relevance?.toFixed(5)];

/** Returns the rows from the program, with the same cross-encoder. */
function inTheTerminal(question, candidates) {
  const settings = ["rerank.provider=local", `rerank.model=${pack}`, `rerank.candidates=${candidates}`].flatMap((setting) => [
    "--set",
    setting,
  ]);
  const printed = execFileSync(process.env.NEARFIND ?? "nearfind", [
    "search",
    bundle,
    question,
    "--mode",
    "words",
    "-n",
    "3",
    "--unfit",
    "--json",
    "-q",
    ...settings,
  ]);
  return JSON.parse(printed).hits;
}

test("Node gives the same order as the program", async () => {
  const [search, plain] = await Promise.all([open(bundle, { reranker: pack }), open(bundle)]);
  let moved = 0;
  for (const question of QUESTIONS) {
    for (const rerank of [20, 2]) {
      const { hits, notice } = await search.query(question, { ...OPTIONS, rerank });
      assert.equal(notice, undefined);
      assert.deepEqual(hits.map(row), inTheTerminal(question, rerank).map(row), `${question} ${rerank}`);
      assert.equal(hits.filter(({ relevance }) => relevance !== undefined).length, Math.min(rerank, hits.length));
      assert.ok(
        hits.every((hit) => !("text" in hit)),
        "what the model reads stays inside",
      );
      const before = (await plain.query(question, OPTIONS)).hits;
      moved += hits.filter(({ document }, at) => document !== before[at]?.document).length;
    }
  }
  assert.ok(moved > 0, "it changes an order");
  // Sorted answers are not reranked.
  const previews = [];
  await search.query(QUESTIONS[0], { ...OPTIONS, mode: "hybrid", rerank: 20, onPreview: (answer) => previews.push(answer) });
  assert.ok(previews.every(({ hits }) => hits.length <= 3 && hits.every((hit) => !("text" in hit))));
  search.close();
  plain.close();
});

test("without the model the order does not change, and the answer reports the reason", async () => {
  const plain = await open(bundle);
  const before = (await plain.query(QUESTIONS[0], OPTIONS)).hits.map(row);
  plain.close();
  const broken = join(folder, "broken.nfm");
  writeFileSync(broken, "nothing of the kind");
  for (const [reranker, expected] of [
    [undefined, "pass its pack as option `reranker`"],
    [join(folder, "nowhere.nfm"), "nowhere.nfm"],
    [broken, "not reranked: "],
  ]) {
    const search = await open(bundle, { ...(reranker && { reranker }) });
    const { hits, notice } = await search.query(QUESTIONS[0], { ...OPTIONS, rerank: 5 });
    assert.deepEqual(hits.map(row), before);
    assert.ok(notice.startsWith("not reranked: ") && notice.includes(expected), notice);
    search.close();
  }
});

/** Asks the questions in a page. */
async function ask([questions, options]) {
  const { open } = await import("/nearfind/dist/browser.js");
  const search = await open("/bundle/", { reranker: "/models/reranker.nfm" });
  const found = [];
  for (const question of questions) {
    found.push(await search.query(question, options));
  }
  search.close();
  return found;
}

test("a page gives the same order as the program, and loads the model once", async () => {
  const models = mkdtempSync(join(folder, "served-"));
  copyFileSync(pack, join(models, "reranker.nfm"));
  const log = [];
  const server = await serveFolders({ ...site.folders, models }, { log });
  const { browser, page } = await openPage(`${server.url}/page/empty.html`);
  try {
    const found = await page.evaluate(ask, [QUESTIONS, { ...OPTIONS, rerank: 20 }]);
    found.forEach(({ hits, notice }, at) => {
      assert.equal(notice, undefined);
      assert.deepEqual(hits.map(row), inTheTerminal(QUESTIONS[at], 20).map(row));
    });
    assert.equal(log.filter(({ file }) => file === "reranker.nfm").length, 1);
  } finally {
    await browser.close();
    server.close();
  }
});
