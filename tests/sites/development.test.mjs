// Development servers of generators serve the index of the last build (examples/sites/build.sh).
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { closeBrowsers, openIn } from "../../web/test/browsers.mjs";

const PROJECTS = fileURLToPath(new URL("../../target/tools/", import.meta.url));
const QUESTION = "why does a page not need the whole index?";
const SERVERS = {
  vitepress: (port) => ["vitepress", "dev", "--port", port, "--strictPort"],
  starlight: (port) => ["astro", "dev", "--port", port],
  docusaurus: (port) => ["docusaurus", "start", "--port", port, "--no-open"],
};
after(closeBrowsers);

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return String(port);
}

/** Starts the server and waits until it serves a page at `url`. */
async function start(project, command, url) {
  const said = [];
  const server = spawn("npx", command, {
    cwd: project,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, BASE: "/docs/", ASTRO_TELEMETRY_DISABLED: "1" },
  });
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (bytes) => said.push(bytes));
  for (const end = Date.now() + 90_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 200))) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return server;
    if (server.exitCode !== null) break;
  }
  throw new Error(`${command.join(" ")} does not serve ${url}:\n${Buffer.concat(said)}`);
}

for (const [name, command] of Object.entries(SERVERS)) {
  test(`${command("PORT").slice(0, 2).join(" ")} searches the last build`, async () => {
    const project = join(PROJECTS, name);
    assert.ok(existsSync(project), `${name} is not built: run examples/sites/build.sh ${name}`);
    const port = await freePort();
    const url = `http://localhost:${port}/docs/`;
    const server = await start(project, command(port), url);
    try {
      const box = await openIn("chromium", url, { expects: [/Failed to load resource/] });
      const missing = [];
      box.page.on("response", (response) => response.status() >= 400 && !/favicon/.test(response.url()) && missing.push(response.url()));
      await box.until(() => document.querySelector("nearfind-search")?.shadowRoot?.querySelector("[role=combobox]") != null);
      await box.press("Control+k");
      await box.type(QUESTION);
      await box.until(
        (question) => document.querySelector("nearfind-search").shadowRoot.querySelector("[role=listbox]").dataset.query === question,
        QUESTION,
      );
      const titles = await box.run(() =>
        [...document.querySelector("nearfind-search").shadowRoot.querySelectorAll("[part=title]")].map((title) => title.textContent),
      );
      assert.match(titles[0], /Architecture|nearfind/i);
      assert.deepEqual([...box.problems, ...missing], []);
      await box.close();
    } finally {
      process.kill(-server.pid);
    }
  });
}
