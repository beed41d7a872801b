"""Measures the time and memory of indexing a large site with known vectors. The documents are those of a bundle many
times over, with a tenth of their words replaced. A local server with OpenAI's protocol immediately returns one of
twenty thousand vectors.

    python3 tests/large/measure.py NEARFIND BUNDLE [--copies 66]

With the bundle of PowerShell's documentation (1,224 pages), 66 copies are 946,624 passages, which temporarily need 3 GB
of disk.
"""

import argparse
import json
import math
import os
import random
import re
import subprocess
import tempfile
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DIMENSIONS = 384
CENTERS = 400
VECTORS = 20_000
SPREAD = 0.8


def documents_of(nearfind, bundle):
    """Returns the titles and Markdown texts of a bundle's documents."""
    exported = subprocess.run([nearfind, "export", bundle], check=True, capture_output=True, text=True).stdout
    documents = map(json.loads, exported.strip().split("\n"))
    return [(document["title"], "".join(section["text"] for section in document["sections"])) for document in documents]


def write_copies(documents, copies, path):
    """Writes a corpus.jsonl in which no document is a copy of another."""
    randomly = random.Random(3)
    words = [word for _, text in documents for word in re.findall(r"[A-Za-z]{4,}", text)]
    others = randomly.sample(words, min(len(words), 200_000))
    with open(path, "w") as corpus:
        for copy in range(copies):
            for number, (title, text) in enumerate(documents):
                if copy > 0:
                    parts = re.split(r"(\W+)", text)
                    for at in range(copy % 10, len(parts), 10):
                        if parts[at].isalpha():
                            parts[at] = others[(at * 31 + number * 7 + copy * 101) % len(others)]
                    title, text = f"{title} {copy}", "".join(parts)
                corpus.write(json.dumps({"_id": f"{copy}-{number}", "title": title, "text": text}) + "\n")


def vectors():
    """Returns unit vectors around some centers, as JSON."""
    randomly = random.Random(7)
    centers = [[randomly.gauss(0, 1) for _ in range(DIMENSIONS)] for _ in range(CENTERS)]
    made = []
    for number in range(VECTORS):
        vector = [x + randomly.gauss(0, SPREAD) for x in centers[number % CENTERS]]
        length = math.sqrt(sum(x * x for x in vector))
        made.append("[" + ",".join(f"{x / length:.4f}" for x in vector) + "]")
    return made


def serve():
    """Starts the server and returns its address."""
    pool = vectors()

    class Embeddings(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            texts = json.loads(self.rfile.read(int(self.headers["content-length"])))["input"]
            rows = (f'{{"index":{at},"embedding":{pool[zlib.crc32(text.encode()) % VECTORS]}}}' for at, text in enumerate(texts))
            answer = ('{"data":[' + ",".join(rows) + "]}").encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Embeddings)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def run(command, environment):
    """Returns the seconds, and the peak memory of the process in kilobytes."""
    started = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, f"{' '.join(command)} ended with {status}"
    return time.monotonic() - started, used.ru_maxrss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nearfind")
    parser.add_argument("bundle")
    parser.add_argument("--copies", type=int, default=66)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        corpus, out = os.path.join(folder, "corpus.jsonl"), os.path.join(folder, "out")
        write_copies(documents_of(options.nearfind, options.bundle), options.copies, corpus)
        settings = {"provider": "openai", "base_url": serve(), "model": "at-once", "budget_tokens": 10**10}
        command = [options.nearfind, "index", f"large={corpus}", "-o", out, "--cache", os.path.join(folder, "cache"), "--no-box", "--quiet"]
        for name, value in settings.items():
            command += ["--set", f"embedding.{name}={value}"]
        environment = {**os.environ, "OPENAI_API_KEY": "not-a-key-at-all"}
        for what, more in [("first run, vectors from the server", []), ("everything again, vectors known", ["--full"])]:
            seconds, kilobytes = run(command + more, environment)
            print(f"{what}: {seconds:.0f} s, {kilobytes / 1e6:.1f} GB at most", flush=True)
        inspected = json.loads(subprocess.run([options.nearfind, "inspect", out, "--json"], check=True, capture_output=True).stdout)
        print(f"{inspected['documents']} documents, {inspected['chunks']} passages, {inspected['bytes'] / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
