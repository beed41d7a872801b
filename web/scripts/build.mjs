// Builds the package: the WASM modules, then the TypeScript around them.
//   node scripts/build.mjs            all of it
//   node scripts/build.mjs search     these modules alone; what is not built and was not built before is left out, loudly
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
/** The module that searches, with the names of its functions, as `first_answers.mjs` reads it. */
const NAMED = join(target, "search-with-names.wasm");
const TRIPLE = "wasm32-unknown-unknown";
/** Every browser with WASM has had simd128 for years; relaxed SIMD is refused by Node 20. */
const SIMD = "-C target-feature=+simd128";

/**
 * Most of a small module is the standard library's words for panics; a standard library built without them takes a
 * quarter off. For size: speed would cost another 4 KB of the module that searches, and the kernels of the others are
 * compiled for speed whatever is here.
 * The flags are unstable, hence the switch that makes the pinned compiler take them.
 */
const SMALL = {
  args: ["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"],
  rustflags: " -Zunstable-options -Cpanic=immediate-abort -Zmir-opt-level=3 -Zfmt-debug=none -Zlocation-detail=none",
  env: { RUSTC_BOOTSTRAP: "1", CARGO_PROFILE_WASM_OPT_LEVEL: "z" },
};
/**
 * What functions cost to be inlined, twenty times of what the compiler takes it for, and what they may: the same but for large
 * ones that are called once, which it would inline at any cost. As functions they can be in another part.
 */
const IN_PARTS = ["--inline-instr-cost=100", "--inline-call-penalty=500", "--inline-threshold=100"]
  .map((option) => ` -Cllvm-args=${option}`)
  .join("");
/** Functions that are called once stay functions: inlined they compress worse, by a tenth of the module. */
const APART = ["--always-inline-max-function-size=4", "--one-caller-inline-max-function-size=0"];

/** In these no newer instruction than the first WASM had is allowed. */
const FIRST_WASM = ["--llvm-nontrapping-fptoint-lowering", "--signext-lowering", "--llvm-memory-copy-fill-lowering"];

const MODULES = {
  // Every reader of a page waits for it, but for the functions that `later` lists: they come in a module of their own.
  search: {
    ...SMALL,
    rustflags: SMALL.rustflags + IN_PARTS,
    optimize: ["-Oz", "--converge", ...APART],
    later: join(web, "scripts", "later_functions.txt"),
  },
  // For pages whose policy forbids WASM: the same, to be turned into JavaScript.
  "search-js": { ...SMALL, feature: "search", cpu: "-C target-cpu=mvp", optimize: ["-Oz", ...FIRST_WASM], javascript: true },
  grep: { ...SMALL, optimize: ["-Oz", "--converge", ...APART] },
  embed: { ...SMALL, optimize: ["-O1"] },
  // Any encoder: few pages load it, and its size is not ours to mend. Quick to build, and its panics speak.
  "embed-onnx": { args: [], rustflags: "", env: { CARGO_PROFILE_WASM_LTO: "thin", CARGO_PROFILE_WASM_CODEGEN_UNITS: "16" }, optimize: [] },
};

function run(command, args, env = {}) {
  execFileSync(command, args, { cwd: workspace, stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, ...env } });
}

/** wasm-bindgen, as a program of the workspace: its own takes ten times as long to compile. */
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
 * Two modules of the one in `file`, for pages: `nearfind_search_first.wasm`, and `nearfind_search_later.wasm` with the functions
 * of the list `later`. The glue can be told by `onLater` how to bring that where it is missing.
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

/** How an instance of a module starts, given the module compiled, its bytes, or the response with them; gives its exports. */
const INSTANTIATE = `let wasm;
async function instantiate(given) {
    const module = await given;
    const imports = __wbg_get_imports();
    let made;
    if (!(module instanceof Response)) {
        made = await WebAssembly.instantiate(module, imports);
    } else if (!module.ok) {
        throw new Error(\`\${module.url} answers \${module.status}: is the package published whole?\`);
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
 * Makes a function of the glue: each call of `newInstance` gives the module with a memory of its own. A panic leaves a memory as it
 * was in the middle, and what was in use stays in use.
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

/** One script of the module in `file` and its glue, in place of all that is in `out`. */
async function toJavaScript(out, file) {
  const module = join(out, "module.js");
  run(binaryen("wasm2js"), [file, "-Oz", "-o", module]);
  // Memory that grew leaves the buffer before detached, by which the glue knows that its views of it are out of date.
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

/** In place, with `passes`. */
function optimize(file, passes) {
  wasmOpt(file, [...passes, "--strip-debug", "--strip-producers", "--strip-target-features"], file);
}

/** The flags are the features that the compiler was allowed. */
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

/** Languages, and what few pages need, stay files of their own, beside the others. */
const apart = {
  name: "apart",
  setup({ onResolve }) {
    onResolve({ filter: /\/(strings\/..|agent_tool|preview|panel|ask|browser)\.js$/ }, ({ path, kind, resolveDir }) =>
      kind === "dynamic-import" ? { path: `./${posix(relative(join(web, "src"), join(resolveDir, path)))}`, external: true } : undefined,
    );
  },
};
const posix = (path) => path.replaceAll("\\", "/");

/** Notices that the licences of bundled packages require. */
const LICENCES = {
  edge: `/* With the MCP TypeScript SDK, Copyright (c) 2024 Anthropic, PBC and contributors, by the Apache License 2.0, see LICENSE-APACHE, and zod, Copyright (c) 2025 Colin McDonnell, by the MIT license, see LICENSE-MIT */\n`,
  "ask/panel": `/* With marked, Copyright (c) 2018+, MarkedJS, and 2011-2018, Christopher Jeffrey, and eventsource-parser, Copyright (c) 2026 Espen Hovlandsdal; both by the MIT license, see LICENSE-MIT */\n`,
};

/**
 * What a page loads: few files, small ones. The embed module's glue stays apart, as most pages never load it. Terser takes 3 %
 * more off than esbuild.
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
  // What tells bundlers to leave an import alone does not survive minifying.
  writeFileSync(
    join(web, "dist", `${entry}.js`),
    licences + code.replaceAll("import(new URL(", "import(/* webpackIgnore: true */ /* @vite-ignore */ new URL("),
  );
}

/** Lets TypeScript know a module that is not there: the modules that run models have the same types. */
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
// Their types are wanted; as modules they are in the bundle.
for (const file of readdirSync(join(web, "dist", "ask"))) {
  if (file.endsWith(".js") && file !== "panel.js") {
    rmSync(join(web, "dist", "ask", file));
  }
}
for (const licence of ["LICENSE-MIT", "LICENSE-APACHE", "LICENSE-SNOWBALL"]) {
  copyFileSync(join(workspace, licence), join(web, licence));
}
