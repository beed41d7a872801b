#!/usr/bin/env node
// Runs the command-line program: the one that NEARFIND names, or the one in the package of this platform.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const platform = `${process.platform}-${process.arch}`;
const name = `@nearfind/cli-${platform}`;

let program = process.env.NEARFIND || undefined;
try {
  program ??= createRequire(import.meta.url).resolve(`${name}/bin/nearfind${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`error: the package ${name} is not installed: there is no binary for ${platform}, or optional dependencies were left out.
Install it with \`npm install ${name}\`. For another platform, build it from a clone of the repository: \`cargo build --release -p nearfind\` makes target/release/nearfind. Then name it in the environment variable NEARFIND.`);
  process.exit(1);
}
const { status, signal, error } = spawnSync(program, process.argv.slice(2), {
  stdio: "inherit",
  // The folder of the search box, which the program copies beside an index.
  env: { NEARFIND_PACKAGE: fileURLToPath(new URL("..", import.meta.url)), ...process.env },
});
if (error) {
  console.error(`error: ${program} cannot be run: ${error.message}`);
}
if (signal) {
  process.kill(process.pid, signal);
}
process.exit(status ?? 1);
