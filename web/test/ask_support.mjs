// Opens a page with the answer panel over HTTP, with a scripted language model.
import { after } from "node:test";
import { closeBrowsers, openIn } from "./browsers.mjs";
import { startModel } from "./language_model.mjs";
import { makeSite, serveFolders } from "./support.mjs";

/** A question that the site answers. */
export const QUESTION = "how do threads share memory?";
const site = makeSite(["--small-encoder", "never"]);
/** The paths of all requests. */
export const log = [];
/** Serves the site. */
export const server = await serveFolders(site.folders, { log });
/** Serves the site with a strict Content-Security-Policy. */
export const strict = await serveFolders(site.folders, {
  policy: "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' http://127.0.0.1:*",
});
/** The language model. */
export const model = await startModel();
after(async () => {
  await closeBrowsers();
  server.close();
  strict.close();
  model.close();
  site.cleanUp();
});

/** Returns an expression that runs `body` with the root of the panel, in the page. */
export const inPanel = (body, ...given) =>
  `(() => { const panel = document.querySelector("nearfind-ask"); const root = panel?.shadowRoot; return (${body})(root, ...${JSON.stringify(given)}); })()`;

/** Opens a page with a box that has the attribute `ask`, and further attributes on request. */
export async function opened({ ask = model.url, attributes = {}, browser = "chromium", at = server.url, ...options } = {}) {
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
