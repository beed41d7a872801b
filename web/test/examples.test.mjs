// Checks the examples in the comments of the sources: each exported function and class has one, and so has each method
// of `Search`. All examples compile against the built package, and those that need no page run in Node against the
// example's index.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { PACKAGE, serveFolders } from "./support.mjs";

const SOURCES = fileURLToPath(new URL("../src/", import.meta.url));
/** Sources whose examples need a page. */
const OF_PAGES = ["browser.ts", "pagefind.ts", "ask.ts", "ask_element.ts", "search_element.ts"];
/** The site of the examples. When they run, a server of this machine takes its place. */
const SITE = "https://docs.example.org/";
/** Bundlers import a module as bytes or compiled, and Node 20 reads it. */
const IMPORTED_MODULE = /^import (\w+) from ("nearfind\/\w+\.wasm");$/gm;

/** Returns the sources of the package's entries. */
function entries() {
  const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url)));
  const files = Object.values(exports)
    .flatMap((entry) => (typeof entry === "string" ? [] : Object.values(entry)))
    .map((file) => /^\.\/dist\/([\w/]+?)(?:\.d\.ts|\.js)$/.exec(file)?.[1])
    .filter((name) => name !== undefined);
  return [...new Set(files)].map((name) => join(SOURCES, `${name}.ts`));
}

/** Returns everything that needs an example: its name, its source and its examples. */
function documented() {
  const files = entries();
  const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext };
  const program = ts.createProgram(files, { ...options, types: [], noLib: true });
  const checker = program.getTypeChecker();
  const found = new Map();
  const add = (symbol, name, node) => {
    const tags = symbol.getJsDocTags(checker).filter((tag) => tag.name === "example");
    const examples = tags.map(({ text }) => /^```ts\n(.*)\n```$/s.exec(ts.displayPartsToString(text).trim())?.[1]);
    found.set(node, { name, source: basename(node.getSourceFile().fileName), examples });
  };
  for (const file of files) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file));
    for (const exported of module ? checker.getExportsOfModule(module) : []) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const [node] = symbol.declarations ?? [];
      if (node && (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node))) {
        add(symbol, exported.name, node);
      } else if (node && ts.isInterfaceDeclaration(node) && exported.name === "Search") {
        const methods = node.members.filter((member) => ts.isMethodSignature(member));
        methods.forEach((member) => add(checker.getSymbolAtLocation(member.name), `Search.${member.name.getText()}`, member));
      }
    }
  }
  return [...found.values()];
}

const all = documented();
const examples = all.flatMap(({ name, source, examples }) =>
  examples.map((code, at) => ({ name, source, code, file: `${source}-${name}-${at}` })),
);
const folder = mkdtempSync(join(tmpdir(), "nearfind-examples-"));
mkdirSync(join(folder, "node_modules"));
symlinkSync(fileURLToPath(PACKAGE), join(folder, "node_modules", "nearfind"), "dir");
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
after(() => rmSync(folder, { recursive: true, force: true }));

test("everything exported has an example", () => {
  const without = all.filter(({ examples }) => examples.length === 0 || examples.includes(undefined));
  assert.deepEqual(
    without.map(({ name, source }) => `${source}: ${name} has no example, or one that is not a block of TypeScript`),
    [],
  );
  assert.ok(all.length > 25, `${all.length} functions, classes and methods`);
});

test("examples compile against the built package", () => {
  const files = examples.map(({ code, file }) => {
    const path = join(folder, `${file}.ts`);
    // Each is a module, even if it imports nothing.
    writeFileSync(path, `${code}\nexport {};\n`);
    return path;
  });
  const modules = join(folder, "modules.d.ts");
  writeFileSync(modules, 'declare module "*.wasm" {\n  const module: WebAssembly.Module;\n  export default module;\n}\n');
  const options = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  };
  const problems = ts.getPreEmitDiagnostics(ts.createProgram([...files, modules], options));
  const texts = problems.map(
    ({ file, messageText }) => `${file ? basename(file.fileName) : ""}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
  );
  assert.deepEqual(texts, []);
});

test("examples run in Node", { skip: process.env.NEARFIND_BUNDLE ? false : "NEARFIND_BUNDLE names no index" }, async () => {
  const server = await serveFolders({ search: process.env.NEARFIND_BUNDLE });
  mkdirSync(join(folder, "public"));
  symlinkSync(process.env.NEARFIND_BUNDLE, join(folder, "public", "search"), "dir");
  // A site for the example that indexes.
  mkdirSync(join(folder, "dist"));
  writeFileSync(join(folder, "dist", "undo.html"), "<!doctype html><title>Undo</title><main>Run git revert to undo a commit.</main>");
  const ran = examples.filter(({ source }) => !OF_PAGES.includes(source));
  try {
    for (const { code, file } of ran) {
      const local = code
        .replaceAll(SITE, `${server.url}/`)
        .replace(IMPORTED_MODULE, 'const $1 = (await import("node:fs")).readFileSync(new URL(import.meta.resolve($2)));');
      const { outputText } = ts.transpileModule(local, {
        compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
      });
      writeFileSync(join(folder, `${file}.js`), outputText);
      await promisify(execFile)(process.execPath, [`${file}.js`], { cwd: folder, timeout: 60_000 });
    }
  } finally {
    server.close();
    server.drop();
  }
  assert.ok(ran.length > 12, `${ran.length} examples`);
});
