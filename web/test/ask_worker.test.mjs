// Tests the worker that holds a language model's API key, in Cloudflare's runtime, between a page and a scripted API.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, beforeEach, test } from "node:test";
import { pathToFileURL } from "node:url";
import workerd from "workerd";

const EXAMPLE = new URL("../../examples/ask-worker/", import.meta.url);
const KEY = "sk-not-for-pages";
const ORIGIN = "https://docs.example.org";
const QUESTION = { messages: [{ role: "user", content: "How do I bake bread?" }], stream: true };
const EVENTS = ["Knead", " the", " dough"].map((content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
/** Milliseconds after which a test that would wait forever fails. */
const FOR_EVER = 60_000;
const ENDS = { timeout: FOR_EVER };

/** Plays the language model. `answer` handles a request, and `asked` has the received requests. */
const api = { asked: [], answer: undefined };
const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  const { method, url, headers } = request;
  api.asked.push({ method, url, headers, body: body && JSON.parse(body) });
  api.answer(response);
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const API = `127.0.0.1:${server.address().port}`;

function stream(response) {
  response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8" });
  for (const event of EVENTS) response.write(event);
  response.end("data: [DONE]\n\n");
}

beforeEach(() => {
  api.asked = [];
  api.answer = stream;
});

/** Workers with different settings. If no URL is set, the network directs every request to the scripted API. */
const WORKERS = {
  chat: { API_URL: `http://${API}/v1/chat/completions`, MAX_TOKENS: "300" },
  anthropic: { API: "anthropic", API_URL: `http://${API}/v1/messages` },
  chat_standard: {},
  anthropic_standard: { API: "anthropic" },
  // Nothing listens on the first port.
  unreachable: { API_URL: "http://127.0.0.1:1/v1/chat/completions" },
  limited: { API_URL: `http://${API}/v1/chat/completions`, LIMITER: true },
  unset: { API_KEY: "" },
};
const SETTINGS = { API_KEY: KEY, MODEL: "model-of-the-worker", ORIGINS: `https://other.example.org, ${ORIGIN}/` };

/** Replaces Cloudflare's rate limits, and accepts one address. */
const LIMITER = `
  import { WorkerEntrypoint } from "cloudflare:workers";
  export default class extends WorkerEntrypoint {
    limit({ key }) {
      return { success: key === "192.0.2.1" };
    }
  }`;

const folder = mkdtempSync(join(tmpdir(), "nearfind-ask-worker-"));
// The tested worker has the date and the flags of the published one.
const wrangler = readFileSync(new URL("wrangler.toml", EXAMPLE), "utf8");
const [, date] = /^compatibility_date = (".*")$/m.exec(wrangler);
const [, flags] = /^compatibility_flags = (\[.*\])$/m.exec(wrangler);
copyFileSync(new URL("worker.js", EXAMPLE), join(folder, "worker.js"));
writeFileSync(join(folder, "limiter.js"), LIMITER);
const binding = ([name, value]) =>
  value === true ? `(name = "${name}", service = "limiter")` : `(name = "${name}", text = ${JSON.stringify(value)})`;
const workers = Object.entries(WORKERS).map(
  ([name, settings]) => `(name = "${name}", worker = (
    modules = [(name = "worker.js", esModule = embed "worker.js")],
    compatibilityDate = ${date},
    compatibilityFlags = ${flags},
    bindings = [${Object.entries({ ...SETTINGS, ...settings }).map(binding)}],
    globalOutbound = "${settings.API_URL ? "network" : "scripted"}",
  ))`,
);
writeFileSync(
  join(folder, "config.capnp"),
  `using Workerd = import "/workerd/workerd.capnp";
  const config :Workerd.Config = (
    services = [
      ${workers},
      (name = "limiter", worker = (modules = [(name = "limiter.js", esModule = embed "limiter.js")], compatibilityDate = ${date})),
      (name = "network", network = (allow = ["private"])),
      (name = "scripted", external = (address = "${API}", http = ())),
    ],
    sockets = [${Object.keys(WORKERS).map((name) => `(name = "${name}", address = "127.0.0.1:0", http = (), service = "${name}")`)}],
  );`,
);

const runtime = spawn(workerd.default, ["serve", join(folder, "config.capnp"), "--control-fd=3"], {
  stdio: ["ignore", "pipe", "pipe", "pipe"],
});
/** The log of the workers, and the messages of the runtime. */
let log = "";
for (const output of [runtime.stdout, runtime.stderr]) output.setEncoding("utf8").on("data", (text) => (log += text));
after(async () => {
  // End it immediately. On a normal signal it would wait for answers that a failed test has left open.
  if (runtime.exitCode === null && runtime.kill("SIGKILL")) await once(runtime, "exit");
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

/** The ports of the workers. The runtime chooses free ones and reports each when it listens. */
const ports = await new Promise((resolve, reject) => {
  const known = {};
  createInterface({ input: runtime.stdio[3] }).on("line", (line) => {
    const { event, socket, port } = JSON.parse(line);
    if (event === "listen") known[socket] = port;
    if (Object.keys(known).length === Object.keys(WORKERS).length) resolve(known);
  });
  runtime.on("error", reject).on("exit", () => reject(new Error(`The runtime ended: ${log}`)));
});

let readers = 0;
/** Sends a question like a page, each time from another reader. */
function ask(body = QUESTION, { worker = "chat", headers, ...more } = {}) {
  readers += 1;
  return fetch(`http://127.0.0.1:${ports[worker]}/`, {
    method: "POST",
    headers: { Origin: ORIGIN, "Content-Type": "application/json", "CF-Connecting-IP": `198.51.100.${readers}`, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(FOR_EVER),
    ...more,
  });
}

/** Checks a refusal and returns its message. The page must be able to read it. */
async function refusal(response, status) {
  const text = await response.text();
  assert.equal(response.status, status, text);
  assert.equal(response.headers.get("access-control-allow-origin"), ORIGIN);
  assert.equal(response.headers.get("access-control-expose-headers"), "Retry-After");
  return messageIn(response, text);
}

function messageIn(response, text) {
  assert.equal(response.headers.get("vary"), "Origin");
  assert.equal(response.headers.get("content-type"), "application/json");
  const { error, ...more } = JSON.parse(text);
  assert.deepEqual(more, {});
  assert.match(error.message, /^[A-Z].*\.$/);
  return error.message;
}

test("a question is answered chunk by chunk", ENDS, async () => {
  let write;
  api.answer = (response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8" });
    write = (event) => (event ? response.write(event) : response.end());
    write(EVENTS[0]);
  };
  const response = await ask();
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.equal(response.headers.get("access-control-allow-origin"), ORIGIN);
  assert.equal(response.headers.get("vary"), "Origin");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  // The API sends each event only after the page has read the previous one.
  for (const event of [...EVENTS.slice(1), undefined]) {
    const { value } = await reader.read();
    assert.equal(value, EVENTS[EVENTS.indexOf(event) < 0 ? EVENTS.length - 1 : EVENTS.indexOf(event) - 1]);
    write(event);
  }
  assert.equal((await reader.read()).done, true);
});

test("the key reaches the API but never the page", async () => {
  const response = await ask();
  const seen = JSON.stringify([...response.headers]) + (await response.text());
  assert.equal(api.asked[0].headers.authorization, `Bearer ${KEY}`);
  assert.ok(!seen.includes(KEY), seen);
});

test("the worker chooses the model and drops unknown fields", async () => {
  const messages = [
    { role: "system", content: "Answer from the pages." },
    { role: "user", content: "And “zebras”?", name: "reader" },
    { role: "assistant", content: "", tool_calls: [{}] },
  ];
  const body = { messages, model: "dear", max_tokens: 90_000, n: 50, tools: [{}], stream: false, system: "x", user: "y" };
  await (await ask(body, { headers: { Authorization: "Bearer of-the-page", Cookie: "a=b" } })).text();
  const [{ method, url, headers, body: sent }] = api.asked;
  assert.deepEqual([method, url], ["POST", "/v1/chat/completions"]);
  assert.deepEqual(sent, {
    model: "model-of-the-worker",
    messages: messages.map(({ role, content }) => ({ role, content })),
    max_tokens: 300,
    stream: true,
  });
  assert.equal(headers.authorization, `Bearer ${KEY}`);
  assert.deepEqual([headers.cookie, headers.origin, headers["cf-connecting-ip"]], [undefined, undefined, undefined]);
});

test("Anthropic's API gets its own headers and the system text", async () => {
  const system = "Answer from the pages.";
  const response = await ask({ system, ...QUESTION, max_tokens: 90_000, tools: [{}] }, { worker: "anthropic" });
  assert.equal(await response.text(), `${EVENTS.join("")}data: [DONE]\n\n`);
  const [{ url, headers, body }] = api.asked;
  assert.equal(url, "/v1/messages");
  assert.deepEqual(body, { model: "model-of-the-worker", system, messages: QUESTION.messages, max_tokens: 800, stream: true });
  assert.deepEqual([headers["x-api-key"], headers["anthropic-version"], headers.authorization], [KEY, "2023-06-01", undefined]);

  const wrong = [{ ...QUESTION, system: 5 }, { messages: [{ role: "system", content: system }] }];
  for (const body of wrong) await refusal(await ask(body, { worker: "anthropic" }), 400);
  assert.equal(api.asked.length, 1);
});

test("without an API_URL, requests go to the provider's own address", async () => {
  for (const worker of ["chat_standard", "anthropic_standard"]) await (await ask(QUESTION, { worker })).text();
  assert.deepEqual(
    api.asked.map(({ url, headers, body }) => [headers.host, url, body.max_completion_tokens ?? body.max_tokens, "max_tokens" in body]),
    [
      ["api.openai.com", "/v1/chat/completions", 800, false],
      ["api.anthropic.com", "/v1/messages", 800, true],
    ],
  );
});

test("a preflight request is answered", async () => {
  const headers = { "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type" };
  const response = await ask(QUESTION, { method: "OPTIONS", body: undefined, headers });
  assert.equal(response.status, 204);
  assert.equal(response.headers.get("access-control-allow-origin"), ORIGIN);
  assert.equal(response.headers.get("access-control-allow-methods"), "POST");
  assert.equal(response.headers.get("access-control-allow-headers"), "Content-Type");
  assert.equal(response.headers.get("vary"), "Origin");
  assert.equal(api.asked.length, 0);
});

test("pages of other origins get no answer", async () => {
  const others = ["https://evil.example.org", `${ORIGIN}.evil.example`, "http://docs.example.org", "null", ""];
  for (const Origin of others) {
    for (const more of [{}, { method: "OPTIONS", body: undefined }]) {
      const response = await ask(QUESTION, { headers: { Origin }, ...more });
      assert.equal(response.status, 403, Origin);
      assert.equal(response.headers.get("access-control-allow-origin"), null);
      messageIn(response, await response.text());
    }
  }
  assert.equal(api.asked.length, 0);
});

test("a request without an origin gets no answer", async () => {
  const response = await fetch(`http://127.0.0.1:${ports.chat}/`, { method: "POST", body: JSON.stringify(QUESTION) });
  assert.equal(response.status, 403);
  messageIn(response, await response.text());
  assert.equal(api.asked.length, 0);
});

test("only POST requests can ask", async () => {
  for (const method of ["GET", "PUT", "DELETE"]) {
    const response = await ask(QUESTION, { method, body: undefined });
    assert.equal(response.headers.get("allow"), "POST, OPTIONS");
    await refusal(response, 405);
  }
  assert.equal(api.asked.length, 0);
});

test("a body that is not a conversation is refused", async () => {
  const [message] = QUESTION.messages;
  const lists = [undefined, {}, [], Array(21).fill(message), [null], ["hello"], [{ ...message, role: "tool" }], [{ role: "user" }]];
  const contents = [5, null, [{ type: "text", text: "hello" }]].map((content) => [{ role: "user", content }]);
  const bodies = ["", "messages", "null", "[]", '"text"', ...[...lists, ...contents].map((messages) => ({ messages }))];
  for (const body of bodies) await refusal(await ask(body), 400);
  assert.equal(api.asked.length, 0);

  assert.equal((await ask({ messages: Array(20).fill(message) })).status, 200);
});

test("a long question is refused", async () => {
  const ofLength = (length) => {
    const around = JSON.stringify({ messages: [{ role: "user", content: "" }] }).length;
    return { messages: [{ role: "user", content: "a".repeat(length - around) }] };
  };
  assert.match(await refusal(await ask(ofLength(128 * 1024 + 1)), 413), /128 KB/);
  assert.equal(api.asked.length, 0);
  assert.equal((await ask(ofLength(128 * 1024))).status, 200);
});

test("a stream that does not end is refused", ENDS, async () => {
  const headers = { Origin: ORIGIN, "Transfer-Encoding": "chunked" };
  const request = httpRequest({ host: "127.0.0.1", port: ports.chat, method: "POST", headers });
  // The request never ends. The answer arrives while the worker could still read.
  request.write("a".repeat(128 * 1024));
  request.write("a");
  const [response] = await once(request, "response");
  assert.equal(response.statusCode, 413);
  assert.equal(response.headers["access-control-allow-origin"], ORIGIN);
  request.on("error", () => {});
  request.destroy();
  assert.equal(api.asked.length, 0);
});

test("a reader who asks too often must wait, and others need not", async () => {
  const from = (address) => ask(QUESTION, { headers: { "CF-Connecting-IP": address } });
  for (const [address, same, other] of [
    ["203.0.113.1", "203.0.113.1", "203.0.113.2"],
    ["2001:db8:0:1::1", "2001:db8::1:ffff:ffff:ffff:ffff", "2001:db8:0:2::1"],
  ]) {
    api.asked = [];
    for (let question = 0; question < 10; question++) {
      const response = await from(address);
      assert.equal(response.status, 200, await response.text());
    }
    const response = await from(same);
    const seconds = response.headers.get("retry-after");
    assert.match(seconds, /^[1-9]\d?$/);
    assert.ok(Number(seconds) <= 60, seconds);
    await refusal(response, 429);
    assert.equal((await from(other)).status, 200);
    assert.equal(api.asked.length, 11);
  }
});

test("refused requests do not count as questions", async () => {
  const headers = { "CF-Connecting-IP": "203.0.113.3" };
  for (let request = 0; request < 11; request++) await refusal(await ask("{}", { headers }), 400);
  assert.equal((await ask(QUESTION, { headers })).status, 200);
});

test("a rate limit of Cloudflare decides if it is bound", async () => {
  const from = (address) => ask(QUESTION, { worker: "limited", headers: { "CF-Connecting-IP": address } });
  for (let question = 0; question < 11; question++) assert.equal((await from("192.0.2.1")).status, 200);
  const response = await from("192.0.2.2");
  assert.equal(response.headers.get("retry-after"), "60");
  await refusal(response, 429);
  assert.equal(api.asked.length, 11);
});

test("a busy API's time to try again is passed on", async () => {
  const inTwoMinutes = new Date(Date.now() + 120_000).toUTCString();
  for (const [said, told] of [
    ["7", /^7$/],
    ["0.2", /^1$/],
    [inTwoMinutes, /^1[012]\d$/],
    [undefined, /^60$/],
    ["soon", /^60$/],
  ]) {
    api.answer = (response) => response.writeHead(429, said && { "Retry-After": said }).end(`{"error":{"message":"organization org-1"}}`);
    const response = await ask();
    assert.match(response.headers.get("retry-after"), told);
    assert.doesNotMatch(await refusal(response, 429), /org/);
  }
});

test("error messages of an API are not passed on", async () => {
  const answers = [401, 400, 403, 404, 500, 503, 529].map((status) => [status, {}]);
  for (const [status, headers] of [...answers, [302, { Location: `http://${API}/elsewhere` }]]) {
    api.asked = [];
    api.answer = (response) => response.writeHead(status, headers).end(`{"error":{"message":"Incorrect API key: ${KEY}"}}`);
    const message = await refusal(await ask(), 502);
    assert.ok(!message.includes(KEY) && !message.includes("Incorrect"), message);
    // A redirect is not followed, because the key would be sent with it.
    assert.equal(api.asked.length, 1);
  }
});

test("an error reports that the API cannot be reached", async () => {
  assert.match(await refusal(await ask(QUESTION, { worker: "unreachable" }), 502), /cannot be reached/);
  api.answer = (response) => response.destroy();
  assert.match(await refusal(await ask(), 502), /cannot be reached/);
});

test("a worker without a key reports what is missing", async () => {
  assert.match(await refusal(await ask(QUESTION, { worker: "unset" }), 500), /API_KEY/);
  assert.equal(api.asked.length, 0);
});

test("a reader who disconnects ends the request to the API", ENDS, async () => {
  const body = JSON.stringify(QUESTION);
  for (const begin of [() => {}, (response) => response.writeHead(200, { "Content-Type": "text/event-stream" }).write(EVENTS[0])]) {
    const arrived = new Promise((resolve) => {
      api.answer = (response) => {
        resolve({ isClosed: once(response, "close") });
        begin(response);
      };
    });
    const reader = connect(ports.chat, "127.0.0.1");
    reader.write(`POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: ${ORIGIN}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    const { isClosed } = await arrived;
    // A reset, as Cloudflare passes it on. The peer of a connection that is only closed may still listen, and the
    // runtime notices that only when it writes.
    reader.resetAndDestroy();
    await isClosed;
  }
});

test("a reader who closes the page ends the answer", ENDS, async () => {
  const reader = new AbortController();
  let isClosed;
  api.answer = (response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const writing = setInterval(() => response.write(EVENTS[0]), 20);
    isClosed = once(response, "close").finally(() => clearInterval(writing));
  };
  await ask(QUESTION, { signal: reader.signal });
  reader.abort();
  await isClosed;
});

/**
 * Runs the worker in this process, where its calls to the API can be observed. The result asks as a reader with an
 * address.
 */
async function inThisProcess(t, answer) {
  copyFileSync(new URL("worker.js", EXAMPLE), join(folder, "worker.mjs"));
  const { default: worker } = await import(pathToFileURL(join(folder, "worker.mjs")));
  t.mock.method(globalThis, "fetch", answer);
  return (address, signal) => {
    const headers = { Origin: ORIGIN, "CF-Connecting-IP": address };
    const request = new Request("https://ask.example.org/", { method: "POST", headers, body: JSON.stringify(QUESTION), signal });
    return worker.fetch(request, SETTINGS);
  };
}

test("the signal of a request ends the request to the API", async (t) => {
  let signal;
  const from = await inThisProcess(t, async (_, options) => {
    signal = options.signal;
    return new Response("data: [DONE]\n\n");
  });
  const reader = new AbortController();
  assert.equal((await from("192.0.2.3", reader.signal)).status, 200);
  assert.equal(signal.aborted, false);
  reader.abort();
  assert.equal(signal.aborted, true);
});

test("the limiter in memory forgets the oldest addresses", async (t) => {
  const from = await inThisProcess(t, async () => new Response("data: [DONE]\n\n"));
  const status = async (address) => (await from(address)).status;
  for (let question = 0; question < 10; question++) assert.equal(await status("192.0.2.1"), 200);
  for (let other = 0; other < 9_998; other++) await from(`10.0.${other >> 8}.${other & 255}`);
  assert.equal(await status("192.0.2.1"), 429);
  for (let other = 0; other < 2; other++) await from(`10.1.0.${other}`);
  assert.equal(await status("192.0.2.1"), 200);
});

test("the log does not contain the key", () => {
  assert.match(log, /The API answered with status 401\./);
  assert.ok(!log.includes(KEY), log);
});
