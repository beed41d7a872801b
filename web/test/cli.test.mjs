// Tests `npx nearfind`, the program from npm, with packages as they are published.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const web = fileURLToPath(new URL("..", import.meta.url));

test("npx nearfind runs the program of this platform, or reports how to install it", () => {
  const folder = mkdtempSync(join(tmpdir(), "nearfind-npx-"));
  const run = (command, args, cwd = folder) => execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  try {
    const project = join(folder, "project");
    mkdirSync(project);
    writeFileSync(join(project, "package.json"), '{ "private": true }');
    const pack = (from) => join(folder, run("npm", ["pack", "--silent", "--pack-destination", folder], from).trim());
    const install = (archive) => run("npm", ["install", "--silent", "--no-audit", "--no-fund", archive], project);
    install(pack(web));
    const npx = (...args) =>
      spawnSync("npx", ["--no-install", "nearfind", ...args], { cwd: project, encoding: "utf8", env: { ...process.env, NEARFIND: "" } });
    const without = npx("--version");
    assert.equal(without.status, 1);
    assert.match(without.stderr, /npm install @nearfind\/cli-/);

    const cli = join(folder, "cli");
    run(process.execPath, [
      join(web, "scripts", "package-cli.mjs"),
      process.env.NEARFIND ?? "nearfind",
      `${process.platform}-${process.arch}`,
      cli,
    ]);
    install(pack(cli));
    assert.match(npx("--version").stdout, /^nearfind 0\.1\.0/);
    // The exit code is the program's.
    const refused = npx("search", join(folder, "nowhere"), "x");
    assert.notEqual(refused.status, 0);
    assert.match(refused.stderr, /nowhere/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
