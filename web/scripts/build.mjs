// Builds the package: the WASM modules, then the TypeScript around them.
//   node scripts/build.mjs            all modules
//   node scripts/build.mjs search     only these modules, with a warning for each module that was never built
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { minify } from "terser";

const web = dirname(dirname(fileURLToPath(import.meta.url)));
const workspace = dirname(web);
const target = process.env.CARGO_TARGET_DIR ?? join(workspace, "target");
/** The search module with the names of its functions, which `first_answers.mjs` reads. */
const NAMED = join(target, "search-with-names.wasm");
const TRIPLE = "wasm32-unknown-unknown";
/** All browsers with WASM have had simd128 for years. Node 20 rejects relaxed SIMD. */
const SIMD = "-C target-feature=+simd128";

/**
 * Options that make modules small. A large part of a small module is the standard library's messages for panics, and a
 * standard library without them makes the module smaller by a quarter. The modules are optimized for size: optimizing
 * for speed would add 4 KB to the search module, and the kernels of the other modules are compiled for speed in any
 * case. The flags are unstable, so RUSTC_BOOTSTRAP makes the pinned compiler accept them.
 */
const SMALL = {
  args: ["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"],
  rustflags: " -Zunstable-options -Cpanic=immediate-abort -Zmir-opt-level=3 -Zfmt-debug=none -Zlocation-detail=none",
  env: { RUSTC_BOOTSTRAP: "1", CARGO_PROFILE_WASM_OPT_LEVEL: "z" },
};
/**
 * Limits inlining: instructions and calls cost twenty times the compiler's default, and the threshold matches. The result is the
 * same, except that large functions that are called once, which the compiler would always inline, stay functions. Only functions
 * that are not inlined can move to another part.
 */
const IN_PARTS = ["--inline-instr-cost=100", "--inline-call-penalty=500", "--inline-threshold=100"]
  .map((option) => ` -Cllvm-args=${option}`)
  .join("");
/** Keeps functions that are called once. When inlined, they compress worse, by a tenth of the module. */
const APART = ["--always-inline-max-function-size=4", "--one-caller-inline-max-function-size=0"];

/** Replaces all instructions that the first version of WASM did not have. */
const FIRST_WASM = ["--llvm-nontrapping-fptoint-lowering", "--signext-lowering", "--llvm-memory-copy-fill-lowering"];

const MODULES = {
  // Every page with a search waits for this module, except for the functions that `later` lists, which become a
  // separate module.
  search: {
    ...SMALL,
    rustflags: SMALL.rustflags + IN_PARTS,
    optimize: ["-Oz", "--converge", ...APART],
    later: join(web, "scripts", "later_functions.txt"),
  },
  // The search module for pages whose policy forbids WASM. It is converted to JavaScript.
  "search-js": { ...SMALL, feature: "search", cpu: "-C target-cpu=mvp", optimize: ["-Oz", ...FIRST_WASM], javascript: true },
  grep: { ...SMALL, optimize: ["-Oz", "--converge", ...APART] },
  embed: { ...SMALL, optimize: ["-O1"] },
  // Runs any encoder. Few pages load it, and most of its size is from a library. It is quick to build, and its panics
  // have messages.
  "embed-onnx": { args: [], rustflags: "", env: { CARGO_PROFILE_WASM_LTO: "thin", CARGO_PROFILE_WASM_CODEGEN_UNITS: "16" }, optimize: [] },
};

function run(command, args, env = {}) {
  execFileSync(command, args, { cwd: workspace, stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, ...env } });
}

/** Builds the workspace's own wasm-bindgen program. The official one takes ten times as long to compile. */
function bindgen() {
  run("cargo", ["build", "--locked", "--quiet", "--profile", "tool", "--target-dir", target, "-p", "nearfind-bindgen"]);
  return join(target, "tool", "nearfind-bindgen");
}

async function buildModule(name) {
  const { args, rustflags, env, optimize: passes, feature = name, cpu = SIMD, javascript = false, later } = MODULES[name];
  const RUSTFLAGS = `${cpu}${rustflags}`;
  const folder = cpu === SIMD ? target : join(target, name);
  const features = ["--no-default-features", "--features", feature];
  run(
    "cargo",
    ["build", "--locked", "--profile", "wasm", "--target", TRIPLE, "--target-dir", folder, "-p", "nearfind-wasm", ...features, ...args],
    { ...env, RUSTFLAGS },
  );
  const out = join(web, "wasm", name);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  run(bindgen(), ["glue", javascript ? "bundler" : "web", join(folder, TRIPLE, "wasm", "nearfind_wasm.wasm"), `nearfind_${feature}`, out]);
  let file = join(out, `nearfind_${feature}_bg.wasm`);
  if (later) {
    split(out, file, passes, later);
  }
  optimize(file, passes);
  if (javascript) {
    file = await toJavaScript(out, file);
  } else {
    toFactory(out, `nearfind_${feature}`);
  }
  reportSize(name, file);
}

function reportSize(name, file) {
  const bytes = readFileSync(file);
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 } });
  console.log(`${name}: ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} gzipped, ${brotli.length} by brotli`);
}

/**
 * Splits the module in `file` into two modules for pages: `nearfind_search_first.wasm`, and
 * `nearfind_search_later.wasm` with the functions that `later` lists. Hosts call `onLater` of the glue to set the
 * function that loads the second part when it is missing.
 */
function split(out, file, passes, later) {
  wasmOpt(file, [...passes, "-g"], NAMED);
  const parts = ["first", "later"].map((part) => join(out, `nearfind_search_${part}.wasm`));
  run(bindgen(), ["split", NAMED, later, ...parts]);
  for (const part of parts) {
    optimize(part, passes);
    reportSize(part.slice(out.length + 1), part);
  }
  const glue = join(out, "nearfind_search.js");
  const imports = "const import0 = {";
  const text = readFileSync(glue, "utf8");
  if (!text.includes(imports)) {
    throw new Error("wasm-bindgen writes imports in another way now: see that `later` is one of them");
  }
  writeFileSync(
    glue,
    `${text.replace(imports, `${imports} later: () => later(),`)}\nlet later;\nexport function onLater(bring) {\n    later = bring;\n}\n`,
  );
  const types = join(out, "nearfind_search.d.ts");
  writeFileSync(
    types,
    `${readFileSync(types, "utf8")}\n/** \`bring\` returns once the second part of the module is there. */\nexport function onLater(bring: () => void): void;\n`,
  );
}

/** Starts an instance of a module, given the compiled module, its bytes, or the response with them. Returns its exports. */
const INSTANTIATE = `let wasm;
async function instantiate(given) {
    const module = await given;
    const imports = __wbg_get_imports();
    let made;
    if (!(module instanceof Response)) {
        made = await WebAssembly.instantiate(module, imports);
    } else if (!module.ok) {
        throw new Error(\`\${module.url} answers \${module.status}: is the whole package published?\`);
    } else if (module.headers.get("content-type") === "application/wasm") {
        made = await WebAssembly.instantiateStreaming(module, imports);
    } else {
        made = await WebAssembly.instantiate(await module.arrayBuffer(), imports);
    }
    wasm = (made.instance ?? made).exports;
    wasm.__wbindgen_start();
    return wasm;
}
`;
const INSTANTIATE_TYPES = `type Given = WebAssembly.Module | BufferSource | Response;
export function instantiate(given: Given | Promise<Given>): Promise<WebAssembly.Exports>;
`;

/**
 * Turns the glue into a function. Each call of `newInstance` returns the module with a memory of its own, because a
 * panic leaves the memory inconsistent and never frees what was in use.
 */
function toFactory(out, name) {
  const [glue, types] = [".js", ".d.ts"].map((ending) => join(out, `${name}${ending}`));
  const [, body, more] = parts(
    glue,
    /^([\s\S]*)^let wasmModule, wasmInstance, wasm;$[\s\S]*^export \{ initSync, __wbg_init as default \};$([\s\S]*)$/m,
  );
  const [, typed, typedMore] = parts(types, /^([\s\S]*)^export type InitInput [\s\S]*^export default function __wbg_init .*$([\s\S]*)$/m);
  const plain = `${body}${INSTANTIATE}${more}`;
  const names = [...plain.matchAll(/^export (?:class|function) (\w+)/gm)].map(([, name]) => name);
  writeFileSync(
    glue,
    `export function newInstance() {\n${plain.replace(/^export (?=class|function)/gm, "")}\nreturn { ${[...names, "instantiate"].join(", ")} };\n}\n`,
  );
  writeFileSync(join(out, `${name}_instance.d.ts`), `${typed}${INSTANTIATE_TYPES}${typedMore}`);
  writeFileSync(
    types,
    `/** The module, with a memory of its own at each call. */
export function newInstance(): typeof import("./${name}_instance.js");
`,
  );
}

function parts(file, expression) {
  const found = expression.exec(readFileSync(file, "utf8"));
  if (!found) {
    throw new Error(`wasm-bindgen writes ${file} in another way now: see how modules are started`);
  }
  return found;
}

/** Replaces all files in `out` with one script, made from the module in `file` and its glue. */
async function toJavaScript(out, file) {
  const module = join(out, "module.js");
  run(binaryen("wasm2js"), [file, "-Oz", "-o", module]);
  // The buffer before growth must be detached, because the glue recognizes outdated views of the memory by that.
  const [grown, detached] = [/\bbuffer = newBuffer;/, "structuredClone(buffer, { transfer: [buffer] }); buffer = newBuffer;"];
  const text = readFileSync(module, "utf8");
  if (!grown.test(text)) {
    throw new Error("wasm2js grows memory in another way now: see that the old buffer is detached");
  }
  writeFileSync(module, text.replace(grown, detached));
  const glue = `import * as module from "./module.js";
    import { __wbg_set_wasm, BundleSearcher } from "./nearfind_search_bg.js";
    __wbg_set_wasm(module);
    export { BundleSearcher };`;
  const { outputFiles } = await build({
    stdin: { contents: glue, resolveDir: out },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    write: false,
    logLevel: "warning",
  });
  rmSync(out, { recursive: true });
  mkdirSync(out);
  const script = join(out, "nearfind_search.js");
  writeFileSync(script, outputFiles[0].contents);
  writeFileSync(join(out, "nearfind_search.d.ts"), 'export { BundleSearcher } from "../search/nearfind_search_instance.js";\n');
  return script;
}

/** Optimizes a module in place, with `passes`. */
function optimize(file, passes) {
  wasmOpt(file, [...passes, "--strip-debug", "--strip-producers", "--strip-target-features"], file);
}

/** Runs wasm-opt with the features that the compiler was allowed to use. */
function wasmOpt(file, passes, out) {
  const features = [
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
  ];
  run(binaryen("wasm-opt"), [file, ...passes, ...features, "-o", out]);
}

function binaryen(tool) {
  const path = join(web, "node_modules", ".bin", tool);
  if (!existsSync(path)) {
    throw new Error(`${tool} is missing: run \`npm ci\` in web/ first`);
  }
  return path;
}

/** Keeps languages, and scripts that few pages need, as separate files. */
const apart = {
  name: "apart",
  setup({ onResolve }) {
    onResolve({ filter: /\/(strings\/..|agent_tool|preview|panel|ask|browser)\.js$/ }, ({ path, kind, resolveDir }) =>
      kind === "dynamic-import" ? { path: `./${posix(relative(join(web, "src"), join(resolveDir, path)))}`, external: true } : undefined,
    );
  },
};
const posix = (path) => path.replaceAll("\\", "/");

/** Notices that the licenses of bundled packages require. */
const LICENCES = {
  edge: `/* With the MCP TypeScript SDK, Copyright (c) 2024 Anthropic, PBC and contributors, by the Apache License 2.0, see LICENSE-APACHE, and zod, Copyright (c) 2025 Colin McDonnell, by the MIT license, see LICENSE-MIT */\n`,
  "ask/panel": `/* With marked, Copyright (c) 2018+, MarkedJS, and 2011-2018, Christopher Jeffrey, and eventsource-parser, Copyright (c) 2026 Espen Hovlandsdal; both by the MIT license, see LICENSE-MIT */\n`,
};

/**
 * Bundles the scripts of a page into few small files. The glue of the embed module stays separate, because most pages
 * never load it. Terser makes the result 3 % smaller than esbuild alone.
 */
async function bundle(entry, more = {}) {
  const { outputFiles } = await build({
    ...more,
    entryPoints: [join(web, "src", `${entry}.ts`)],
    bundle: true,
    format: "esm",
    target: "es2022",
    plugins: [apart],
    write: false,
    logLevel: "warning",
  });
  const { code } = await minify(outputFiles[0].text, { module: true, ecma: 2020, compress: { passes: 3 }, format: { comments: false } });
  const licences = LICENCES[entry] ?? "";
  // Minifying removes the comments that tell bundlers to leave an import unchanged.
  writeFileSync(
    join(web, "dist", `${entry}.js`),
    licences + code.replaceAll("import(new URL(", "import(/* webpackIgnore: true */ /* @vite-ignore */ new URL("),
  );
}

/** Declares the types of a module that was not built. The modules that run models have the same types. */
function leaveOut(name) {
  console.warn(`left out: the module ${name}; \`node scripts/build.mjs ${name}\` builds it`);
  if (name === "embed-onnx") {
    mkdirSync(join(web, "wasm", name), { recursive: true });
    writeFileSync(join(web, "wasm", name, `nearfind_${name}.d.ts`), 'export { newInstance } from "../embed/nearfind_embed.js";\n');
  }
}

for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(MODULES)) {
  await buildModule(name);
}
const isBuilt = (name) => existsSync(join(web, "wasm", name)) && readdirSync(join(web, "wasm", name)).some((file) => file.endsWith(".js"));
Object.keys(MODULES)
  .filter((name) => !isBuilt(name))
  .forEach(leaveOut);
rmSync(join(web, "dist"), { recursive: true, force: true });
run(process.execPath, [join(web, "node_modules", "typescript", "bin", "tsc"), "-p", web]);
for (const entry of [
  "browser",
  "worker",
  "element",
  "box",
  "pagefind",
  "ask",
  "ask/panel",
  "slim",
  "grep_loader",
  "model_loader",
  ...(isBuilt("embed-onnx") ? ["onnx_loader"] : []),
]) {
  await bundle(entry);
}
// Edge runtimes have no modules of Node and make no code from text: without `Function` a library does not try. The protocol's
// library brings zod, which package.json names so that npm installs it once.
const { version } = JSON.parse(readFileSync(join(web, "package.json"), "utf8"));
await bundle("edge", { conditions: ["workerd", "browser"], define: { Function: "undefined", NEARFIND_VERSION: JSON.stringify(version) } });
rmSync(join(web, "dist", "edge"), { recursive: true });
// Keep only the types, because the bundle contains the modules.
for (const file of readdirSync(join(web, "dist", "ask"))) {
  if (file.endsWith(".js") && file !== "panel.js") {
    rmSync(join(web, "dist", "ask", file));
  }
}
for (const licence of ["LICENSE-MIT", "LICENSE-APACHE", "LICENSE-SNOWBALL"]) {
  copyFileSync(join(workspace, licence), join(web, licence));
}
