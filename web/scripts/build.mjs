// Builds the package: three WASM modules, then the TypeScript around them.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { build } from "esbuild";

const web = dirname(dirname(fileURLToPath(import.meta.url)));
const workspace = dirname(web);
const target = join(process.env.CARGO_TARGET_DIR ?? join(workspace, "target"), "wasm32-unknown-unknown", "wasm");

/**
 * Most of a small module is the standard library's words for panics; a standard library built without them takes a
 * quarter off. For size: speed would cost another 4 KB of the module that searches, and the kernels of the others are
 * compiled for speed whatever stands here.
 * The flags are unstable, hence the switch that makes the pinned compiler take them.
 */
const SMALL = {
  args: ["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"],
  rustflags: " -Zunstable-options -Cpanic=immediate-abort -Zmir-opt-level=3 -Zfmt-debug=none -Zlocation-detail=none",
  env: { RUSTC_BOOTSTRAP: "1", CARGO_PROFILE_WASM_OPT_LEVEL: "z" },
};
/** Functions that are called once stay functions: inlined they compress worse, by a tenth of the module. */
const APART = ["--always-inline-max-function-size=4", "--one-caller-inline-max-function-size=0"];

const MODULES = {
  // Every reader of a page waits for it.
  search: { ...SMALL, optimize: ["-Oz", "--converge", ...APART] },
  embed: { ...SMALL, optimize: ["-O1"] },
  // Any encoder: few pages load it, and its size is not ours to mend. Quick to build, and its panics speak.
  "embed-onnx": { args: [], rustflags: "", env: { CARGO_PROFILE_WASM_LTO: "thin", CARGO_PROFILE_WASM_CODEGEN_UNITS: "16" }, optimize: [] },
};

function run(command, args, env = {}) {
  execFileSync(command, args, { cwd: workspace, stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, ...env } });
}

function buildModule(name) {
  const { args, rustflags, env, optimize: passes } = MODULES[name];
  // Every browser with WASM has had simd128 for years; relaxed SIMD is refused by Node 20.
  const RUSTFLAGS = `-C target-feature=+simd128${rustflags}`;
  const features = ["--no-default-features", "--features", name];
  run("cargo", ["build", "--locked", "--profile", "wasm", "--target", "wasm32-unknown-unknown", "-p", "nearfind-wasm", ...features, ...args], { ...env, RUSTFLAGS });
  const out = join(web, "wasm", name);
  mkdirSync(out, { recursive: true });
  run("wasm-bindgen", ["--target", "web", "--out-dir", out, "--out-name", `nearfind_${name}`, join(target, "nearfind_wasm.wasm")]);
  const file = join(out, `nearfind_${name}_bg.wasm`);
  optimize(file, passes);
  const bytes = readFileSync(file);
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 } });
  console.log(`${name}: ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} gzipped, ${brotli.length} by brotli`);
}

/** In place, with `passes`; the flags are the features that the compiler was allowed. */
function optimize(file, passes) {
  const wasmOpt = join(web, "node_modules", ".bin", "wasm-opt");
  if (!existsSync(wasmOpt)) {
    throw new Error("wasm-opt is missing: run `npm ci` in web/ first");
  }
  const features = ["--enable-simd", "--enable-bulk-memory", "--enable-nontrapping-float-to-int", "--enable-sign-ext", "--enable-mutable-globals", "--enable-reference-types", "--enable-multivalue"];
  run(wasmOpt, [file, ...passes, "--strip-debug", "--strip-producers", ...features, "-o", file]);
}

/** What a page loads: few files, small ones. The embed module's glue stays apart, as most pages never load it. */
async function bundle(entry) {
  await build({
    entryPoints: [join(web, "src", `${entry}.ts`)],
    outfile: join(web, "dist", `${entry}.js`),
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    external: ["../wasm/embed/*", "../wasm/embed-onnx/*", "./model_download.js"],
    logLevel: "warning",
  });
}

for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(MODULES)) {
  buildModule(name);
}
rmSync(join(web, "dist"), { recursive: true, force: true });
run(process.execPath, [join(web, "node_modules", "typescript", "bin", "tsc"), "-p", web]);
await bundle("browser");
await bundle("worker");
for (const licence of ["LICENSE-MIT", "LICENSE-APACHE"]) {
  copyFileSync(join(workspace, licence), join(web, licence));
}
