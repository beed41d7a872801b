// Tests a bundle that is replaced while it is open, in Node and in a page, and filters that every host supports.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openPage } from "../../examples/search-page/browser.mjs";
import { PACKAGE, serveFolders } from "./support.mjs";

const { open } = await import(new URL("dist/node.js", PACKAGE));
const folder = mkdtempSync(join(tmpdir(), "nearfind-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const nearfind = (...parameters) => execFileSync(process.env.NEARFIND ?? "nearfind", parameters, { encoding: "utf8" });

/** Creates a site whose pages belong to an edition. */
function site(name) {
  const docs = join(folder, name, "docs");
  mkdirSync(docs, { recursive: true });
  const bundle = join(folder, name, "bundle");
  return {
    bundle,
    publish(edition) {
      for (const page of ["bread", "channels", "zebras"]) {
        writeFileSync(join(docs, `${page}.md`), `# ${page}\n\nText of ${page}, edition${edition}.\n`);
      }
      nearfind("index", docs, "-o", bundle, "-q");
      // The publisher removes everything of the old bundle.
      nearfind("prune", bundle);
    },
  };
}

test("a query over a bundle that was replaced reads the new one", async () => {
  const made = site("node");
  made.publish(1);
  const server = await serveFolders({ bundle: made.bundle });
  for (const location of [made.bundle, `${server.url}/bundle/`]) {
    made.publish(1);
    const search = await open(location);
    assert.match((await search.query("bread", { mode: "words" })).hits[0].excerpt.text, /edition1/);
    made.publish(2);
    const answers = await Promise.all(["zebras", "channels edition2"].map((text) => search.query(text)));
    for (const { hits, notice } of answers) {
      assert.equal(notice, undefined);
      assert.ok(hits.length > 0 && hits.every((hit) => hit.excerpt.text.includes("edition2")), JSON.stringify(hits));
    }
    assert.equal(await search.refresh(), false);
    made.publish(3);
    assert.equal(await search.refresh(), true);
    assert.match((await search.query("bread")).hits[0].excerpt.text, /edition3/);
    search.close();
  }
  server.close();
});

test("a page notices a replaced bundle", async () => {
  const made = site("page");
  made.publish(1);
  const page = join(dirname(fileURLToPath(import.meta.url)), "page");
  const server = await serveFolders({ page, nearfind: fileURLToPath(PACKAGE), bundle: made.bundle });
  const opened = await openPage(`${server.url}/page/empty.html`);
  try {
    const ask = (text) =>
      opened.page.evaluate(async (text) => {
        const { open } = await import("/nearfind/dist/browser.js");
        window.search ??= await open("/bundle/");
        const { hits, notice } = await window.search.query(text);
        return { texts: hits.map((hit) => hit.excerpt.text), notice };
      }, text);
    assert.match((await ask("bread")).texts[0], /edition1/);
    made.publish(2);
    const { texts, notice } = await ask("zebras and channels");
    assert.equal(notice, undefined);
    assert.ok(texts.length > 0 && texts.every((text) => text.includes("edition2")), texts.join());
  } finally {
    await opened.browser.close();
    server.close();
  }
});

test("filters select pages by properties of the catalog", async () => {
  const docs = join(folder, "filters");
  const pages = { "how_to/deep/a.md": "date: 2024-05-01", "how_to/b.md": "date: 2022", "blog/2023-02-03-c.md": "title: C" };
  for (const [path, head] of Object.entries(pages)) {
    mkdirSync(dirname(join(docs, path)), { recursive: true });
    writeFileSync(join(docs, path), `---\n${head}\n---\n# Threads of ${path}\n\nText.\n`);
  }
  const bundle = join(folder, "filtered");
  nearfind("index", `docs=${docs}`, "-o", bundle, "-q");
  const search = await open(bundle);
  const cases = [
    [{ area: "how_to" }, ["how_to/b.md", "how_to/deep/a.md"]],
    [{ sub_area: "deep" }, ["how_to/deep/a.md"]],
    [{ path: ["blog/", "how_to/b.md"] }, ["blog/2023-02-03-c.md", "how_to/b.md"]],
    [{ path_regex: "(a|c)\\.md$" }, ["blog/2023-02-03-c.md", "how_to/deep/a.md"]],
    [{ since: "2023", until: "2023-12" }, ["blog/2023-02-03-c.md"]],
  ];
  for (const [filters, expected] of cases) {
    const { hits } = await search.query("threads", { filters });
    assert.deepEqual(hits.map((hit) => hit.path).sort(), expected, JSON.stringify(filters));
    // The program finds the same pages in the same order.
    const flat = Object.entries(filters).flatMap(([name, values]) => [values].flat().flatMap((value) => ["--filter", `${name}=${value}`]));
    const terminal = JSON.parse(nearfind("search", bundle, "threads", "--tier", "1", "--json", ...flat));
    assert.deepEqual(
      hits.map((hit) => hit.path),
      terminal.hits.map((hit) => hit.path),
    );
  }
  await assert.rejects(search.query("threads", { filters: { path_regex: "(" } }), { code: "bad-filter" });
  await assert.rejects(search.query("threads", { filters: { since: "soon" } }), { code: "bad-filter" });
  search.close();
  assert.ok(readdirSync(bundle).some((name) => name.startsWith("catalog-")));
});
