// Opens forged bundles with correct checksums in each browser. Every call ends with an answer or an error that explains
// the problem, and no text becomes markup. DAMAGES=300 tries more bundles.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { BROWSERS, closeBrowsers, openIn } from "./browsers.mjs";
import { PACKAGE, makeBundle, serveFolders } from "./support.mjs";

const { DAMAGES = "20", SEED = "1" } = process.env;
const skip = spawnSync("python3", ["--version"]).status === 0 ? false : "needs Python";
const site = makeBundle({ shipModel: false });
const damaged = mkdtempSync(join(tmpdir(), "nearfind-"));
const server = await serveFolders({ damaged, nearfind: fileURLToPath(PACKAGE), page: fileURLToPath(new URL("page/", import.meta.url)) });
after(async () => {
  await closeBrowsers();
  server.close();
  site.cleanUp();
  rmSync(damaged, { recursive: true, force: true });
});

/** Makes every call on each bundle in a page, and shows the bundle in a box. */
async function ask(count) {
  const [{ open }] = await Promise.all(["browser.js", "define.js"].map((file) => import(`/nearfind/dist/${file}`)));
  const inTime = (promise, what) =>
    Promise.race([promise, new Promise((_, reject) => setTimeout(() => reject(new Error(`no end: ${what}`)), 10_000))]);
  const calls = {
    hybrid: (search) => search.query("flour and threads"),
    words: (search) => search.query('zebras "through channels"', { mode: "words", counts: true, passages: 3 }),
    typo: (search) => search.query("chanels", { typing: true }),
    suggest: (search) => search.suggest("chan"),
    document: (search) => search.document("bread.md"),
    filters: (search) => search.filters(),
    grep: (search) => search.grep("flour|zebras"),
  };
  const ends = {};
  const wrong = [];
  const tried = async (what, run) => {
    const end = await inTime(run(), what).then(
      () => "answered",
      (error) => error.code ?? error.message,
    );
    ends[end] = (ends[end] ?? 0) + 1;
    if (!["answered", "bad-bundle", "bad-filter", "not-found"].includes(end)) {
      wrong.push(`${what}: ${end}`);
    }
  };
  for (let number = 0; number < count; number++) {
    const bundle = `/damaged/${number}/`;
    let search;
    await tried(`${number} open`, async () => {
      search = await open(bundle);
    });
    for (const [name, call] of search ? Object.entries(calls) : []) {
      await tried(`${number} ${name}`, () => call(search));
    }
    search?.close();
    const box = document.createElement("nearfind-search");
    box.setAttribute("bundle", bundle);
    document.body.append(box);
    box.show("channels flour markup");
    const shown = () =>
      box.shadowRoot.querySelector("[role=listbox]")?.dataset.tier || box.shadowRoot.querySelector("[role=status]")?.textContent;
    await tried(`${number} box`, async () => {
      while (!shown()) await new Promise((resolve) => setTimeout(resolve, 5));
    });
    const markup = box.shadowRoot.querySelector("img, script, iframe");
    if (markup || window.hacked) {
      wrong.push(`${number}: ${markup?.outerHTML}`);
    }
    box.hide();
    box.remove();
  }
  return { ends, wrong };
}

for (const name of BROWSERS) {
  test(`no damage makes a page hang, breaks it, or becomes a part of it: ${name}`, { skip }, async () => {
    const script = fileURLToPath(new URL("../../tests/format/damage.py", import.meta.url));
    rmSync(damaged, { recursive: true, force: true });
    execFileSync("python3", [script, site.bundle, damaged, DAMAGES, SEED]);
    const { run, problems, close } = await openIn(name, `${server.url}/page/empty.html`);
    try {
      const { ends, wrong } = await run(ask, Number(DAMAGES));
      console.log(name, ends);
      assert.deepEqual([wrong, problems], [[], []]);
      assert.ok(ends.answered > 0 && ends["bad-bundle"] > 0, JSON.stringify(ends));
    } finally {
      await close();
    }
  });
}
