// Tests the data that pages provide besides their text: a date, an image, and values for sorting. Also tests the
// preview of a page beside the list.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { BROWSERS, closeBrowsers, openIn } from "./browsers.mjs";
import { makeSite, serveFolders } from "./support.mjs";

const site = makeSite();
const server = await serveFolders(site.folders);
after(async () => {
  await closeBrowsers();
  server.close();
  site.cleanUp();
});

const isAnswered = (query) => {
  const { dataset } = document.querySelector("nearfind-search").shadowRoot.querySelector("[role=listbox]");
  return dataset.query === query && dataset.tier !== "";
};
const titles = () => [...document.querySelector("nearfind-search").shadowRoot.querySelectorAll(".title")].map((title) => title.textContent);

/** Opens the box with these attributes and asks a question that both dated pages answer. */
async function asked(name, attributes) {
  const box = await openIn(name, `${server.url}/page/element.html`);
  await box.page.setViewportSize?.({ width: 1300, height: 800 });
  await box.page.setViewport?.({ width: 1300, height: 800 });
  await box.run((attributes) => {
    for (const [name, value] of Object.entries(attributes)) document.querySelector("nearfind-search").setAttribute(name, value);
  }, attributes);
  await box.until(() => document.querySelector("nearfind-search")?.shadowRoot?.querySelector("dialog") != null);
  await box.press("Control+k");
  await box.type("threads share memory");
  await box.until(isAnswered, "threads share memory");
  return box;
}

for (const name of BROWSERS) {
  describe(name, () => {
    test("a page is shown with its date and its image", async () => {
      const box = await asked(name, {});
      try {
        const shown = await box.run(() =>
          [...document.querySelector("nearfind-search").shadowRoot.querySelectorAll(".page")].map((page) => [
            page.getAttribute("aria-label"),
            page.querySelector("[part=place]").textContent,
            page.querySelector("img")?.src ?? null,
          ]),
        );
        const of = (title) => shown.find(([label]) => label === title);
        assert.match(of("Locks")[1], /Nov 2, 2026/);
        assert.equal(of("Locks")[2], `${server.url}/page/lock.svg`);
        assert.match(of("Threads")[1], /Mar 1, 2026/);
        assert.equal(of("Threads")[2], null);
        assert.deepEqual(box.problems, []);
      } finally {
        await box.close();
      }
    });

    test("readers can choose the order of answers", async () => {
      const box = await asked(name, { sort: "Newest=-date&Oldest=date" });
      try {
        const choose = async (label) => {
          await box.run(
            (label) =>
              [...document.querySelector("nearfind-search").shadowRoot.querySelectorAll("[part~=orders] button")]
                .find((choice) => choice.textContent === label)
                .click(),
            label,
          );
          await box.until(
            (label) =>
              document.querySelector("nearfind-search").shadowRoot.querySelector("[part~=orders] [aria-pressed=true]").textContent ===
              label,
            label,
          );
          await box.until(isAnswered, "threads share memory");
          return box.run(titles);
        };
        const dated = (found) => found.filter((title) => title === "Locks" || title === "Threads");
        const byFit = await box.run(titles);
        assert.deepEqual(dated(await choose("Newest")), ["Locks", "Threads"], "November comes before March");
        assert.deepEqual(dated(await choose("Oldest")), ["Threads", "Locks"]);
        assert.deepEqual(await choose("Relevance"), byFit);
        assert.deepEqual(box.problems, []);
      } finally {
        await box.close();
      }
    });

    test("the page of a result is shown beside the list, without its scripts, if there is room", async () => {
      const box = await asked(name, { preview: "" });
      try {
        const first = await box.run(
          () => document.querySelector("nearfind-search").shadowRoot.querySelector("a[role=option]").href.split(":~:")[0],
        );
        const isShown = (url) => {
          const frame = document.querySelector("nearfind-search").shadowRoot.querySelector("iframe");
          return frame.src === url && frame.getBoundingClientRect().width > 200 && frame.getAttribute("sandbox") === "";
        };
        await box.until(isShown, first);
        await box.press("ArrowDown");
        await box.press("ArrowDown");
        const active = await box.run(
          () => document.querySelector("nearfind-search").shadowRoot.querySelector("[aria-selected=true]").href.split(":~:")[0],
        );
        assert.notEqual(active, first);
        await box.until(isShown, active);
        assert.equal(
          await box.run(() => document.querySelector("nearfind-search").shadowRoot.activeElement.getAttribute("role")),
          "combobox",
          "the field keeps the focus",
        );
        assert.deepEqual(box.problems, []);
      } finally {
        await box.close();
      }
    });
  });
}
