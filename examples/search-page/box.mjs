// Asks the box of the example's page, and reads its content.

/** A question about the example's docs. */
export const QUESTION = "how do I share data between threads?";
/** The number of pages with titles to read. */
const PAGES = 3;

/** Opens the box on `page` with the question, and returns its answer. */
export async function ask(page) {
  await page.waitForFunction(() => document.querySelector("nearfind-search")?.shadowRoot?.querySelector("[role=combobox]"), undefined, {
    timeout: 60_000,
  });
  return page.evaluate(
    (question) =>
      new Promise((resolve) => {
        document.addEventListener("nearfind-query", ({ detail }) => resolve(detail.answer), { once: true });
        document.querySelector("nearfind-search").show(question);
      }),
    QUESTION,
  );
}

/** Returns the texts of the box on `page`, and the titles of its first pages, one per line. */
export async function readBox(page) {
  await page.waitForFunction(() => document.querySelector("nearfind-search").shadowRoot.querySelector("[part~=offer]"));
  return page.evaluate((pages) => {
    const root = document.querySelector("nearfind-search").shadowRoot;
    const lines = (part, most) =>
      // biome-ignore lint/performance/useDomNodeTextContent: what a reader sees, blocks separated by spaces
      [...root.querySelectorAll(`[part~="${part}"]`)].slice(0, most).map((element) => element.innerText.replace(/\s+/g, " ").trim());
    const parts = [["button"], ["close"], ["facets"], ["title", pages], ["status"], ["actions"], ["hints"]];
    return `${parts.map(([part, most]) => `${part}: ${lines(part, most).join(" | ")}`).join("\n")}\n`;
  }, PAGES);
}
