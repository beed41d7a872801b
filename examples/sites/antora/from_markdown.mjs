// Converts the project's own documents for Antora: `node from_markdown.mjs PAGE.md…` writes PAGE.adoc beside each. It
// supports only the Markdown of these documents.
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";

const paths = process.argv.slice(2);
const pages = new Set(paths.map((path) => basename(path)));

const code = (text) => `\`pass:c[${text.replaceAll("]", "\\]")}]\``;
const link = (label, target) => {
  if (pages.has(target)) {
    return `xref:${target.replace(/\.md$/, ".adoc")}[${label}]`;
  }
  return /^https?:/.test(target) ? `${target}[${label}]` : label;
};
const prose = (text) =>
  text
    .replaceAll(/!\[([^\]]*)\]\(([^)]*)\)/g, "image::$2[$1]")
    .replaceAll(/\[([^\]]*)\]\(([^)]*)\)/g, (_, label, target) => link(label, target))
    .replaceAll(/^#+(?= )/gm, (signs) => "=".repeat(signs.length));
const table = (rows) => `[%header]\n|===\n${rows.replaceAll(/^[|: -]+$/gm, "").replaceAll(/\|[ ]*$/gm, "")}|===\n`;

for (const path of paths) {
  const blocks = readFileSync(path, "utf8").split(/(^```.*?^```$)/ms);
  const parts = blocks.map((block, index) => {
    const inline = (text) => text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? code(part) : prose(part)));
    return index % 2 === 1
      ? block
      : inline(block)
          .join("")
          .replaceAll(/(^\|.*\n)+/gm, table);
  });
  writeFileSync(path.replace(/\.md$/, ".adoc"), parts.join(""));
}
