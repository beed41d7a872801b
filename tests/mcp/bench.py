"""Measures `nearfind mcp` over a bundle, and holoviz-mcp over the same repositories if it is set up.

    python bench.py NEARFIND BUNDLE QUERIES [PEER PEER_HOME]

QUERIES is a file of JSON lines with `text`. Prints a table. Only the ratios are meaningful."""

import functools
import http.client
import http.server
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

NEARFIND, BUNDLE, QUERIES = sys.argv[1:4]
PEER = sys.argv[4:6]
STARTS, ROUNDS, CLIENTS, EACH = 5, 3, 16, 10
COLD_QUERIES = 10
TEXTS = [json.loads(line)["text"] for line in open(QUERIES)]
ARGUMENTS = {"max_results": 5, "content": "truncated", "max_content_chars": 10_000}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


class Stdio:
    def __init__(self, command, environment):
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=quiet, env=environment, text=True)
        self.count = 0
        self.request("initialize", HELLO)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.count += 1
        self.send({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params})
        while line := self.process.stdout.readline():
            # The peer also prints other lines.
            message = json.loads(line) if line.startswith("{") else {}
            if message.get("id") == self.count:
                return message["result"]
        raise EOFError("the server has gone")

    def search(self, text):
        result = self.request("tools/call", {"name": "search", "arguments": {"query": text, **ARGUMENTS}})
        assert not result.get("isError"), result
        return result

    def peak(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1000

    def end(self):
        self.process.stdin.close()
        self.process.wait(20)


class Http:
    """A client of the protocol with sessions, which both servers support."""

    def __init__(self, host, port):
        self.connection, self.count, self.session = http.client.HTTPConnection(host, port, timeout=120), 0, None
        self.request("initialize", HELLO)
        self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def post(self, message):
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self.session:
            headers |= {"Mcp-Session-Id": self.session, "MCP-Protocol-Version": "2025-11-25"}
        self.connection.request("POST", "/mcp", json.dumps(message), headers)
        response = self.connection.getresponse()
        self.session = response.headers.get("Mcp-Session-Id") or self.session
        body = response.read().decode()
        assert response.status < 300, (response.status, body)
        return body

    def request(self, method, params):
        self.count += 1
        body = self.post({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params})
        lines = [line.removeprefix("data:").strip() for line in body.splitlines()]
        return next(json.loads(line)["result"] for line in lines if line.startswith("{"))

    def search(self, text):
        result = self.request("tools/call", {"name": "search", "arguments": {"query": text, **ARGUMENTS}})
        assert not result.get("isError"), result


def timed(run):
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def over_stdio(command, environment):
    cold = []
    for start in range(STARTS):
        begun = time.perf_counter()
        server = Stdio(command, environment)
        server.search(TEXTS[start])
        cold.append(time.perf_counter() - begun)
        if start + 1 < STARTS:
            server.end()
    times = [timed(lambda: server.search(text)) for _ in range(ROUNDS) for text in TEXTS]
    peak = server.peak()
    server.end()
    return {
        "cold start to first answer, s": statistics.median(cold),
        "search over stdio, median, ms": statistics.median(times) * 1e3,
        "search over stdio, p95, ms": percentile(times, 0.95) * 1e3,
        "peak memory, MB": peak,
    }


def over_http(host, port):
    times, errors = [], []

    def client(number):
        try:
            client = Http(host, port)
            for turn in range(EACH):
                times.append(timed(lambda: client.search(TEXTS[(number * EACH + turn) % len(TEXTS)])))
        except Exception as error:
            errors.append(repr(error))

    threads = [threading.Thread(target=client, args=[number]) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in errors:
        print("error:", error, file=sys.stderr)
    return {
        f"{CLIENTS} clients over HTTP, median, ms": statistics.median(times) * 1e3 if times else float("nan"),
        f"{CLIENTS} clients over HTTP, p95, ms": percentile(times, 0.95) * 1e3 if times else float("nan"),
        f"{CLIENTS} clients over HTTP, failed": len(errors),
    }


def nearfind_over_http():
    server = subprocess.Popen([NEARFIND, "mcp", "--bundle", BUNDLE, "--http", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
    port = int(re.search(r":(\d+)/mcp", server.stderr.readline())[1])
    Http("127.0.0.1", port).search(TEXTS[0])
    rows = over_http("127.0.0.1", port)
    peak = int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{server.pid}/status").read_text())[1]) / 1000
    server.terminate()
    server.wait(20)
    return rows | {"peak memory with 16 clients, MB": peak}


def peer_over_http(command, environment):
    port = 8765
    environment = environment | {"HOLOVIZ_MCP_TRANSPORT": "http", "HOLOVIZ_MCP_PORT": str(port)}
    quiet = subprocess.DEVNULL
    server = subprocess.Popen(command, stdout=quiet, stderr=quiet, env=environment)
    try:
        for _ in range(120):
            try:
                Http("127.0.0.1", port).search(TEXTS[0])
                break
            except OSError:
                time.sleep(1)
        return over_http("127.0.0.1", port)
    finally:
        server.terminate()
        server.wait(20)


class Ranges(http.server.SimpleHTTPRequestHandler):
    """Serves files with ranges, like any file server."""

    def do_GET(self):
        path = pathlib.Path(self.translate_path(self.path))
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if not (wanted and path.is_file()):
            return super().do_GET()
        start, end = int(wanted[1]), int(wanted[2])
        body = path.read_bytes()[start : end + 1]
        self.send_response(206)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def published():
    handler = functools.partial(Ranges, directory=BUNDLE)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/"
    environment = dict(os.environ)

    def fetched(client):
        status = client.request("tools/call", {"name": "index_status", "arguments": {}})
        bundle = status["structuredContent"]["bundles"][0]
        return bundle["fetched_bytes"], bundle["requests"]

    from_disk = Stdio([NEARFIND, "mcp", "--structured", "--bundle", BUNDLE], environment)
    cold, requests, seconds, same = [], [], [], 0
    for text in TEXTS[:COLD_QUERIES]:
        with tempfile.TemporaryDirectory() as cache:
            begun = time.perf_counter()
            client = Stdio([NEARFIND, "mcp", "--structured", "--bundle", url, "--cache", cache], environment)
            found = client.search(text)
            seconds.append(time.perf_counter() - begun)
            same += documents(found) == documents(from_disk.search(text))
            bytes_read, count = fetched(client)
            cold.append(bytes_read)
            requests.append(count)
            further = []
            for other in TEXTS[COLD_QUERIES : COLD_QUERIES * 2]:
                before = fetched(client)[0]
                client.search(other)
                further.append(fetched(client)[0] - before)
            client.end()
    return {
        "published: cold query, KB, median": statistics.median(cold) / 1e3,
        "published: cold query, requests, median": statistics.median(requests),
        "published: cold start to first answer, s": statistics.median(seconds),
        "published: each further query, KB, mean": statistics.mean(further) / 1e3,
        f"published: same answers as from disk, of {COLD_QUERIES}": same,
    }


def documents(result):
    return [(hit["document"], hit["score"]) for hit in result["structuredContent"]["results"]]


def main():
    ours = over_stdio([NEARFIND, "mcp", "--bundle", BUNDLE], dict(os.environ)) | nearfind_over_http()
    theirs = {}
    if PEER:
        home = pathlib.Path(PEER[1])
        environment = os.environ | {"HOME": PEER[1], "HOLOVIZ_MCP_USER_DIR": str(home / "user"), "HOLOVIZ_MCP_DEFAULT_DIR": str(home / "default")}
        theirs = over_stdio([PEER[0]], environment) | peer_over_http([PEER[0]], environment)
    ours |= published()
    print("| | nearfind | holoviz-mcp 0.18 | ratio |\n|---|---|---|---|")
    for name, value in ours.items():
        other = theirs.get(name)
        compared = f"{other:.4g} | {value / other:.3f}" if other else "– | –"
        print(f"| {name} | {value:.4g} | {compared} |")


main()
