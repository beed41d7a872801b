// Tests the model in a page: its start is downloaded once, resumed, stored and checked, and rows are loaded when words
// need them. Also tests models that only the larger module runs.
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

/**
 * Serves the site. Requests for the pack go to `servePack(response, bytes, range)`, where `range` is null if there is
 * no Range header.
 */
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
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
      const range = from === undefined ? null : { from: Number(from), to: Number(to) };
      asked.push(range);
      return servePack(response, bytes, range);
    }
    const type = { html: "text/html", js: "text/javascript", wasm: "application/wasm" }[name.split(".").at(-1)];
    response.writeHead(200, { "Content-Type": type ?? "application/octet-stream" }).end(bytes);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, asked, close: () => server.close() };
}

/** The number of bytes of the pack with which a page begins. */
const START = JSON.parse(readFileSync(join(site.bundle, "nearfind.json"))).model.file.start_bytes;

function part(response, bytes, { from, to }) {
  response.writeHead(206, { "Content-Length": to + 1 - from, "Content-Range": `bytes ${from}-${to}/${bytes.length}` });
  response.end(bytes.subarray(from, to + 1));
}

const whole = (response, bytes) => response.writeHead(200, { "Content-Length": bytes.length }).end(bytes);

/** Ends the connection in the middle of a response. */
function cut(response, bytes, status, headers) {
  response.writeHead(status, headers);
  response.write(bytes, () => setTimeout(() => response.destroy(), 50));
}

/** Loads the model in a page, asks a question, and returns its observations. */
async function load() {
  const { open } = await import("/nearfind/dist/browser.js");
  const search = await open("/bundle/");
  const progress = [];
  try {
    await search.loadModel({ asked: true, onProgress: (...numbers) => progress.push(numbers) });
    const { tier, hits, notice } = await search.query("baking a loaf");
    return { tier, title: hits[0].title, notice, progress, bytes: search.model.bytes };
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

test("a page loads the start of the model, and then the rows of the words in a question", async () => {
  const server = await serve(part);
  await inBrowser(server, async (page) => {
    const found = await page.evaluate(load);
    assert.deepEqual([found.tier, found.title, found.notice, found.bytes], [2, "Bread", undefined, START]);
    assert.deepEqual(found.progress.at(-1), [START, START]);
    const [start, ...rows] = server.asked;
    assert.deepEqual(start, { from: 0, to: START - 1 });
    const bytes = rows.reduce((sum, { from, to }) => sum + to + 1 - from, 0);
    console.log(
      `${(START / 1e6).toFixed(2)} MB to begin with, then ${rows.length} requests of ${bytes} bytes for a question of three words`,
    );
    assert.ok(START < 8_000_000, "what a page waits for");
    assert.ok(rows.length <= 7 && bytes < 50_000, "rows of three words and of what frames them");
    await page.reload();
    assert.equal((await page.evaluate(load)).tier, 2);
    assert.equal(server.asked.filter(({ from }) => from === 0).length, 1, "the start was kept");
  });
});

test("damaged rows are rejected, and the bundle's own encoder answers", async () => {
  const server = await serve((response, bytes, range) => {
    const sent = Buffer.from(bytes);
    sent[range.from] ^= range.from > 0 ? 1 : 0;
    part(response, sent, range);
  });
  await inBrowser(server, async (page) => {
    const found = await page.evaluate(load);
    assert.equal(found.tier, 1);
    assert.match(found.notice, /own query encoder: model pack: .*checksum/i);
  });
});

test("an interrupted download resumes where it ended", async () => {
  const server = await serve((response, bytes, range) => {
    if (range.from === 0) {
      return cut(response, bytes.subarray(0, 5_000_000), 206, {
        "Content-Length": START,
        "Content-Range": `bytes 0-${range.to}/${bytes.length}`,
      });
    }
    part(response, bytes, range);
  });
  await inBrowser(server, async (page) => {
    assert.equal((await page.evaluate(load)).tier, 2);
    const [first, second] = server.asked;
    assert.deepEqual([first.to, second.to], [START - 1, START - 1]);
    assert.ok(second.from > 0, "only the rest was asked for");
  });
});

test("if the server ignores ranges, an interrupted download starts again", async () => {
  let cuts = 0;
  const server = await serve((response, bytes) =>
    cuts++ === 0 ? cut(response, bytes.subarray(0, 3_000_000), 200, { "Content-Length": bytes.length }) : whole(response, bytes),
  );
  await inBrowser(server, async (page) => {
    assert.equal((await page.evaluate(load)).tier, 2);
    assert.equal(server.asked.length, 2);
  });
});

test("a server that never delivers is named, and search continues", async () => {
  const server = await serve((response) => response.destroy());
  await inBrowser(server, async (page) => {
    const found = await page.evaluate(load);
    assert.equal(found.code, "network");
    assert.match(found.message, /was cut off/);
  });
});

test("a damaged pack in the cache is downloaded again", async () => {
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

test("the larger module runs an ONNX encoder in a page, and the smaller one reports that it cannot", async () => {
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
        // The model knows eight words, so it cannot tell whether a page fits.
        const { tier, hits } = await search.query("dough", { tier: 2, mode: "meaning", unfit: true });
        const [vector] = await Promise.all([search.embed("dough")]);
        const modules = performance.getEntriesByType("resource").map(({ name }) => name);
        search.close();
        const small = (await import("/nearfind/wasm/embed/nearfind_embed.js")).newInstance();
        await small.instantiate(fetch("/nearfind/wasm/embed/nearfind_embed_bg.wasm"));
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
      // The mean of the rows of [CLS], `dough` and [SEP], which are different unit vectors, scaled to length one.
      [0, 1, 1, 0, 0, 1, 0, 0].forEach((one, at) => assert.ok(Math.abs(found.vector[at] - one / Math.sqrt(3)) < 1e-6));
      assert.equal(found.refused[0], "bad-model");
      assert.match(found.refused[1], /embed-onnx/);
    });
  } finally {
    onnx.cleanUp();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the pack and the module need little memory, and a bad text does no harm", async () => {
  const module = (await import(new URL("wasm/embed/nearfind_embed.js", PACKAGE))).newInstance();
  const exports = await module.instantiate(readFileSync(new URL("wasm/embed/nearfind_embed_bg.wasm", PACKAGE)));
  const pack = readFileSync(join(site.bundle, PACK));
  const encoder = new module.ModelEncoder(pack.subarray(0, START));
  const encode = (text) => {
    const missing = encoder.missing(text);
    for (let at = 0; at < missing.length; at += 2) {
      encoder.provide(missing[at], pack.subarray(missing[at], missing[at] + missing[at + 1]));
    }
    return encoder.encode(text);
  };
  const before = encode("how do threads share data?");
  const megabytes = exports.memory.buffer.byteLength / 1e6;
  console.log(`${megabytes.toFixed(1)} MB of WASM memory`);
  assert.ok(megabytes < 26, `${megabytes} MB`);
  for (const text of ["", "x".repeat(1_000_000), "[MASK]".repeat(200_000), "\ud800", "\0\u0001"]) {
    assert.equal(encode(text).length, 384);
  }
  for (const bad of [
    pack.subarray(0, 1000),
    Buffer.alloc(0),
    Buffer.from("<!doctype html>"),
    Buffer.concat([pack.subarray(0, 5000), Buffer.alloc(5000)]),
  ]) {
    assert.throws(() => new module.ModelEncoder(bad), { code: "bad-model" });
  }
  assert.throws(() => encoder.encode("zebra"), { code: "bad-model" }, "rows that were not brought");
  assert.deepEqual(encode("how do threads share data?"), before);
  assert.deepEqual(new module.ModelEncoder(pack).encode("zebra"), encode("zebra"), "as of the whole pack");
});
