// Searches source code beside a page in the search box. A hit names its file and line, and leads to the repository at
// its commit.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { BROWSERS, closeBrowsers, openIn } from "../../web/test/browsers.mjs";
import { host } from "./host.mjs";

const { NEARFIND } = process.env;
const PACKAGE = fileURLToPath(new URL("../../web/", import.meta.url));
const SITE = mkdtempSync(join(tmpdir(), "nearfind-code-"));
after(() => rmSync(SITE, { recursive: true, force: true }));
after(closeBrowsers);

function write(path, text) {
  mkdirSync(dirname(join(SITE, path)), { recursive: true });
  writeFileSync(join(SITE, path), text);
}

const git = (...args) =>
  execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.org", ...args], { cwd: SITE, encoding: "utf8" }).trim();

test("source code is found in the search box", async (t) => {
  write(
    "index.html",
    '<!doctype html><html lang="en"><title>Brewing</title><main><h1>Brewing</h1><p>Coffee is brewed in a kettle.</p></main>',
  );
  write(
    "src/kettle.py",
    '"""Kettles."""\n\nimport time\n\n\ndef boil_water(kettle, degrees):\n    """Heats <img src=x onerror=alert(1)> water."""\n    return kettle.heat(degrees)\n',
  );
  git("init", "-q");
  git("remote", "add", "origin", "https://github.com/example/brewing.git");
  git("add", "-A");
  git("commit", "-q", "-m", "start");
  const commit = git("rev-parse", "HEAD");
  execFileSync(NEARFIND, ["index", SITE, "--code", "-o", join(SITE, "search"), "--quiet"]);
  write(
    "index.html",
    '<!doctype html><html lang="en"><title>Brewing</title><main><h1>Brewing</h1><nearfind-search bundle="search/" display="inline"></nearfind-search><script type="module" src="nearfind/dist/define.js"></script></main>',
  );
  for (const folder of ["dist", "wasm"]) {
    cpSync(join(PACKAGE, folder), join(SITE, "nearfind", folder), { recursive: true });
  }
  const server = await host(SITE);
  try {
    for (const browser of BROWSERS) {
      await t.test(browser, async () => {
        const box = await openIn(browser, server.url);
        try {
          await box.until(() => document.querySelector("nearfind-search")?.shadowRoot?.querySelector("[role=combobox]") != null);
          await box.run(() => document.querySelector("nearfind-search").shadowRoot.querySelector("[role=combobox]").focus());
          await box.type("boil water");
          await box.until((question) => {
            const { dataset } = document.querySelector("nearfind-search").shadowRoot.querySelector("[role=listbox]");
            return dataset.query === question && dataset.tier !== "";
          }, "boil water");
          const found = await box.run(() => {
            const { shadowRoot } = document.querySelector("nearfind-search");
            const [option] = shadowRoot.querySelectorAll("a[role=option]");
            const text = (part) => option.querySelector(`[part=${part}]`).textContent;
            return { href: option.href, title: text("title"), place: text("place"), images: shadowRoot.querySelectorAll("img").length };
          });
          assert.equal(found.href, `https://github.com/example/brewing/blob/${commit}/src/kettle.py#L6-L8`);
          assert.equal(found.title, "boil_water");
          assert.equal(found.place, "src/kettle.py:6 › def boil_water(kettle, degrees)");
          assert.deepEqual(box.problems, []);
          // Markup in a comment stays text.
          assert.equal(found.images, 0);
        } finally {
          await box.close();
        }
      });
    }
  } finally {
    server.close();
  }
});
