// Serves static files over an emulated line: every response waits for one round trip, and all share one bandwidth. The
// server emulates the line, because the emulation in browsers leaves out workers. Keeps a log of sent responses.
import { createServer } from "node:http";
import { readFile, stat } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".wasm": "application/wasm",
};
const SLICE = 4096;
const BOUNDARY = "00000000000000000042";

/** Returns the ranges of the header, or none if the header is invalid. */
function rangesOf(header) {
  const ranges = header
    .replace(/^bytes=/, "")
    .split(",")
    .map((range) => /^\s*(\d+)-(\d+)\s*$/.exec(range));
  return ranges.every(Boolean) ? ranges.map(([, from, to]) => ({ from: Number(from), to: Number(to) })) : [];
}

/**
 * Serves folders. `mounts` has a folder for each URL prefix, and `options.ranges` tells whether range requests are
 * answered. Returns `{ origin, log, line, close }`. `line` may be changed at any time: `{ latency, bandwidth }` in ms
 * and bytes per ms.
 */
export async function serve(mounts, { ranges = true } = {}) {
  const log = [];
  const state = { line: { latency: 0, bandwidth: Infinity }, free: 0 };
  const zipped = new Map();
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  /** Reads a file, compressed if the browser accepts that. Browsers accept no compression for ranges. */
  async function body(path, accepts) {
    const file = await readFile(path);
    if (!(extname(path) in TYPES) || !accepts.includes("gzip")) {
      return { file, encoding: undefined };
    }
    if (!zipped.has(path)) {
      zipped.set(path, gzipSync(file, { level: 9 }));
    }
    return { file: zipped.get(path), encoding: "gzip" };
  }

  const server = createServer(async (request, response) => {
    const url = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const entry = { url, start: performance.now(), end: Infinity, bytes: 0, sent: 0 };
    // A connection carries one response after the other, so the bytes written since then belong to this one, with its
    // headers.
    const before = request.socket.bytesWritten;
    response.on("finish", () => {
      entry.sent = request.socket.bytesWritten - before;
    });
    log.push(entry);
    await sleep(state.line.latency);
    const headers = {
      "cache-control": "max-age=3600",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
    };
    try {
      const prefix = Object.keys(mounts)
        .filter((prefix) => url.startsWith(prefix))
        .sort((a, b) => b.length - a.length)[0];
      let path = join(mounts[prefix], normalize(url.slice(prefix.length)));
      if ((await stat(path)).isDirectory()) {
        path = join(path, "index.html");
      }
      let { file, encoding } = await body(path, request.headers["accept-encoding"] ?? "");
      let status = 200;
      let type = TYPES[extname(path)] ?? "application/octet-stream";
      const wanted = ranges && !encoding && request.headers.range ? rangesOf(request.headers.range) : [];
      if (wanted.length > 0) {
        status = 206;
        const whole = file;
        const said = ({ from, to }) => `bytes ${from}-${to}/${whole.length}`;
        if (wanted.length === 1) {
          headers["content-range"] = said(wanted[0]);
          file = whole.subarray(wanted[0].from, wanted[0].to + 1);
        } else {
          // As in nginx, Apache and Caddy.
          const parts = wanted.map((range) => [
            `\r\n--${BOUNDARY}\r\nContent-Type: ${type}\r\nContent-Range: ${said(range)}\r\n\r\n`,
            whole.subarray(range.from, range.to + 1),
          ]);
          file = Buffer.concat([...parts.flat(), `\r\n--${BOUNDARY}--\r\n`].map((part) => Buffer.from(part)));
          type = `multipart/byteranges; boundary=${BOUNDARY}`;
        }
      }
      response.writeHead(status, {
        ...headers,
        "content-type": type,
        "content-length": file.length,
        ...(encoding && { "content-encoding": encoding }),
      });
      for (let at = 0; at < file.length; at += SLICE) {
        const slice = file.subarray(at, at + SLICE);
        const now = performance.now();
        state.free = Math.max(now, state.free) + slice.length / state.line.bandwidth;
        if (state.free > now + 1) {
          await sleep(state.free - now);
        }
        response.write(slice);
        entry.bytes += slice.length;
      }
      response.end();
    } catch {
      response.writeHead(404, headers).end("not found");
    }
    entry.end = performance.now();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    log,
    setLine(line) {
      state.line = line;
      state.free = 0;
    },
    close: () => server.close(),
  };
}

/** Returns the length of the longest chain of answered requests in which each began after the previous one had ended. */
export function roundTrips(log) {
  const done = [];
  for (const entry of log.filter((entry) => entry.end < Infinity).sort((a, b) => a.start - b.start)) {
    const before = done.filter((other) => other.end <= entry.start).map((other) => other.depth);
    done.push({ ...entry, depth: 1 + Math.max(0, ...before) });
  }
  return Math.max(0, ...done.map((entry) => entry.depth));
}
