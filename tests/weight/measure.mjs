// Measures the cost of a search for a reader: nearfind and Pagefind over the same pages, in the same headless Chromium,
// cold and warm.
//
//   node measure.mjs --site FOLDER --bundle FOLDER --queries JSONL [--split-bundle FOLDER] [--only bytes|typed] [--json FILE]
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { roundTrips, serve } from "./server.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    site: { type: "string" },
    bundle: { type: "string" },
    "split-bundle": { type: "string" },
    queries: { type: "string" },
    json: { type: "string" },
  },
});
const queries = readFileSync(options.queries, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line).text);
const LINES = {
  "no latency": { latency: 0, bandwidth: Infinity },
  "40 ms, 20 Mbit/s": { latency: 40, bandwidth: 2500 },
  "150 ms, 1.6 Mbit/s": { latency: 150, bandwidth: 200 },
};

const work = join(here, "..", "..", "target", "weight");
const pagefind = join(work, "pagefind");
if (!existsSync(join(pagefind, "pagefind.js"))) {
  mkdirSync(work, { recursive: true });
  const run = spawnSync(join(here, "node_modules", ".bin", "pagefind"), ["--site", options.site, "--output-path", pagefind], {
    stdio: "inherit",
  });
  if (run.status !== 0) throw new Error("Pagefind could not index the site");
}

const mounts = (bundle) => ({
  "/pagefind/": pagefind,
  "/nearfind/": join(here, "..", "..", "web"),
  "/bundle/": bundle,
  "/": join(here, "pages"),
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic"],
});

/**
 * Asks a query in a fresh profile, then the queries in `further` on the same page, one after the other, then the first
 * one again, hot. Round trips are counted from the engine's own entry script on, without that of the benchmark.
 */
async function ask(server, engine, query, further = []) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const marks = {};
  server.log.length = 0;
  await page.exposeFunction("mark", (name) => {
    marks[name] ??= {
      bytes: sum(server.log.map((entry) => entry.bytes)),
      sent: sum(server.log.map((entry) => entry.sent)),
      requests: server.log.length,
      trips: roundTrips(server.log.slice(1)),
      at: performance.now(),
    };
  });
  await page.goto(`${server.origin}/blank.html`);
  server.log.length = 0;
  const started = performance.now();
  await page.evaluate(`window.engine = import("/${engine}"); undefined`);
  const result = await page.evaluate(([query]) => window.engine.then((engine) => engine.ask(query)), [query]);
  const each = [];
  for (const next of further) {
    const before = sum(server.log.map((entry) => entry.bytes));
    await page.evaluate(([query]) => window.engine.then((engine) => engine.ask(query)), [next]);
    each.push(sum(server.log.map((entry) => entry.bytes)) - before);
  }
  const hot = [];
  while (hot.length < 5) hot.push(await page.evaluate(([query]) => window.engine.then((engine) => engine.hot(query)), [query]));
  await context.close();
  for (const mark of Object.values(marks)) mark.ms = mark.at - started;
  return { ...result, marks, further: each, hot: median(hot) };
}

/** Makes a page or a worker store its WebAssembly memory where the benchmark finds it. */
const KEEP_MEMORY = `for (const name of ["instantiate", "instantiateStreaming"]) {
  const original = WebAssembly[name];
  WebAssembly[name] = async (...given) => {
    const made = await original(...given);
    self.wasmMemory = (made.instance ?? made).exports.memory ?? self.wasmMemory;
    return made;
  };
};`;
const USED = `({ heap: performance.memory?.usedJSHeapSize ?? 0, wasm: self.wasmMemory?.buffer.byteLength ?? 0 })`;

/**
 * Returns the bytes of JavaScript heap and of WebAssembly memory, in the page and its worker, after all queries on one
 * page.
 */
async function memoryOf(server, engine) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.exposeFunction("mark", () => {});
  await page.addInitScript(KEEP_MEMORY);
  await page.route("**/dist/worker.js", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: KEEP_MEMORY + (await response.text()) });
  });
  await page.goto(`${server.origin}/blank.html`);
  const before = (await page.evaluate(USED)).heap;
  await page.evaluate(`window.engine = import("/${engine}"); undefined`);
  for (const query of queries) await page.evaluate(([query]) => window.engine.then((engine) => engine.ask(query)), [query]);
  const used = [await page.evaluate(USED), ...(await Promise.all(page.workers().map((worker) => worker.evaluate(USED))))];
  await context.close();
  return { heap: sum(used.map(({ heap }) => heap)) - before, wasm: sum(used.map(({ wasm }) => wasm)) };
}

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const kilobytes = (bytes) => (bytes / 1000).toFixed(0).padStart(5);

const report = {};
async function measure(name, server, engine, lines) {
  for (const line of lines) {
    server.setLine(LINES[line]);
    await ask(server, engine, queries[0]); // Warm the caches of the server and of the machine.
    const runs = [];
    for (const [number, query] of queries.entries()) {
      const further = line === "no latency" && number === 0 ? queries.slice(1) : [];
      runs.push(await ask(server, engine, query, further));
    }
    const column = (mark, field) => runs.map((run) => run.marks[mark]?.[field]).filter((value) => value !== undefined);
    const row = {
      runtime: median(column("ready", "bytes")),
      first: {
        bytes: median(column("first", "bytes")),
        worst: Math.max(...column("first", "bytes")),
        ms: median(column("first", "ms")),
        trips: median(column("first", "trips")),
      },
      ten: {
        bytes: median(column("ten", "bytes")),
        worst: Math.max(...column("ten", "bytes")),
        ms: median(column("ten", "ms")),
        trips: median(column("ten", "trips")),
        requests: median(column("ten", "requests")),
        mostRequests: Math.max(...column("ten", "requests")),
        sent: median(column("ten", "sent")),
        mostSent: Math.max(...column("ten", "sent")),
      },
      further: runs[0].further.length > 0 ? median(runs[0].further) : undefined,
      hot: median(runs.map((run) => run.hot)),
      memory: line === "no latency" ? await memoryOf(server, engine) : undefined,
      empty: runs.filter((run) => run.hits === 0).length,
    };
    report[name] ??= {};
    report[name][line] = row;
    console.log(
      `${name.padEnd(26)} ${line.padEnd(20)} ready ${kilobytes(row.runtime)} KB · first ${kilobytes(row.first.bytes)} KB (worst ${kilobytes(row.first.worst)}) ${row.first.ms.toFixed(0).padStart(5)} ms ${row.first.trips} trips · ten ${kilobytes(row.ten.bytes)} KB (worst ${kilobytes(row.ten.worst)}) ${row.ten.ms.toFixed(0).padStart(5)} ms ${row.ten.requests} requests (worst ${row.ten.mostRequests}), with headers ${kilobytes(row.ten.sent)} KB (worst ${kilobytes(row.ten.mostSent)})${row.further === undefined ? "" : ` · further ${kilobytes(row.further)} KB`} · hot ${row.hot.toFixed(1)} ms${row.memory === undefined ? "" : ` · memory ${(row.memory.heap / 1e6).toFixed(1)} + ${(row.memory.wasm / 1e6).toFixed(1)} MB`} · without a hit ${row.empty}`,
    );
  }
}

/**
 * Returns the longest task of the page's thread while a query is typed into the search box, as CPU time and as wall
 * time. On few cores, the wall time also contains the work of the worker, the browser and the server.
 */
async function longestTask(query) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.exposeFunction("mark", () => {});
  await page.goto(`${server.origin}/blank.html`);
  await page.evaluate('window.engine = import("/element.js?typed=10"); window.engine.then((engine) => engine.show())');
  await page.waitForTimeout(500);
  const trace = await context.newCDPSession(page);
  const events = [];
  trace.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await trace.send("Tracing.start", { transferMode: "ReportEvents", categories: "toplevel,disabled-by-default-devtools.timeline" });
  await page.evaluate((query) => window.engine.then((engine) => engine.ask(query)), query);
  const complete = new Promise((resolve) => trace.once("Tracing.tracingComplete", resolve));
  await trace.send("Tracing.end");
  await complete;
  await context.close();
  const threadOf = ({ pid, tid }) => `${pid}/${tid}`;
  const pageThreads = new Set(events.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain").map(threadOf));
  const tasks = events.filter((event) => /RunTask$/.test(event.name) && event.ph === "X" && pageThreads.has(threadOf(event)));
  return { cpu: Math.max(...tasks.map(({ tdur }) => tdur ?? 0)) / 1000, wall: Math.max(...tasks.map(({ dur }) => dur)) / 1000 };
}

const server = await serve(mounts(options.bundle));
const all = Object.keys(LINES);
const lines = options.only ? all.slice(0, 1) : all;
if (options.only !== "typed") {
  await measure("Pagefind", server, "pagefind.js", lines);
  await measure("nearfind, words", server, "engine.js?mode=words", lines);
  await measure("nearfind, hybrid", server, "engine.js?mode=hybrid", lines);
  await measure("nearfind, typed", server, "engine.js?mode=typed", lines.slice(0, 1));
}
await measure("search box", server, "element.js", lines);
for (const rate of options.only === "bytes" ? [] : [5, 10, 25])
  await measure(`search box, ${rate} keys a second`, server, `element.js?typed=${rate}`, lines.slice(0, 1));
server.close();
if (options["split-bundle"]) {
  const without = await serve(mounts(options["split-bundle"]), { ranges: false });
  await measure("no ranges: words", without, "engine.js?mode=words", lines.slice(0, 1));
  await measure("no ranges: hybrid", without, "engine.js?mode=hybrid", lines.slice(0, 1));
  without.close();
}
if (!options.only) {
  const busiest = [];
  for (const query of queries) busiest.push(await longestTask(query));
  console.log(
    `while somebody types, the page's thread is busy at a stretch for ${median(busiest.map(({ cpu }) => cpu)).toFixed(1)} ms of its own time (at most ${Math.max(...busiest.map(({ cpu }) => cpu)).toFixed(1)}), ${median(busiest.map(({ wall }) => wall)).toFixed(1)} ms by the clock`,
  );
  const [box, client] = ["search box", "nearfind, hybrid"].map((name) => report[name]["no latency"].ten.bytes);
  console.log(`to ten results the search box takes ${kilobytes(box - client)} KB more than the client`);
  for (const line of lines) {
    const ratio = report["nearfind, words"][line].first.ms / report.Pagefind[line].first.ms;
    console.log(`time to the first result against Pagefind, ${line}: ${ratio.toFixed(2)}`);
  }
}
if (options.json) writeFileSync(options.json, JSON.stringify(report, null, 1));
await browser.close();
