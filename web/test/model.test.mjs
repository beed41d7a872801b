// The model in a page: downloaded once, resumed when cut, kept, checked; and models that only the larger module runs.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openPage } from "../../examples/search-page/browser.mjs";
import { PACKAGE, makeBundle } from "./support.mjs";

const site = makeBundle();
after(() => site.cleanUp());
const FOLDERS = { bundle: site.bundle, nearfind: fileURLToPath(PACKAGE), page: fileURLToPath(new URL("page/", import.meta.url)) };
const PACK = readdirSync(site.bundle).find((file) => file.endsWith(".nfm"));

/** Serves the site; requests for the pack go to `servePack(response, bytes, from)`, where `from` is null without Range. */
async function serve(servePack) {
  const asked = [];
  const server = createServer((request, response) => {
    const [, first, ...rest] = request.url.split("?")[0].split("/");
    const name = rest.at(-1);
    let bytes;
    try {
      bytes = readFileSync(join(FOLDERS[first], ...rest));
    } catch {
      return response.writeHead(404).end();
    }
    if (name === PACK) {
      const from = /^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? null;
      asked.push(from && Number(from));
      return servePack(response, bytes, from && Number(from));
    }
    const type = { html: "text/html", js: "text/javascript", wasm: "application/wasm" }[name.split(".").at(-1)];
    response.writeHead(200, { "Content-Type": type ?? "application/octet-stream" }).end(bytes);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, asked, close: () => server.close() };
}

const whole = (response, bytes) => response.writeHead(200, { "Content-Length": bytes.length }).end(bytes);

/** Ends the connection in the middle of an answer. */
function cut(response, bytes, status, headers) {
  response.writeHead(status, headers);
  response.write(bytes, () => setTimeout(() => response.destroy(), 50));
}

/** What a page does: loads the model, asks, and says what it saw. */
async function load() {
  const { open } = await import("/nearfind/dist/browser.js");
  const search = await open("/bundle/");
  const progress = [];
  try {
    await search.loadModel({ asked: true, onProgress: (...numbers) => progress.push(numbers) });
    const { tier, hits } = await search.query("baking a loaf");
    return { tier, title: hits[0].title, progress };
  } catch (error) {
    return { code: error.code, message: error.message };
  } finally {
    search.close();
  }
}

async function inBrowser(server, body) {
  const { browser, page } = await openPage(`${server.url}/page/empty.html`);
  try {
    return await body(page);
  } finally {
    await browser.close();
    server.close();
  }
}

test("a second visit does not download the model again", async () => {
  const server = await serve(whole);
  await inBrowser(server, async (page) => {
    const first = await page.evaluate(load);
    assert.deepEqual([first.tier, first.title], [2, "Bread"]);
    assert.ok(first.progress.length > 1, "progress is told while bytes come");
    assert.deepEqual(first.progress.at(-1), [readFileSync(join(site.bundle, PACK)).length, readFileSync(join(site.bundle, PACK)).length]);
    await page.reload();
    assert.deepEqual((await page.evaluate(load)).tier, 2);
    assert.equal(server.asked.length, 1);
  });
});

test("a download that was cut goes on where it ended", async () => {
  const server = await serve((response, bytes, from) => {
    if (from === null) {
      return cut(response, bytes.subarray(0, 5_000_000), 200, { "Content-Length": bytes.length });
    }
    response.writeHead(206, { "Content-Length": bytes.length - from, "Content-Range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` });
    response.end(bytes.subarray(from));
  });
  await inBrowser(server, async (page) => {
    assert.equal((await page.evaluate(load)).tier, 2);
    assert.equal(server.asked.length, 2);
    assert.ok(server.asked[1] > 0, "only the rest was asked for");
  });
});

test("where the server ignores ranges a cut download begins anew", async () => {
  let cuts = 0;
  const server = await serve((response, bytes) => cuts++ === 0 ? cut(response, bytes.subarray(0, 3_000_000), 200, { "Content-Length": bytes.length }) : whole(response, bytes));
  await inBrowser(server, async (page) => {
    assert.equal((await page.evaluate(load)).tier, 2);
    assert.equal(server.asked.length, 2);
  });
});

test("a server that never delivers is named, and search goes on", async () => {
  const server = await serve((response) => response.destroy());
  await inBrowser(server, async (page) => {
    const found = await page.evaluate(load);
    assert.equal(found.code, "network");
    assert.match(found.message, /was cut off/);
  });
});

test("what was damaged in the cache is downloaded again", async () => {
  const server = await serve(whole);
  await inBrowser(server, async (page) => {
    assert.equal((await page.evaluate(load)).tier, 2);
    await page.evaluate(async () => {
      const cache = await caches.open("nearfind-models");
      const [key] = await cache.keys();
      await cache.put(key, new Response(new Uint8Array(1000)));
    });
    assert.equal((await page.evaluate(load)).tier, 2);
    assert.equal(server.asked.length, 2);
  });
});
