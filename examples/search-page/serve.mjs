// A static server for the example: the page, the bundle, the docs. Any static host works the same way.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".md": "text/plain; charset=utf-8",
};
// The minimal policy for a page with nearfind.
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'";

const here = dirname(fileURLToPath(import.meta.url));

/** Serves on 127.0.0.1 and returns the server. `docs` has arguments `NAME=FOLDER`. Port 0 selects any free port. */
export function serve(bundle, docs, port = 0) {
  const folders = new Map([["bundle", bundle]]);
  for (const source of docs) {
    const [name, folder] = source.split("=");
    folders.set(name, folder);
  }
  const server = createServer((request, response) => {
    let path;
    try {
      path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    } catch {
      return response.writeHead(400).end("not a path");
    }
    const [, first, ...rest] = path.split("/");
    const folder = folders.get(first);
    // With one source, URLs have no name in front. The page's own files come first.
    const candidates = folder
      ? [join(folder, ...rest)]
      : [join(here, path), ...[...folders.values()].slice(1).map((docs) => join(docs, path))];
    const roots = folder ? [folder] : [here, ...folders.values()];
    for (const candidate of candidates) {
      const file = find(normalize(candidate), roots);
      if (file) {
        return send(request, response, file, !folder);
      }
    }
    response.writeHead(404).end("not found");
  });
  return new Promise((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", () => resolve(server)));
}

function find(path, roots) {
  if (!roots.some((root) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep))) {
    return undefined;
  }
  for (const file of [path, join(path, "index.html")]) {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat?.isFile()) {
      return { file, size: stat.size };
    }
  }
  return undefined;
}

function send(request, response, { file, size }, ownPage) {
  const headers = { "Content-Type": TYPES[extname(file)] ?? "application/octet-stream", "Accept-Ranges": "bytes" };
  if (ownPage) {
    headers["Content-Security-Policy"] = POLICY;
  }
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
  if (range) {
    const [start, end] = [Number(range[1]), Math.min(Number(range[2]), size - 1)];
    if (start > end) {
      return response.writeHead(416, { "Content-Range": `bytes */${size}` }).end();
    }
    response.writeHead(206, { ...headers, "Content-Range": `bytes ${start}-${end}/${size}`, "Content-Length": end - start + 1 });
    return createReadStream(file, { start, end }).pipe(response);
  }
  response.writeHead(200, { ...headers, "Content-Length": size });
  return createReadStream(file).pipe(response);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [bundle, ...docs] = process.argv.slice(2);
  const server = await serve(bundle, docs, Number(process.env.PORT ?? 8477)).catch((error) => {
    console.error(`the server cannot start (${error.code}): choose another port with PORT=…`);
    process.exit(1);
  });
  console.log(`\nsearch at http://127.0.0.1:${server.address().port}/   (Ctrl-C ends)`);
}
