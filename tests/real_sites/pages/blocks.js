// Returns the visible text of a page, block by block, each with the heading above it.

const BLOCKS = new Set("address article aside blockquote caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul body".split(" "));
const UNSEEN = new Set(["script", "style", "template", "noscript", "svg"]);

/** Joins spaces, and removes the signs that themes append to headings. */
export const normal = (text) => text.replace(/[\u200b\u00b6]/g, "").replace(/\s+/g, " ").trim();

export function headedBlocks(doc) {
  const blocks = [];
  let [text, anchors, level, isHeading] = ["", [], 0, false];
  const flush = () => {
    if (normal(text)) blocks.push({ text: normal(text), anchors, level, isHeading });
    text = "";
  };
  const walk = (node, inPre) => {
    for (const child of node.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) {
        if (inPre) {
          child.data.split("\n").forEach((line, at) => {
            if (at > 0) flush();
            text += line;
          });
        } else text += child.data;
      } else if (child.nodeType === Node.ELEMENT_NODE) {
        const name = child.localName;
        if (UNSEEN.has(name)) continue;
        if (name === "br") {
          flush();
          continue;
        }
        const isBlock = BLOCKS.has(name);
        if (isBlock) flush();
        if (/^h[1-6]$/.test(name)) {
          level = Number(name[1]);
          anchors = [child.id, ...[...child.querySelectorAll("[id], [name]")].flatMap((inner) => [inner.id, inner.getAttribute("name")]), child.parentElement.id].filter(Boolean);
          isHeading = true;
        }
        walk(child, inPre || name === "pre");
        if (isBlock) flush();
        if (/^h[1-6]$/.test(name)) isHeading = false;
      }
    }
  };
  walk(doc.body, false);
  flush();
  return blocks;
}
