// The worker of english.mjs. It receives batches of passages, and returns their findings.
import { readFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { Dialect, LocalLinter } from "harper.js";
import { binary } from "harper.js/binary";
import { retext } from "retext";
import equality from "retext-equality";
import profanities from "retext-profanities";
import writeGood from "write-good";
import { CONSIDERATE, GRAMMAR, WORDINESS } from "./english_rules.mjs";

async function openHarper() {
  const words = readFileSync(new URL("./english_words.txt", import.meta.url), "utf8").split("\n");
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

const harper = openHarper();
const considerate = retext().use(equality).use(profanities, { sureness: 2 });
const checks = Object.fromEntries(Object.keys(WORDINESS.checks).map((check) => [check, false]));

/** Returns the findings of Harper. It reads a batch at once, which is twenty times as fast as passage by passage. */
async function mistakes(batch) {
  // Harper counts code points.
  const ends = [];
  let end = 0;
  for (const { markdown } of batch) {
    end += [...markdown].length + 2;
    ends.push(end);
  }
  const text = batch.map(({ markdown }) => markdown).join("\n\n");
  const found = Object.entries(await (await harper).organizedLints(text, { language: "markdown" }));
  return found.flatMap(([rule, lints]) =>
    lints.map((lint) => {
      const { start } = lint.span();
      return { index: ends.findIndex((after) => start < after), rule, words: lint.get_problem_text(), advice: lint.message() };
    }),
  );
}

/** Returns the wordy and the inconsiderate words of a passage. */
function poorWords({ plain }, index) {
  const wordy = writeGood(plain, checks)
    .map(({ index: start, offset, reason }) => ({ index, rule: "write-good", words: plain.slice(start, start + offset), advice: reason }))
    .filter(({ words }) => !(words.toLowerCase() in WORDINESS.words));
  const inconsiderate = considerate
    .processSync(plain)
    .messages.filter(({ ruleId }) => !(ruleId in CONSIDERATE))
    .map(({ source, actual, reason }) => ({ index, rule: source, words: actual, advice: reason }));
  return [...wordy, ...inconsiderate];
}

parentPort.on("message", async (batch) => parentPort.postMessage([...(await mistakes(batch)), ...batch.flatMap(poorWords)]));
