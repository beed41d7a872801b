// Checks which folders of web/src may import which others, and that there are no cycles. Reads the sources, so it needs
// no build.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const SOURCES = fileURLToPath(new URL("../src/", import.meta.url));
/** Files at the top that all files may import. They import nothing. */
const GROUND = ["errors.ts", "until_aborted.ts"];
/**
 * The folders that each folder may import. The other files at the top are the entries. A file name allows only that
 * entry.
 */
const MAY_IMPORT = {
  ground: [],
  sources: ["ground"],
  engine: ["ground", "sources"],
  client: ["ground"],
  element: ["ground", "browser.ts", "ask.ts"],
  ask: ["ground", "element", "browser.ts"],
  edge: ["ground"],
  generators: ["indexer.ts"],
  entries: ["ground", "sources", "engine", "client", "element", "ask", "edge"],
};

const floorOf = (file) => (GROUND.includes(file) ? "ground" : file.includes("/") ? file.split("/")[0] : "entries");

/** Returns whether an import or export has only types. */
function isOfTypes({ importClause, exportClause, isTypeOnly }) {
  if (isTypeOnly || importClause?.isTypeOnly) {
    return true;
  }
  const named = importClause ? !importClause.name && importClause.namedBindings : exportClause;
  return Boolean(named?.elements?.length) && named.elements.every((element) => element.isTypeOnly);
}

/** Returns the texts by which a file names others: in imports, and in addresses relative to itself. */
function namesIn(path) {
  const names = [];
  const visit = (node) => {
    const [first] = node.arguments ?? [];
    const isImport = (ts.isImportDeclaration(node) || (ts.isExportDeclaration(node) && node.moduleSpecifier)) && !isOfTypes(node);
    const isCall = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
    const isAddress =
      ts.isNewExpression(node) && node.expression.getText() === "URL" && node.arguments?.[1]?.getText() === "import.meta.url";
    if (isImport) {
      names.push(node.moduleSpecifier.text);
    } else if ((isCall || isAddress) && ts.isStringLiteral(first)) {
      names.push(first.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true));
  return names;
}

const files = readdirSync(SOURCES, { recursive: true })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts"));
/** The files of web/src that each file imports at run time. */
const imports = new Map(
  files.map((file) => {
    const named = namesIn(join(SOURCES, file)).filter((name) => name.startsWith(".") && name.endsWith(".js"));
    const targets = named
      .map((name) => posix.join(posix.dirname(file), name.replace(/\.js$/, ".ts")))
      .filter((target) => !target.startsWith("../"));
    return [file, targets];
  }),
);

test("every import of a file names an existing file", () => {
  assert.ok(files.length > 40, `${files.length} files`);
  for (const [file, targets] of imports) {
    for (const target of targets) {
      assert.ok(imports.has(target), `${file} imports ${target}`);
    }
  }
  // A parser that finds no imports would find no mistakes either.
  assert.ok(imports.get("worker.ts").includes("engine/engine.ts"));
  assert.ok(imports.get("new_worker.ts").includes("worker.ts"), "by its address");
  assert.ok(!imports.get("worker.ts").includes("client/protocol.ts"), "types alone");
});

test("each folder imports only folders below it", () => {
  for (const [file, targets] of imports) {
    const from = floorOf(file);
    assert.ok(from in MAY_IMPORT, `${file} is in a folder without a place: give it one here`);
    const upward = targets.filter(
      (target) => floorOf(target) !== from && ![floorOf(target), target].some((name) => MAY_IMPORT[from].includes(name)),
    );
    assert.deepEqual(upward, [], `${file} imports from another floor, which may import ${MAY_IMPORT[from].join(", ") || "nothing"}`);
  }
});

test("imports have no cycles", () => {
  const finished = new Set();
  const follow = (file, way) => {
    assert.ok(!way.includes(file), `a circle: ${[...way.slice(way.indexOf(file)), file].join(" → ")}`);
    if (!finished.has(file)) {
      imports.get(file).forEach((target) => follow(target, [...way, file]));
      finished.add(file);
    }
  };
  files.forEach((file) => follow(file, []));
});

test("files that use `import.meta.url` keep their depth when they are bundled", () => {
  const named = files.filter((file) => readFileSync(join(SOURCES, file), "utf8").includes("import.meta.url"));
  // Generators run in Node and are never bundled.
  const deep = named.filter((file) => floorOf(file) !== "entries" && floorOf(file) !== "generators");
  assert.deepEqual(deep, [], "such a file belongs to the top of web/src");
});
