// Measures the built site with Lighthouse, on an emulated phone, and fails if a score is below 95:
//   examples/website/lighthouse.sh [PAGE…]
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { host } from "../../tests/sites/host.mjs";

const FLOOR = 95;
/** Performance varies with the load of the machine. */
const RUNS = 3;
const CATEGORIES = ["performance", "accessibility", "best-practices"];
const SITE = fileURLToPath(new URL("../../target/website/", import.meta.url));
const pages = process.argv.length > 2 ? process.argv.slice(2) : ["", "generators/", "measured/"];
if (!existsSync(join(SITE, "index.html"))) {
  throw new Error("the site is not built: run examples/website/build.sh");
}

// Lighthouse is installed apart, in the folder that TOOLS names, because nothing else needs it.
const require = createRequire(join(process.env.TOOLS, "package.json"));
const { default: lighthouse } = await import(pathToFileURL(require.resolve("lighthouse")));
const { launch } = await import(pathToFileURL(require.resolve("chrome-launcher")));

/** Returns the report with the median performance of several. */
async function medianOf(runs, url) {
  const reports = [];
  for (let run = 0; run < runs; run += 1) {
    reports.push((await lighthouse(url, { port: chrome.port, onlyCategories: CATEGORIES, logLevel: "error" })).lhr);
  }
  reports.sort((one, other) => one.categories.performance.score - other.categories.performance.score);
  return reports[runs >> 1];
}

const server = await host(SITE, "/nearfind/", { compressed: true });
const chrome = await launch({ chromePath: process.env.CHROMIUM, chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu"] });
let low = 0;
try {
  for (const page of pages) {
    const lhr = await medianOf(RUNS, `${server.url}${page}`);
    const scores = CATEGORIES.map((name) => [name, Math.round(lhr.categories[name].score * 100)]);
    console.log(`/${page}`.padEnd(16), scores.map(([name, score]) => `${name} ${score}`).join(", "));
    if (scores.some(([, score]) => score < FLOOR)) {
      low += 1;
      for (const { title, score, displayValue, details } of Object.values(lhr.audits)) {
        if (score !== null && score < 0.9) {
          const items = (details?.items ?? []).slice(0, 3).map((item) => item.url ?? item.node?.selector ?? item.description ?? "");
          console.log(`  ${score} ${title} ${displayValue ?? ""} ${items.filter(Boolean).join(" ")}`);
        }
      }
    }
  }
} finally {
  chrome.kill();
  server.close();
}
process.exit(low === 0 ? 0 : 1);
