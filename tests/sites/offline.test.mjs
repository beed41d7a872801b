// Tests the recipe for readers without a network (examples/offline) on a built site. After one question the server goes
// away, and another question is answered on a reloaded page.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { closeBrowsers, openIn } from "../../web/test/browsers.mjs";
import { host } from "./host.mjs";

const SITE = fileURLToPath(new URL("../../target/sites/hugo", import.meta.url));
const WORKER = fileURLToPath(new URL("../../examples/offline/service_worker.js", import.meta.url));
after(closeBrowsers);

test("a site can be searched without a network", async () => {
  assert.ok(existsSync(SITE), "the site of Hugo is not built: run examples/sites/build.sh hugo");
  const folder = mkdtempSync(join(tmpdir(), "nearfind-offline-"));
  cpSync(SITE, folder, { recursive: true });
  cpSync(WORKER, join(folder, "service_worker.js"));
  const index = join(folder, "nearfind");
  writeFileSync(join(index, "files.json"), execFileSync(process.env.NEARFIND ?? "nearfind", ["inspect", index, "--json"]));
  const server = await host(folder, "/docs/");
  const box = await openIn("chromium", server.url, { expects: [/ERR_CONNECTION|Failed to load resource|fetch/] });
  const ask = async (question) => {
    await box.until(() => document.querySelector("nearfind-search")?.shadowRoot?.querySelector("[role=combobox]") != null);
    await box.press("Control+k");
    await box.type(question);
    await box.until((question) => {
      const { dataset } = document.querySelector("nearfind-search").shadowRoot.querySelector("[role=listbox]");
      return dataset.query === question && dataset.tier === "1";
    }, question);
    return box.run(() => document.querySelector("nearfind-search").shadowRoot.querySelector("[part=title]").textContent);
  };
  try {
    await box.run(async () => {
      await navigator.serviceWorker.register("/docs/service_worker.js");
      await navigator.serviceWorker.ready;
    });
    await box.page.reload();
    await box.until(() => navigator.serviceWorker.controller !== null);
    assert.ok(await ask("why does a page not need the whole index?"));
    // The worker stores them while the first question is answered.
    await box.until(async () => {
      const name = (await caches.keys()).find((name) => name.startsWith("nearfind-"));
      const kept = name
        ? (await (await caches.open(name)).keys()).map(({ url }) => url.replace(/.*\//, "").replace(/-[0-9a-f]+\.nf$/, ""))
        : [];
      return ["terms", "pages", "tokens", "cells", "codes", "map", "spelling", "positions"].every((part) => kept.includes(part));
    });
    server.close();
    server.drop();
    await box.page.goto(server.url);
    assert.match(await ask("how are mistypd words corrected"), /\w/);
  } finally {
    await box.close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
