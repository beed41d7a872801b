// Runs a test binary built for wasm32-wasip1 in Node, which brings a WASI of its own: `cargo test` calls this with the
// binary and its arguments.
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { WASI } from "node:wasi";

const [binary, ...args] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: ["test", ...args, "--test-threads=1"], env: {}, preopens: { "/tmp": tmpdir() } });
const imports = wasi.getImportObject();
// Property tests cannot be told their seed here, as they read no environment on this target: chance itself is the same
// in each run. The steps are those of SplitMix64.
let state = BigInt(process.env.PROPTEST_RNG_SEED ?? Date.now());
let memory;
imports.wasi_snapshot_preview1.random_get = (at, length) => {
  const bytes = new Uint8Array(memory.buffer, at, length);
  for (let i = 0; i < length; i++) {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let mixed = BigInt.asUintN(64, (state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
    mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
    bytes[i] = Number((mixed ^ (mixed >> 31n)) & 0xffn);
  }
  return 0;
};
const module = await WebAssembly.compile(await readFile(binary));
const instance = await WebAssembly.instantiate(module, imports);
memory = instance.exports.memory;
process.exitCode = wasi.start(instance);
