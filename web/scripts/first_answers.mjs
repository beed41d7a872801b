// Finds the functions of the search module that no first answer needs, and writes their list, `later_functions.txt`:
//   node scripts/first_answers.mjs BUNDLE…   after `build.mjs`; use many kinds of bundles
// A new function is not in the list, so it stays in the part that pages wait for. If a first answer needs a listed
// function after all, this costs a further request, which `test/parts.test.mjs` detects.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateRawSync } from "node:zlib";
import { newInstance } from "../wasm/search/nearfind_search.js";

const scripts = dirname(fileURLToPath(import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? join(scripts, "..", "..", "target");
const watched = join(target, "search-watched.wasm");
execFileSync(join(target, "tool", "nearfind-bindgen"), ["watch", join(target, "search-with-names.wasm"), watched]);
const { BundleSearcher, instantiate } = newInstance();
const exports = await instantiate(readFileSync(watched));

/**
 * Words and names of the bundle, mistyped words, beginnings, marks that are not words, other languages, and empty
 * queries.
 */
const QUESTIONS = [
  "how do I change the color of a widget",
  "create an array of objects",
  "remotng a comand",
  "instal",
  "thread that wiats for a lo",
  "connet to a datab",
  "get",
  "GetChildItem",
  "add_filter",
  "read a file, line by line: how?",
  "C++ <template> & *pointers*",
  "C#",
  "naïve café",
  "検索",
  "zzzzqqqq xxyyzz",
  "the of and",
  "plot",
  "connect to a database",
];
/** Queries as the search box sends them, and as programs do. */
const KINDS = [
  { mode: "hybrid", previews: true, typing: true, counts: true, passages: 4, language: "en" },
  { mode: "hybrid", previews: false, typing: false, counts: false, passages: 1 },
  { mode: "words", previews: true, typing: true, counts: false, passages: 1 },
];
const OPTIONS = { limit: 10, full: false, texts: false, filters: [], unfit: false };

for (const folder of process.argv.slice(2)) {
  ask(folder);
}
const wasCalled = new Map();
for (const [name, called] of Object.entries(exports)) {
  const [, key] = /^called \d+ (.+)$/.exec(name) ?? [];
  if (key) {
    wasCalled.set(key, wasCalled.get(key) || called.value === 1);
  }
}
const later = [...wasCalled].filter(([, called]) => !called).map(([key]) => key);
writeFileSync(join(scripts, "later_functions.txt"), `${later.sort().join("\n")}\n`);
console.log(`${later.length} of ${wasCalled.size} functions are for later`);

/** Runs all calls that may precede a page's first answer. */
function ask(folder) {
  const { generation, root } = JSON.parse(readFileSync(join(folder, "nearfind.json"), "utf8"));
  const stored = Buffer.from(root, "base64");
  const files = new Map();
  const bring = (searcher, needed) => {
    for (const { bundle, part, block, file, start, bytes } of needed) {
      if (!files.has(file)) {
        files.set(file, readFileSync(join(folder, file)));
      }
      const range = files.get(file).subarray(start, start + bytes);
      searcher.provide(bundle, part, block, opened(range, searcher.unseal(bundle, part, block, range)));
    }
  };
  for (const question of QUESTIONS) {
    for (const kind of KINDS) {
      const searcher = new BundleSearcher(opened(stored, BundleSearcher.unsealRoot(generation, stored)));
      searcher.hasQueryEncoder();
      BundleSearcher.mayHaveMarks(question);
      bring(searcher, searcher.alwaysNeeded().need);
      // A reader who continues typing, and one whose connection breaks.
      searcher.cancel(searcher.start(question, { ...OPTIONS, ...kind }));
      const settled = searcher.start(question, { ...OPTIONS, ...kind });
      searcher.settleForWords(settled);
      for (const session of [settled, searcher.start(question, { ...OPTIONS, ...kind })]) {
        for (let step = {}; !step.answer; step = searcher.advance(session)) {
          bring(searcher, step.need ?? []);
        }
      }
      searcher.free();
    }
  }
}

function opened(stored, [size, start, end]) {
  const body = stored.subarray(start, end);
  return size === 0 ? body : inflateRawSync(body);
}
