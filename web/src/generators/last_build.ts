/** Serves the index of the last build while somebody writes: development servers render pages and index none. */
import { createReadStream, statSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, resolve, sep } from "node:path";
import { FOLDER } from "./settings.js";

/** What such a server asks for each request, one after the other. */
export type Middleware = (request: IncomingMessage & { originalUrl?: string }, response: ServerResponse, next: () => void) => void;

const TYPES: Record<string, string> = { ".js": "text/javascript", ".json": "application/json", ".wasm": "application/wasm" };

/** A server of Vite's, as far as it is needed. */
export interface DevelopmentServer {
  middlewares: { use(middleware: Middleware): unknown };
}

/** Answers for `base` + `nearfind/` from the site that was built into `outDir`; of what is not there it says how to get it. */
export function lastBuild(base: string, outDir: string): Middleware {
  const [prefix, folder] = [`${base.replace(/\/$/, "")}/${FOLDER}/`, resolve(outDir, FOLDER)];
  return (request, response, next) => {
    // Astro takes the base out of `url`.
    const { pathname } = new URL(request.originalUrl ?? request.url ?? "/", "http://localhost");
    if (!pathname.startsWith(prefix)) {
      return next();
    }
    const file = join(folder, decoded(pathname.slice(prefix.length)));
    const stat = file.startsWith(folder + sep) ? statSync(file, { throwIfNoEntry: false }) : undefined;
    if (!stat?.isFile()) {
      response
        .writeHead(404, { "content-type": "text/plain" })
        .end("There is no index of a build yet: build the site once to search while you write\n");
      return;
    }
    response.writeHead(200, {
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
      "content-length": stat.size,
      "cache-control": "no-cache",
    });
    createReadStream(file)
      .on("error", () => response.destroy())
      .pipe(response);
  };
}

/** The path as a file system has it; empty if it is none. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return "";
  }
}
