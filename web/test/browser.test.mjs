// Tests the package in headless Chromium: in a worker, under a strict policy, and with hostile documents.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openPage } from "../../examples/search-page/browser.mjs";
import { PACKAGE, makeBundle, serveFolders } from "./support.mjs";

const site = makeBundle();
const folders = { bundle: site.bundle, nearfind: fileURLToPath(PACKAGE), page: fileURLToPath(new URL("page/", import.meta.url)) };
after(() => site.cleanUp());

/** Runs `body` in a page that can import the package. */
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

test("a page searches in a worker, by words before the model is loaded", async () => {
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
  assert.deepEqual(
    value.words.hits.map((hit) => hit.title),
    ["Channels"],
  );
  assert.equal(value.modelRead, false);
  assert.deepEqual([value.table.hits[0].title, value.table.tier], ["Bread", 1]);
  assert.deepEqual([value.meaning.hits[0].title, value.meaning.tier], ["Bread", 2]);
  assert.equal(value.progress[0], value.progress[1]);
  assert.ok(
    log.some(({ range }) => range),
    "parts are read by range",
  );
});

test("a query can be aborted, and a closed search rejects calls", async () => {
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

test("aborting its signal ends every call of a page", async () => {
  const calls = {
    query: ["dough"],
    grep: ["flour"],
    suggest: ["dou"],
    document: ["bread.md"],
    filters: [],
    embed: ["dough"],
    loadModel: [],
    refresh: [],
  };
  const { value } = await inPage(
    {},
    async (calls) => {
      const { open } = await import("/nearfind/dist/browser.js");
      const signal = AbortSignal.abort(new Error("changed my mind"));
      const said = (error) => error.message;
      const ended = { open: await open("/bundle/", { signal }).catch(said) };
      const search = await open("/bundle/");
      for (const [name, asked] of Object.entries(calls)) {
        ended[name] = await search[name](...asked, { signal }).catch(said);
      }
      // Never rejects.
      await search.prefetch("dough", { signal });
      search.close();
      return ended;
    },
    calls,
  );
  assert.deepEqual(value, Object.fromEntries(["open", ...Object.keys(calls)].map((name) => [name, "changed my mind"])));
});

test("a page that forbids WebAssembly is answered by JavaScript, with a notice about the policy", async () => {
  const { value, problems, log } = await inPage({ policy: "default-src 'self'; script-src 'self'" }, async () => {
    const { open } = await import("/nearfind/dist/browser.js");
    const search = await open("/bundle/");
    const [words, table] = [await search.query("threads", { mode: "words" }), await search.query("baking a loaf")];
    const refused = await search.loadModel({ asked: true }).catch((error) => error.message);
    const lines = await search.grep("threads").catch((error) => error.code);
    search.close();
    return { lines, titles: words.hits.map((hit) => hit.title), table: [table.hits[0].title, table.tier], notice: words.notice, refused };
  });
  assert.deepEqual([value.titles, value.table], [["Channels"], ["Bread", 1]]);
  assert.match(value.notice, /add 'wasm-unsafe-eval' to its script-src/);
  assert.match(value.refused, /wasm-unsafe-eval/);
  assert.equal(value.lines, "blocked");
  assert.ok(log.some(({ file }) => file === "nearfind_search.js"));
  // The browser reports the blocked module, and nothing else is wrong.
  assert.ok(
    problems.every((problem) => /WebAssembly/.test(problem)),
    problems.join("\n"),
  );
});

test("a page that accepts only Trusted Types can allow the worker's policy", async () => {
  const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; require-trusted-types-for 'script'; trusted-types nearfind";
  const { value, problems } = await inPage({ policy }, async () => {
    await import("/nearfind/dist/define.js");
    const element = document.createElement("nearfind-search");
    element.setAttribute("bundle", "/bundle/");
    element.setAttribute("worker", "/nearfind/dist/worker.js");
    document.body.append(element);
    const search = await element.search;
    const { hits } = await search.query("threads", { mode: "words" });
    element.show("threads");
    await new Promise((resolve) => element.addEventListener("nearfind-query", resolve, { once: true }));
    return [hits[0].title, element.shadowRoot.querySelector("[part=title]").textContent];
  });
  assert.deepEqual([value, problems], [["Channels", "Channels"], []]);
});

test("a page can request whole documents, completions and filters", async () => {
  const { value } = await inPage({}, async () => {
    const { open } = await import("/nearfind/dist/browser.js");
    const search = await open("/bundle/");
    const found = await search.document("bread.md");
    const answer = {
      bread: [found.title, found.sections.map(({ text }) => text).join("")],
      nothing: await search.document("nowhere.md"),
      filters: (await search.filters()).map(({ name, values }) => [name, values.map(({ documents }) => documents)]),
      counts: (await search.query("threads", { counts: true, mode: "words" })).filters[0].values[0].documents,
      model: search.model.name,
      aborted: await search.suggest("thr", { signal: AbortSignal.abort() }).catch((error) => error.name),
    };
    search.close();
    return answer;
  });
  assert.match(value.bread[1], /Knead flour, water and salt/);
  assert.deepEqual(
    { ...value, bread: value.bread[0] },
    { bread: "Bread", nothing: null, filters: [["project", [3]]], counts: 1, model: "all-MiniLM-L6-v2", aborted: "AbortError" },
  );
});

test("lines are searched in a separate worker, and an expression that takes forever is ended", async () => {
  const { value, problems } = await inPage({}, async () => {
    const { open } = await import("/nearfind/dist/browser.js");
    const search = await open("/bundle/");
    const found = await search.grep(/knead \w+/i);
    const failing = search.grep(/^(([a-z# ])+.)+[A-Z]([a-z])+$/i).catch((error) => error.code);
    // Queries are answered meanwhile.
    const { hits } = await search.query("threads", { mode: "words" });
    const code = await failing;
    const again = await search.grep("channels", { caseSensitive: true });
    search.close();
    return [found.found[0].text, hits[0].title, code, again.lines];
  });
  assert.deepEqual(problems, []);
  assert.deepEqual(value, ["Knead flour, water and salt to a dough.", "Channels", "bad-pattern", 1]);
});

test("aborting ends an expression immediately, and an expression that takes forever fails alone", async () => {
  const { value, problems } = await inPage({}, async () => {
    const { open } = await import("/nearfind/dist/browser.js");
    const search = await open("/bundle/");
    const explodes = /^(([a-z# ])+.)+[A-Z]([a-z])+$/i;
    const controller = new AbortController();
    const aborted = search.grep(explodes, { signal: controller.signal }).catch((error) => error.message);
    // Long enough for the worker to be in the middle of a line.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    controller.abort(new Error("changed my mind"));
    const reason = await aborted;
    const began = performance.now();
    const next = await search.grep("channels");
    const waited = performance.now() - began;
    const failing = search.grep(explodes).catch((error) => error.code);
    const beside = await search.grep("dough");
    const answer = [reason, next.lines, beside.lines, await failing];
    search.close();
    return { answer, waited };
  });
  assert.deepEqual(problems, []);
  assert.deepEqual(value.answer, ["changed my mind", 2, 1, "bad-pattern"]);
  assert.ok(value.waited < 6000, `the next one waited ${value.waited} ms`);
});
