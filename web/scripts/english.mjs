// Checks the English of every Markdown page that people read: grammar and spelling by Harper, wordiness by write-good,
// and considerate words by retext-equality and retext-profanities, the rules of alex. Fails if there is a finding.
//
//   npm run english            all pages that git lists
//   npm run english -- FILE…   some pages, named from the root of the repository
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Dialect, LocalLinter } from "harper.js";
import { binary } from "harper.js/binary";
import { retext } from "retext";
import equality from "retext-equality";
import profanities from "retext-profanities";
import writeGood from "write-good";
import { ACCEPTED, CONSIDERATE, GRAMMAR, OF_PAGES, WORDINESS } from "./english_rules.mjs";
import { passages } from "./markdown_passages.mjs";

const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
const hash = (text) => createHash("sha256").update(text).digest("base64");
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Test data, not pages for people. */
const NOT_PAGES = /^native-indexer\/tests\//;

/** Returns the pages that git lists, new ones included, as paths from the root. */
function pages() {
  const listed = execFileSync("git", ["-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], { encoding: "utf8" });
  return [...new Set(listed.trim().split("\n"))].filter((path) => !NOT_PAGES.test(path));
}

async function openHarper() {
  const words = read("english_words.txt").split("\n");
  const linter = new LocalLinter({ binary, dialect: Dialect.American });
  const known = words.filter((line) => line !== "" && !line.startsWith("#"));
  await linter.importWords(known.flatMap((word) => [word, `${word}'s`]));
  const rules = await linter.getDefaultLintConfig();
  for (const rule of Object.keys(GRAMMAR)) {
    if (!(rule in rules)) {
      throw new Error(`english_rules.mjs turns off ${rule}, which Harper does not have`);
    }
    rules[rule] = false;
  }
  await linter.setLintConfig(rules);
  return linter;
}

const harper = await openHarper();
const considerate = retext().use(equality).use(profanities, { sureness: 2 });
const checks = Object.fromEntries(Object.keys(WORDINESS.checks).map((check) => [check, false]));

/** Hashes of passages without findings: earlier runs keep them, because reading everything takes half a minute. */
const clean = openCache();

/** Opens what was kept under the same rules, words and versions. */
function openCache() {
  const key = hash(["english_rules.mjs", "english_words.txt", "markdown_passages.mjs", "../package-lock.json"].map(read).join("\0"));
  const file = new URL("../node_modules/.cache/nearfind-english.json", import.meta.url);
  const kept = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const hashes = new Set(kept.key === key ? kept.hashes : []);
  return {
    has: (passage) => hashes.has(hash(passage.markdown)),
    add: (passage) => hashes.add(hash(passage.markdown)),
    save: () => {
      mkdirSync(new URL("./", file), { recursive: true });
      writeFileSync(file, JSON.stringify({ key, hashes: [...hashes] }));
    },
  };
}

/** Yields the findings in the passages of a page, each with the rule, the words and the advice. */
async function* findings(all) {
  // Harper reads a page at once, which is twenty times as fast as passage by passage. It counts code points.
  const ends = [];
  let end = 0;
  for (const { markdown } of all) {
    end += [...markdown].length + 2;
    ends.push(end);
  }
  const text = all.map(({ markdown }) => markdown).join("\n\n");
  for (const [rule, lints] of Object.entries(await harper.organizedLints(text, { language: "markdown" }))) {
    for (const lint of lints) {
      const { start } = lint.span();
      yield { passage: all[ends.findIndex((after) => start < after)], rule, words: lint.get_problem_text(), advice: lint.message() };
    }
  }
  for (const passage of all) {
    for (const { index, offset, reason } of writeGood(passage.plain, checks)) {
      const words = passage.plain.slice(index, index + offset);
      if (!(words.toLowerCase() in WORDINESS.words)) {
        yield { passage, rule: "write-good", words, advice: reason };
      }
    }
    for (const { source, ruleId, actual, reason } of considerate.processSync(passage.plain).messages) {
      if (!(ruleId in CONSIDERATE)) {
        yield { passage, rule: source, words: actual, advice: reason };
      }
    }
  }
}

const named = process.argv.slice(2);
const files = named.length ? named : pages();
const unused = new Set(ACCEPTED);
let count = 0;
const report = (line) => {
  count += 1;
  console.error(line);
};
for (const file of files) {
  const unread = passages(readFileSync(`${ROOT}${file}`, "utf8")).filter((passage) => !clean.has(passage));
  const found = new Set();
  for await (const { passage, rule, words, advice } of findings(unread)) {
    found.add(passage);
    const accepted = ACCEPTED.find((one) => one.rule === rule && passage.markdown.replaceAll("\n", " ").includes(one.text));
    unused.delete(accepted);
    if (!accepted && !(rule in (OF_PAGES[file] ?? {}))) {
      report(`${file}:${passage.line}: ${rule}: “${words.replaceAll("\n", " ")}”: ${advice}`);
    }
  }
  for (const passage of unread.filter((passage) => !found.has(passage))) {
    clean.add(passage);
  }
}
for (const { rule, text } of named.length ? [] : unused) {
  report(`english_rules.mjs accepts “${text}” (${rule}), which no page has`);
}
clean.save();
console.log(`English: ${files.length} pages, ${count} findings`);
process.exit(count === 0 ? 0 : 1);
