/** Serves the index of the last build during development, because development servers render pages without building the site. */
import { createReadStream, statSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, resolve, sep } from "node:path";
import { FOLDER } from "./settings.js";

/** A request handler. Development servers call their handlers one after the other. */
export type Middleware = (request: IncomingMessage & { originalUrl?: string }, response: ServerResponse, next: () => void) => void;

const TYPES: Record<string, string> = { ".js": "text/javascript", ".json": "application/json", ".wasm": "application/wasm" };

/** The part of Vite's server that the generators use. */
export interface DevelopmentServer {
  middlewares: { use(middleware: Middleware): unknown };
}

/**
 * Returns a handler that serves `base` + `nearfind/` from the site built into `outDir`. If there is no index, its response says
 * how to make one.
 */
export function lastBuild(base: string, outDir: string): Middleware {
  const [prefix, folder] = [`${base.replace(/\/$/, "")}/${FOLDER}/`, resolve(outDir, FOLDER)];
  return (request, response, next) => {
    // Astro removes the base from `url`.
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

/** Returns the decoded path of an address; empty if it cannot be decoded. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return "";
  }
}
