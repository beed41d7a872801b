// Asks ten thousand questions. The memory that the first ones needed must suffice for all of them.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { PACKAGE, makeBundle } from "./support.mjs";

const { open } = await import(new URL("dist/node.js", PACKAGE));
const site = makeBundle();
after(() => site.cleanUp());

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

/** Returns the bytes in use after garbage collection, including the memories of modules. */
function inUse() {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test("memory stays flat over ten thousand questions", async () => {
  const search = await open(site.bundle);
  const words = ["thread", "channel", "message", "dough", "flour", "water", "bread", "zebra", "page", "salt"];
  // All questions are different.
  const question = (number) => `${words[number % 10]} ${words[Math.floor(number / 10) % 10]} w${number}`;
  let asked = 0;
  const askUntil = async (count) => {
    for (; asked < count; asked++) {
      await search.query(question(asked), { mode: asked % 4 === 0 ? "hybrid" : "words", tier: 1 });
    }
  };
  await askUntil(2000);
  const before = inUse();
  await askUntil(10_000);
  const grown = inUse() - before;
  assert.ok(grown < before * 0.05, `${before} bytes after 2,000 questions, ${grown} more after 10,000`);
  search.close();
});
