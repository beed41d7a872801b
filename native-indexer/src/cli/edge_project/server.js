// Answers AI agents from Node, and from Deno and Bun, which run the same program.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createHandler } from "nearfind/edge";
import { settings } from "./settings.js";

const file = (name) => readFile(new URL(`./node_modules/nearfind/wasm/${name}/nearfind_${name}_bg.wasm`, import.meta.url));
const answer = createHandler({ ...settings, wasm: file("search"), grep: file("grep") });

const server = createServer(async (incoming, outgoing) => {
  try {
    const { method, headers } = incoming;
    const body = method === "GET" || method === "HEAD" ? {} : { body: Readable.toWeb(incoming), duplex: "half" };
    const url = new URL(incoming.url, `http://${headers.host ?? "localhost"}`);
    const response = await answer(new Request(url, { method, headers, ...body }));
    // The rest of a body that is too long is not read.
    const end = incoming.complete ? {} : { Connection: "close" };
    outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), ...end });
    await pipeline(response.body ? Readable.fromWeb(response.body) : [], outgoing);
  } catch (error) {
    // A client that disconnects early is not an error.
    if (!outgoing.headersSent) outgoing.writeHead(400);
    outgoing.end();
    if (error.code !== "ERR_STREAM_PREMATURE_CLOSE") console.error(error.message);
  }
});
server.listen(Number(process.env.PORT ?? 8787), process.env.HOST ?? "127.0.0.1", () => {
  console.log(`serving MCP at http://127.0.0.1:${server.address().port}/mcp`);
});
