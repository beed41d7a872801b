// Shows answers without a model: the sentences that `<nearfind-ask>` quotes for questions about built sites, for a
// person to judge. Also checks that no sentence is invented: the page of each quote must contain it, word for word.
//
//   node digest.mjs --sites FOLDER [--nearfind PROGRAM] [--each NUMBER] [NAME…]
//
// Sites and questions are those of landing.mjs. Prints each question with its digest, and the number of quotes that
// their pages contain.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { closeBrowsers, openIn } from "../../web/test/browsers.mjs";
import { serve } from "../weight/server.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { sites: { type: "string" }, nearfind: { type: "string" }, each: { type: "string", default: "6" } },
});
const here = dirname(fileURLToPath(import.meta.url));
const known = readdirSync(join(here, "landing")).map((file) => file.replace(".jsonl", ""));
const names = positionals.length > 0 ? positionals : known.filter((name) => existsSync(join(options.sites, name, "html")));

/** Asks the panel. Returns the quotes of its digest, with the addresses of their pages. */
async function digest(box, question) {
  return box.page.evaluate(async (question) => {
    const panel = document.querySelector("nearfind-ask");
    const ended = new Promise((resolve) => panel.addEventListener("nearfind-answer", ({ detail }) => resolve(detail), { once: true }));
    panel.shadowRoot.querySelector("[part=fresh]")?.click();
    await panel.show(question);
    const { sources } = await ended;
    const turn = [...panel.shadowRoot.querySelectorAll("[part=turn]")].at(-1);
    return [...turn.querySelectorAll("[part=quote]")].map((quote) => ({
      title: quote.parentElement.querySelector("h3").textContent,
      place: quote.querySelector("[part=place]").textContent,
      href: quote.querySelector("[part=place]").href,
      texts: [...quote.querySelectorAll("p, li, pre")].map((element) => element.textContent),
      sources: sources.length,
    }));
  }, question);
}

let [quotes, invented] = [0, 0];
const letters = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
for (const name of names) {
  const site = join(options.sites, name, "html");
  if (options.nearfind) {
    execFileSync(options.nearfind, ["index", site, "-o", join(site, "nearfind"), "--quiet"], { stdio: "inherit" });
  }
  const server = await serve({ "/": site });
  const box = await openIn("chromium", `${server.origin}/nearfind/nearfind.json`, { expects: [/./] });
  await box.page.setContent('<html lang="en"><title>x</title></html>');
  await box.page.evaluate(async () => {
    await import("/nearfind/box/ask.js");
    document.body.append(document.createElement("nearfind-ask"));
  });
  const all = readFileSync(join(here, "landing", `${name}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  // Take questions of each kind in turn, so that all kinds have the same weight.
  const kinds = new Map();
  for (const question of all) kinds.set(question.kind, [...(kinds.get(question.kind) ?? []), question]);
  const turns = all.flatMap((_, at) => [...kinds.values()].flatMap((list) => list.slice(at, at + 1)));
  const asked = turns.slice(0, Number(options.each));
  const reader = await openIn("chromium", "about:blank", { expects: [/./] });
  await reader.page.route("**/*", (route) => (route.request().resourceType() === "document" ? route.continue() : route.abort()));
  for (const { q, kind } of asked) {
    console.log(`\n## ${name}, ${kind}: ${q}`);
    for (const { title, place, href, texts } of await digest(box, q)) {
      await reader.page.goto(href.split("#")[0]);
      const whole = letters(await reader.page.evaluate(() => document.body.textContent));
      for (const text of texts) {
        // Parts that are apart on the page have a mark between them.
        const isThere = text.split(/ · |… |\n/).every((part) => whole.includes(letters(part)));
        quotes++;
        invented += Number(!isThere);
        console.log(`- ${isThere ? "" : "NOT THERE "}[${title} | ${place}] ${text.replaceAll("\n", "\n    ")}`);
      }
    }
  }
  await box.close();
  await reader.close();
  server.close();
}
await closeBrowsers();
console.log(`\n${quotes} quotes, ${invented} of them not in their page`);
