// A service worker that keeps pages that were read, and the search, for readers without a network. Put it beside the pages of the site, and
// into them: navigator.serviceWorker?.register("/service_worker.js"). FOLDER is where the index is, from here. After each build:
//
//   nearfind inspect site/nearfind --json > site/nearfind/files.json
//
// With that all that questions read is kept once the search was opened, some megabytes; without it what was read once in part, which leaves
// out what corrects mistyped words until one was typed. Parts have the hash of what they hold in their names, so that only the manifest
// is asked for again.
const FOLDER = new URL("nearfind/", self.location).href;
const MANIFEST = `${FOLDER}nearfind.json`;
const PAGES = "pages";
/** What pages do not read, but for exact texts. */
const LEFT_OUT = ["manifest", "fine", "graph", "symbols", "trigrams"];

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const [url] = request.url.split("?");
  if (request.method !== "GET") {
    return;
  }
  if (url.startsWith(FOLDER) && /\.nfm?$/.test(url)) {
    event.respondWith(part(event, url));
  } else if (request.headers.has("range")) {
    // What is no part is not read in parts.
  } else if (url === MANIFEST) {
    event.respondWith(manifest(event));
  } else if (url.startsWith(self.location.origin)) {
    event.respondWith(newest(request, PAGES));
  }
});

/** From the network and kept; without a network as it was kept. */
async function newest(request, name) {
  const cache = await caches.open(name);
  try {
    const response = await fetch(request);
    if (response.ok) {
      await cache.put(request, response.clone());
    }
    return response;
  } catch (problem) {
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw problem;
  }
}

/** Each generation of the index has a cache of its own; older ones go. */
async function manifest(event) {
  const response = await newest(event.request, PAGES);
  const { generation } = await response.clone().json();
  const [mine, all] = [cacheOf(generation), await caches.keys()];
  const cache = await caches.open(mine);
  event.waitUntil(keepAll(cache).catch(() => {}));
  await Promise.all(all.filter((name) => name.startsWith(cacheOf("")) && name !== mine).map((name) => caches.delete(name)));
  return response;
}

/** Keeps every part that questions read, if the site says which there are. */
async function keepAll(cache) {
  const response = await fetch(`${FOLDER}files.json`);
  const { parts } = response.ok ? await response.json() : { parts: [] };
  const urls = parts.filter(({ part }) => !LEFT_OUT.includes(part)).flatMap(({ files }) => files.map((file) => FOLDER + file));
  for (const url of urls) {
    if (!(await cache.match(url))) await cache.add(url);
  }
}

const cacheOf = (generation) => `nearfind-${generation}`;

/** A file of the index, or a range of it. */
async function part(event, url) {
  const name = (await caches.keys()).find((name) => name.startsWith(cacheOf(""))) ?? cacheOf("");
  const cache = await caches.open(name);
  const kept = await cache.match(url);
  if (!kept) {
    // All of it for the next time, beside what is wanted now.
    event.waitUntil(cache.add(url).catch(() => {}));
    return fetch(event.request);
  }
  const range = /^bytes=(\d+)-(\d+)$/.exec(event.request.headers.get("range") ?? "");
  if (!range) {
    return kept;
  }
  const bytes = await kept.arrayBuffer();
  const [from, to] = [Number(range[1]), Math.min(Number(range[2]), bytes.byteLength - 1)];
  return new Response(bytes.slice(from, to + 1), { status: 206, headers: { "Content-Range": `bytes ${from}-${to}/${bytes.byteLength}`, "Content-Type": "application/octet-stream" } });
}
