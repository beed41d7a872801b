// Pagefind as its documentation recommends.
import * as pagefind from "/pagefind/pagefind.js";

await pagefind.options({ baseUrl: "/" });
await pagefind.init();
await window.mark("ready");

export async function ask(query) {
  const { results } = await pagefind.search(query);
  if (results.length > 0) {
    const rest = results.slice(0, 10).map((result) => result.data());
    await rest[0];
    await window.mark("first");
    await Promise.all(rest);
  }
  await window.mark("ten");
  return { hits: Math.min(10, results.length) };
}

export async function hot(query) {
  const started = performance.now();
  await pagefind.search(query);
  return performance.now() - started;
}
