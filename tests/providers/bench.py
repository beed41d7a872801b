"""Measures the cost and the benefit of providers: texts per second at a latency of 20 ms, concurrently and one at a
time; the query encoder fitted to a provider's vectors and the one fitted to the local model, on this repository's
judged questions; and research in several hops over a large bundle, with a reranker that takes no time.

    python3 tests/providers/bench.py NEARFIND [--large BUNDLE]

The default model must be installed. The provider runs the same model, with OpenAI's protocol.
"""

import argparse
import json
import os
import queue
import random
import statistics
import subprocess
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
JUDGED = os.path.join(ROOT, "native-indexer", "tests", "judged")
LATENCY = 0.02
QUESTIONS = ["borrow a value", "send a message", "share a lock", "match a pattern", "return an error", "iterate over a map"]


class Models:
    """Processes that encode one text per line."""

    def __init__(self, nearfind, count):
        self.free = queue.Queue()
        for _ in range(count):
            command = [nearfind, "model", "embed", "--stdin"]
            self.free.put(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))

    def vectors(self, texts):
        process = self.free.get()
        try:
            # Send a few at a time, so that neither pipe fills while the program waits for the other.
            found = []
            for start in range(0, len(texts), 8):
                part = [" ".join(text.split()) for text in texts[start : start + 8]]
                process.stdin.write("".join(text + "\n" for text in part))
                process.stdin.flush()
                found += [json.loads(process.stdout.readline()) for _ in part]
            return found
        finally:
            self.free.put(process)


def serve(answer):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answered = json.dumps(answer(body)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(answered)))
            self.end_headers()
            self.wfile.write(answered)

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def as_openai(vectors):
    return {"data": [{"index": index, "embedding": vector} for index, vector in enumerate(vectors)]}


def main(arguments):
    nearfind = os.path.abspath(arguments.nearfind)
    with tempfile.TemporaryDirectory() as work:
        environment = dict(os.environ, NEARFIND_CACHE=f"{work}/cache", NEARFIND_SETTINGS=f"{work}/none.toml")

        def run(*command):
            done = subprocess.run([nearfind, *command], env=environment, cwd=work, capture_output=True, text=True)
            if done.returncode:
                raise SystemExit(done.stderr)
            return done.stdout

        def provider(base, *more):
            settings = ["provider=openai", f"base_url={base}", *more]
            return [part for setting in settings for part in ("--set", f"embedding.{setting}")]

        chance = random.Random(1)
        os.mkdir(f"{work}/docs")
        words = "thread lock channel memory borrow owner trait closure future macro module crate".split()
        for page in range(400):
            text = "\n\n".join(f"## Part {part}\n\n" + " ".join(chance.choices(words, k=60)) for part in range(5))
            with open(f"{work}/docs/{page}.md", "w") as file:
                file.write(f"# Page {page}\n\n{text}\n")
        texts = 0

        def slow(body):
            nonlocal texts
            texts += len(body["input"])
            time.sleep(LATENCY)
            return as_openai([[random.random() for _ in range(32)] for _ in body["input"]])

        base = serve(slow)
        speeds = {}
        for name, more in (("many", []), ("one", ["batch_texts=1", "requests=1"])):
            texts, started = 0, time.monotonic()
            index = ["index", "docs", "-o", name, "--model", "all-MiniLM-L6-v2", "--no-query-encoder", "--no-box", "--json"]
            report = json.loads(run(*index, *provider(base, f"model={name}", *more)))
            seconds = sum(project["embed_seconds"] for project in report["written"]["projects"])
            speeds[name] = texts / seconds
        ratio = speeds["many"] / speeds["one"]
        print(f"texts a second at 20 ms: {speeds['many']:.0f} many at a time, {speeds['one']:.0f} one at a time: {ratio:.0f} x", flush=True)

        models = Models(nearfind, os.cpu_count())
        base = serve(lambda body: as_openai(models.vectors(body["input"])))
        for name, more in (("here", []), ("provider", provider(base, "model=served", "batch_texts=64"))):
            run("index", f"{JUDGED}/docs", "-o", name, "--model", "all-MiniLM-L6-v2", "--config", f"{JUDGED}/nearfind.toml", "--no-box", "-q", *more)
        judged = ["--queries", f"{JUDGED}/queries.jsonl", "--qrels", f"{JUDGED}/qrels.tsv", "--tier", "1", "--json"]
        scores = {name: json.loads(run("eval", name, *judged)) for name in ("here", "provider")}
        for mode in ("hybrid", "meaning"):
            here, there = (scores[name][mode]["all"]["ndcg_at_10"] for name in ("here", "provider"))
            print(f"query encoder, {mode}: nDCG@10 {here:.4f} fitted to the model here, {there:.4f} to the provider's vectors", flush=True)

        if arguments.large:
            spent = 0

            def score(body):
                nonlocal spent
                return [{"index": index, "score": 0.9 - index / 1000} for index in range(len(body["texts"]))]

            base = serve(score)
            took = {}
            for name, more in (("none", ["--no-rerank"]), ("once", []), ("hops", ["--multi-hop"])):
                settings = ["--set", f"rerank.base_url={base}", "--set", "rerank.provider=tei"]
                command = [nearfind, "search", arguments.large, "--stdin", "-n", "10", "-q", *more, *settings]
                asked = "".join(f"{question} {again}\n" for again in range(5) for question in QUESTIONS)
                done = subprocess.run(command, env=environment, input=asked, capture_output=True, text=True, check=True)
                times = [json.loads(line)["took_ms"] for line in done.stdout.splitlines()]
                took[name] = statistics.median(times[len(QUESTIONS) :])
            print(", ".join(f"{name}: {value:.1f} ms" for name, value in took.items()), "a question over", arguments.large)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("nearfind")
    parser.add_argument("--large", metavar="BUNDLE", help="a bundle of some ten thousand chunks")
    main(parser.parse_args())
