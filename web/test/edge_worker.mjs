// Runs a project's worker in Cloudflare's runtime.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import workerd from "workerd";

/** Starts the worker in the folder of a project whose packages are installed. `cache` is the address of a server that plays the cache. */
export async function startProject(project, { cache } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "nearfind-worker-"));
  // As wrangler does: the script in one file, modules beside it.
  const asModule = (build) =>
    build.onResolve({ filter: /\.wasm$/ }, ({ path }) => ({ path: `./${path.split("/").at(-1)}`, external: true }));
  await build({
    entryPoints: [join(project, "worker.js")],
    bundle: true,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    outfile: join(folder, "worker.js"),
    plugins: [{ name: "modules", setup: asModule }],
  });
  const packed = (name) => join(project, "node_modules", "nearfind", "wasm", name, `nearfind_${name}_bg.wasm`);
  for (const name of ["search", "grep"]) writeFileSync(join(folder, `${name}.wasm`), readFileSync(packed(name)));
  const [, date] = /^compatibility_date = (".*")$/m.exec(readFileSync(join(project, "wrangler.toml"), "utf8"));
  writeFileSync(
    join(folder, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [
        (name = "mcp", worker = (
          modules = [
            (name = "worker.js", esModule = embed "worker.js"),
            (name = "search.wasm", wasm = embed "search.wasm"),
            (name = "grep.wasm", wasm = embed "grep.wasm"),
          ],
          compatibilityDate = ${date},
          ${cache ? 'cacheApiOutbound = "cache",' : ""}
          globalOutbound = "network",
        )),
        (name = "network", network = (allow = ["private"])),
        ${cache ? `(name = "cache", external = (address = "${cache}", http = ())),` : ""}
      ],
      sockets = [(name = "mcp", address = "127.0.0.1:0", http = (), service = "mcp")],
    );`,
  );
  const child = spawn(workerd.default, ["serve", join(folder, "config.capnp"), "--control-fd=3"], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  child.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const port = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdio[3] }).on("line", (line) => {
      const { event, port } = JSON.parse(line);
      if (event === "listen") resolve(port);
    });
    child.on("error", reject).on("exit", () => reject(new Error("the runtime ended")));
  });
  return { url: `http://127.0.0.1:${port}/mcp`, child, stop: () => child.kill("SIGKILL") };
}
