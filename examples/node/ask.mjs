// Searches a bundle in a folder or at a URL:  node ask.mjs site/search "how do I undo a commit?"
import { open } from "nearfind";

const [bundle, question] = process.argv.slice(2);
if (!question) {
  console.error('usage: node ask.mjs BUNDLE "QUESTION"');
  process.exit(1);
}
const search = await open(bundle);
const { hits, corrections } = await search.query(question, { limit: 5, passages: 2 });
for (const { word, meant } of corrections) {
  console.log(`(${word}: searched for ${meant})\n`);
}
for (const { title, url, anchor, section, excerpt } of hits) {
  console.log(`${title}${section && ` › ${section}`}\n  ${url}${anchor && `#${anchor}`}\n  ${excerpt.text.replace(/\s+/g, " ")}\n`);
}
search.close();
