// Takes the pictures of the box for README and the guides, and writes the visible texts to pictures.txt, with which
// check.mjs compares the current box:
//   node examples/search-page/pictures.mjs target/example-bundle book=… reference=…
import { writeFileSync } from "node:fs";
import { openPage } from "./browser.mjs";
import { ask, readBox } from "./box.mjs";
import { serve } from "./serve.mjs";

const [bundle, ...docs] = process.argv.slice(2);
/** The parts that are labeled in the picture of parts. */
const PARTS = [
  "button",
  "dialog",
  "field",
  "input",
  "clear",
  "close",
  "facets",
  "choice",
  "page",
  "title",
  "place",
  "excerpt",
  "mark",
  "section",
  "status",
  "actions",
  "more",
  "offer",
  "hints",
];

const server = await serve(bundle, docs);
const { browser, page, problems } = await openPage(`http://127.0.0.1:${server.address().port}/`);
await ask(page);
const shoot = (name) => page.screenshot({ path: new URL(`${name}.png`, import.meta.url).pathname });
await shoot("box-light");
await page.emulateMedia({ colorScheme: "dark" });
await shoot("box-dark");
await page.emulateMedia({ colorScheme: "light" });
writeFileSync(new URL("pictures.txt", import.meta.url), await readBox(page));
await page.setViewportSize({ width: 1060, height: 760 });
await page.evaluate(labelParts, PARTS);
await shoot("parts");
await browser.close();
server.close();
if (problems.length > 0) {
  console.error(`errors in the page:\n${problems.join("\n")}`);
  process.exit(1);
}

/** Runs in the page: frames the first element of each part and numbers it. The names are on the right. */
function labelParts(names) {
  const root = document.querySelector("nearfind-search").shadowRoot;
  const dialog = root.querySelector("[part~=dialog]");
  const colour = "#c2185b";
  const draw = (css, text = "") => {
    const element = document.createElement("div");
    element.textContent = text;
    element.style.cssText = `position:fixed;z-index:9;pointer-events:none;${css}`;
    dialog.append(element);
  };
  const badge = (x, y, number) =>
    draw(
      `left:${x}px;top:${y}px;min-width:16px;font:700 11px/16px sans-serif;text-align:center;color:#fff;background:${colour};border-radius:8px`,
      number,
    );
  const parts = names.map((name) => {
    const part = root.querySelector(`[part~="${name}"]`);
    if (!part) {
      throw new Error(`the box has no part called ${name} any more`);
    }
    return { name, rectangle: part.getBoundingClientRect() };
  });
  parts.sort((a, b) => a.rectangle.top - b.rectangle.top || a.rectangle.left - b.rectangle.left);
  const legend = dialog.getBoundingClientRect().right + 24;
  const taken = [];
  parts.forEach(({ name, rectangle: { left, top, width, height } }, at) => {
    draw(`left:${left}px;top:${top}px;width:${width}px;height:${height}px;outline:1px solid ${colour};outline-offset:-1px`);
    let [x, y] = [left - 8, top - 8];
    while (taken.some((other) => Math.abs(other.x - x) < 17 && Math.abs(other.y - y) < 17)) {
      x += 17;
    }
    taken.push({ x, y });
    badge(x, y, at + 1);
    badge(legend, 80 + at * 26, at + 1);
    draw(`left:${legend + 24}px;top:${80 + at * 26}px;font:600 13px/16px monospace;color:#fff`, name);
  });
}
