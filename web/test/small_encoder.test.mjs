// Tests the small encoder. A page loads it automatically after a question that it may answer better, once for the whole
// site. If it cannot be loaded, search continues without it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { closeBrowsers, openIn } from "./browsers.mjs";
import { PACKAGE, makeSite, serveFolders } from "./support.mjs";
const { open } = await import(new URL("dist/node.js", PACKAGE));

const site = makeSite([]);
after(async () => {
  await closeBrowsers();
  site.cleanUp();
});

const { small } = JSON.parse(readFileSync(join(site.folders.bundle, "nearfind.json"))).model;
const MODULE = "nearfind_embed_bg.wasm";
const QUESTION = "how do two threads use one value at once";

/**
 * Shows the element with these attributes and asks each text in turn. Returns the encoder of the last answer, once that
 * is final.
 */
async function ask(box, attributes, ...texts) {
  await box.until(() => document.querySelector("nearfind-search")?.shadowRoot?.querySelector("dialog") != null);
  await box.run((attributes) => {
    const element = document.querySelector("nearfind-search");
    window.encoders = [];
    element.addEventListener("nearfind-query", ({ detail }) => window.encoders.push(detail.answer.encoder));
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    element.show();
  }, attributes);
  for (const text of texts) {
    await box.run((text) => {
      document.querySelector("nearfind-search").value = text;
    }, text);
    const isAnswered = (text) => {
      const { dataset } = document.querySelector("nearfind-search").shadowRoot.querySelector("[role=listbox]");
      return dataset.query === text && dataset.tier !== "";
    };
    await box.until(isAnswered, text);
  }
}

const encoders = (box) => box.run(() => window.encoders);
const isBetter = () => window.encoders.at(-1) === "small";
const packs = (server) => server.log.filter(({ file }) => file === small.file);
const later = () => new Promise((resolve) => setTimeout(resolve, 1500));

test("a sentence is answered by the table and then better, and the next page already has the encoder", async () => {
  const server = await serveFolders(site.folders);
  const box = await openIn("chromium", `${server.url}/page/element.html`);
  try {
    await ask(box, {}, QUESTION);
    await box.until(isBetter);
    assert.deepEqual(await encoders(box), ["table", "small"]);
    const [start, ...rows] = packs(server);
    assert.deepEqual(start.range, [0, small.start_bytes - 1]);
    const module = readFileSync(join(site.folders.nearfind, "wasm/embed", MODULE)).length;
    const bytes = rows.reduce((sum, { range: [from, to] }) => sum + to + 1 - from, small.start_bytes);
    console.log(
      `${(bytes / 1e6).toFixed(2)} MB of the pack, ${rows.length} requests for rows, a module of ${(module / 1e6).toFixed(2)} MB`,
    );
    await box.page.reload();
    await ask(box, {}, "how does a task wait for another");
    await box.until(isBetter);
    assert.equal(packs(server).filter(({ range }) => range[0] === 0).length, 1, "the start was kept");
    assert.deepEqual(box.problems, []);
  } finally {
    await box.close();
    server.close();
  }
});

for (const [why, attributes, ...texts] of [
  ["one word is found by its letters", {}, "mutex"],
  ["the title of a page is a name", {}, "mutex api"],
  ["the page says never", { model: "never" }, QUESTION],
  ["the page leaves it to the reader", { model: "ask" }, QUESTION],
]) {
  test(`the encoder is not loaded: ${why}`, async () => {
    const server = await serveFolders(site.folders);
    const box = await openIn("chromium", `${server.url}/page/element.html`);
    try {
      await ask(box, attributes, ...texts);
      await later();
      assert.deepEqual(packs(server), []);
      assert.deepEqual(await encoders(box), ["table"]);
      const offers = await box.run(() =>
        [...document.querySelector("nearfind-search").shadowRoot.querySelectorAll("[part=offer]")].map(({ textContent }) => textContent),
      );
      assert.deepEqual(offers, attributes.model === "ask" ? ["Better results: load the model (3 MB)"] : []);
      if (offers.length > 0) {
        await box.run(() => document.querySelector("nearfind-search").shadowRoot.querySelector("[part=offer]").click());
        await box.until(isBetter);
      }
    } finally {
      await box.close();
      server.close();
    }
  });
}

test("the encoder is not loaded if the reader saves data", async () => {
  const server = await serveFolders(site.folders);
  const box = await openIn("chromium", `${server.url}/page/empty.html`);
  try {
    await box.run(() => Object.defineProperty(navigator, "connection", { value: { saveData: true } }));
    await box.run(() => import("/nearfind/dist/define.js").then(() => document.body.append(document.createElement("nearfind-search"))));
    await ask(box, { bundle: "/bundle/" }, QUESTION);
    await later();
    assert.deepEqual([packs(server), await encoders(box)], [[], ["table"]]);
  } finally {
    await box.close();
    server.close();
  }
});

/** For each kind of broken pack: the response of the server, and the maximum number of requests of a page. */
const BROKEN = {
  "another file": [() => Buffer.from("<!doctype html><title>Not found</title>"), 1],
  "a damaged file": [(bytes) => bytes.fill(7, 5000, 6000), 1],
  "a file that is cut": [(bytes) => bytes.subarray(0, 100_000), 8],
};
for (const [what, [give, most]] of Object.entries(BROKEN)) {
  test(`if the server has ${what}, the table still answers, and the page does not repeat its requests`, async () => {
    const instead = (file) => (file === small.file ? give(readFileSync(join(site.folders.bundle, file))) : undefined);
    const server = await serveFolders(site.folders, { instead, ranges: false });
    const box = await openIn("chromium", `${server.url}/page/element.html`);
    try {
      await ask(box, {}, QUESTION);
      await later();
      const before = packs(server).length;
      assert.ok(before >= 1 && before <= most, `asked for ${before} times`);
      await ask(box, {}, "how does a task wait for another", QUESTION);
      await later();
      assert.equal(packs(server).length, before);
      const { status, notes } = await box.run(() => {
        const root = document.querySelector("nearfind-search").shadowRoot;
        return { status: root.querySelector("[role=status]").textContent, notes: root.querySelector("[part=notes]").textContent };
      });
      assert.match(status, /pages?$/);
      assert.equal(notes, "", "a reader who asked for nothing is told of nothing");
      assert.ok((await encoders(box)).every((encoder) => encoder === "table"));
    } finally {
      await box.close();
      server.close();
    }
  });
}

test("an answer stays if the connection breaks while it is being improved", async () => {
  let asked = 0;
  const instead = (file) => {
    asked += file === small.file ? 1 : 0;
    // The start of the pack arrives, but the rows of words do not.
    assert.ok(file !== small.file || asked === 1, "404");
  };
  const server = await serveFolders(site.folders, { instead });
  const box = await openIn("chromium", `${server.url}/page/element.html`);
  try {
    await ask(box, {}, QUESTION);
    await later();
    assert.ok(asked > 1, "rows were asked for");
    const { status, notes } = await box.run(() => {
      const root = document.querySelector("nearfind-search").shadowRoot;
      return { status: root.querySelector("[role=status]").textContent, notes: root.querySelector("[part=notes]").textContent };
    });
    assert.match(status, /Nearest pages|pages?$/);
    assert.equal(notes, "");
    assert.deepEqual(await encoders(box), ["table"]);
  } finally {
    await box.close();
    server.close();
  }
});

test("if no page fits, the nearest pages are shown as such and not counted", async () => {
  const server = await serveFolders(site.folders);
  const box = await openIn("chromium", `${server.url}/page/element.html`);
  try {
    const shown = (text) => {
      const root = document.querySelector("nearfind-search").shadowRoot;
      return root.querySelector("[role=status]").textContent.includes(text);
    };
    const titles = () =>
      [...document.querySelector("nearfind-search").shadowRoot.querySelectorAll(".title")].map((title) => title.textContent);
    await ask(box, { model: "never" }, "how do two tasks use one value at once");
    assert.ok(await box.run(shown, "No page clearly answers “how do two tasks use one value at once”. Closest pages:"));
    const near = await box.run(titles);
    assert.ok(near.length > 0 && near.length <= 5, `${near}`);
    const counted = box.run(
      () =>
        new Promise((resolve) => {
          const element = document.querySelector("nearfind-search");
          element.addEventListener("nearfind-query", ({ detail: { answer } }) => resolve([answer.hits.length, answer.found]), {
            once: true,
          });
          element.value = "when two tasks want one value at once";
        }),
    );
    assert.deepEqual(await counted, [0, 0]);
    // A page that fits is shown without that label.
    await ask(box, {}, "threads share memory");
    assert.ok(await box.run(shown, "pages"));
  } finally {
    await box.close();
    server.close();
  }
});

test("a page without storage can still use the encoder", async () => {
  // A full or forbidden storage rejects every call.
  const refusing = 'self.caches.open = () => Promise.reject(new DOMException("no", "QuotaExceededError"));\n';
  const instead = (file) => (file === "worker.js" ? refusing + readFileSync(join(site.folders.nearfind, "dist", file), "utf8") : undefined);
  const server = await serveFolders(site.folders, { instead });
  const box = await openIn("chromium", `${server.url}/page/empty.html`);
  try {
    const found = await box.run(async (question) => {
      const { open } = await import("/nearfind/dist/browser.js");
      const search = await open("/bundle/");
      await search.loadModel({ small: true });
      const { tier, encoder } = await search.query(question);
      search.close();
      return { tier, encoder };
    }, QUESTION);
    assert.deepEqual(found, { tier: 2, encoder: "small" });
  } finally {
    await box.close();
    server.close();
  }
});

test("Node can use the small encoder too, and reports if there is none", async () => {
  const search = await open(site.folders.bundle);
  assert.deepEqual(search.model.small, { bytes: small.start_bytes, loads: "auto" });
  assert.equal((await search.query(QUESTION)).encoder, "table");
  await search.loadModel({ small: true });
  const { tier, encoder, hits } = await search.query(QUESTION);
  assert.deepEqual([tier, encoder], [2, "small"]);
  assert.match(hits[0].title, /Threads|Locks/, "which pages are about sharing memory, in other words");
  assert.equal((await search.query(QUESTION, { tier: 1 })).encoder, "table");
  assert.equal((await search.query("mutex", { mode: "words" })).encoder, undefined);
  search.close();
  const without = makeSite(["--ship-model", "--small-encoder", "never"]);
  try {
    const plain = await open(without.folders.bundle);
    assert.equal(plain.model.small, undefined);
    await assert.rejects(plain.loadModel({ small: true }), { code: "no-model" });
    plain.close();
    // The model is better than the small encoder, whichever was loaded first.
    const both = await open([site.folders.bundle, without.folders.bundle]);
    await both.loadModel({ small: true });
    assert.equal((await both.query(QUESTION)).encoder, "small");
    await both.loadModel();
    assert.equal((await both.query(QUESTION)).encoder, "model");
    both.close();
  } finally {
    without.cleanUp();
  }
});
