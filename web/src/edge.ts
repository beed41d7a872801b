/**
 * A server for AI agents that runs in edge runtimes, speaks the Model Context Protocol, and answers from a published bundle. It
 * keeps no state between requests, and supports protocol versions 2025-11-25 and 2026-07-28.
 *
 * @packageDocumentation
 */
import { createMcpHandler } from "@modelcontextprotocol/server";
import { Callers } from "./edge/callers.js";
import { TooLong, limitedBody } from "./edge/limited_body.js";
import { PublishedFiles } from "./edge/published_files.js";
import { newServer } from "./edge/server.js";
import { type Files, SharedSearch } from "./edge/shared_search.js";
import { type BundleLocation, type GivenModule, open } from "./slim.js";

export type { BundleLocation, GivenModule, ReadFile } from "./slim.js";

/** Options of {@link createHandler}. */
export interface HandlerOptions {
  /**
   * The location of the bundle, or of several bundles that answer as one: the address of the folder that contains
   * `nearfind.json`, or a function that reads the bundle's files, for example from a bucket.
   */
  bundle: BundleLocation | BundleLocation[];
  /** The module `nearfind/search.wasm`. */
  wasm: GivenModule;
  /** The module `nearfind/grep.wasm`. Without it, the server has no `grep` tool. */
  grep?: GivenModule;
  /** The path that the server answers at. Default `/mcp`. */
  path?: string;
  /**
   * Whether to offer only the tools `search` and `fetch`, in the form that ChatGPT's connectors and deep research expect. Default
   * false.
   */
  connector?: boolean;
  /**
   * The origins whose pages may call the server, such as `https://docs.example.org`, or `*` for all. Pages on the bundle's own
   * site and on this machine always may. Programs send no origin, so this option does not affect them.
   */
  origins?: string[];
  /**
   * The host names that clients may use to call the server, such as `mcp.example.org`. Default: any, because the platform routes
   * requests.
   */
  hosts?: string[];
  /** The number of seconds until a request checks again whether the bundle was replaced. Default 15. */
  checkEvery?: number;
}

/** The context that a platform passes with a request. */
export interface RequestContext {
  /** Keeps the work of a request alive after the response. */
  waitUntil?(work: Promise<unknown>): void;
}

/** Answers requests. Export it as platforms expect: `export default { fetch: handler }`. */
export type Handler = (request: Request, env?: unknown, context?: RequestContext) => Promise<Response>;

/** The maximum number of bytes in a request. */
const MOST_BODY = 128 << 10;
/** Replaced by the build. */
declare const NEARFIND_VERSION: string;

/**
 * Creates a handler that serves a bundle to AI agents. The first request opens the bundle, which then stays open.
 *
 * @example
 * ```ts
 * import { createHandler } from "nearfind/edge";
 * import wasm from "nearfind/search.wasm";
 * import grep from "nearfind/grep.wasm";
 * export default { fetch: createHandler({ bundle: "https://docs.example.org/nearfind/", wasm, grep }) };
 * ```
 */
export function createHandler({
  bundle,
  wasm,
  grep,
  path = "/mcp",
  connector = false,
  origins = [],
  hosts,
  checkEvery = 15,
}: HandlerOptions): Handler {
  const locations = [bundle].flat();
  const published = locations.map((location) => (typeof location === "function" ? undefined : new PublishedFiles(new URL(location))));
  const bases = published.map((files) => files?.base);
  const files = locations.map((location, at): Files => {
    const there = published[at];
    return there
      ? { read: (...asked) => there.read(...asked), goPastCaches: () => there.goPastCaches() }
      : { read: location as Exclude<BundleLocation, string | URL> };
  });
  const shared = new SharedSearch(files, (read) => open(read, { wasm, ...(grep && { grep }) }), checkEvery * 1000);
  const callers = new Callers(hosts, [...bases.flatMap((base) => base?.origin ?? []), ...origins]);
  const offer = { isConnector: connector, hasGrep: grep !== undefined };

  async function respond(request: Request, waitUntil: (work: Promise<unknown>) => void): Promise<Response> {
    const body = await bodyOf(request);
    if (body instanceof Response) {
      return body;
    }
    const use: Parameters<typeof newServer>[0]["use"] = (run) => {
      const work = shared.use((search) => run({ search, bases }));
      // Other requests may wait for data that this one reads, even after this client has left.
      waitUntil(work.catch(() => {}).then(() => Promise.all(published.map((one) => one?.settled()))));
      return work;
    };
    const served = { offer, version: NEARFIND_VERSION, use };
    const method = (body as { method?: unknown } | undefined)?.method;
    const server = createMcpHandler(({ era }) => newServer(served, era === "modern", method), { keepAliveMs: 0 });
    return server.fetch(request, body === undefined ? {} : { parsedBody: body });
  }

  return async (request, _, context) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/health") {
      return Response.json({ status: "ok" });
    }
    if (pathname !== path) {
      return text(404, `the server is at ${path}`);
    }
    const refusal = callers.refusal(request);
    if (refusal !== undefined) {
      return text(403, refusal);
    }
    const origin = request.headers.get("Origin");
    const response = request.method === "OPTIONS" ? preflight(request) : await respond(request, (work) => context?.waitUntil?.(work));
    return origin === null ? response : readableBy(origin, response);
  };
}

/** Returns the JSON of a request, or the response to send if it is not JSON. `undefined` for a request without a body. */
async function bodyOf(request: Request): Promise<unknown> {
  if (request.method !== "POST") {
    return undefined;
  }
  let bytes: Uint8Array;
  try {
    if (Number(request.headers.get("Content-Length")) > MOST_BODY) {
      throw new TooLong();
    }
    bytes = await limitedBody(request, MOST_BODY);
  } catch (error) {
    if (error instanceof TooLong) {
      return text(413, `a request has at most ${MOST_BODY} bytes`);
    }
    throw error;
  }
  try {
    const body: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return Array.isArray(body) ? refused(400, -32_600, "send one message at a time, not a list of them") : body;
  } catch {
    return refused(400, -32_700, "the request is not JSON");
  }
}

function text(status: number, message: string): Response {
  return new Response(`${message}\n`, { status, headers: { "Content-Type": "text/plain; charset=utf-8" } });
}

function refused(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status });
}

/** Answers the preflight request that a browser sends before a page's own request. */
function preflight(request: Request): Response {
  const headers = request.headers.get("Access-Control-Request-Headers") ?? "Content-Type";
  const allow = { "Access-Control-Allow-Methods": "POST", "Access-Control-Allow-Headers": headers, "Access-Control-Max-Age": "86400" };
  return new Response(null, { status: 204, headers: allow });
}

/** Lets pages of an allowed origin read the response. */
function readableBy(origin: string, response: Response): Response {
  const readable = new Response(response.body, response);
  readable.headers.set("Access-Control-Allow-Origin", origin);
  readable.headers.append("Vary", "Origin");
  return readable;
}
