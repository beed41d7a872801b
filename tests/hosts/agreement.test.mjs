// Terminal, Node and Chromium give the same documents in the same order for fifty questions, and the same vectors.
//
// Vectors of different builds of tract differ in their last bits, so two documents may change places where their scores
// are within the tie margin that core declares.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { openPage } from "../../examples/search-page/browser.mjs";
import { serve } from "../../examples/search-page/serve.mjs";

const { NEARFIND, NEARFIND_BUNDLE: bundle, NEARFIND_DOCS: docs = "" } = process.env;
const { open } = await import("../../examples/search-page/node_modules/nearfind/dist/node.js");

const questions = readFileSync(new URL("questions.txt", import.meta.url), "utf8").trim().split("\n");
const limit = 10;
const TIE_MARGIN = Number(/TIE_MARGIN: f32 = ([\d.]+)/.exec(readFileSync(new URL("../../core/src/rank/fusion.rs", import.meta.url), "utf8"))[1]);
const lines = (args) => execFileSync(NEARFIND, args, { input: questions.join("\n") + "\n", encoding: "utf8", maxBuffer: 1 << 28 }).trim().split("\n").map((line) => JSON.parse(line));
const cosine = (a, b) => a.reduce((sum, x, at) => sum + x * b[at], 0);

const answers = {};
const vectors = {};

before(async () => {
  answers.terminal = lines(["search", bundle, "--stdin", "--limit", String(limit)]);
  vectors.terminal = lines(["model", "embed", "--stdin"]);

  const search = await open(bundle);
  answers.node = [];
  vectors.node = [];
  for (const question of questions) {
    answers.node.push(await search.query(question, { limit }));
    vectors.node.push(await search.embed(question));
  }
  search.close();

  const server = await serve(bundle, docs.split(" "));
  const { browser, page, problems } = await openPage(`http://127.0.0.1:${server.address().port}/`);
  const found = await page.evaluate(async ([questions, limit]) => {
    const { open } = await import("/node_modules/nearfind/dist/browser.js");
    const search = await open("/bundle/");
    const [answers, vectors] = [[], []];
    for (const question of questions) {
      answers.push(await search.query(question, { limit }));
      vectors.push(Array.from(await search.embed(question)));
    }
    search.close();
    return { answers, vectors };
  }, [questions, limit]);
  answers.chromium = found.answers;
  vectors.chromium = found.vectors;
  await browser.close();
  server.close();
  assert.deepEqual(problems, []);
});

for (const host of ["node", "chromium"]) {
  test(`${host} gives the vectors of the terminal`, () => {
    questions.forEach((question, at) => {
      const near = cosine(vectors.terminal[at], Array.from(vectors[host][at]));
      assert.ok(near >= 0.9999, `${question}: cosine ${near}`);
    });
  });

  test(`${host} ranks as the terminal does`, () => {
    let swapped = 0;
    questions.forEach((question, at) => {
      const [expected, found] = [answers.terminal[at].hits, answers[host][at].hits];
      assert.equal(found.length, expected.length, question);
      assert.equal(answers[host][at].mode, "hybrid");
      expected.forEach((hit, rank) => {
        const same = found[rank].document === hit.document;
        swapped += same ? 0 : 1;
        assert.ok(same || Math.abs(found[rank].score - hit.score) < TIE_MARGIN, `${question}: rank ${rank + 1} is ${found[rank].document}, not ${hit.document}`);
        if (same) {
          assert.deepEqual([found[rank].excerpt, found[rank].anchor, found[rank].url], [hit.excerpt, hit.anchor, hit.url], question);
        }
      });
    });
    console.log(`${host}: ${swapped} of ${questions.length * limit} places differ from the terminal`);
  });
}

after(() => assert.equal(questions.length, 50));
