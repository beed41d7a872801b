// The model in a page: downloaded once, resumed when cut, kept, checked; and models that only the larger module runs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openPage } from "../../examples/search-page/browser.mjs";
import { PACKAGE, makeBundle, writeOnnxModel } from "./support.mjs";

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

test("an ONNX encoder runs in a page, in the larger module, and the smaller one says that it cannot", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nearfind-"));
  const models = join(folder, "models");
  execFileSync(process.env.NEARFIND ?? "nearfind", ["--models", models, "model", "import", writeOnnxModel(folder), "--name", "tiny"]);
  const onnx = makeBundle({ more: ["--models", models, "--model", "tiny"] });
  const server = await serve(whole);
  FOLDERS.onnx = onnx.bundle;
  const pack = readdirSync(onnx.bundle).find((file) => file.endsWith(".nfm"));
  try {
    await inBrowser(server, async (page) => {
      const found = await page.evaluate(async (pack) => {
        const { open } = await import("/nearfind/dist/browser.js");
        const search = await open("/onnx/");
        const { tier, hits } = await search.query("dough", { tier: 2, mode: "meaning" });
        const [vector] = await Promise.all([search.embed("dough")]);
        const modules = performance.getEntriesByType("resource").map(({ name }) => name);
        search.close();
        const small = await import("/nearfind/wasm/embed/nearfind_embed.js");
        await small.default({ module_or_path: "/nearfind/wasm/embed/nearfind_embed_bg.wasm" });
        const bytes = new Uint8Array(await (await fetch(`/onnx/${pack}`)).arrayBuffer());
        let refused;
        try {
          new small.ModelEncoder(bytes);
        } catch (error) {
          refused = [error.code, error.message];
        }
        return { tier, title: hits[0].title, vector: Array.from(vector), modules, refused };
      }, pack);
      assert.deepEqual([found.tier, found.title], [2, "Bread"]);
      // Mean of the rows of [CLS], `dough` and [SEP], each a unit of its own, made a unit long.
      [0, 1, 1, 0, 0, 1, 0, 0].forEach((one, at) => assert.ok(Math.abs(found.vector[at] - one / Math.sqrt(3)) < 1e-6));
      assert.equal(found.refused[0], "bad-model");
      assert.match(found.refused[1], /embed-onnx/);
    });
  } finally {
    onnx.cleanUp();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("pack and module need little memory, and a bad text does no harm", async () => {
  const module = await import(new URL("wasm/embed/nearfind_embed.js", PACKAGE));
  const exports = await module.default({ module_or_path: readFileSync(new URL("wasm/embed/nearfind_embed_bg.wasm", PACKAGE)) });
  const pack = readFileSync(join(site.bundle, PACK));
  const encoder = new module.ModelEncoder(pack);
  const before = encoder.encode("how do threads share data?");
  const megabytes = exports.memory.buffer.byteLength / 1e6;
  console.log(`${megabytes.toFixed(1)} MB of WASM memory`);
  assert.ok(megabytes < 32, `${megabytes} MB`);
  for (const text of ["", "x".repeat(1_000_000), "[MASK]".repeat(200_000), "\ud800", "\0\u0001"]) {
    assert.equal(encoder.encode(text).length, 384);
  }
  for (const bad of [pack.subarray(0, 1000), Buffer.alloc(0), Buffer.from("<!doctype html>"), Buffer.concat([pack.subarray(0, 5000), Buffer.alloc(5000)])]) {
    assert.throws(() => new module.ModelEncoder(bad), { code: "bad-model" });
  }
  assert.deepEqual(encoder.encode("how do threads share data?"), before);
});
