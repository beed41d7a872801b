// Tests searching several bundles as one, in Node and in a page, from several origins.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { closeBrowsers, openIn } from "./browsers.mjs";
import { makeSite, serveFolders, writeOnnxModel } from "./support.mjs";

const nearfind = process.env.NEARFIND ?? "nearfind";
const site = makeSite();
const folder = mkdtempSync(join(tmpdir(), "nearfind-several-"));
const guide = join(folder, "guide-bundle");
const api = join(folder, "api-bundle");
execFileSync(nearfind, ["index", `guide=${site.folders.guide}`, "-o", guide, "-q", "--base-url", "/guide", "--ship-model"]);
execFileSync(nearfind, ["index", `api=${site.folders.api}`, "-o", api, "-q", "--base-url", "/api"]);
after(async () => {
  await closeBrowsers();
  site.cleanUp();
  rmSync(folder, { recursive: true, force: true });
});

const { open } = await import(new URL("../../examples/search-page/node_modules/nearfind/dist/node.js", import.meta.url).href);
// Sorts by address, because hits with equal scores may be in any order.
const found = ({ hits }) => hits.map(({ project, path, score }) => [`${project}/${path}`, score]).sort(([a], [b]) => (a < b ? -1 : 1));

test("two bundles answer like one bundle of both", async () => {
  const [one, two] = [await open(site.folders.bundle), await open([guide, api])];
  for (const question of ["mutex", "threads share memory", "zebras", "dough rest"]) {
    const [whole, merged] = [
      await one.query(question, { mode: "words", counts: true }),
      await two.query(question, { mode: "words", counts: true }),
    ];
    assert.deepEqual(
      found(merged).map(([address]) => address),
      found(whole).map(([address]) => address),
      question,
    );
    // Each bundle rounds the lengths of its own texts.
    found(merged).forEach(([address, score], at) =>
      assert.ok(Math.abs(score - found(whole)[at][1]) < 0.02, `${question} ${address} ${score}`),
    );
    const counts = ({ filters }) => filters.flatMap(({ values }) => values.map(({ value, documents }) => `${value} ${documents}`)).sort();
    assert.deepEqual(counts(merged), counts(whole));
  }
  const hybrid = await two.query("how do I share memory?", { unfit: true });
  assert.deepEqual([hybrid.tier, new Set(hybrid.hits.map(({ bundle }) => bundle)).size], [1, 2]);
  await two.loadModel();
  assert.equal((await two.query("how do I share memory?")).tier, 2);
  assert.equal((await two.document("api/mutex.html")).title, "Mutex API");
  assert.deepEqual(
    (await two.filters())[0].values.map(({ value }) => value),
    ["guide", "api"],
  );
  assert.deepEqual(
    (await two.query("mutex", { filters: { project: "api" } })).hits.map(({ bundle }) => bundle),
    [1, 1],
  );
  await assert.rejects(two.query("mutex", { filters: { project: "nothing" } }), { code: "bad-filter" });
  one.close();
  two.close();
});

test("bundles of different models are rejected with advice", async () => {
  const model = writeOnnxModel(folder);
  const models = join(folder, "models");
  mkdirSync(models);
  execFileSync(nearfind, ["model", "import", model, "--models", models, "--name", "tiny"]);
  const other = join(folder, "other-bundle");
  const docs = join(folder, "docs");
  mkdirSync(docs);
  writeFileSync(join(docs, "a.md"), "# Threads\n\nThreads and dough.\n");
  execFileSync(nearfind, ["index", docs, "-o", other, "-q", "--models", models, "--model", "tiny", "--no-query-encoder"]);
  await assert.rejects(open([guide, other]), (error) => error.code === "other-model" && /one model/.test(error.message));
});

test("a box over two sites, one of them on another origin, links to both", async () => {
  const elsewhere = await serveFolders(
    { api: site.folders.api, search: api },
    { headers: { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "Range" } },
  );
  const server = await serveFolders({ ...site.folders, search: guide });
  const box = await openIn("chromium", `${server.url}/page/element.html`);
  try {
    await box.run(
      (bundles) => document.querySelector("nearfind-search").setAttribute("bundle", bundles),
      `/search/ ${elsewhere.url}/search/`,
    );
    await box.press("Control+k");
    await box.type("mutex");
    await box.until(() => document.querySelector("nearfind-search").shadowRoot.querySelector("[role=listbox]").dataset.tier === "1");
    const links = await box.run(() =>
      [...document.querySelector("nearfind-search").shadowRoot.querySelectorAll("a[role=option]")].map(({ href }) => href.split("#")[0]),
    );
    assert.ok(links.includes(`${server.url}/guide/locks.html`) && links.includes(`${elsewhere.url}/api/mutex.html`), links.join("\n"));
    assert.deepEqual(box.problems, []);
  } finally {
    await box.close();
    server.close();
    elsewhere.close();
  }
});
