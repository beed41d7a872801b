// Drives headless Chromium over the example's page. playwright-core comes with the npm package's development tools.
import { createRequire } from "node:module";

const { chromium } = createRequire(new URL("../../web/package.json", import.meta.url))("playwright-core");
// No sandbox, because containers run as root. The other arguments prevent requests in closed networks.
export const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];

/**
 * Opens a page at `url`, in a browser with further arguments if given. Its console errors and exceptions are collected
 * in `problems`.
 */
export async function openPage(url, args = []) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: [...ARGS, ...args] });
  const page = await browser.newPage({ viewport: { width: 900, height: 760 } });
  const problems = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(url);
  return { browser, page, problems };
}
