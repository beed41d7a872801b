// Tests that a call affects only itself if it ends inside the module, with a panic or with an error that passes through
// the module.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { BROWSERS, closeBrowsers, openIn } from "./browsers.mjs";
import { PACKAGE, makeBundle, serveFolders } from "./support.mjs";

const { open } = await import(new URL("dist/node.js", PACKAGE));
const site = makeBundle({ shipModel: false });
const server = await serveFolders({
  bundle: site.bundle,
  nearfind: fileURLToPath(PACKAGE),
  page: fileURLToPath(new URL("page/", import.meta.url)),
});
after(async () => {
  await closeBrowsers();
  server.close();
  site.cleanUp();
});

/** A mode that is not a text. Reading it fails while the module is reading the question. */
const BROKEN = { mode: {} };

test("the next question is answered in Node, also in other searches", async () => {
  const [search, other] = await Promise.all([open(site.bundle), open(site.bundle)]);
  const titles = async (asked) => (await asked.query("knead")).hits.map(({ title }) => title);
  try {
    const before = await titles(search);
    assert.equal(before[0], "Bread");
    await search.grep("flour");
    for (let time = 0; time < 3; time++) {
      await assert.rejects(search.query("knead", BROKEN));
      // Calls at the same time may fail with it, but no later call does.
      await Promise.allSettled([search.query("knead", BROKEN), search.query("dough"), search.suggest("chan")]);
      assert.deepEqual(await titles(search), before);
      assert.deepEqual(await titles(other), before);
      assert.equal((await search.grep("flour")).found.length, 1);
      assert.equal((await search.document("bread.md")).title, "Bread");
    }
  } finally {
    search.close();
    other.close();
  }
});

for (const name of BROWSERS) {
  test(`the next question is answered in a page: ${name}`, async () => {
    const { run, problems, close } = await openIn(name, `${server.url}/page/empty.html`);
    try {
      const found = await run(async (broken) => {
        const { open } = await import("/nearfind/dist/browser.js");
        const search = await open("/bundle/");
        const titles = async () => (await search.query("knead")).hits.map(({ title }) => title);
        const before = await titles();
        const failed = await search.query("knead", broken).then(
          () => false,
          () => true,
        );
        // The second part of the module is loaded into the new instance too.
        const after = [await titles(), (await search.document("bread.md"))?.title, (await search.filters()).length > 0];
        search.close();
        return { before, failed, after };
      }, BROKEN);
      assert.ok(found.failed);
      assert.deepEqual(found.after, [found.before, "Bread", true]);
      assert.equal(found.before[0], "Bread");
      assert.deepEqual(problems, []);
    } finally {
      await close();
    }
  });
}
