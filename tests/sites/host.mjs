import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webp": "image/webp",
  ".json": "application/json",
  ".woff2": "font/woff2",
  ".pdf": "application/pdf",
};

/**
 * Starts a static host with `folder` at the path `base`, like common hosts: folders contain an index, and `.html` is
 * optional. With `compressed`, texts are sent as gzip, unless a range is requested.
 */
export async function host(folder, base = "/", { compressed = false } = {}) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://x");
    const path = join(folder, pathname.startsWith(base) ? decodeURIComponent(pathname.slice(base.length)) : "nothing-else-is-here");
    const file = [path, join(path, "index.html"), `${path}.html`].find((file) => existsSync(file) && statSync(file).isFile());
    if (!file && /favicon/.test(pathname)) {
      return response.writeHead(204).end();
    }
    if (!file) {
      return response.writeHead(404, { "Content-Type": "text/html" }).end("not found");
    }
    const bytes = readFileSync(file);
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    const headers = { "Content-Type": TYPES[extname(file)] ?? "application/octet-stream" };
    if (compressed && !range && /^(text|image\/svg|application\/json)/.test(headers["Content-Type"])) {
      return response.writeHead(200, { ...headers, "Content-Encoding": "gzip" }).end(gzipSync(bytes));
    }
    return range
      ? response.writeHead(206, headers).end(bytes.subarray(Number(range[1]), Number(range[2]) + 1))
      : response.writeHead(200, headers).end(bytes);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}${base}`, close: () => server.close(), drop: () => server.closeAllConnections() };
}
