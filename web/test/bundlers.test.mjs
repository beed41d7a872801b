// Tests the packed package with common tools: Vite, webpack, esbuild, no bundler, Node and an edge-like host.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { closeBrowsers, openIn } from "./browsers.mjs";
import { PACKAGE, makeSite, serveFolders } from "./support.mjs";

const execute = promisify(execFile);
const require = createRequire(import.meta.url);
const EXAMPLES = fileURLToPath(new URL("../../examples/", import.meta.url));
const site = makeSite();
const work = mkdtempSync(join(tmpdir(), "nearfind-bundlers-"));
after(async () => {
  await closeBrowsers();
  site.cleanUp();
  rmSync(work, { recursive: true, force: true });
});

// Uses the element, and the library beside it.
const PROGRAM = `import "nearfind/define";
import { open } from "nearfind";
window.ask = async (text, options) => {
  const search = await open("/bundle/", window.options);
  const answer = await search.query(text);
  await search.loadModel({ asked: true });
  const full = await search.query(text);
  search.close();
  return [answer.hits[0].title, answer.tier, full.tier];
};
`;
const HTML = (script) =>
  `<!doctype html><html lang="en"><title>x</title><link rel="icon" href="data:,"><nearfind-search bundle="/bundle/"></nearfind-search><script type="module" src="${script}"></script></html>`;

/** Creates an empty project with the package installed. */
function project(name) {
  const folder = join(work, name);
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  cpSync(fileURLToPath(PACKAGE), join(folder, "node_modules", "nearfind"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "main.js"), PROGRAM);
  return folder;
}

/** Asserts that the built page answers, with the library up to the model, and with the element. */
async function answers(built, { page = "index.html", options, element = {}, policy } = {}) {
  const server = await serveFolders({ ...site.folders, app: built }, { policy });
  const box = await openIn("chromium", `${server.url}/app/${page}`);
  try {
    await box.until(() => window.ask !== undefined);
    const found = await box.run(async (options) => {
      window.options = options;
      return window.ask("how do threads share memory?");
    }, options);
    assert.deepEqual(found.slice(1), [1, 2]);
    assert.match(found[0], /Threads|Locks/);
    await box.run((element) => {
      const box = document.querySelector("nearfind-search");
      for (const [name, value] of Object.entries(element)) box.setAttribute(name, value);
      box.show("deadlocks");
    }, element);
    await box.until(() => document.querySelector("nearfind-search").shadowRoot.querySelector("[part=title]")?.textContent === "Locks");
    assert.deepEqual(box.problems, []);
  } finally {
    await box.close();
    server.close();
  }
}

test("Vite builds a page that answers", async () => {
  const folder = project("vite");
  writeFileSync(join(folder, "index.html"), HTML("./main.js"));
  const { build } = await import("vite");
  await build({ root: folder, base: "/app/", logLevel: "error" });
  await answers(join(folder, "dist"));
});

test("React: the example's own box and the ready-made one answer", async () => {
  const folder = project("react");
  for (const name of ["react", "react-dom", "scheduler"]) {
    cpSync(fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url)), join(folder, "node_modules", name), { recursive: true });
  }
  cpSync(join(EXAMPLES, "react", "SearchBox.jsx"), join(folder, "SearchBox.jsx"));
  writeFileSync(
    join(folder, "main.js"),
    `
    import { createElement, Fragment } from "react";
    import { createRoot } from "react-dom/client";
    import { ReadyBox, SearchBox } from "./SearchBox.jsx";
    const transform = (hit) => ({ ...hit, title: hit.title.toUpperCase() });
    const page = createElement(Fragment, null, createElement(SearchBox, { bundle: "/bundle/" }), createElement(ReadyBox, { bundle: "/bundle/", transform }));
    createRoot(document.querySelector("#root")).render(page);`,
  );
  writeFileSync(join(folder, "index.html"), HTML("./main.js").replace(/<nearfind-search.*<\/nearfind-search>/, "<div id=root></div>"));
  const { build } = await import("vite");
  await build({ root: folder, base: "/app/", logLevel: "error" });
  const server = await serveFolders({ ...site.folders, app: join(folder, "dist") });
  const box = await openIn("chromium", `${server.url}/app/index.html`);
  try {
    await box.page.getByRole("searchbox").fill("deadl");
    await box.page.getByRole("listitem").filter({ hasText: "Locks" }).waitFor();
    await box.press("Escape");
    await box.press("Control+k");
    await box.type("dough");
    await box.until(() => document.querySelector("nearfind-search").shadowRoot.querySelector("[part=title]")?.textContent === "BREAD");
    assert.deepEqual(box.problems, []);
  } finally {
    await box.close();
    server.close();
  }
});

test("Vite's development server works if it leaves the package alone", async () => {
  const folder = project("vite-dev");
  writeFileSync(join(folder, "index.html"), HTML("./main.js"));
  const { createServer } = await import("vite");
  const bundle = await serveFolders(site.folders);
  const server = await createServer({
    root: folder,
    logLevel: "error",
    optimizeDeps: { exclude: ["nearfind"] },
    server: { host: "127.0.0.1", port: 0, proxy: { "/bundle": bundle.url } },
  });
  await server.listen();
  const box = await openIn("chromium", server.resolvedUrls.local[0]);
  try {
    await box.until(() => window.ask !== undefined);
    assert.deepEqual((await box.run(() => window.ask("how do threads share memory?"))).slice(1), [1, 2]);
    assert.deepEqual(box.problems, []);
  } finally {
    await box.close();
    await server.close();
    bundle.close();
  }
});

test("webpack builds a page that answers", async () => {
  const folder = project("webpack");
  const webpack = require("webpack");
  const stats = await new Promise((resolve, reject) => {
    const settings = {
      mode: "production",
      context: folder,
      entry: "./main.js",
      output: { path: join(folder, "dist"), publicPath: "/app/" },
      performance: false,
    };
    webpack(settings, (error, stats) => (error ? reject(error) : resolve(stats)));
  });
  assert.deepEqual(
    stats.toJson().errors.map(({ message }) => message),
    [],
  );
  assert.deepEqual(
    stats.toJson().warnings.map(({ message }) => message),
    [],
  );
  writeFileSync(join(folder, "dist", "index.html"), HTML("/app/main.js"));
  await answers(join(folder, "dist"));
});

test("esbuild works with the addresses of the worker and the module", async () => {
  const folder = project("esbuild");
  const { build } = await import("esbuild");
  await build({
    entryPoints: [join(folder, "main.js")],
    bundle: true,
    splitting: true,
    format: "esm",
    outdir: join(folder, "dist"),
    logLevel: "error",
  });
  cpSync(join(folder, "node_modules", "nearfind"), join(folder, "dist", "nearfind"), { recursive: true });
  writeFileSync(join(folder, "dist", "index.html"), HTML("/app/main.js"));
  const places = { worker: "/app/nearfind/dist/worker.js", wasm: "/app/nearfind/wasm/search/nearfind_search_bg.wasm" };
  await answers(join(folder, "dist"), { options: places, element: places });
});

test("without a bundler, an import map and the files suffice", async () => {
  const folder = project("plain");
  const map = {
    imports: { nearfind: "/app/node_modules/nearfind/dist/browser.js", "nearfind/define": "/app/node_modules/nearfind/dist/define.js" },
  };
  writeFileSync(
    join(folder, "index.html"),
    HTML("/app/main.js").replace("<title>", `<script type="importmap">${JSON.stringify(map)}</script><title>`),
  );
  await answers(folder);
});

test("a page can load the package from another origin", async () => {
  const cdn = await serveFolders({ nearfind: site.folders.nearfind }, { headers: { "Access-Control-Allow-Origin": "*" } });
  const folder = join(work, "cdn");
  mkdirSync(folder);
  writeFileSync(
    join(folder, "main.js"),
    PROGRAM.replace('"nearfind/define"', `"${cdn.url}/nearfind/dist/define.js"`).replace(
      '"nearfind"',
      `"${cdn.url}/nearfind/dist/browser.js"`,
    ),
  );
  writeFileSync(join(folder, "index.html"), HTML("/app/main.js"));
  try {
    await answers(folder);
  } finally {
    cdn.close();
  }
});

test("Node answers in an empty project", async () => {
  const folder = project("node");
  cpSync(join(EXAMPLES, "node", "ask.mjs"), join(folder, "ask.mjs"));
  const { stdout } = await execute(process.execPath, ["ask.mjs", site.folders.bundle, "a lokc for memory"], { cwd: folder });
  assert.match(stdout, /\(lokc: searched for lock\)[\s\S]*\/guide\/locks\.html/);
  // Tests the other calls of the library, and the class of the element, which programs that build pages can import.
  writeFileSync(
    join(folder, "library.mjs"),
    `
    import { open } from "nearfind/node";
    import "nearfind/define";
    const search = await open(process.argv[2]);
    console.log(JSON.stringify([(await search.suggest("how do thr")).sort(), (await search.document("guide/bread.html")).title, (await search.filters()).map(({ name }) => name)]));
    search.close();`,
  );
  const library = await execute(process.execPath, ["library.mjs", site.folders.bundle], { cwd: folder });
  assert.deepEqual(JSON.parse(library.stdout), [["how do thread", "how do threads"], "Bread", ["project"]]);
});

test("an edge runtime passes the module, and reads files by a function or by fetch", async () => {
  const folder = project("edge");
  cpSync(join(EXAMPLES, "edge", "worker.js"), join(folder, "worker.js"));
  const { build } = await import("esbuild");
  // Such platforms import a compiled module. In this test a plug-in compiles it.
  const compiled = {
    name: "compiled",
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.wasm$/ }, ({ path }) => ({
        contents: `export default new WebAssembly.Module(Uint8Array.from(atob("${readFileSync(path).toString("base64")}"), (c) => c.charCodeAt(0)));`,
        loader: "js",
      })),
  };
  const out = join(folder, "dist.mjs");
  await build({
    entryPoints: [join(folder, "worker.js")],
    bundle: true,
    format: "esm",
    conditions: ["worker"],
    outfile: out,
    plugins: [compiled],
    logLevel: "error",
  });
  const server = await serveFolders(site.folders);
  try {
    const run = async (files) =>
      JSON.parse(
        (
          await execute(process.execPath, [
            "--input-type=module",
            "-e",
            `
      import { readFileSync } from "node:fs";
      const files = ${files};
      const { default: worker } = await import(${JSON.stringify(out)});
      delete globalThis.process;
      const ask = async (url) => { const response = await worker.fetch(new Request(url), { BUNDLE: files }); return [response.status, await response.json()]; };
      console.log(JSON.stringify([await ask("https://x.org/?q=how+do+threads+share+memory"), (await ask("https://x.org/"))[0]]));`,
          ])
        ).stdout,
      );
    const read = `async (file, start, bytes) => { const all = readFileSync(${JSON.stringify(site.folders.bundle)} + "/" + file); return start === undefined ? all : all.subarray(start, start + bytes); }`;
    const [byFunction, byFetch] = [await run(read), await run(`"${server.url}/bundle/"`)];
    const [[status, hits], empty] = byFunction;
    assert.deepEqual([status, empty], [200, 400]);
    assert.match(hits[0].title, /Threads|Locks/);
    assert.deepEqual(byFetch, byFunction);
  } finally {
    server.close();
  }
});
