// Tests that pages load the search module in two parts. The first part answers the first query, and the second part
// does the rest.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { BROWSERS, closeBrowsers, openIn } from "./browsers.mjs";
import { makeSite, serveFolders } from "./support.mjs";

const LATER = "nearfind_search_later.wasm";
const site = makeSite();
after(async () => {
  await closeBrowsers();
  site.cleanUp();
});

/** Opens a page over the site until the end of the test. `missing` removes the second part, and restores it. */
async function visit(context, browser) {
  const log = [];
  let isMissing = false;
  const server = await serveFolders(site.folders, {
    log,
    instead: (file) => {
      if (isMissing && file === LATER) throw new Error("missing");
    },
  });
  const { page, close } = await openIn(browser, `${server.url}/page/empty.html`);
  context.after(async () => {
    await close();
    server.close();
  });
  return {
    loads: () => log.filter(({ file }) => file === LATER).length,
    missing: (is) => {
      isMissing = is;
    },
    /** Runs `body`, the text of a function, with an open `search`. Returns its value, or the code of its error. */
    run: (body) =>
      page.evaluate(`(async () => {
      const { open } = await import("/nearfind/dist/browser.js");
      const search = (window.search ??= await open("/bundle/"));
      try { return await (${body})(search); } catch (error) { return error.code ?? String(error); }
    })()`),
  };
}

const titles = (text, options = {}) =>
  `async (search) => (await search.query(${JSON.stringify(text)}, ${JSON.stringify(options)})).hits.map(({ title }) => title)`;

for (const browser of BROWSERS) {
  test(`a first answer does not need the second part, which is loaded after it (${browser})`, async (context) => {
    const page = await visit(context, browser);
    // As in the box: mistyped, and with an incomplete last word.
    assert.ok(
      (
        await page.run(
          'async (search) => { const first = await search.query("thread that wiats for a lo", { typing: true, counts: true, passages: 4, onPreview: (preview) => (window.preview = preview) }); return first.hits.map(({ title }) => title); }',
        )
      ).includes("Locks"),
    );
    assert.equal(page.loads(), 0, "before the answer: find out anew what first answers need, by `npm run first-answers`");
    const deadline = Date.now() + 10_000;
    while (page.loads() === 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(page.loads(), 1);
    assert.deepEqual(await page.run(titles('"share no memory"')), ["Threads"]);
    assert.equal(page.loads(), 1, "fetched once");
  });

  test(`calls that need the second part first fetch it first (${browser})`, async (context) => {
    const cases = [
      [titles('"share no memory"'), ["Threads"]],
      [titles("mutex", { filters: { project: "api" } }), ["Mutex API"]],
      ['async (search) => (await search.document("guide/bread.html")).title', "Bread"],
      ['async (search) => (await search.suggest("thr")).length > 0', true],
      // Rejected in a call that cannot wait.
      ['async (search) => search.query(" ")', "empty-query"],
    ];
    for (const [ask, expected] of cases) {
      const page = await visit(context, browser);
      const answer = await page.run(ask);
      assert.deepEqual(Array.isArray(expected) ? answer.slice(0, expected.length) : answer, expected, ask);
      assert.equal(page.loads(), 1, ask);
    }
  });

  test(`without the second part, words and meaning still work, and other calls report the reason (${browser})`, async (context) => {
    const page = await visit(context, browser);
    page.missing(true);
    const first = await page.run(titles("knead flour"));
    assert.equal(first[0], "Bread");
    // In a call that can wait, and in one that cannot.
    for (const needs of [
      titles('"share no memory"'),
      'async (search) => search.document("guide/bread.html")',
      'async (search) => search.query(" ")',
    ]) {
      assert.equal(await page.run(needs), "not-found", needs);
      assert.deepEqual(await page.run(titles("knead flour")), first, "as before");
    }
    page.missing(false);
    assert.deepEqual(await page.run(titles('"share no memory"')), ["Threads"]);
    assert.equal(await page.run('async (search) => search.query(" ")'), "empty-query");
  });
}
