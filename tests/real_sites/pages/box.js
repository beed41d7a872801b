// Asks through the search box, like a reader, and reads the pages to which its links lead.
import "/package/dist/define.js";
import { headedBlocks, normal } from "./blocks.js";

document.documentElement.lang = new URL(location.href).searchParams.get("lang") ?? "en";
const box = document.createElement("nearfind-search");
box.setAttribute("bundle", "/nearfind/");
box.setAttribute("param", "none");
document.body.append(box);
while (!box.shadowRoot.querySelector("input")) await new Promise((resolve) => setTimeout(resolve));

const pages = new Map();
async function pageAt(url) {
  const address = url.split("#")[0];
  if (!pages.has(address)) {
    const response = await fetch(address);
    const doc = response.ok ? new DOMParser().parseFromString(await response.text(), "text/html") : undefined;
    pages.set(address, doc && { doc, blocks: headedBlocks(doc) });
  }
  return pages.get(address);
}

/** Asks a question, and examines every row of the answer. */
export async function ask(query) {
  const answered = new Promise((resolve, reject) => {
    box.addEventListener("nearfind-query", ({ detail }) => detail.query === query && resolve(detail.answer));
    box.addEventListener("nearfind-error", ({ detail }) => reject(detail.error));
  });
  box.show(query);
  const answer = await answered;
  const shown = [...box.shadowRoot.querySelectorAll("[role=option]")];
  const rows = [];
  let at = 0;
  for (const hit of answer.hits) {
    for (const passage of [hit, ...hit.more]) {
      const option = shown[at++];
      rows.push({ ...(await look(option.href, passage, hit, query)), label: option.querySelector(".title, .place")?.textContent ?? "" });
    }
  }
  return { hits: answer.hits.map(({ path, title }) => ({ path, title })), rows, corrections: answer.corrections, language: answer.language, why: answer.hits.slice(0, 1).map(({ why }) => why) };
}

async function look(href, passage, hit, query) {
  const { text } = passage.excerpt;
  const row = { href, section: passage.section, text, stays: new URL(href).origin === location.origin };
  const page = await pageAt(href);
  row.exists = page !== undefined;
  if (!page) return row;
  const anchor = decodeURIComponent(new URL(href).hash.slice(1).split(":~:")[0]);
  row.anchorThere = anchor === "" || page.doc.getElementById(anchor) !== null || page.doc.getElementsByName(anchor).length > 0;
  const fragment = /:~:text=(.*)$/.exec(href);
  if (fragment) row.fragmentMatches = page.blocks.some((block) => block.text.includes(normal(decodeURIComponent(fragment[1]))));
  const parts = text.split(" · ").map(normal).filter(Boolean);
  row.inOneBlock = parts.every((part) => page.blocks.some((block) => block.text.includes(part)));
  row.hasBar = /(^|\s)\|(\s|$)/.test(text) && !page.blocks.some((block) => block.text.includes(normal(text)));
  const headings = passage.section.split(" > ");
  row.repeatsHeading = headings.some((heading) => heading && normal(text).startsWith(normal(heading)) && !page.blocks.some((block) => !block.isHeading && block.text.includes(normal(text))));
  if (parts.length > 0) {
    const holding = page.blocks.filter((block) => !block.isHeading && block.text.includes(parts[0]));
    const isTitle = normal(query).toLowerCase() === normal(hit.title).toLowerCase();
    row.headingIsOwn = holding.length === 0 ? undefined : holding.some((block) => block.anchors.includes(anchor) || (anchor === "" && (block.anchors.length === 0 || block.level <= 1 || isTitle)));
  }
  return row;
}
