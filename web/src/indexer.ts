import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Indexes the built site in the folder `site` into the folder `out` and puts the search box beside the index, as
 * `npx nearfind index` does; `options` are more options of it, such as `["--ship-model"]`. Rejects with an error that says what the
 * program says.
 */
export function index(site: string, out: string, options: readonly string[] = []): Promise<void> {
  const program = fileURLToPath(new URL("../bin/nearfind.mjs", import.meta.url));
  const child = spawn(process.execPath, [program, "index", site, "--out", out, "--quiet", ...options], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const said: Buffer[] = [];
  child.stderr.on("data", (bytes: Buffer) => said.push(bytes));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => {
      const message = Buffer.concat(said).toString().trim();
      return status === 0 ? resolve() : reject(new Error(`nearfind: ${message.replace(/^error: /, "") || `it ended with ${status}`}`));
    });
  });
}
