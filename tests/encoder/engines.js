// Runs the same model in several engines, in Node or in a page. Measures start-up, memory, and speed, in turn.

/** The memories of all modules that started since `watchMemories`. */
const memories = new Set();

/** Collects the memories that modules export or import. */
function watchMemories() {
  const collect = (things) => Object.values(things ?? {}).forEach((thing) => {
    if (thing instanceof WebAssembly.Memory) memories.add(thing);
    else if (thing && typeof thing === "object") collect(thing);
  });
  for (const name of ["instantiate", "instantiateStreaming"]) {
    const original = WebAssembly[name];
    WebAssembly[name] = async (source, imports) => {
      const result = await original(source, imports);
      Object.values(imports ?? {}).forEach(collect);
      collect((result.instance ?? result).exports);
      return result;
    };
  }
  WebAssembly.Instance = class extends WebAssembly.Instance {
    constructor(...given) {
      super(...given);
      collect(this.exports);
    }
  };
}

const TOKENS = [12, 32, 128];
const WORDS = ["house", "tree", "red", "water", "big"];
const text = (tokens) => Array.from({ length: tokens - 2 }, (_, at) => WORDS[at % WORDS.length]).join(" ");
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

/** Each engine starts from bytes in memory, and returns a function that encodes a text of a given number of tokens. */
const engines = {
  nearfind: (host) => nearfind(host, host.bytes.nearfindPack),
  // This encoder reads only 64 tokens, so its longest text has 64 tokens.
  "nearfind small": (host) => nearfind(host, host.bytes.nearfindSmallPack),
  "onnxruntime-web f32": (host) => onnxRuntime(host, host.bytes.onnx),
  "onnxruntime-web int8": (host) => onnxRuntime(host, host.bytes.onnxInt8),
  async ruvector({ load, bytes }) {
    // The script of the package starts its module by itself, but only in Node.
    const module = await load("ruvector.cjs");
    const embedder = new module.WasmEmbedder(bytes.onnxBert, new TextDecoder().decode(bytes.tokenizer));
    const texts = new Map(TOKENS.map((tokens) => [tokens, text(tokens)]));
    return (tokens) => embedder.embedOne(texts.get(tokens));
  },
};

async function nearfind({ load, bytes }, pack) {
  const module = (await load("nearfind_embed.js")).newInstance();
  await module.instantiate(bytes.nearfindModule);
  const encoder = new module.ModelEncoder(pack);
  const texts = new Map(TOKENS.map((tokens) => [tokens, text(tokens)]));
  return (tokens) => encoder.encode(texts.get(tokens));
}

async function onnxRuntime({ load, bytes }, model) {
  const ort = await load("ort.mjs");
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmBinary ??= bytes.ortModule;
  const session = await ort.InferenceSession.create(model, { executionProviders: ["wasm"] });
  const inputs = new Map(TOKENS.map((tokens) => {
    const ids = BigInt64Array.from({ length: tokens }, (_, at) => BigInt(1000 + at * 7));
    return [tokens, { input_ids: new ort.Tensor("int64", ids, [1, tokens]) }];
  }));
  return (tokens) => session.run(inputs.get(tokens));
}

/** Runs every engine. `host` has `load(name)`, `bytes` and `log(line)`. */
export async function compare(host, rounds) {
  watchMemories();
  const running = {};
  for (const [name, start] of Object.entries(engines)) {
    memories.clear();
    const began = performance.now();
    try {
      running[name] = await start(host);
      await running[name](12);
    } catch (error) {
      delete running[name];
      host.log(`${name}: left out: ${error instanceof Error ? error.message : error}`);
      continue;
    }
    const milliseconds = performance.now() - began;
    // The second session of ONNX Runtime uses the runtime of the first.
    const megabytes = [...memories].reduce((sum, memory) => sum + memory.buffer.byteLength, 0) / 1e6;
    host.log(`${name}: first vector after ${milliseconds.toFixed(0)} ms${megabytes ? `, ${megabytes.toFixed(1)} MB of WASM memory` : ""}`);
  }
  for (const tokens of TOKENS) {
    const times = Object.fromEntries(Object.keys(running).map((name) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [name, run] of Object.entries(running)) {
        for (let call = 0; call < 2; call++) {
          const began = performance.now();
          await run(tokens);
          times[name].push(performance.now() - began);
        }
      }
    }
    const parts = Object.entries(times).map(([name, taken]) => {
      // The calls alternate, so that a slow moment of the machine affects both.
      const ratio = (of) => median(times[of].map((own, at) => own / taken[at])).toFixed(2);
      const others = name === "nearfind" ? "" : ` (${ratio("nearfind")}, small ${ratio("nearfind small")})`;
      return `${name} ${median(taken).toFixed(2)} ms${others}`;
    });
    host.log(`${tokens} tokens: ${parts.join(", ")}`);
  }
}
