// Tests the page's side of the worker with Node threads that play the workers. It needs no build and no browser.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker as Thread } from "node:worker_threads";
import { build } from "esbuild";

const folder = mkdtempSync(join(tmpdir(), "nearfind-client-"));
const outfile = join(folder, "worker_client.mjs");
await build({
  entryPoints: [fileURLToPath(new URL("../src/client/worker_client.ts", import.meta.url))],
  outfile,
  bundle: true,
  format: "esm",
  logLevel: "warning",
});
const { WorkerClient } = await import(pathToFileURL(outfile));
after(() => rmSync(folder, { recursive: true }));

/** Opens a bundle of one line, and matches expressions without a pause, as the platform does. */
const SCRIPT = `
  const { parentPort } = require("node:worker_threads");
  const done = (id, value) => parentPort.postMessage({ id, kind: "done", value });
  parentPort.on("message", ({ id, kind, pattern }) => {
    if (kind === "open") done(id, { name: "a model" });
    if (kind === "filters") done(id, []);
    if (kind === "grep") {
      parentPort.postMessage({ id, kind: "progress", read: 0, total: 0 });
      done(id, { lines: "a".repeat(40).search(pattern) < 0 ? 0 : 1, documents: 1, found: [] });
    }
  });`;
/** Takes longer than any test. */
const EXPLODES = /^(a+)+b$/;
/** Milliseconds without a message after which an expression is ended. */
const SILENCE = 12_000;

/** A thread with the interface of a worker in a page. */
class PageWorker extends EventTarget {
  asked = [];
  isEnded = false;
  #thread = new Thread(SCRIPT, { eval: true });
  /** Resolves when the worker is matching an expression. */
  isBusy = new Promise((resolve) => {
    this.#thread.on("message", (data) => {
      if (data.kind === "progress") resolve();
      this.dispatchEvent(new MessageEvent("message", { data }));
    });
  });

  postMessage(message) {
    this.asked.push(message.kind);
    this.#thread.postMessage(message);
  }

  terminate() {
    this.isEnded = true;
    void this.#thread.terminate();
  }
}

/** Opens a search. Returns it with the workers that it started to search for lines, in order. */
async function opened(context) {
  const greppers = [];
  const opening = async () => ({ kind: "open", bundles: [] });
  const search = await new WorkerClient(new PageWorker()).open(opening);
  search.another = () => {
    greppers.push(new PageWorker());
    return new WorkerClient(greppers.at(-1)).open(opening);
  };
  context.after(() => search.close());
  return { search, greppers };
}

/** Resolves once `count` workers search for lines. */
async function areBusy(greppers, count) {
  while (greppers.length < count) await new Promise((resolve) => setImmediate(resolve));
  await Promise.all(greppers.map(({ isBusy }) => isBusy));
}

test("consecutive calls share a worker", async (context) => {
  const { search, greppers } = await opened(context);
  assert.equal((await search.grep("a")).lines, 1);
  assert.equal((await search.grep(/b/)).lines, 0);
  assert.deepEqual(
    greppers.map(({ asked }) => asked),
    [["open", "grep", "grep"]],
  );
});

test("aborting an expression ends its worker, and the next call gets a new one immediately", async (context) => {
  const { search, greppers } = await opened(context);
  const controller = new AbortController();
  const aborted = search.grep(EXPLODES, { signal: controller.signal });
  await areBusy(greppers, 1);
  controller.abort(new Error("changed my mind"));
  await assert.rejects(aborted, /changed my mind/);
  assert.equal(greppers[0].isEnded, true);
  assert.equal((await search.grep("a")).lines, 1);
  assert.equal(greppers.length, 2);
});

test("an expression that takes forever fails alone, and others are answered at the same time", async (context) => {
  const { search, greppers } = await opened(context);
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const failing = search.grep(EXPLODES);
  const innocent = search.grep("a");
  const alsoFailing = search.grep(EXPLODES);
  assert.equal((await innocent).lines, 1);
  await areBusy(greppers, 3);
  context.mock.timers.tick(SILENCE);
  await assert.rejects(failing, { code: "bad-pattern" });
  await assert.rejects(alsoFailing, { code: "bad-pattern" });
  assert.deepEqual(
    greppers.map(({ isEnded }) => isEnded),
    [true, false, true],
  );
  assert.equal((await search.grep("a")).lines, 1);
  assert.equal(greppers.length, 3, "the one that answered is asked again");
});

test("only one of several workers stays after its answer", async (context) => {
  const { search, greppers } = await opened(context);
  await Promise.all([search.grep("a"), search.grep("b"), search.grep("c")]);
  assert.equal(greppers.filter(({ isEnded }) => !isEnded).length, 1);
});

test("a call with an aborted signal starts no worker", async (context) => {
  const { search, greppers } = await opened(context);
  await assert.rejects(search.grep("a", { signal: AbortSignal.abort(new Error("never mind")) }), /never mind/);
  assert.equal(greppers.length, 0);
});

test("an abort while the worker starts does not wait for it, and leaves no worker", async (context) => {
  const { search, greppers } = await opened(context);
  const controller = new AbortController();
  const open = search.another;
  let begin;
  search.another = async () => {
    await new Promise((resolve) => {
      begin = resolve;
    });
    return open();
  };
  const aborted = search.grep("a", { signal: controller.signal });
  await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  await assert.rejects(aborted, { name: "AbortError" });
  begin();
  while (!greppers[0]?.isEnded) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(greppers[0].asked, ["open"]);
});

test("closing ends every worker, and every call that waits for one", async (context) => {
  const { search, greppers } = await opened(context);
  await search.grep("a");
  const running = [search.grep(EXPLODES), search.grep(EXPLODES)];
  await areBusy(greppers, 2);
  const starting = search.grep("a");
  search.close();
  await Promise.all([...running, starting, search.grep("a"), search.filters()].map((call) => assert.rejects(call, { code: "closed" })));
  while (greppers.some(({ isEnded }) => !isEnded)) await new Promise((resolve) => setImmediate(resolve));
});

test("the worker is told of an aborted call, but not of an answered one", async () => {
  const worker = new PageWorker();
  const search = await new WorkerClient(worker).open(async () => ({ kind: "open", bundles: [] }));
  const controller = new AbortController();
  assert.deepEqual(await search.filters({ signal: controller.signal }), []);
  const aborted = search.suggest("a", { signal: controller.signal });
  controller.abort();
  await assert.rejects(aborted, { name: "AbortError" });
  assert.deepEqual(worker.asked, ["open", "filters", "suggest", "cancel"]);
  search.close();
});
