// nearfind as its documentation recommends. `?mode=` is words, hybrid, or typed, which is hybrid with ten keys per
// second and a prefetch for each.
import { open } from "/nearfind/dist/browser.js";

const how = new URL(import.meta.url).searchParams.get("mode");
const mode = how === "typed" ? "hybrid" : how;
const search = await open("/bundle/");
await window.mark("ready");

export async function ask(query) {
  if (how === "typed") {
    search.prefetch();
    for (let end = 1; end <= query.length; end += 1) {
      search.prefetch(query.slice(0, end));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  const { hits, tier } = await search.query(query, { mode, limit: 10, onPreview: () => window.mark("first") });
  await window.mark("first");
  await window.mark("ten");
  return { hits: hits.length, tier };
}

export async function hot(query) {
  return (await search.query(query, { mode, limit: 10 })).tookMs;
}
