// Runs a test binary built for wasm32-wasip1 in Node, which brings a WASI of its own: `cargo test` calls this with the
// binary and its arguments.
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { WASI } from "node:wasi";

const [binary, ...args] = process.argv.slice(2);
// Property tests would look for their regression files; there is nothing to preopen but a temporary folder.
const seed = process.env.PROPTEST_RNG_SEED;
const env = { PROPTEST_CASES: "64", PROPTEST_FAILURE_PERSISTENCE: "off", ...(seed && { PROPTEST_RNG_SEED: seed }) };
const wasi = new WASI({ version: "preview1", args: ["test", ...args, "--test-threads=1"], env, preopens: { "/tmp": tmpdir() } });
const module = await WebAssembly.compile(await readFile(binary));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);
