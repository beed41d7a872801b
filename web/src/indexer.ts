import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/**
 * Indexes the built site in the folder `site`, and writes the index and the search box to the folder `out`, as `npx nearfind
 * index` does. `options` are further options for that command, such as `["--ship-model"]`. `say` is called with each line of
 * progress and with the result. If indexing fails, rejects with the program's error message.
 *
 * @example
 * ```ts
 * import { index } from "nearfind/indexer";
 * await index("dist", "dist/nearfind", ["--ship-model"], console.log);
 * ```
 */
export function index(site: string, out: string, options: readonly string[] = [], say?: (line: string) => void): Promise<void> {
  const program = fileURLToPath(new URL("../bin/nearfind.mjs", import.meta.url));
  const quiet = say ? [] : ["--quiet"];
  say?.(`nearfind: indexing ${site}; the first time takes longest`);
  const child = spawn(process.execPath, [program, "index", site, "--out", out, ...quiet, ...options], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const errors: string[] = [];
  createInterface(child.stderr).on("line", (line) => {
    if (errors.length > 0 || line.startsWith("error: ") || !say) {
      errors.push(line);
    } else {
      say(`nearfind: ${line}`);
    }
  });
  createInterface(child.stdout).on("line", (line) => /^\d+ documents,|^nothing has changed/.test(line) && say?.(`nearfind: ${line}`));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => {
      const message = errors.join("\n").trim();
      return status === 0 ? resolve() : reject(new Error(`nearfind: ${message.replace(/^error: /, "") || `it ended with ${status}`}`));
    });
  });
}
