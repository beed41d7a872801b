// Measures the server at the edge in Cloudflare's runtime: processor time and memory of a question, warm and cold. Both
// are read from /proc, so this needs Linux. It is not a part of the checks.
//
//   node tests/mcp/edge_bench.mjs BUNDLE [QUESTIONS]
//
// BUNDLE is a folder, and QUESTIONS is a file with one question per line. NEARFIND is the program. The package is the
// one that examples/run.sh packs.
import { execFileSync, fork } from "node:child_process";
import { createReadStream, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const TICKS_PER_SECOND = 100;
const QUESTIONS = `how do I share data between threads?
what is the difference between a reference and a pointer
mutable borrow twice
pattern matching on enums
how are errors handled
generic types and traits
cannot move out of borrowed content
publish a package to a registry
environment variables at build time
conditional compilation
closures that capture by value
lifetime annotations in function signatures
how to write tests
macro by example
unsafe code and raw pointers
target specific options of the linker
iterate over a map
operator overloading
smart pointers and reference counting
send messages through a channel`.split("\n");

if (process.argv[2] === "--serve") {
  serve(process.argv[3]);
} else {
  await measure(process.argv[2], process.argv[3] ? readFileSync(process.argv[3], "utf8").trim().split("\n") : QUESTIONS);
}

/** Serves a folder with ranges, in a separate process. */
function serve(folder) {
  const server = createServer((request, response) => {
    const path = join(folder, basename(request.url.split("?")[0]));
    try {
      const { size } = statSync(path);
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
      if (first === undefined) return createReadStream(path).pipe(response);
      const [start, end] = [Number(first), Math.min(Number(last), size - 1)];
      response.writeHead(206, { "Content-Range": `bytes ${start}-${end}/${size}` });
      createReadStream(path, { start, end }).pipe(response);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(0, "127.0.0.1", () => process.send(server.address().port));
}

async function measure(bundle, questions) {
  const { call, connect } = await import("../../web/test/edge_support.mjs");
  const { startProject } = await import("../../web/test/edge_worker.mjs");
  const { PACKAGE } = await import("../../web/test/support.mjs");
  const files = fork(fileURLToPath(import.meta.url), ["--serve", bundle]);
  const port = await new Promise((resolve) => files.once("message", resolve));
  const project = join(mkdtempSync(join(tmpdir(), "nearfind-bench-")), "project");
  execFileSync(process.env.NEARFIND ?? "nearfind", ["edge", "init", project, "--bundle", `http://127.0.0.1:${port}/`]);
  execFileSync("npm", ["install", "--silent", "--no-audit", "--no-fund", "--no-package-lock", "--no-save", fileURLToPath(PACKAGE)], {
    cwd: project,
  });
  const worker = await startProject(project);
  const stat = () =>
    readFileSync(`/proc/${worker.child.pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
  const cpuMs = () => ((Number(stat()[11]) + Number(stat()[12])) * 1000) / TICKS_PER_SECOND;
  const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${worker.child.pid}/status`, "utf8"))[1]) / 1024;
  try {
    const idle = memory();
    const client = await connect(worker.url);
    const tell = async (name, run, count) => {
      const before = cpuMs();
      await run();
      console.log(
        `${name}: ${((cpuMs() - before) / count).toFixed(2)} ms of processor time each, ${memory().toFixed(0)} MB (idle ${idle.toFixed(0)} MB)`,
      );
    };
    await tell("first question, cold", () => call(client, "search", { query: questions[0] }), 1);
    const all = async (ask) => {
      for (const question of questions) await ask(question);
    };
    const search = (query) => call(client, "search", { query });
    await tell("questions, each for the first time", () => all(search), questions.length);
    for (let warm = 0; warm < 3; warm++) await all(search);
    const rounds = 10;
    await tell(
      "questions, warm",
      async () => {
        for (let round = 0; round < rounds; round++) await all(search);
      },
      rounds * questions.length,
    );
    const found = await search(questions[0]);
    const [, path] = /^document: (\S+)/m.exec(found);
    const repeat = (run) => async () => {
      for (let times = 0; times < 100; times++) await run();
    };
    await tell(
      "get_document",
      repeat(() => call(client, "get_document", { path })),
      100,
    );
    await tell(
      "tools/list",
      repeat(() => client.listTools({}, { cacheMode: "bypass" })),
      100,
    );
    await tell("grep, first", () => call(client, "grep", { pattern: "unsafe impl" }), 1);
    await tell(
      "grep, warm",
      repeat(() => call(client, "grep", { pattern: "unsafe impl" })),
      100,
    );
    await client.close();
  } finally {
    worker.stop();
    files.kill();
    rmSync(join(project, ".."), { recursive: true });
  }
}
