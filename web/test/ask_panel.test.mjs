// Tests the answer panel: how readers open it, leave it, return to it and hand a question over.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inPanel, model, opened, server, strict } from "./ask_support.mjs";
import { openIn } from "./browsers.mjs";
import { chat } from "./language_model.mjs";

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
