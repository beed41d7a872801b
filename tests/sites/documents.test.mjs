// Searches a folder of documents (examples/documents/build.sh) in its search box. Each question leads to the file and
// the section or page in it, and the PDF opens on its page in the browser's own viewer.
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { PAGE_COLORS } from "../../examples/documents/make.mjs";
import { BROWSERS, closeBrowsers, openIn } from "../../web/test/browsers.mjs";
import { host } from "./host.mjs";

const SITE = fileURLToPath(new URL("../../target/documents/", import.meta.url));
const { SCREENSHOTS } = process.env;
after(closeBrowsers);

const answered = (question) => {
  const { dataset } = document.querySelector("nearfind-search").shadowRoot.querySelector("[role=listbox]");
  return dataset.query === question && dataset.tier !== "";
};

/** Returns the first result for `question`. */
async function first(box, question) {
  await box.run(() => {
    const field = document.querySelector("nearfind-search").shadowRoot.querySelector("[role=combobox]");
    field.value = "";
    field.focus();
  });
  await box.type(question);
  await box.until(answered, question);
  return box.run(() => {
    const [option] = document.querySelector("nearfind-search").shadowRoot.querySelectorAll("a[role=option]");
    return { href: option.href, place: option.querySelector("[part=place]").textContent };
  });
}

// Each question, its target, and the description of the result. Only the target file contains the words of the question.
const QUESTIONS = [
  ["how often should I descale the machine?", "files/manual.pdf#page=3", /^PDF · page 3 · \d+ kB › Cleaning$/],
  ["what does a lamp mean that blinks red twice?", "files/manual.pdf#page=4", /page 4/],
  ["who waters the ficus?", "files/minutes.docx", /^Document · .* › Office plants$/],
  ["which supplier delivers oat milk?", "files/suppliers.xlsx", /^Spreadsheet · .*rows 1–4$/],
  ["what to do about a complaint over a cold cup", "files/training.pptx", /^Slides · .* › Slide 2: Complaints$/],
  ["which drink contains hazelnut?", "files/allergens.csv", /^Spreadsheet/],
  ["renting the terrace to the chess club", "files/ideas.txt", /^Text/],
  ["warm up the grinder", "files/opening.md#opening-the-shop", /^$/],
  ["how long does cold brew steep?", "files/recipes.adoc#_cold_brew", /^Cold brew$/],
];

for (const browser of BROWSERS) {
  test(`documents are found in ${browser}`, async () => {
    assert.ok(existsSync(join(SITE, "search")), "the folder is not built: run examples/documents/build.sh");
    const server = await host(SITE);
    const box = await openIn(browser, server.url);
    try {
      await box.until(() => document.querySelector("nearfind-search")?.shadowRoot?.querySelector("[role=combobox]") != null);
      for (const [question, place, said] of QUESTIONS) {
        const found = await first(box, question);
        // Links to pages also contain the words to highlight.
        assert.equal(found.href.split(":~:")[0], server.url + place, question);
        assert.equal(found.href.includes(":~:"), /\.(md|adoc)/.test(place), question);
        assert.match(found.place, said, question);
      }
      assert.deepEqual(box.problems, []);
      if (browser === "chromium") {
        await opensOnItsPage(box, server.url);
      }
    } finally {
      await box.close();
      server.close();
    }
  });
}

/**
 * Asserts that the PDF opens on the right page. The pages of the manual have different colors, which identify the
 * visible one.
 */
async function opensOnItsPage(box, url) {
  await first(box, QUESTIONS[0][0]);
  if (SCREENSHOTS) {
    mkdirSync(SCREENSHOTS, { recursive: true });
    await box.page.screenshot({ path: join(SCREENSHOTS, "documents.png") });
  }
  await box.press("Enter");
  await box.page.waitForURL(/manual\.pdf/);
  const shown = async () => {
    const picture = `data:image/png;base64,${(await box.page.screenshot()).toString("base64")}`;
    const reader = await openIn("chromium", `${url}index.html`);
    const color = await reader.run(async (picture) => {
      const image = await createImageBitmap(await (await fetch(picture)).blob());
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      return [...context.getImageData(image.width * 0.7, image.height * 0.6, 1, 1).data.slice(0, 3)];
    }, picture);
    await reader.close();
    const distance = (page) => page.reduce((sum, part, at) => sum + Math.abs(part - color[at]), 0);
    const page = PAGE_COLORS.findIndex((page) => distance(page) < 12) + 1;
    return page;
  };
  // The viewer takes some time.
  let page = 0;
  for (let tries = 0; tries < 20 && page !== 3; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    page = await shown();
  }
  if (SCREENSHOTS) {
    await box.page.screenshot({ path: join(SCREENSHOTS, "documents-pdf.png") });
  }
  assert.equal(page, 3);
}
