// Ranks judged queries with other engines over the pages of a bundle, with the settings of their documentation.
//
//   nearfind export BUNDLE | node rank.mjs --queries JSONL --out FOLDER [--key document|url] [--language TAG]
//
// With a language, MiniSearch and Orama use its stemmer if Orama has one, and Pagefind's pages declare the language.
//
// Writes FOLDER/<engine>.jsonl for `nearfind eval --ranked`.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { create, insertMultiple, search } from "@orama/orama";
import MiniSearch from "minisearch";
import * as pagefind from "pagefind";
import { chromium } from "playwright-core";
import { serve } from "../weight/server.mjs";

const DEPTH = 100;
/** Pagefind's results are fetched one by one. */
const PAGEFIND_DEPTH = 20;
const { values: options } = parseArgs({
  options: {
    queries: { type: "string", multiple: true },
    out: { type: "string" },
    key: { type: "string", default: "document" },
    language: { type: "string" },
  },
});
const lines = (text) =>
  text
    .split("\n")
    .filter((line) => line.trim())
    .map((line) => JSON.parse(line));
const documents = lines(readFileSync(0, "utf8"));
const queries = options.queries.flatMap((file) => lines(readFileSync(file, "utf8")));
mkdirSync(options.out, { recursive: true });
/** Orama's names of languages, for which it has stemmers. */
const STEMS = {
  ar: "arabic",
  de: "german",
  el: "greek",
  en: "english",
  es: "spanish",
  fr: "french",
  hi: "indian",
  ro: "romanian",
  ru: "russian",
  tr: "turkish",
};
const language = STEMS[options.language];
const stemmer = language && (await import(`@orama/stemmers/${language}`)).stemmer;

const key = (document) => document[options.key];
/** A page is found by its sections, as in search boxes. */
const sections = documents
  .flatMap((document) =>
    document.sections.map((section) => ({ page: key(document), title: document.title, section: section.title, text: section.text })),
  )
  .map((section, id) => ({ id: String(id), ...section }));
const pages = (found) => [...new Set(found)].slice(0, DEPTH);

async function write(engine, ask) {
  const ranked = [];
  for (const { _id, text } of queries) {
    ranked.push(JSON.stringify({ _id, documents: pages(await ask(text)) }));
  }
  writeFileSync(join(options.out, `${engine}.jsonl`), `${ranked.join("\n")}\n`);
  console.error(`${engine}: ${queries.length} queries`);
}

// The settings of VitePress, which includes MiniSearch.
const mini = new MiniSearch({
  fields: ["title", "section", "text"],
  storeFields: ["page"],
  searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, section: 1 } },
  ...(stemmer && { processTerm: (term) => stemmer(term.toLowerCase()) }),
});
mini.addAll(sections);
await write("minisearch", (text) => mini.search(text).map((hit) => hit.page));

const orama = create({
  schema: { page: "string", title: "string", section: "string", text: "string" },
  components: { tokenizer: stemmer ? { stemming: true, language, stemmer } : { stemming: false } },
});
await insertMultiple(orama, sections, 500);
await write("orama", async (text) => {
  const found = await search(orama, {
    term: text,
    properties: ["title", "section", "text"],
    boost: { title: 2, section: 1.5 },
    limit: DEPTH * 5,
  });
  return found.hits.map((hit) => hit.document.page);
});

const site = join(options.out, "pagefind");
rmSync(site, { recursive: true, force: true });
const { index } = await pagefind.createIndex();
const escaped = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
for (const document of documents) {
  const body = document.sections.map(
    ({ title, anchor, text }) => `${title ? `<h2 id="${escaped(anchor)}">${escaped(title)}</h2>` : ""}<p>${escaped(text)}</p>`,
  );
  const content = `<!doctype html><html lang="${options.language ?? "en"}"><body data-pagefind-body><h1>${escaped(document.title)}</h1>${body.join("")}</body></html>`;
  await index.addHTMLFile({ url: `/${encodeURIComponent(key(document))}`, content });
}
await index.writeFiles({ outputPath: site });
await pagefind.close();
writeFileSync(join(site, "blank.html"), "<!doctype html>");
const server = await serve({ "/": site });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
const page = await browser.newPage();
await page.goto(`${server.origin}/blank.html`);
await write("pagefind", async (text) => {
  const urls = await page.evaluate(
    async ([text, depth]) => {
      const pagefind = await import("/pagefind.js");
      const { results } = await pagefind.search(text);
      return Promise.all(results.slice(0, depth).map(async (result) => (await result.data()).raw_url ?? (await result.data()).url));
    },
    [text, PAGEFIND_DEPTH],
  );
  return urls.map((url) => decodeURIComponent(url.slice(1)));
});
await browser.close();
server.close();
