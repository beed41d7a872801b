// A service worker that stores visited pages and the search for readers without a network. Put it beside the pages of the site,
// and register it in them: navigator.serviceWorker?.register("/service_worker.js"). FOLDER is the folder of the index, relative
// to this file. After each build, run:
//
//   nearfind inspect site/nearfind --json > site/nearfind/files.json
//
// With this list, all data that questions read is stored once the search is opened, some megabytes. Without it, only files that
// were read before are stored, so the correction of mistyped words works only after a first mistyped word. The names of parts
// contain a hash of their content, so only the manifest is requested again.
const FOLDER = new URL("nearfind/", self.location).href;
const MANIFEST = `${FOLDER}nearfind.json`;
const PAGES = "pages";
/** Parts that pages do not read, except to find exact texts. */
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
    // Leave range requests for other files to the network.
  } else if (url === MANIFEST) {
    event.respondWith(manifest(event));
  } else if (url.startsWith(self.location.origin)) {
    event.respondWith(newest(request, PAGES));
  }
});

/** Fetches a file and stores it. Without a network, it returns the stored file. */
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

/** Returns the manifest. Each generation of the index has a cache of its own, and older caches are deleted. */
async function manifest(event) {
  const response = await newest(event.request, PAGES);
  const { generation } = await response.clone().json();
  const [mine, all] = [cacheOf(generation), await caches.keys()];
  const cache = await caches.open(mine);
  event.waitUntil(keepAll(cache).catch(() => {}));
  await Promise.all(all.filter((name) => name.startsWith(cacheOf("")) && name !== mine).map((name) => caches.delete(name)));
  return response;
}

/** Stores every part that questions read, if the site lists the parts. */
async function keepAll(cache) {
  const response = await fetch(`${FOLDER}files.json`);
  const { parts } = response.ok ? await response.json() : { parts: [] };
  const urls = parts.filter(({ part }) => !LEFT_OUT.includes(part)).flatMap(({ files }) => files.map((file) => FOLDER + file));
  for (const url of urls) {
    if (!(await cache.match(url))) await cache.add(url);
  }
}

const cacheOf = (generation) => `nearfind-${generation}`;

/** Returns a file of the index, or a range of it. */
async function part(event, url) {
  const name = (await caches.keys()).find((name) => name.startsWith(cacheOf(""))) ?? cacheOf("");
  const cache = await caches.open(name);
  const kept = await cache.match(url);
  if (!kept) {
    // Fetch the whole file for the next time, in addition to the requested range.
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
