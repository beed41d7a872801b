// Tests the server for agents at the edge: the protocol with the real TypeScript client, and the requests that the
// server refuses.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, test } from "node:test";
import { LEGACY, MODERN, call, connect, createHandler, grep, modern, post, wasm } from "./edge_support.mjs";
import { makeBundle, makeSite, serveFolders } from "./support.mjs";

const site = makeSite([
  "--small-encoder",
  "never",
  "--base-url",
  "guide=https://docs.example.org/guide",
  "--base-url",
  "api=https://docs.example.org/api",
]);
const other = makeBundle();
const files = await serveFolders(site.folders);
const bundle = `${files.url}/bundle/`;
after(() => {
  files.close();
  files.drop();
  site.cleanUp();
  other.cleanUp();
});
const handler = createHandler({ bundle, wasm, grep });

for (const protocol of [MODERN, LEGACY]) {
  test(`a client of ${protocol} finds, reads and lists`, async () => {
    const client = await connect(handler, protocol);
    assert.match(client.getInstructions(), /There are 5 documents.* "api" \(2\), "guide" \(3\)\.\n/);
    assert.equal(client.getServerVersion().name, "nearfind");
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["search", "get_document", "grep", "list_projects"],
    );
    const found = await call(client, "search", { query: "how do threads share memory?", max_results: 1 });
    assert.match(found, /^1 result for "how do threads share memory\?", by hybrid\n/);
    assert.match(found, /document: guide\/(threads|locks)\.html \(line \d+\)/);
    assert.match(found, /there are more: next_offset = 1\n$/);
    const read = await call(client, "get_document", { path: "guide/bread.html" });
    assert.match(
      read,
      /^# Bread\ndocument: guide\/bread\.html\nurl: https:\/\/docs\.example\.org\/guide\/bread\.html\nlines 1-\d+ of \d+\n```markdown\n/,
    );
    assert.match(await call(client, "grep", { pattern: "flour, water" }), /^1 line in 1 file\n```\nguide\/bread\.html\n\d+ \[Dough\]: /);
    assert.equal(await call(client, "list_projects"), "- api: 2 documents\n- guide: 3 documents\n");
    const { resources } = await client.listResources();
    assert.equal(resources[0].uri, "nearfind://projects");
    assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 1);
    const { contents } = await client.readResource({ uri: "nearfind://documents/guide/bread.html" });
    assert.match(contents[0].text, /Knead flour/);
    await assert.rejects(client.readResource({ uri: "nearfind://documents/guide/../../etc/passwd" }), /there is no document/);
    await assert.rejects(client.callTool({ name: "symbol", arguments: {} }), /there is no tool "symbol": use one of search, get_document/);
    await client.close();
  });
}

test("connectors get the two tools that they know, in their form", async () => {
  const client = await connect(createHandler({ bundle, wasm, connector: true }), LEGACY);
  assert.deepEqual(
    (await client.listTools()).tools.map(({ name }) => name),
    ["search", "fetch"],
  );
  const { results } = JSON.parse(await call(client, "search", { query: "mutex" }));
  assert.ok(results.length > 1 && results.every((result) => result.id && result.title && result.url), JSON.stringify(results));
  const { id, title, text, url } = JSON.parse(await call(client, "fetch", { id: results[0].id }));
  assert.deepEqual([id, title, url], [results[0].id, results[0].title, results[0].url]);
  assert.match(text, /mutex/i);
  await client.close();
});

test("a tool is listed only if the bundle has the data for it", async () => {
  const small = await serveFolders({ bundle: other.bundle });
  const client = await connect(createHandler({ bundle: `${small.url}/bundle`, wasm }));
  assert.deepEqual(
    (await client.listTools()).tools.map(({ name }) => name),
    ["search", "get_document"],
  );
  assert.match(await call(client, "search", { query: "zebras" }), /document: hostile\.md \(line 1\)/, "the only project is left out");
  await client.close();
  small.close();
  small.drop();
});

test("documents are found by many names, and what comes near is named", async () => {
  const client = await connect(handler);
  const first = async (given) => (await call(client, "get_document", given)).split("\n")[0];
  for (const path of [
    "guide/threads.html",
    "threads.html",
    "threads",
    "https://docs.example.org/guide/threads.html#spawn",
    "./guide/threads.html:1-2",
  ]) {
    assert.equal(await first({ path }), "# Threads", path);
  }
  assert.equal(await first({ file_path: "mutex.html", repo: "API" }), "# Mutex API");
  const lines = (given) => call(client, "get_document", given).then((text) => /^lines (\d+-\d+) of/m.exec(text)[1]);
  assert.equal(await lines({ path: "threads.html:2-3" }), "2-3");
  assert.equal(await lines({ path: "threads.html", from_line: 2, lines: 1 }), "2-2");
  assert.equal(await lines({ path: "threads.html", view_range: [1, 2] }), "1-2");
  assert.match(await call(client, "get_document", { path: "threads.html#channels" }), /```markdown\n#+ Channels\n/);
  assert.match(await call(client, "get_document", { path: "threads.html", section: "Spawn a thread" }), /```markdown\n#+ Spawn/);
  const fails = (given) => call(client, "get_document", given).then(assert.fail, (error) => error.message);
  assert.match(await fails({ path: "guide/thread.md" }), /^there is no document "guide\/thread\.md"; did you mean guide\/threads\.html/);
  assert.match(await fails({ path: "zzzz" }), /^there is no document "zzzz": search finds documents by content/);
  assert.match(await fails({ path: "threads.html", section: "Nowhere" }), /^threads\.html has no "Nowhere": it has .*Channels/);
  assert.match(await fails({ path: "threads.html", from_line: 9999 }), /^guide\/threads\.html has \d+ lines: ask for one of them$/);
  await client.close();
});

test("what narrows a search means the same to every tool", async () => {
  const client = await connect(handler);
  const documents = async (given) =>
    [
      ...(await call(client, "search", { query: "mutex thread bread", mode: "words", max_results: 9, ...given })).matchAll(
        /^document: (\S+)/gm,
      ),
    ]
      .map(([, name]) => name)
      .sort();
  assert.deepEqual(await documents({ project: "API" }), ["api/hostile.html", "api/mutex.html"]);
  for (const path of ["guide/", "guide/*.html", "guide", "**/{threads,locks,bread}.html", '["threads.html", "locks.html", "bread.html"]']) {
    assert.deepEqual(await documents({ path }), ["guide/bread.html", "guide/locks.html", "guide/threads.html"], path);
  }
  assert.deepEqual(await documents({ path: ["guide", "!bread.html"] }), ["guide/locks.html", "guide/threads.html"]);
  assert.deepEqual(await documents({ path_regex: "^m.*x" }), ["api/mutex.html"]);
  assert.deepEqual(await documents({ filters: '{"project": ["guide"]}', path: "l*" }), ["guide/locks.html"]);
  assert.match(await call(client, "grep", { pattern: "mutex", path: "api/mutex.html", "-C": 1 }), /in 1 file\n/);
  await client.close();
});

test("arguments that are wrong are explained", async () => {
  const client = await connect(handler);
  const fails = (name, given) => call(client, name, given).then(assert.fail, (error) => error.message);
  assert.equal(await fails("search", {}), "missing field `query`");
  assert.equal(await fails("search", { query: "a", project: "other" }), 'there is no project "other": use one of api, guide');
  assert.equal(await fails("search", { query: "a", max_results: 99 }), "argument `max_results` is 99: use 1 to 50");
  assert.match(
    await fails("search", { query: "a", colour: 1 }),
    /^argument `colour`: unknown field `colour`, expected one of `query`, `project`/,
  );
  assert.match(await fails("search", { query: "x".repeat(5000) }), /^argument `query` has 5000 characters: shorten it/);
  assert.match(await fails("search", { query: "a", filters: { version: "9" } }), /^there is no filter `version`/);
  const slow = ["(a+)+$", "(a|a)*b", "((ab)*)*", "(.*)\\1", ".*.*.*.*x", "(?:x+x+)+y", "(?:.?){30}X", "a?a?a?a?X", "a??".repeat(4)];
  const alternatives = `(${"a|".repeat(99)}a)`;
  for (const pattern of [...slow, "(?:.{1}|.)".repeat(4), ".{0,99}".repeat(6), alternatives.repeat(2), "(?:.|.){30}"]) {
    assert.match(await fails("grep", { pattern, regex: true }), /may take too long here/, pattern);
    assert.match(await fails("search", { query: "a", path_regex: pattern }), /may take too long here/, pattern);
  }
  for (const pattern of [
    "Knead|poisons",
    "https?://\\S+",
    "fn \\w+\\(",
    "(foo|bar)_\\d+",
    "colou?r",
    "\\d+(?:\\.\\d+)?",
    "(?:a|b)[?|+]{3}",
  ]) {
    assert.match(await call(client, "grep", { pattern, regex: true }), /^\d+ lines? in /, pattern);
  }
  assert.match(await fails("grep", { pattern: "(", regex: true }), /is not a valid regular expression/);
  assert.match(await fails("search", { query: "a", path: "*a*a*a*a*a*a*a*a" }), /too many stars/);
  assert.match(await fails("search", { query: "a", path: "{?,?}".repeat(30) }), /too many stars and braces/);
  assert.match(await fails("search", { query: "a", path: "{?,?,?,?,?,?,?,?,?,?,?}".repeat(2) }), /too many alternatives/);
  assert.match(await call(client, "grep", { pattern: "Knead|poisons" }), /^2 lines in 2 files\nnote: no line has this text/);
  await client.close();
});

test("requests that are wrong are refused", async () => {
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const status = async (request) => (await handler(request)).status;
  const error = async (request) => {
    const response = await handler(request);
    return [response.status, (await response.json()).error.code];
  };
  assert.deepEqual(await error(post("{")), [400, -32700]);
  assert.deepEqual(await error(post("")), [400, -32700]);
  assert.deepEqual(await error(post("[]")), [400, -32600]);
  assert.deepEqual(await error(post([list])), [400, -32600], "a batch");
  assert.equal(await status(post("3")), 400);
  assert.equal(await status(post({ hello: "world" })), 400);
  assert.equal(await status(post(list, { "MCP-Protocol-Version": "1999-01-01" })), 400);
  const [body, headers] = modern("tools/list");
  assert.deepEqual(await error(post(body, { ...headers, "MCP-Protocol-Version": "2099-01-01" })).then(([status]) => status), 400);
  const { "Mcp-Method": _, ...without } = headers;
  assert.deepEqual(await error(post(body, without)), [400, -32020]);
  assert.deepEqual(await error(post(...modern("foo/bar"))), [404, -32601]);
  assert.equal(await status(post(list, { Accept: "text/html" })), 406);
  assert.equal(await status(post(list, { "Content-Type": "text/plain" })), 415);
  for (const method of ["GET", "DELETE", "PUT"]) {
    assert.equal(await status(new Request("http://localhost/mcp", { method })), 405, method);
  }
  assert.equal(await status(new Request("http://localhost/other")), 404);
  assert.equal(await status(new Request("http://localhost/health")), 200);
  assert.equal(await status(post("x".repeat((128 << 10) + 1))), 413);
  let sent = 0;
  const endless = new ReadableStream({
    pull(controller) {
      sent += 1 << 16;
      if (sent > 100 << 20) controller.close();
      else controller.enqueue(new Uint8Array(1 << 16));
    },
  });
  assert.equal(await status(new Request("http://localhost/mcp", { method: "POST", body: endless, duplex: "half" })), 413);
  assert.ok(sent < 1 << 20, `read ${sent} bytes of a body of 100 MB`);
});

test("other sites are refused, and those that may ask can read the answer", async () => {
  const guarded = createHandler({ bundle, wasm, origins: ["https://app.example.org"], hosts: ["localhost", "mcp.example.org"] });
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const ask = (headers, url = "http://localhost/mcp") => guarded(new Request(url, post(list, headers)));
  for (const origin of [
    "http://evil.example",
    "null",
    "http://localhost.evil.example",
    "https://localhost",
    "http://localhost:1/evil",
    "https://app.example.org.evil.example",
  ]) {
    assert.equal((await ask({ Origin: origin })).status, 403, origin);
  }
  for (const origin of ["http://localhost:3000", "http://127.0.0.1:1", "http://[::1]:3000", "https://app.example.org", files.url]) {
    const response = await ask({ Origin: origin });
    assert.deepEqual([response.status, response.headers.get("Access-Control-Allow-Origin")], [200, origin]);
  }
  assert.equal((await ask({}, "https://mcp.example.org/mcp")).status, 200);
  assert.equal((await ask({}, "https://evil.example/mcp")).status, 403);
  const preflight = await guarded(
    new Request("http://localhost/mcp", {
      method: "OPTIONS",
      headers: { Origin: "https://app.example.org", "Access-Control-Request-Headers": "mcp-method" },
    }),
  );
  assert.deepEqual([preflight.status, preflight.headers.get("Access-Control-Allow-Headers")], [204, "mcp-method"]);
  assert.throws(() => createHandler({ bundle, wasm, origins: ["docs.example.org"] }), /is not an origin/);
});

test("a bundle that is not there is an error of calls, and heals", async () => {
  const place = { now: (_, response) => response.writeHead(404).end() };
  const server = createServer((request, response) => place.now(request, response));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => server.close().closeAllConnections());
  const client = await connect(createHandler({ bundle: `http://127.0.0.1:${server.address().port}/bundle/`, wasm, grep }));
  const fails = () => call(client, "search", { query: "bread" }).then(assert.fail, (error) => error.message);
  assert.equal((await client.listTools()).tools.length, 4, "all that there may be");
  assert.match(await fails(), /nearfind\.json.* answers 404: is the index published there\?/);
  place.now = (_, response) => response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>Home</title>");
  assert.match(await fails(), /nearfind\.json is not a manifest: is the index published there\?/);
  place.now = (_, response) => {
    response.on("error", () => {});
    const more = () => response.destroyed || response.write(Buffer.alloc(1 << 20), more);
    more();
  };
  assert.match(await fails(), /has more than \d+ bytes/);
  place.now = (request, response) => {
    const file = request.url.split("/").at(-1).split("?")[0];
    try {
      response.end(readFileSync(join(other.bundle, file)));
    } catch {
      response.writeHead(404).end();
    }
  };
  assert.match(await call(client, "search", { query: "bread" }), /document: bread\.md/, "from a server without ranges too");
  await client.close();
});

test("a bundle that is replaced answers from one version, and the next request from the new one", async () => {
  const folders = { bundle: site.folders.bundle };
  const server = await serveFolders(folders);
  const client = await connect(createHandler({ bundle: `${server.url}/bundle/`, wasm, grep, checkEvery: 0 }));
  assert.match(await call(client, "search", { query: "mutex" }), /mutex/i);
  folders.bundle = other.bundle;
  assert.match(await call(client, "search", { query: "zebras" }), /hostile\.md/, "the parts of the old one are gone");
  assert.match(await call(client, "grep", { pattern: "zebras" }), /hostile\.md/);
  await client.close();
  // One that looks rarely finds out when a part is missing.
  folders.bundle = site.folders.bundle;
  const rare = await connect(createHandler({ bundle: `${server.url}/bundle/`, wasm, grep, checkEvery: 3600 }));
  assert.match(await call(rare, "list_projects"), /guide/);
  folders.bundle = other.bundle;
  assert.match(await call(rare, "search", { query: "zebras" }), /hostile\.md/);
  await rare.close();
  server.close();
  server.drop();
});

test("a cache that gives a damaged part is passed by once, and one that gives nothing else is an error", async () => {
  const good = readdirSync(other.bundle);
  const damaged = other.damaged("pages");
  let [isHealed, asked] = [true, 0];
  const server = createServer((request, response) => {
    const [path, query = ""] = request.url.split("?");
    const file = path.split("/").at(-1);
    const isFresh = isHealed && query.includes("fresh=");
    asked += 1;
    const folder = isFresh ? other.bundle : damaged;
    return good.includes(file) ? response.end(readFileSync(join(folder, file))) : response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${server.address().port}/bundle/`;
  const client = await connect(createHandler({ bundle: address, wasm }));
  assert.match(await call(client, "search", { query: "bread" }), /document: bread\.md/);
  await client.close();
  isHealed = false;
  const broken = await connect(createHandler({ bundle: address, wasm }));
  asked = 0;
  await assert.rejects(call(broken, "search", { query: "bread" }), /checksum mismatch in block/);
  assert.ok(asked < 40, `${asked} requests`);
  await broken.close();
  server.close().closeAllConnections();
});
