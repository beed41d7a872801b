// Checks that the program, Node and Chromium give the same documents in the same order for fifty questions, and the
// same vectors.
//
// Vectors of different builds of tract differ in their last bits, so two documents may change places if their scores
// differ by less than the tie margin that core declares.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { openPage } from "../../examples/search-page/browser.mjs";
import { serve } from "../../examples/search-page/serve.mjs";

const { NEARFIND, NEARFIND_BUNDLE: bundle, NEARFIND_DOCS: docs = "" } = process.env;
const { open } = await import("../../examples/search-page/node_modules/nearfind/dist/node.js");

const questions = readFileSync(new URL("questions.txt", import.meta.url), "utf8")
  .trim()
  .split("\n");
const limit = 10;
const TIERS = [1, 2];
const TIE_MARGIN = Number(
  /TIE_MARGIN: f32 = ([\d.]+)/.exec(readFileSync(new URL("../../core/src/rank/fusion.rs", import.meta.url), "utf8"))[1],
);
const lines = (args) =>
  execFileSync(NEARFIND, args, { input: `${questions.join("\n")}\n`, encoding: "utf8", maxBuffer: 1 << 28 })
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const answers = {};
const vectors = {};

before(async () => {
  for (const tier of TIERS) {
    answers[`terminal ${tier}`] = lines(["search", bundle, "--stdin", "--near", "--tier", String(tier), "--limit", String(limit)]);
  }
  vectors.terminal = lines(["model", "embed", "--stdin"]);

  const search = await open(bundle);
  vectors.node = [];
  for (const tier of TIERS) {
    answers[`node ${tier}`] = [];
    for (const question of questions) {
      answers[`node ${tier}`].push(await search.query(question, { limit, tier, vectors: "near" }));
    }
  }
  for (const question of questions) {
    vectors.node.push(await search.embed(question));
  }
  search.close();

  const server = await serve(bundle, docs.split(" "));
  const { browser, page, problems } = await openPage(`http://127.0.0.1:${server.address().port}/`);
  const found = await page.evaluate(
    async ([questions, limit, tiers]) => {
      const { open } = await import("/node_modules/nearfind/dist/browser.js");
      const search = await open("/bundle/");
      const [answers, vectors] = [{}, []];
      for (const tier of tiers) {
        answers[tier] = [];
        for (const question of questions) {
          answers[tier].push(await search.query(question, { limit, tier }));
        }
      }
      for (const question of questions) {
        vectors.push(Array.from(await search.embed(question)));
      }
      search.close();
      return { answers, vectors };
    },
    [questions, limit, TIERS],
  );
  TIERS.forEach((tier) => {
    answers[`chromium ${tier}`] = found.answers[tier];
  });
  vectors.chromium = found.vectors;
  await browser.close();
  server.close();
  assert.deepEqual(problems, []);
});

for (const host of ["node", "chromium"]) {
  test(`${host} gives the same vectors as the program, bit for bit`, () => {
    questions.forEach((question, at) => {
      assert.deepEqual(Array.from(vectors[host][at]), vectors.terminal[at].map(Math.fround), question);
    });
  });

  for (const tier of TIERS)
    test(`${host} ranks like the program, tier ${tier}`, () => {
      let swapped = 0;
      questions.forEach((question, at) => {
        const [expected, found] = [answers[`terminal ${tier}`][at].hits, answers[`${host} ${tier}`][at].hits];
        assert.equal(found.length, expected.length, question);
        assert.deepEqual([answers[`${host} ${tier}`][at].mode, answers[`${host} ${tier}`][at].tier], ["hybrid", tier]);
        expected.forEach((hit, rank) => {
          const same = found[rank].document === hit.document;
          swapped += same ? 0 : 1;
          assert.ok(
            same || Math.abs(found[rank].why.fused - hit.why.fused) < TIE_MARGIN,
            `${question}: rank ${rank + 1} is ${found[rank].document}, not ${hit.document}`,
          );
          if (same) {
            assert.deepEqual([found[rank].excerpt, found[rank].anchor, found[rank].url], [hit.excerpt, hit.anchor, hit.url], question);
          }
        });
      });
      console.log(`${host}, tier ${tier}: ${swapped} of ${questions.length * limit} places differ from the terminal`);
    });
}

test("a question costs a page few bytes", () => {
  // All blocks that words and meaning read, over the Rust book and reference, which are 230 documents.
  const bytes = answers["chromium 1"]
    .map((answer) => Object.values(answer.cost.bytes).reduce((sum, bytes) => sum + bytes, 0))
    .sort((a, b) => a - b);
  const [median, worst] = [bytes[bytes.length / 2], bytes.at(-1)];
  console.log(`bytes of blocks: median ${median}, worst ${worst}`);
  assert.ok(median < 125_000, `median ${median}`);
  assert.ok(worst < 160_000, `worst ${worst}`);
});

after(() => assert.equal(questions.length, 50));
