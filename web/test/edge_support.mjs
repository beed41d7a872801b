// Creates real protocol clients for handlers and servers.
import { readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { PACKAGE } from "./support.mjs";

export const { createHandler } = await import(new URL("dist/edge.js", PACKAGE));
/** The modules, as bytes. */
export const wasm = readFileSync(new URL("wasm/search/nearfind_search_bg.wasm", PACKAGE));
export const grep = readFileSync(new URL("wasm/grep/nearfind_grep_bg.wasm", PACKAGE));

export const MODERN = "2026-07-28";
export const LEGACY = "2025-11-25";
const ACCEPT = "application/json, text/event-stream";

/** Connects the TypeScript client: to a URL, or to a handler without a network in between. */
export async function connect(server, protocol = MODERN) {
  const isHandler = typeof server === "function";
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: protocol === LEGACY ? "legacy" : { pin: protocol } } },
  );
  const options = isHandler ? { fetch: (url, init) => server(new Request(url, init)) } : {};
  await client.connect(new StreamableHTTPClientTransport(new URL(isHandler ? "http://localhost/mcp" : server), options));
  return client;
}

/** Calls a tool; returns its text, or throws its error. */
export async function call(client, name, given = {}) {
  const { content, isError } = await client.callTool({ name, arguments: given });
  if (isError) throw new Error(content[0].text);
  return content[0].text;
}

/** A request as a client sends it, with a body that is sent unchanged. */
export function post(body, headers = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return new Request("http://localhost/mcp", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: ACCEPT, ...headers },
    body: text,
  });
}

/** A request of the protocol without sessions, and its headers. */
export function modern(method, params = {}) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const name = params.name ?? params.uri;
  const headers = { "MCP-Protocol-Version": MODERN, "Mcp-Method": method, ...(name && { "Mcp-Name": name }) };
  return [{ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }, headers];
}
