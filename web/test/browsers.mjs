// Drives Chromium with Playwright and Firefox with WebDriver BiDi, through the same interface.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { ARGS } from "../../examples/search-page/browser.mjs";

const require = createRequire(import.meta.url);
const FIREFOX = process.env.FIREFOX ?? ["/usr/bin/firefox-esr", "/usr/bin/firefox"].find((path) => existsSync(path));

/** The names of the installed browsers. Set-up installs Chromium, and Firefox on Debian. */
export const BROWSERS = FIREFOX ? ["chromium", "firefox"] : ["chromium"];

/** Converts Playwright's name of a key to the keys of WebDriver: `Control+k` is two keys. */
const keysOf = (name) => name.split(/\+(?=.)/);

const launch = {
  chromium: () => require("playwright-core").chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ARGS }),
  firefox: () => require("puppeteer-core").launch({ browser: "firefox", executablePath: FIREFOX, headless: true }),
};
const running = new Map();

/** Starts each browser once. Its pages share no data. */
async function browser(name) {
  if (!running.has(name)) running.set(name, launch[name]());
  return running.get(name);
}

/** Ends all browsers. */
export async function closeBrowsers() {
  for (const started of running.values()) await (await started).close();
}

async function chromium(options) {
  const context = await (await browser("chromium")).newContext({ viewport: { width: 1000, height: 800 }, ...options });
  const page = await context.newPage();
  return { context, page, press: (name) => page.keyboard.press(name) };
}

async function firefox() {
  const context = await (await browser("firefox")).createBrowserContext();
  const page = await context.newPage();
  await page.setViewport({ width: 1000, height: 800 });
  const press = async (name) => {
    const keys = keysOf(name);
    for (const key of keys) await page.keyboard.down(key);
    for (const key of keys.reverse()) await page.keyboard.up(key);
  };
  return { context, page, press };
}

/**
 * Opens a page at `url` in the browser `name`, with an interface that both browsers support: `press`, `type`, `run` in
 * the page, and `until` a condition holds in the page. `problems` has the errors of the console and the page.
 */
export async function openIn(name, url, { expects = [], ...options } = {}) {
  const { context, page, press } = await (name === "firefox" ? firefox() : chromium(options));
  const problems = [];
  const note = (text) => expects.some((expected) => expected.test(text)) || problems.push(text);
  page.on("console", (message) => message.type() === "error" && note(message.text()));
  page.on("pageerror", (error) => note(String(error)));
  await page.goto(url);
  const until = async (condition, argument, message = String(condition)) => {
    for (const end = Date.now() + 30_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 20))) {
      if (await page.evaluate(condition, argument).catch(() => false)) return;
    }
    throw new Error(`not in time: ${message}\n${problems.join("\n")}`);
  };
  return {
    page,
    press,
    pages: async () => context.pages(),
    problems,
    until,
    run: (body, argument) => page.evaluate(body, argument),
    type: (text, delay = 0) => page.keyboard.type(text, { delay }),
    close: () => context.close(),
  };
}
