// Tests the package in Node: folders, URLs, and everything that can go wrong.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { PACKAGE, makeBundle, serveFolders } from "./support.mjs";

const { open, NearfindError } = await import(new URL("dist/node.js", PACKAGE));
const site = makeBundle();
const bare = makeBundle({ shipModel: false });
const wordsOnly = makeBundle({ shipModel: false, more: ["--no-query-encoder"] });
const split = makeBundle({ shipModel: false, more: ["--max-file-bytes", "4000"] });
after(() => [site, bare, wordsOnly, split].forEach((made) => made.cleanUp()));

const rejectsWith = (promise, code, text = "") =>
  assert.rejects(promise, (error) => {
    assert.ok(error instanceof NearfindError, String(error));
    assert.equal(error.code, code, error.message);
    assert.ok(error.message.includes(text), error.message);
    return true;
  });

test("a folder answers by meaning and by words", async () => {
  const search = await open(site.bundle);
  for (const tier of [1, 2]) {
    const meaning = await search.query("baking a loaf", { limit: 1, tier });
    assert.deepEqual([meaning.mode, meaning.tier], ["hybrid", tier]);
    assert.equal(meaning.hits[0].document, "docs/bread.md");
  }
  const words = await search.query("thread", { mode: "words" });
  assert.deepEqual(
    words.hits.map((hit) => hit.title),
    ["Channels"],
  );
  const [from, to] = words.hits[0].excerpt.highlights[0];
  assert.equal(words.hits[0].excerpt.text.slice(from, to), "Threads");
  assert.ok(words.tookMs > 0 && words.cost.bytes.terms > 0);
  assert.equal((await search.embed("x")).length, 384);
  search.close();
});

test("lines are found by exact text and by expressions, with exact totals", async () => {
  const server = await serveFolders({ bundle: bare.bundle });
  for (const location of [bare.bundle, `${server.url}/bundle/`]) {
    const search = await open(location);
    const found = await search.grep("FLOUR, water");
    assert.deepEqual([found.lines, found.documents], [1, 1]);
    const { document, line, text, before } = found.found[0];
    assert.deepEqual([document, line, text, before], ["docs/bread.md", 3, "Knead flour, water and salt to a dough.", []]);
    assert.equal((await search.grep("FLOUR, water", { caseSensitive: true })).lines, 0);
    const all = await search.grep(/^# (channels|bread)$/i, { context: 2, limit: 1 });
    assert.deepEqual([all.lines, all.found.length, all.found[0].after], [2, 1, ["", "Knead flour, water and salt to a dough."]]);
    const next = await search.grep(/^# (channels|bread)$/i, { offset: 1 });
    assert.deepEqual(
      next.found.map((hit) => hit.text),
      ["# Channels"],
    );
    assert.equal((await search.grep(/\bthreads\b/iu, { path: /^bread/ })).lines, 0);
    assert.equal((await search.grep(/\bthreads\b/iu, { project: "docs" })).lines, 1);
    assert.equal((await search.grep("<script>")).found[0].text.includes("<script>"), true);
    await rejectsWith(search.grep(""), "bad-pattern", "one line");
    await rejectsWith(search.grep("a\nb"), "bad-pattern");
    search.close();
    await rejectsWith(search.grep("x"), "closed");
  }
  server.close();
});

test("a host that passes the modules can also pass the one that finds lines", async () => {
  const slim = await import(new URL("dist/slim.js", PACKAGE));
  const read = async (file, start = 0, bytes = undefined) => readFileSync(join(bare.bundle, file)).subarray(start, bytes && start + bytes);
  const without = await slim.open(read, { wasm: wasm("search") });
  await assert.rejects(without.grep("flour"), { code: "no-module", message: /nearfind\/grep\.wasm/ });
  const search = await slim.open(read, { wasm: wasm("search"), grep: wasm("grep") });
  assert.deepEqual(
    (await search.grep("flour")).found.map(({ line }) => line),
    [3],
  );
  assert.equal((await search.query("dough", { mode: "words" })).hits[0].title, "Bread");
});

test("a file URL and an HTTP URL open the same bundle", async () => {
  const server = await serveFolders({ bundle: site.bundle });
  for (const location of [pathToFileURL(site.bundle), `${server.url}/bundle`, new URL(`${server.url}/bundle/`)]) {
    const search = await open(location);
    assert.equal((await search.query("dough", { mode: "words" })).hits[0].title, "Bread");
    search.close();
  }
  assert.ok(
    server.log.some(({ file }) => file.startsWith("pages-")),
    "pages are read",
  );
  server.close();
});

test("a server that ignores ranges works, and each file is fetched once", async () => {
  const server = await serveFolders({ bundle: site.bundle }, { ranges: false });
  const search = await open(`${server.url}/bundle/`);
  for (const word of ["dough", "threads", "zebras"]) {
    assert.equal((await search.query(word, { mode: "words" })).hits.length, 1);
  }
  search.close();
  const files = server.log.map(({ file }) => file);
  assert.equal(new Set(files).size, files.length, files.join());
  server.close();
});

test("blocks that were read are not requested again", async () => {
  const server = await serveFolders({ bundle: site.bundle });
  const search = await open(`${server.url}/bundle/`);
  await search.query("dough", { mode: "words" });
  const asked = server.log.length;
  await search.query("dough", { mode: "words" });
  assert.equal(server.log.length, asked);
  search.close();
  server.close();
});

test("without the model, the bundle's query encoder answers with a notice", async () => {
  const search = await open(bare.bundle);
  const answer = await search.query("dough", { tier: 2 });
  assert.deepEqual([answer.mode, answer.tier], ["hybrid", 1]);
  assert.match(answer.notice, /all-MiniLM-L6-v2/);
  assert.equal((await search.query("dough")).notice, undefined);
  await rejectsWith(search.embed("dough"), "no-model");
  search.close();
});

test("without query encoder and model, words alone answer", async () => {
  const search = await open(wordsOnly.bundle);
  const answer = await search.query("dough");
  assert.deepEqual([answer.mode, answer.tier, answer.hits.length], ["words", 0, 1]);
  await rejectsWith(search.query("dough", { mode: "meaning" }), "no-model");
  search.close();
});

test("words are shown first, then words and meaning", async () => {
  const server = await serveFolders({ bundle: bare.bundle });
  const search = await open(`${server.url}/bundle/`);
  const tiers = [];
  const answer = await search.query("dough", { onPreview: (preview) => tiers.push(preview.tier) });
  assert.deepEqual(tiers, [0]);
  assert.equal(answer.tier, 1);
  search.close();
  server.close();
});

test("prefetched data is not requested again", async () => {
  const server = await serveFolders({ bundle: bare.bundle });
  const search = await open(`${server.url}/bundle/`);
  await search.prefetch();
  await search.prefetch("dough");
  const asked = server.log.length;
  await search.query("dough");
  const after = server.log.slice(asked).map(({ file }) => file.split("-")[0]);
  assert.ok(
    after.every((part) => part === "pages" || part === "codes"),
    after.join(),
  );
  search.close();
  server.close();
});

test("a bundle in small files gives the same answers, with and without ranges", async () => {
  for (const ranges of [true, false]) {
    const server = await serveFolders({ bundle: split.bundle }, { ranges });
    const search = await open(`${server.url}/bundle/`);
    assert.equal((await search.query("baking a loaf")).hits[0].title, "Bread");
    assert.ok(server.log.some(({ file }) => /^tokens-[0-9a-f]{16}-\d+\.nf$/.test(file)));
    search.close();
    server.close();
  }
});

test("if only data for meaning is missing or damaged, words answer with a notice", async () => {
  for (const part of ["cells", "codes", "tokens"]) {
    for (const copy of [bare.damaged(`${part}-`), bare.without(`${part}-`)]) {
      const server = await serveFolders({ bundle: copy });
      const search = await open(`${server.url}/bundle/`);
      const answer = await search.query("dough");
      assert.deepEqual([answer.mode, answer.hits[0]?.title], ["words", "Bread"], part);
      assert.match(answer.notice, /words alone: .+/);
      search.close();
      server.close();
    }
  }
});

test("a web page instead of a file is rejected", async () => {
  const html = "<!doctype html><title>Sign in</title>";
  const server = await serveFolders({ bundle: bare.bundle }, { instead: (file) => (file.startsWith("terms-") ? html : undefined) });
  const search = await open(`${server.url}/bundle/`);
  await rejectsWith(search.query("dough"), "bad-bundle", "terms");
  search.close();
  server.close();
  const everywhere = await serveFolders({ bundle: bare.bundle }, { instead: () => html });
  await rejectsWith(open(`${everywhere.url}/bundle/`), "bad-bundle", "nearfind.json");
  everywhere.close();
});

test("offline after the first query, loaded data answers and missing data is reported", async () => {
  const server = await serveFolders({ bundle: bare.bundle });
  const search = await open(`${server.url}/bundle/`);
  await search.query("dough");
  server.close();
  server.drop();
  assert.equal((await search.query("dough")).hits[0].title, "Bread");
  const answer = await search.query("threads messages").catch((error) => error);
  // Such a small bundle may be loaded completely. Otherwise the error names the network.
  assert.ok(answer.hits?.length > 0 || answer.code === "network", String(answer));
  search.close();
});

test("a model can be passed by path", async () => {
  const model = join(
    site.bundle,
    readdirSync(site.bundle).find((file) => file.endsWith(".nfm")),
  );
  const search = await open(bare.bundle, { model });
  const progress = [];
  await search.loadModel({ onProgress: (read, total) => progress.push([read, total]) });
  assert.ok(progress.at(-1)[0] > 1e6);
  assert.equal((await search.query("baking")).tier, 2, "a model that is ready is used");
  assert.equal((await search.query("baking", { mode: "meaning" })).hits[0].title, "Bread");
  search.close();
});

test("invalid queries are rejected with a code", async () => {
  const search = await open(site.bundle);
  await rejectsWith(search.query("  "), "empty-query", "type at least one word");
  await rejectsWith(search.query("x", { mode: "words", limit: 0 }), "bad-limit");
  await rejectsWith(search.query("x", { mode: "psychic" }), "bad-query");
  search.close();
  await rejectsWith(search.query("x"), "closed");
});

test("aborting a query rejects it with the reason and leaves other queries alone", async () => {
  const search = await open(site.bundle);
  const controller = new AbortController();
  const aborted = search.query("dough", { mode: "words", signal: controller.signal });
  const other = search.query("threads", { mode: "words" });
  controller.abort(new Error("changed my mind"));
  await assert.rejects(aborted, /changed my mind/);
  assert.equal((await other).hits.length, 1);
  await assert.rejects(search.query("x", { signal: AbortSignal.abort() }), { name: "AbortError" });
  search.close();
});

/** Every call of an open search, with its arguments. */
const CALLS = {
  query: ["dough"],
  grep: ["flour"],
  suggest: ["dou"],
  document: ["bread.md"],
  filters: [],
  embed: ["dough"],
  prefetch: ["dough"],
  loadModel: [],
  refresh: [],
};
const wasm = (name) => readFileSync(new URL(`wasm/${name}/nearfind_${name}_bg.wasm`, PACKAGE));
const HOSTS = {
  node: (url, options) => open(url, options),
  slim: async (url, options) =>
    (await import(new URL("dist/slim.js", PACKAGE))).open(url, { ...options, wasm: wasm("search"), grep: wasm("grep") }),
};

/** Serves the bundle until `hang` is called, and then leaves every request without a response. */
async function serveThenHang() {
  const state = { hangs: false };
  const server = createServer((request, response) => {
    if (!state.hangs) response.end(readFileSync(join(site.bundle, request.url.split("?")[0])));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    hang: () => {
      state.hangs = true;
    },
    close,
  };
}

test("the list of calls that take a signal is complete", async () => {
  const { Engine } = await import(new URL("dist/engine/engine.js", PACKAGE));
  const others = ["constructor", "model", "close"];
  assert.deepEqual(
    Object.getOwnPropertyNames(Engine.prototype)
      .filter((name) => !others.includes(name))
      .sort(),
    Object.keys(CALLS).sort(),
  );
});

for (const [host, openIn] of Object.entries(HOSTS)) {
  test(`aborting its signal ends every call (${host})`, async () => {
    const reason = new Error("changed my mind");
    const server = await serveThenHang();
    await assert.rejects(openIn(server.url, { signal: AbortSignal.abort(reason) }), reason);
    const search = await openIn(server.url);
    /** Checks that the call rejects with the reason. A prefetch never rejects. */
    const end = async (name, promise) =>
      name === "prefetch" ? assert.equal(await promise, undefined) : assert.rejects(promise, reason, name);
    for (const [name, asked] of Object.entries(CALLS)) {
      await end(name, search[name](...asked, { signal: AbortSignal.abort(reason) }));
    }
    server.hang();
    const opening = new AbortController();
    const unopened = openIn(server.url, { signal: opening.signal });
    opening.abort(reason);
    await assert.rejects(unopened, reason);
    // Abort in the middle of each call. No response arrives, so the call ends with the signal, unless it has all data
    // that it needs.
    const ended = [];
    // `nearfind/slim` rejects calls that need a model immediately.
    for (const [name, asked] of Object.entries(CALLS).filter(([name]) => host === "node" || !["embed", "loadModel"].includes(name))) {
      const controller = new AbortController();
      const running = search[name](...asked, { signal: controller.signal });
      setTimeout(() => controller.abort(reason), 50);
      await running.then(
        () => {},
        (error) => {
          assert.equal(error, reason, name);
          ended.push(name);
        },
      );
    }
    assert.ok(
      ["query", "grep", "refresh"].every((name) => ended.includes(name)),
      `${ended} ended`,
    );
    search.close();
    server.close();
  });
}

test("missing and damaged bundles are named", async () => {
  await rejectsWith(open(join(site.bundle, "nowhere")), "not-found", "nearfind.json");
  await rejectsWith(open(site.damaged("nearfind.json")), "bad-bundle");
  for (const part of ["map", "terms", "pages"]) {
    const search = await open(site.damaged(`${part}-`));
    await rejectsWith(search.query("dough", { mode: "words" }), "bad-bundle", part);
    search.close();
  }
  const search = await open(site.damaged("model-"));
  await rejectsWith(search.embed("dough"), "bad-model", "model pack");
  const answer = await search.query("dough", { tier: 2 });
  assert.deepEqual([answer.tier, answer.hits[0].title], [1, "Bread"], "the query encoder goes on");
  assert.match(answer.notice, /model pack: corrupt/);
  search.close();
  await rejectsWith(open("http://127.0.0.1:9/"), "network");
});
