// Tests that a damaged bundle means the same to every decoder. Native code, WebAssembly, and the JavaScript for pages
// that forbid WebAssembly find the same documents or refuse the answer.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { PACKAGE, makeBundle } from "./support.mjs";

const from = (file) => import(new URL(`dist/${file}`, PACKAGE));
const [{ open }, { Engine }, { FileSource }, { fetchedManifest }, { withoutWasm }] = await Promise.all(
  ["node.js", "engine/engine.js", "sources/file_source.js", "engine/manifest.js", "wasm_modules.js"].map(from),
);
const site = makeBundle({ shipModel: false });
after(() => site.cleanUp());

const QUESTION = "flour and threads";
const DAMAGES = 200;

/** Creates a generator of pseudo-random numbers that are the same in every run. */
function numbers(seed) {
  let state = seed;
  return (most) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return state % most;
  };
}

/** Returns damaged bytes: some are flipped, cut off, doubled, or replaced by others. */
function damaged(bytes, below) {
  const copy = Buffer.from(bytes);
  const at = below(copy.length);
  switch (below(4)) {
    case 0:
      copy[at] ^= 1 << below(8);
      return copy;
    case 1:
      return copy.subarray(0, at);
    case 2:
      return Buffer.concat([copy, copy.subarray(at)]);
    default:
      for (let byte = at; byte < Math.min(at + 1 + below(16), copy.length); byte++) {
        copy[byte] = below(256);
      }
      return copy;
  }
}

const documents = (hits) => hits.map((hit) => hit.document).join(" ");
const hosts = {
  native() {
    const answer = execFileSync(process.env.NEARFIND ?? "nearfind", ["search", site.bundle, QUESTION, "--mode", "words", "--json"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    return documents(JSON.parse(String(answer)).hits);
  },
  async wasm() {
    const search = await open(site.bundle);
    try {
      return documents((await search.query(QUESTION, { mode: "words" })).hits);
    } finally {
      search.close();
    }
  },
  async javascript() {
    const source = new FileSource(site.bundle);
    const inflate = async (deflated, size) => {
      const raw = inflateRawSync(deflated, { maxOutputLength: size });
      assert.equal(raw.length, size);
      return raw;
    };
    const search = await Engine.open([source], withoutWasm, inflate, [await fetchedManifest(source)]);
    try {
      return documents((await search.query(QUESTION, { mode: "words" })).hits);
    } finally {
      search.close();
    }
  },
};

/** Returns the answer of each host. */
async function answers() {
  const found = {};
  for (const [name, host] of Object.entries(hosts)) {
    try {
      found[name] = await host();
    } catch (error) {
      // A crash does not count as a refusal.
      assert.ok(error.status === 1 || error.code || error instanceof RangeError, `${name}: ${error.stack}`);
      found[name] = "refused";
    }
  }
  return found;
}

test("damage has the same effect on every decoder", async () => {
  const sound = await answers();
  assert.ok(sound.native !== "" && sound.native === sound.wasm && sound.wasm === sound.javascript, JSON.stringify(sound));
  const below = numbers(7);
  const files = readdirSync(site.bundle).filter((name) => name.includes(".nf") || name === "nearfind.json");
  let refused = 0;
  for (let number = 0; number < DAMAGES; number++) {
    const path = join(site.bundle, files[below(files.length)]);
    const bytes = readFileSync(path);
    writeFileSync(path, damaged(bytes, below));
    const { native, wasm, javascript } = await answers();
    writeFileSync(path, bytes);
    const what = `damage ${number} of ${path}: native ${native}, wasm ${wasm}, javascript ${javascript}`;
    assert.equal(wasm, javascript, what);
    // The program checks the lengths of all files, and other hosts check only the files that they read.
    assert.ok(native === wasm || native === "refused", what);
    refused += wasm === "refused" ? 1 : 0;
  }
  assert.ok(refused > DAMAGES / 20 && refused < DAMAGES, `${refused} refused`);
});
