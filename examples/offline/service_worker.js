// A service worker that keeps pages that were read, and the search, for readers without a network. Put it beside the pages of the site, and
// into them: navigator.serviceWorker?.register("/service_worker.js"). FOLDER is where the index is, from here.
//
// What a question reads in part is kept whole: after one question the search answers without a network, at the cost of some megabytes
// in the reader's cache. Parts have the hash of what they hold in their names, so that only the manifest is asked for again.
const FOLDER = new URL("nearfind/", self.location).href;
const MANIFEST = `${FOLDER}nearfind.json`;
const PAGES = "pages";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const [url] = request.url.split("?");
  if (request.method !== "GET") {
    return;
  }
  if (url === MANIFEST) {
    event.respondWith(manifest(request));
  } else if (url.startsWith(FOLDER)) {
    event.respondWith(part(event, url));
  } else if (request.mode === "navigate" || request.url.startsWith(self.location.origin)) {
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
async function manifest(request) {
  const response = await newest(request, PAGES);
  const { generation } = await response.clone().json();
  const [mine, all] = [cacheOf(generation), await caches.keys()];
  await caches.open(mine);
  await Promise.all(all.filter((name) => name.startsWith(cacheOf("")) && name !== mine).map((name) => caches.delete(name)));
  return response;
}

const cacheOf = (generation) => `nearfind-${generation}`;

/** A file of the index or of the box, or a range of it. */
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
