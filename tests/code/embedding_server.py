"""Serves nearfind's model through OpenAI's embeddings API, POST /v1/embeddings, for other search programs.

Usage: embedding_server.py NEARFIND; prints the port.
"""

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Encoder:
    def __init__(self, nearfind: str):
        command = [nearfind, "model", "embed", "--stdin"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lock = threading.Lock()

    def encode(self, text: str) -> list[float]:
        # A text must be one line. The model treats all white space the same.
        with self.lock:
            self.process.stdin.write((" ".join(text.split()) or "-") + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    encoder: Encoder

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
        data = [{"object": "embedding", "index": at, "embedding": self.encoder.encode(text)} for at, text in enumerate(texts)]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        body = json.dumps({"object": "list", "model": asked.get("model"), "data": data, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_) -> None:
        pass


if __name__ == "__main__":
    Handler.encoder = Encoder(sys.argv[1])
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
