// Creates a small site, indexed by the real program, and servers that behave well or badly.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The package, packed and installed. */
export const PACKAGE = new URL("../../examples/search-page/node_modules/nearfind/", import.meta.url);

const PAGES = {
  "channels.md": "# Channels\n\nThreads send messages to each other through channels.\n",
  "bread.md": "# Bread\n\nKnead flour, water and salt to a dough.\n",
  "hostile.md":
    "---\ntitle: '<img src=x onerror=\"window.hacked=1\">'\n---\nMarkup <script>window.hacked=1</script> in a page about zebras.\n",
};

/** Long enough to separate the sections of a page. */
const LONG = "It waits, it runs, it ends, and then it begins again with what the one before has left. ".repeat(12);
/** Returns the markup for a date by which a page is shown and sorted. */
const dated = (day) => `<span data-nearfind-meta="date:${day}" data-nearfind-sort="date:${day}"></span>`;
const HTML_PAGES = {
  "guide/threads.html": [
    "Threads",
    `${dated("2026-03-01")}<h2 id=spawn>Spawn a thread</h2><p>A thread runs beside others. Threads share memory, so they need a lock.</p><p>${LONG}</p><h2 id=channels>Channels</h2><p>Threads send messages through channels, and share no memory.</p><p>${LONG}</p>`,
  ],
  "guide/locks.html": [
    "Locks",
    `${dated("2026-11-02")}<span data-nearfind-meta='image:/page/lock.svg'></span><h2 id=mutex>Mutex</h2><p>A mutex lets one thread at a time use the memory that threads share.</p><h2 id=deadlock>Deadlocks</h2><p>Two threads that wait for each other wait for ever.</p>`,
  ],
  "guide/bread.html": ["Bread", "<h2 id=dough>Dough</h2><p>Knead flour, water and salt to a dough, and let it rest.</p>"],
  "api/mutex.html": ["Mutex API", "<h2 id=lock>lock</h2><p>Waits until the mutex is free. A thread that panics poisons the mutex.</p>"],
  "api/hostile.html": [
    "&lt;img src=x onerror=&quot;window.hacked=1&quot;&gt;",
    "<p>Markup &lt;script&gt;window.hacked=1&lt;/script&gt; in a page about \u202ezebras and mutexes.</p>",
  ],
};

/** Creates a site of two projects: real pages and their bundle. `more` has options of `nearfind index`. */
export function makeSite(more = ["--ship-model", "--small-encoder", "never"]) {
  const folder = mkdtempSync(join(tmpdir(), "nearfind-"));
  for (const [name, [title, body]] of Object.entries(HTML_PAGES)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(
      join(folder, name),
      `<!doctype html><html lang=en><title>${title}</title><link rel=icon href="data:,"><main><h1>${title}</h1>${body}</main>`,
    );
  }
  const bundle = join(folder, "bundle");
  execFileSync(process.env.NEARFIND ?? "nearfind", [
    "index",
    `guide=${join(folder, "guide")}`,
    `api=${join(folder, "api")}`,
    "-o",
    bundle,
    "-q",
    ...more,
  ]);
  const folders = {
    bundle,
    guide: join(folder, "guide"),
    api: join(folder, "api"),
    nearfind: fileURLToPath(PACKAGE),
    page: fileURLToPath(new URL("page/", import.meta.url)),
  };
  return { folders, cleanUp: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Encodes a field of a protocol buffer: a number, a text, or bytes. */
function field(number, value) {
  const varint = (n) => (n < 128 ? [n] : [(n & 127) | 128, ...varint(n >>> 7)]);
  if (typeof value === "number") return Buffer.from([number << 3, ...varint(value)]);
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(bytes.length)]), bytes]);
}

const message = (...fields) => Buffer.concat(fields);

/** Writes an ONNX encoder that looks up its tokens in a table, and its tokenizer. Returns the path of the model. */
export function writeOnnxModel(folder) {
  const pieces = ["[UNK]", "[CLS]", "[SEP]", "thread", "##s", "dough", "channels", "bread"];
  const width = 8;
  const table = new Float32Array(pieces.length * width);
  pieces.forEach((_, piece) => {
    table[piece * width + piece] = 1;
  });
  const tensor = (name, type, dimensions) => {
    const shape = message(...dimensions.map((dimension) => field(1, field(2, dimension))));
    return message(field(1, name), field(2, field(1, message(field(1, type), field(2, shape)))));
  };
  const [FLOAT, INT64] = [1, 7];
  const gather = message(field(1, "table"), field(1, "input_ids"), field(2, "last_hidden_state"), field(3, "look_up"), field(4, "Gather"));
  const rows = message(field(1, pieces.length), field(1, width), field(2, FLOAT), field(8, "table"), field(9, Buffer.from(table.buffer)));
  const graph = message(
    field(1, gather),
    field(2, "tiny"),
    field(5, rows),
    field(11, tensor("input_ids", INT64, ["batch", "tokens"])),
    field(12, tensor("last_hidden_state", FLOAT, [])),
  );
  const path = join(folder, "tiny.onnx");
  writeFileSync(path, message(field(1, 8), field(7, graph), field(8, field(2, 15))));
  writeFileSync(join(folder, "tokenizer.json"), tokenizer(pieces));
  return path;
}

/**
 * Writes a BERT of a few kilobytes that scores passages, with random weights, and its tokenizer. Imports and quantizes
 * it into `folder`, and returns its pack.
 */
export function makeCrossEncoder(folder) {
  const pieces = [
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[PAD]",
    "thread",
    "##s",
    "a",
    "the",
    "dough",
    "bread",
    "memory",
    "lock",
    "mutex",
    "channels",
    "message",
    "rest",
    "and",
    "wait",
  ];
  const [hidden, inner, positions] = [32, 64, 48];
  const layer = (name) => `bert.encoder.layer.0.${name}`;
  const linear = (name, outputs, inputs) => [
    [`${name}.weight`, [outputs, inputs]],
    [`${name}.bias`, [outputs]],
  ];
  const norm = (name) => [
    [`${name}.weight`, [hidden]],
    [`${name}.bias`, [hidden]],
  ];
  const shapes = [
    ["bert.embeddings.word_embeddings.weight", [pieces.length, hidden]],
    ["bert.embeddings.position_embeddings.weight", [positions, hidden]],
    ["bert.embeddings.token_type_embeddings.weight", [2, hidden]],
    ...norm("bert.embeddings.LayerNorm"),
    ...["self.query", "self.key", "self.value", "output.dense"].flatMap((name) => linear(layer(`attention.${name}`), hidden, hidden)),
    ...norm(layer("attention.output.LayerNorm")),
    ...linear(layer("intermediate.dense"), inner, hidden),
    ...linear(layer("output.dense"), hidden, inner),
    ...norm(layer("output.LayerNorm")),
    ...linear("bert.pooler.dense", hidden, hidden),
    ...linear("classifier", 1, hidden),
  ];
  let random = 1;
  const next = () => {
    random = (random * 48271) % 2147483647;
    return random / 2147483647 - 0.5;
  };
  const header = {};
  const bytes = [];
  let at = 0;
  for (const [name, shape] of shapes) {
    // The other weights give about -52 for any text. The bias and the spread move the scores around .5 and apart.
    const centre = name.endsWith("LayerNorm.weight") ? 1 : name === "classifier.bias" ? 52.5 : 0;
    const spread = name === "classifier.weight" ? 30 : 0.6;
    const values = Float32Array.from({ length: shape.reduce((a, b) => a * b) }, () => centre + spread * next());
    header[name] = { dtype: "F32", shape, data_offsets: [at, at + values.byteLength] };
    at += values.byteLength;
    bytes.push(Buffer.from(values.buffer));
  }
  const head = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(head.length));
  writeFileSync(join(folder, "model.safetensors"), Buffer.concat([length, head, ...bytes]));
  writeFileSync(
    join(folder, "config.json"),
    JSON.stringify({
      model_type: "bert",
      architectures: ["BertForSequenceClassification"],
      id2label: { 0: "LABEL_0" },
      hidden_size: hidden,
      num_hidden_layers: 1,
      num_attention_heads: 4,
      intermediate_size: inner,
      max_position_embeddings: positions,
      vocab_size: pieces.length,
      layer_norm_eps: 1e-12,
      hidden_act: "gelu",
    }),
  );
  writeFileSync(join(folder, "tokenizer.json"), tokenizer(pieces));
  const models = join(folder, "models");
  const nearfind = (...more) => execFileSync(process.env.NEARFIND ?? "nearfind", ["model", ...more, "--models", models], { stdio: "pipe" });
  nearfind("import", folder, "--name", "tiny");
  nearfind("quantize", "tiny");
  return join(
    models,
    readdirSync(models).find((file) => file.startsWith("tiny-small")),
  );
}

function tokenizer(pieces) {
  return JSON.stringify({
    version: "1.0",
    added_tokens: [],
    normalizer: { type: "BertNormalizer", clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: { type: "BertProcessing", sep: ["[SEP]", 2], cls: ["[CLS]", 1] },
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(pieces.map((piece, id) => [piece, id])),
    },
  });
}

/** Indexes the pages into a folder, which `cleanUp` removes. */
export function makeBundle({ shipModel = true, more = [] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "nearfind-"));
  mkdirSync(join(folder, "docs"));
  for (const [name, text] of Object.entries(PAGES)) {
    writeFileSync(join(folder, "docs", name), text);
  }
  const bundle = join(folder, "bundle");
  const nearfind = process.env.NEARFIND ?? "nearfind";
  const options = ["--small-encoder", "never", ...(shipModel ? ["--ship-model"] : []), ...more];
  execFileSync(nearfind, ["index", join(folder, "docs"), "-o", bundle, "-q", ...options]);
  return {
    bundle,
    damaged(part) {
      const copy = mkdtempSync(join(folder, "damaged-"));
      cpSync(bundle, copy, { recursive: true });
      const name = readdirSync(copy).find((file) => file.startsWith(part));
      const bytes = readFileSync(join(copy, name));
      // Flips bytes at short distances, so that every block of a part is damaged.
      for (let at = bytes.length >> 1; at < bytes.length; at += 60) bytes[at] ^= 0x55;
      for (let at = (bytes.length >> 1) - 60; at > 0; at -= 60) bytes[at] ^= 0x55;
      writeFileSync(join(copy, name), bytes);
      return copy;
    },
    without(part) {
      const copy = mkdtempSync(join(folder, "without-"));
      cpSync(bundle, copy, { recursive: true });
      rmSync(
        join(
          copy,
          readdirSync(copy).find((file) => file.startsWith(part)),
        ),
      );
      return copy;
    },
    cleanUp: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * Serves `folders` by their first path segment. `ranges: false` ignores Range, as some hosts do. `several: true` sends several
 * ranges in one response, as nginx, Apache and Caddy do. `log` collects the requests. `policy` is the Content-Security-Policy of
 * pages, and `headers` has further headers. `instead` may return a page to send instead of a file.
 */
export async function serveFolders(
  folders,
  { ranges = true, several = false, policy, headers: more = {}, log = [], instead = () => undefined } = {},
) {
  const types = { html: "text/html", js: "text/javascript", wasm: "application/wasm" };
  const server = createServer((request, response) => {
    const [, first, ...rest] = request.url.split("?")[0].split("/");
    let bytes;
    try {
      bytes = instead(rest.at(-1)) ?? readFileSync(join(folders[first], ...rest));
      bytes = Buffer.from(bytes);
    } catch {
      return response.writeHead(404).end();
    }
    const headers = { ...more, "Content-Type": types[rest.at(-1).split(".").at(-1)] ?? "application/octet-stream" };
    if (policy) {
      headers["Content-Security-Policy"] = policy;
    }
    const range = ranges && /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    log.push({ file: rest.at(-1), range: range ? [Number(range[1]), Number(range[2])] : null });
    if (range) {
      return response.writeHead(206, headers).end(bytes.subarray(Number(range[1]), Number(range[2]) + 1));
    }
    if (several && request.headers.range) {
      const wanted = request.headers.range
        .slice("bytes=".length)
        .split(",")
        .map((range) => range.trim().split("-").map(Number));
      const parts = wanted.map(([from, to]) => [
        `\r\n--edge\r\nContent-Range: bytes ${from}-${to}/${bytes.length}\r\n\r\n`,
        bytes.subarray(from, to + 1),
      ]);
      log.at(-1).several = wanted.length;
      return response
        .writeHead(206, { ...headers, "Content-Type": "multipart/byteranges; boundary=edge" })
        .end(Buffer.concat([...parts.flat(), "\r\n--edge--\r\n"].map((part) => Buffer.from(part))));
    }
    response.writeHead(200, headers).end(bytes);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, log, close: () => server.close(), drop: () => server.closeAllConnections() };
}
