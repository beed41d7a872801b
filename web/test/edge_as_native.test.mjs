// Compares the server at the edge with the program's own server, over one published bundle: both describe tools in the
// same words, and the same calls get the same answers. NEARFIND_ACCEPT=1 copies the program's descriptions of its
// tools.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { call, connect, createHandler, grep, modern, post, wasm } from "./edge_support.mjs";
import { makeSite, serveFolders } from "./support.mjs";

const DESCRIPTIONS = new URL("../src/edge/tools/descriptions.json", import.meta.url);
const site = makeSite(["--small-encoder", "never"]);
const files = await serveFolders(site.folders);
const bundle = `${files.url}/bundle/`;
const cache = mkdtempSync(join(tmpdir(), "nearfind-cache-"));
const native = await program();
const connector = await program("--connector");
after(async () => {
  await Promise.all([native.end(), connector.end()]);
  files.close();
  files.drop();
  site.cleanUp();
  rmSync(cache, { recursive: true });
});

/** Starts the program's own server. */
async function program(...more) {
  const options = ["mcp", "--bundle", bundle, "--http", "127.0.0.1:0", "--stateless", "--cache", cache, ...more];
  const child = spawn(process.env.NEARFIND ?? "nearfind", options, { stdio: ["ignore", "ignore", "pipe"] });
  const lines = createInterface({ input: child.stderr });
  const url = await new Promise((resolve, reject) => {
    let said = "";
    lines.on("line", (line) => {
      said += `${line}\n`;
      const [, address] = /serving MCP at (\S+)/.exec(line) ?? [];
      if (address) resolve(address);
    });
    child.on("error", reject).on("exit", () => reject(new Error(said)));
  });
  return {
    url,
    end: async () => {
      if (child.exitCode === null && child.kill()) await once(child, "exit");
    },
  };
}

/** The tools as a server lists them. */
async function listed(server) {
  const request = post(...modern("tools/list"));
  const response = typeof server === "function" ? await server(request) : await fetch(server, new Request(server, request));
  const text = await response.text();
  return JSON.parse(text.slice(text.indexOf("{"))).result.tools;
}

test("tools are described in the same words", async () => {
  const names = ["search", "get_document", "grep", "list_projects"];
  const usual = (await listed(native.url)).filter(({ name }) => names.includes(name));
  const said = { usual, connector: await listed(connector.url) };
  if (process.env.NEARFIND_ACCEPT) {
    writeFileSync(DESCRIPTIONS, `${JSON.stringify(said, null, 2)}\n`);
  }
  assert.deepEqual(JSON.parse(readFileSync(DESCRIPTIONS, "utf8")), said, "run with NEARFIND_ACCEPT=1, and build the package");
  assert.deepEqual(await listed(createHandler({ bundle, wasm, grep })), usual);
  assert.deepEqual(await listed(createHandler({ bundle, wasm, connector: true })), said.connector);
});

const WORDS = { mode: "words" };
/** Calls whose answers, or errors, are the same. */
const SAME = [
  ["search", { query: "threads share memory", ...WORDS }],
  ["search", { query: "threads share memory", ...WORDS, max_results: 1 }],
  ["search", { query: "threads share memory", ...WORDS, max_results: 1, offset: 1 }],
  ["search", { query: "thread lock", ...WORDS, content: "chunk" }],
  ["search", { query: "thread lock", ...WORDS, content: "full", limit: 2 }],
  ["search", { query: "thread lock", ...WORDS, content: "none" }],
  ["search", { query: "mutxe", ...WORDS }],
  ["search", { query: '"share no mutex"', ...WORDS }],
  ["search", { query: "zebras", ...WORDS }],
  ["search", { query: "mutex", ...WORDS, project: "API" }],
  ["search", { query: "mutex", ...WORDS, path: "guide/" }],
  ["search", { query: "mutex", ...WORDS, path: "*.html", project: "guide" }],
  ["search", { query: "mutex", ...WORDS, path_regex: "^mut" }],
  ["search", { query: "mutex thread bread", ...WORDS, path: ["guide", "!bread.html"] }],
  ["search", { query: "photosynthesis chloroplast", ...WORDS }],
  ["search", { query: "insurance of a rented car in the mountains with dough", ...WORDS }],
  ["search", { query: "which lawyer waits for the verdict of a distant court", ...WORDS }],
  ["search", { query: "??" }],
  ["search", {}],
  ["search", { query: " " }],
  ["search", { query: ["a"] }],
  ["search", { query: "a", project: "other" }],
  ["search", { query: "a", max_results: 51 }],
  ["search", { query: "a", max_results: "many" }],
  ["search", { query: "a", mode: "psychic" }],
  ["search", { query: "a", content: "all" }],
  ["search", { query: "a", colour: 1 }],
  ["search", { query: "a", question: "b" }],
  ["search", { query: "a", filters: "version=2" }],
  ["search", { query: "a", filters: { version: "2" } }],
  ["search", { query: "x".repeat(3000) }],
  ["get_document", { path: "guide/threads.html" }],
  ["get_document", { path: "threads.html:2-3" }],
  ["get_document", { path: "threads.html", from_line: 2, lines: 1 }],
  ["get_document", { path: "threads.html", from_line: 2, to_line: -1 }],
  ["get_document", { path: "threads.html#channels" }],
  ["get_document", { path: "locks", section: "Deadlocks" }],
  ["get_document", { file_path: "locks.html", offset: 0, limit: 2 }],
  ["get_document", { path: "threads.html", offset: 100 }],
  ["get_document", { path: "threads.html", offset: 100000 }],
  ["get_document", { path: "threads.html", lines: "3-2" }],
  ["get_document", { path: "threads.html", lines: "some" }],
  ["get_document", { path: "threads.html", from_line: 999 }],
  ["get_document", { path: "threads.html", section: "Nowhere" }],
  ["get_document", { path: "api/hostile.html" }],
  ["get_document", { path: " " }],
  ["get_document", { path: "qqqq" }],
  ["grep", { pattern: "thread" }],
  ["grep", { pattern: "Thread", context_lines: 1 }],
  ["grep", { pattern: "mutex|dough" }],
  ["grep", { pattern: "mutex|dough", regex: true, ignore_case: true, max_results: 1 }],
  ["grep", { pattern: "nowhere at all" }],
  ["grep", { pattern: "MUTEX" }],
  ["grep", { pattern: "mutex", project: "api" }],
  ["grep", { pattern: "" }],
  ["grep", { pattern: "mutex", context_lines: 21 }],
  ["grep", { query: "mutex", output_mode: "content", "-n": true, "-A": 1 }],
  ["list_projects", {}],
  ["list_projects", { explanation: "to see them" }],
  ["list_projects", { a: 1 }],
];

test("the same calls get the same answers", async () => {
  const [ours, theirs] = await Promise.all([connect(createHandler({ bundle, wasm, grep })), connect(native.url)]);
  const answer = (client, [name, given]) => call(client, name, given).catch((error) => `error: ${error.message}`);
  for (const asked of SAME) {
    const [here, there] = await Promise.all([answer(ours, asked), answer(theirs, asked)]);
    assert.equal(here, there, JSON.stringify(asked));
  }
  await Promise.all([ours.close(), theirs.close()]);
});

test("connectors get the same", async () => {
  const handler = createHandler({ bundle, wasm, connector: true });
  const [ours, theirs] = await Promise.all([connect(handler), connect(connector.url)]);
  for (const id of ["guide/threads.html", "threads.html", `${files.url}/guide/bread.html`]) {
    assert.deepEqual(JSON.parse(await call(ours, "fetch", { id })), JSON.parse(await call(theirs, "fetch", { id })), id);
  }
  const ids = async (client) => JSON.parse(await call(client, "search", { query: "mutex" })).results;
  // The program may have the model, which knows more documents that fit.
  const [here, there] = [await ids(ours), await ids(theirs)];
  assert.ok(here.length > 1);
  for (const row of here) {
    assert.deepEqual(
      row,
      there.find(({ id }) => id === row.id),
    );
  }
  await Promise.all([ours.close(), theirs.close()]);
});
