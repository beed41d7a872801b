// Compares the encoder with other engines, in Node and in Chromium. See run.sh. Numbers in brackets are our time as a
// share of theirs.
import { copyFileSync, existsSync, mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { compare } from "./engines.js";

const [model, small, onnx, tokenizer, where, rounds] = process.argv.slice(2);
const here = import.meta.dirname;
const packages = join(here, "node_modules");
const files = {
  nearfindModule: join(here, "../../web/wasm/embed/nearfind_embed_bg.wasm"),
  nearfindPack: model,
  nearfindSmallPack: small,
  onnx: join(onnx, "model.onnx"),
  onnxInt8: join(onnx, "model_int8.onnx"),
  onnxBert: join(onnx, "model_bert.onnx"),
  ortModule: join(packages, "onnxruntime-web/dist/ort-wasm-simd-threaded.wasm"),
  ruvectorModule: join(packages, "ruvector-onnx-embeddings-wasm/ruvector_onnx_embeddings_wasm_bg.wasm"),
  tokenizer,
};
const scripts = {
  "nearfind_embed.js": join(here, "../../web/wasm/embed/nearfind_embed.js"),
  "ort.mjs": join(packages, "onnxruntime-web/dist/ort.wasm.min.mjs"),
};

/** Loads ruvector's package under another name, because its script is CommonJS although the package declares ES modules. */
function ruvector() {
  const folder = mkdtempSync(join(tmpdir(), "ruvector-"));
  const name = "ruvector_onnx_embeddings_wasm";
  copyFileSync(join(packages, "ruvector-onnx-embeddings-wasm", `${name}.js`), join(folder, `${name}.cjs`));
  copyFileSync(files.ruvectorModule, join(folder, `${name}_bg.wasm`));
  return createRequire(import.meta.url)(join(folder, `${name}.cjs`));
}

function sizes() {
  const brotli = (path) =>
    brotliCompressSync(readFileSync(path), { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 } }).length;
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
  for (const [name, module, pack] of [
    ["nearfind", files.nearfindModule, files.nearfindPack],
    ["nearfind small", files.nearfindModule, files.nearfindSmallPack],
    ["onnxruntime-web f32", files.ortModule, files.onnx],
    ["onnxruntime-web int8", files.ortModule, files.onnxInt8],
    ["ruvector", files.ruvectorModule, files.onnxBert],
  ]) {
    console.log(
      `${name}: module ${megabytes(readFileSync(module).length)}, ${megabytes(brotli(module))} by brotli; model ${megabytes(readFileSync(pack).length)}`,
    );
  }
}

async function inNode() {
  const bytes = Object.fromEntries(Object.entries(files).map(([name, path]) => [name, new Uint8Array(readFileSync(path))]));
  await compare(
    {
      bytes,
      load: (name) => (name === "ruvector.cjs" ? ruvector() : import(pathToFileURL(scripts[name]))),
      log: (line) => console.log(`Node: ${line}`),
    },
    Number(rounds),
  );
}

async function inChromium() {
  const { chromium } = createRequire(join(here, "../../web/package.json"))("playwright-core");
  const types = { js: "text/javascript", mjs: "text/javascript", wasm: "application/wasm" };
  const server = createServer((request, response) => {
    const name = request.url.slice(1);
    const path =
      files[name] ?? scripts[name] ?? { "engines.js": join(here, "engines.js") }[name] ?? join(packages, "onnxruntime-web/dist", name);
    if (name === "") return response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html>");
    if (name.includes("/") || !existsSync(path)) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": types[path.split(".").at(-1)] ?? "application/octet-stream" }).end(readFileSync(path));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic"],
  });
  try {
    const page = await browser.newPage();
    page.on("console", (message) => message.type() === "log" && console.log(`Chromium ${browser.version()}: ${message.text()}`));
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.evaluate(
      async ([names, rounds]) => {
        const read = async (name) => [name, new Uint8Array(await (await fetch(`/${name}`)).arrayBuffer())];
        const bytes = Object.fromEntries(await Promise.all(names.map(read)));
        const { compare } = await import("/engines.js");
        await compare({ bytes, load: (name) => import(`/${name}`), log: (line) => console.log(line) }, rounds);
      },
      [Object.keys(files), Number(rounds)],
    );
  } finally {
    await browser.close();
    server.close();
  }
}

await { sizes, node: inNode, chromium: inChromium }[where]();
