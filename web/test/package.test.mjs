// Checks the package as npm would publish it: its shape, its types and its size.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { publint } from "publint";
import { PACKAGE } from "./support.mjs";

test("publint reports nothing", async () => {
  const { messages } = await publint({ pkgDir: fileURLToPath(PACKAGE), strict: true, pack: false });
  assert.deepEqual(messages, []);
});

test("every entry has types, in every resolution that supports exports", async () => {
  const { checkPackage, createPackageFromTarballData } = await import("@arethetypeswrong/core");
  const folder = mkdtempSync(join(tmpdir(), "nearfind-types-"));
  const [{ filename }] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--pack-destination", folder], { cwd: fileURLToPath(PACKAGE), encoding: "utf8" }),
  );
  const found = await checkPackage(createPackageFromTarballData(readFileSync(join(folder, filename))));
  rmSync(folder, { recursive: true });
  const entries = Object.keys(JSON.parse(readFileSync(new URL("package.json", PACKAGE))).exports).filter(
    (entry) => !/\.(json|wasm|astro)$/.test(entry),
  );
  for (const entry of entries) {
    for (const resolution of ["node16-esm", "bundler"]) {
      assert.ok(found.entrypoints[entry].resolutions[resolution].resolution?.isTypeScript, `${entry} by ${resolution}`);
    }
  }
  // The known problems: `require` gets an ES module, and TypeScript's oldest resolution does not support exports.
  const known = ["CJSResolvesToESM", "NoResolution"];
  assert.deepEqual(
    found.problems.filter(({ kind, resolutionKind }) => !known.includes(kind) && resolutionKind !== "node10"),
    [],
  );
});

test("a TypeScript program compiles with Node's and with a bundler's resolution", () => {
  const folder = mkdtempSync(join(tmpdir(), "nearfind-types-"));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(fileURLToPath(PACKAGE), join(folder, "node_modules", "nearfind"), "dir");
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(folder, "program.ts"),
    `import { open, NearfindError, type Answer, type Hit } from "nearfind";
     import { open as openSlim } from "nearfind/slim";
     import { createHandler, type Handler } from "nearfind/edge";
     import "nearfind/define";
     import { NearfindSearch, type Strings } from "nearfind/element";
     const box: NearfindSearch = document.createElement("nearfind-search");
     box.transform = (hit) => ({ ...hit, title: hit.title.trim() });
     box.strings = { placeholder: "Ask" } satisfies Partial<Strings>;
     box.addEventListener("nearfind-select", ({ detail }) => console.log(detail.hit.title, detail.url));
     await openSlim(async (file: string) => new Uint8Array(file.length), { wasm: new Uint8Array() });
     const handler: Handler = createHandler({ bundle: "https://docs.example.org/search/", wasm: new Uint8Array() });
     const response: Response = await handler(new Request("https://mcp.example.org/mcp"));
     const search = await open("./bundle");
     const answer: Answer = await search.query("x", { mode: "words", limit: 3, signal: AbortSignal.timeout(5) });
     const first: Hit | undefined = answer.hits[0];
     const error: string = new NearfindError("closed", "x").code;
     // @ts-expect-error: no such mode
     await search.query("x", { mode: "psychic" });
     export { first, error, response };`,
  );
  const tsc = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
  for (const [module, moduleResolution] of [
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
  ]) {
    const compilerOptions = { module, moduleResolution, noEmit: true, strict: true, target: "es2022", lib: ["es2022", "dom"], types: [] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
    execFileSync(process.execPath, [tsc, "-p", folder], { stdio: "inherit" });
  }
  rmSync(folder, { recursive: true });
});

test("React and Vue know the types of the element", () => {
  // Below the packages from which its own types come.
  const folder = mkdtempSync(fileURLToPath(new URL("../types-", import.meta.url)));
  try {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(fileURLToPath(PACKAGE), join(folder, "node_modules", "nearfind"), "dir");
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(
      join(folder, "box.tsx"),
      `import type {} from "nearfind/react";
       import type { GlobalComponents } from "vue";
       import type {} from "nearfind/vue";
       export const box = <nearfind-search bundle="/search/" display="inline" transform={(hit) => hit} />;
       // @ts-expect-error: no such display
       export const wrong = <nearfind-search display="psychic" />;
       export type Known = GlobalComponents["nearfind-search"];`,
    );
    const compilerOptions = {
      module: "esnext",
      moduleResolution: "bundler",
      noEmit: true,
      strict: true,
      target: "es2022",
      lib: ["es2022", "dom"],
      types: [],
      jsx: "react-jsx",
      preserveSymlinks: true,
      skipLibCheck: true,
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["box.tsx"] }));
    execFileSync(process.execPath, [fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url)), "-p", folder], {
      stdio: "inherit",
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("sizes stay within their bounds", () => {
  const gzipped = (...files) => files.reduce((sum, file) => sum + gzipSync(readFileSync(new URL(file, PACKAGE)), { level: 9 }).length, 0);
  // The files that pages load before they answer. Node and `nearfind/slim` load the whole module.
  const first = gzipped("wasm/search/nearfind_search_first.wasm");
  const search = gzipped("wasm/search/nearfind_search_bg.wasm");
  const client = gzipped("dist/browser.js", "dist/worker.js");
  // The element includes the client.
  const element = gzipped("dist/define.js", "dist/element.js", "dist/worker.js");
  const withoutWasm = gzipped("wasm/search-js/nearfind_search.js");
  const grep = gzipped("wasm/grep/nearfind_grep_bg.wasm", "dist/grep_loader.js");
  // Half of it is the protocol's own library.
  const edge = gzipped("dist/edge.js");
  const embed = gzipped("wasm/embed/nearfind_embed_bg.wasm", "wasm/embed/nearfind_embed.js");
  console.log(
    `gzipped: search ${search}, its first part ${first}, client ${client}, element with client ${element}, grep ${grep}, edge ${edge}, embed ${embed}, without WASM ${withoutWasm} bytes`,
  );
  assert.ok(first < 87_700, `first part of the search module: ${first}`);
  assert.ok(search < 106_300, `search module: ${search}`);
  assert.ok(client < 11_500, `client: ${client}`);
  assert.ok(element < 24_050, `element with client: ${element}`);
  assert.ok(withoutWasm < 165_500, `without WASM: ${withoutWasm}`);
  assert.ok(grep < 46_300, `grep module: ${grep}`);
  assert.ok(edge < 104_000, `edge: ${edge}`);
  assert.ok(embed < 147_700, `embed module: ${embed}`);
});

test("the package has the version of the crates", () => {
  const cargo = readFileSync(new URL("../../Cargo.toml", import.meta.url), "utf8");
  assert.equal(JSON.parse(readFileSync(new URL("package.json", PACKAGE))).version, /^version = "(.+)"$/m.exec(cargo)[1]);
});
