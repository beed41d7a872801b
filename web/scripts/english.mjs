// Checks the English of every Markdown page that people read: grammar and spelling by Harper, wordiness by write-good,
// and considerate words by retext-equality and retext-profanities, the rules of alex. Fails if there is a finding.
//
//   npm run english            all pages that git lists
//   npm run english -- FILE…   some pages, named from the root of the repository
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { ACCEPTED, OF_PAGES } from "./english_rules.mjs";
import { passages } from "./markdown_passages.mjs";

const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
const hash = (text) => createHash("sha256").update(text).digest("base64");
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Bytes that a worker reads at once. */
const BATCH = 6000;
/** Test data, not pages for people. */
const NOT_PAGES = /^native-indexer\/tests\//;

/** Returns the pages that git lists, new ones included, as paths from the root. */
function pages() {
  const listed = execFileSync("git", ["-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], { encoding: "utf8" });
  return [...new Set(listed.trim().split("\n"))].filter((path) => !NOT_PAGES.test(path));
}

/** The findings of passages, by their hashes: earlier runs keep them, because reading everything takes long. */
const known = openCache();

/** Opens what was kept under the same rules, words and versions. */
function openCache() {
  const key = hash(["english_rules.mjs", "english_words.txt", "markdown_passages.mjs", "../package-lock.json"].map(read).join("\0"));
  const file = new URL("../node_modules/.cache/nearfind-english.json", import.meta.url);
  const kept = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const findings = new Map(kept.key === key ? kept.findings : []);
  return {
    of: ({ markdown }) => findings.get(hash(markdown)),
    set: ({ markdown }, found) => findings.set(hash(markdown), found),
    save: () => {
      mkdirSync(new URL("./", file), { recursive: true });
      writeFileSync(file, JSON.stringify({ key, findings: [...findings] }));
    },
  };
}

/** Has workers read batches of passages, and returns the findings of each batch. */
async function readAll(batches) {
  const found = [];
  let next = 0;
  const work = async () => {
    const worker = new Worker(new URL("./english_reader.mjs", import.meta.url));
    try {
      while (next < batches.length) {
        const number = next++;
        worker.postMessage(batches[number]);
        [found[number]] = await once(worker, "message");
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), batches.length) }, work));
  return found;
}

const named = process.argv.slice(2);
const files = named.length ? named : pages();
// Generated pages repeat themselves, so equal passages are read once.
const all = new Map();
for (const file of files) {
  for (const passage of passages(readFileSync(`${ROOT}${file}`, "utf8"))) {
    all.set(passage.markdown, { file, ...passage });
  }
}
const batches = [];
let size = BATCH;
for (const passage of [...all.values()].filter((passage) => !known.of(passage))) {
  if (size >= BATCH) {
    batches.push([]);
    size = 0;
  }
  batches.at(-1).push(passage);
  size += passage.markdown.length;
}
for (const [number, found] of (await readAll(batches)).entries()) {
  for (const [index, passage] of batches[number].entries()) {
    known.set(
      passage,
      found.filter((one) => one.index === index),
    );
  }
}
known.save();

const unused = new Set(ACCEPTED);
const reported = [];
for (const passage of all.values()) {
  for (const { rule, words, advice } of known.of(passage)) {
    const accepted = ACCEPTED.find((one) => one.rule === rule && passage.markdown.replaceAll("\n", " ").includes(one.text));
    unused.delete(accepted);
    if (!accepted && !(rule in (OF_PAGES[passage.file] ?? {}))) {
      reported.push(`${passage.file}:${passage.line}: ${rule}: “${words.replaceAll("\n", " ")}”: ${advice}`);
    }
  }
}
for (const { rule, text } of named.length ? [] : unused) {
  reported.push(`english_rules.mjs accepts “${text}” (${rule}), which no page has`);
}
for (const line of reported) {
  console.error(line);
}
console.log(`English: ${files.length} pages, ${reported.length} findings`);
process.exit(reported.length === 0 ? 0 : 1);
