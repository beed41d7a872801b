// Tests the project that `nearfind edge init` writes, with the packed package, in Node and in Cloudflare's runtime.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { LEGACY, MODERN, call, connect } from "./edge_support.mjs";
import { startProject } from "./edge_worker.mjs";
import { PACKAGE, makeSite, serveFolders } from "./support.mjs";

const site = makeSite(["--small-encoder", "never"]);
const log = [];
/** What the server of the bundle waits for before it answers. */
let held = Promise.resolve();
const files = await serveFolders(site.folders, { log });
const gate = createServer(async (request, response) => {
  await held;
  const { status, headers, body } = await fetch(files.url + request.url, {
    headers: request.headers.range ? { Range: request.headers.range } : {},
  });
  response.writeHead(status, { "Content-Type": headers.get("Content-Type") });
  for await (const chunk of body ?? []) response.write(chunk);
  response.end();
});
await listening(gate);
const GATE = `http://127.0.0.1:${gate.address().port}`;

/** Plays Cloudflare's cache, as the runtime talks to it. */
const kept = new Map();
const cacheServer = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  if (request.method === "PUT") {
    // A whole response of HTTP.
    kept.set(request.url, body.subarray(body.indexOf("\r\n\r\n") + 4));
    return response.writeHead(204).end();
  }
  const found = kept.get(request.url);
  return found
    ? response.writeHead(200, { "CF-Cache-Status": "HIT" }).end(found)
    : response.writeHead(504, { "CF-Cache-Status": "MISS" }).end();
});
await listening(cacheServer);

const folder = mkdtempSync(join(tmpdir(), "nearfind-edge-"));
const project = join(folder, "project");
const children = [];
after(async () => {
  for (const child of children) if (child.exitCode === null && child.kill("SIGKILL")) await once(child, "exit");
  for (const server of [gate, cacheServer]) server.close().closeAllConnections();
  files.close();
  files.drop();
  site.cleanUp();
  rmSync(folder, { recursive: true });
});

execFileSync(process.env.NEARFIND ?? "nearfind", ["edge", "init", project, "--bundle", `${GATE}/bundle/nearfind.json`]);
execFileSync(
  "npm",
  ["install", "--silent", "--no-audit", "--no-fund", "--no-package-lock", "--no-save", "--offline", fileURLToPath(PACKAGE)],
  {
    cwd: project,
    stdio: "inherit",
  },
);

async function listening(server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
}

/** Starts the worker of the project. */
async function startWorker() {
  const worker = await startProject(project, { cache: `127.0.0.1:${cacheServer.address().port}` });
  children.push(worker.child);
  return worker;
}

async function asks(url) {
  for (const protocol of [MODERN, LEGACY]) {
    const client = await connect(url, protocol);
    assert.equal((await client.listTools()).tools.length, 4);
    assert.match(await call(client, "search", { query: "how do threads share memory?" }), /document: guide\/(threads|locks)\.html/);
    assert.match(await call(client, "get_document", { path: "guide/bread.html" }), /Knead flour/);
    assert.match(await call(client, "grep", { pattern: "flour, water" }), /^1 line in 1 file/);
    await client.close();
  }
}

test("it answers in Node", async () => {
  const child = spawn(process.execPath, ["server.js"], {
    cwd: project,
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const url = /http:\/\/\S+/.exec(line)[0];
  await asks(url);
  const post = (body) => fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  assert.equal((await post("{")).status, 400);
  assert.equal((await post("x".repeat(1 << 20))).status, 413);
  assert.equal((await fetch(url)).status, 405);
  await asks(url);
  const busy = (await Promise.all(Array.from({ length: 20 }, () => fetch(url.replace("/mcp", "/health"))))).map(({ status }) => status);
  assert.deepEqual([...new Set(busy)], [200]);
});

test("it answers in Cloudflare's runtime, and through its cache", { timeout: 60_000 }, async () => {
  log.length = 0;
  const blocks = () => log.filter(({ file }) => file.endsWith(".nf")).length;
  const first = await startWorker();
  await asks(first.url);
  assert.ok(blocks() > 0 && blocks() < 25, `${blocks()} requests for parts`);
  // Another machine of the same place finds all of it in the cache.
  assert.ok(kept.size > 0, "nothing was put into the cache");
  first.stop();
  const before = blocks();
  const second = await startWorker();
  await asks(second.url);
  assert.equal(blocks(), before, "parts came from the cache");
  second.stop();
  // A cache that gives other bytes is passed by.
  for (const [key, bytes] of kept) kept.set(key, Buffer.alloc(bytes.length, 7));
  const third = await startWorker();
  await asks(third.url);
  assert.ok(blocks() > before, "parts came from the server");
  third.stop();
});

test("a client that leaves does not hold up others", { timeout: 60_000 }, async () => {
  kept.clear();
  const worker = await startWorker();
  let release;
  held = new Promise((resolve) => {
    release = resolve;
  });
  const leaves = new AbortController();
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search", arguments: { query: "mutex" } } };
  const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const asked = fetch(worker.url, { method: "POST", headers, body: JSON.stringify(message), signal: leaves.signal }).then((response) =>
    response.text(),
  );
  asked.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 300));
  leaves.abort();
  const client = connect(worker.url).then(async (client) => {
    const found = await call(client, "search", { query: "mutex" });
    await client.close();
    return found;
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  release();
  assert.match(await client, /mutex/i);
  worker.stop();
});
