// The package in headless Chromium: in a worker, under a strict policy, with hostile documents.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openPage } from "../../examples/search-page/browser.mjs";
import { serve } from "../../examples/search-page/serve.mjs";
import { PACKAGE, makeBundle, serveFolders } from "./support.mjs";

const site = makeBundle();
const folders = { bundle: site.bundle, nearfind: fileURLToPath(PACKAGE), page: fileURLToPath(new URL("page/", import.meta.url)) };
after(() => site.cleanUp());

/** Runs `body` in a page that has `open` of the package. */
async function inPage(options, body, argument) {
  const server = await serveFolders(folders, options);
  const { browser, page, problems } = await openPage(`${server.url}/page/empty.html`);
  try {
    return { value: await page.evaluate(body, argument), problems, log: server.log };
  } finally {
    await browser.close();
    server.close();
  }
}

test("a page searches in a worker, by words before the model is there", async () => {
  const { value, problems, log } = await inPage({ policy: "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'" }, async () => {
    const { open } = await import("/nearfind/dist/browser.js");
    const search = await open("/bundle/");
    const words = await search.query("threads", { mode: "words" });
    const modelRead = performance.getEntriesByType("resource").some(({ name }) => name.endsWith(".nfm"));
    const progress = [];
    const table = await search.query("baking a loaf");
    await search.loadModel({ onProgress: (read, total) => progress.push([read, total]), asked: true });
    const meaning = await search.query("baking a loaf");
    search.close();
    return { words, modelRead, table, meaning, progress: progress.at(-1), threads: typeof Worker };
  });
  assert.deepEqual(problems, []);
  assert.deepEqual(value.words.hits.map((hit) => hit.title), ["Channels"]);
  assert.equal(value.modelRead, false);
  assert.deepEqual([value.table.hits[0].title, value.table.tier], ["Bread", 1]);
  assert.deepEqual([value.meaning.hits[0].title, value.meaning.tier], ["Bread", 2]);
  assert.equal(value.progress[0], value.progress[1]);
  assert.ok(log.some(({ range }) => range), "parts are read by range");
});

test("a query can be aborted, and a closed search refuses", async () => {
  const { value } = await inPage({}, async () => {
    const { open, NearfindError } = await import("/nearfind/dist/browser.js");
    const search = await open("/bundle/");
    const controller = new AbortController();
    const aborted = search.query("threads", { mode: "words", signal: controller.signal }).catch((error) => error.name);
    controller.abort();
    const other = await search.query("dough", { mode: "words" });
    const refused = await search.query(" ").catch((error) => [error instanceof NearfindError, error.code]);
    const waiting = search.query("dough", { mode: "words" }).catch((error) => error.code);
    search.close();
    const missing = await open("/nowhere/").catch((error) => error.code);
    return { aborted: await aborted, other: other.hits.length, refused, waiting: await waiting, missing };
  });
  assert.deepEqual(value, { aborted: "AbortError", other: 1, refused: [true, "empty-query"], waiting: "closed", missing: "not-found" });
});

test("a policy without wasm-unsafe-eval is reported, not a silent failure", async () => {
  const { value } = await inPage({ policy: "default-src 'self'; script-src 'self'" }, async () => {
    const { open } = await import("/nearfind/dist/browser.js");
    return open("/bundle/").catch((error) => error.message);
  });
  assert.match(value, /wasm-unsafe-eval/);
});

test("text of documents never becomes markup", async () => {
  const server = await serve(site.bundle, []);
  const { browser, page } = await openPage(`http://127.0.0.1:${server.address().port}/?q=zebras`);
  try {
    await page.waitForSelector("#results li a");
    assert.match(await page.textContent("#results"), /<img src=x onerror.*<script>/s);
    assert.equal(await page.$("#results img, #results script"), null);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
  } finally {
    await browser.close();
    server.close();
  }
});
