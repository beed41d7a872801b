"""Runs three servers for agents over one bundle in a bucket, behind nginx. Clients of both protocols send many
requests while a server is killed and the bundle is replaced. Prints the failures, and fails if a client's second
attempt also fails.

    python3 tests/buckets/replicas.py NEARFIND ROOT [--calls 2000]
"""

import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from storage import BUCKET, Storage, free_port

ADDRESS = f"s3://{BUCKET}/docs"
CLIENTS = 8
# Maximum number of seconds until servers have noticed a replaced bundle.
MOST_WAIT = 120
NEWER, OLDER = "2026-07-28", "2025-11-25"
WORDS = "index bundle search model vector chunk browser worker ranking format".split()


def nginx_configuration(folder, port, servers):
    upstream = "".join(f"server 127.0.0.1:{server} max_fails=1 fail_timeout=2s;" for server in servers)
    # A query changes nothing, so nginx may repeat it on another server if the first one is gone.
    return f"""
daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log; events {{}}
http {{
  access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  upstream nearfind {{ {upstream} }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://nearfind; proxy_http_version 1.1; proxy_buffering off; proxy_set_header Host localhost;
      proxy_next_upstream error timeout http_502 http_503 non_idempotent;
    }}
  }}
}}
"""


def post(port, message, headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("POST", "/mcp", json.dumps(message), {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers})
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def ask(port, version, query):
    """Sends a search. Raises an error if the answer is not as expected."""
    params = {"name": "search", "arguments": {"query": query, "limit": 3}}
    headers = {"MCP-Protocol-Version": version}
    if version == NEWER:
        name = "io.modelcontextprotocol/"
        params["_meta"] = {f"{name}protocolVersion": version, f"{name}clientCapabilities": {}, f"{name}clientInfo": {"name": "test", "version": "1"}}
        headers |= {"Mcp-Method": "tools/call", "Mcp-Name": "search"}
    status, body = post(port, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, headers)
    if status != 200 or '"results"' not in body or '"isError":true' in body:
        raise OSError(f"{status} {body[:300]}")
    return body


def handshake(port):
    params = {"protocolVersion": OLDER, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    status, body = post(port, {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}, {})
    if status != 200 or "serverInfo" not in body:
        raise OSError(f"{status} {body[:300]}")
    post(port, {"jsonrpc": "2.0", "method": "notifications/initialized"}, {"MCP-Protocol-Version": OLDER})


class Counts:
    def __init__(self):
        self.ends = threading.Event()
        self.done, self.again, self.failed = 0, [], []


def client(port, version, counts):
    tries = lambda action: attempt(action, counts)
    if version == OLDER:
        tries(lambda: handshake(port))
    while not counts.ends.is_set():
        query = f"{WORDS[counts.done % len(WORDS)]} {WORDS[counts.done // 7 % len(WORDS)]}"
        tries(lambda: ask(port, version, query))
        counts.done += 1


def attempt(action, counts):
    try:
        action()
    except (OSError, http.client.HTTPException) as error:
        counts.again.append(str(error))
        try:
            action()
        except (OSError, http.client.HTTPException) as error:
            counts.failed.append(str(error))


def main(arguments, folder):
    storage = Storage()
    environment = {**storage.environment(), "NEARFIND_CACHE": f"{folder}/cache"}
    docs = folder / "docs"
    docs.mkdir()
    root = pathlib.Path(arguments.root)
    for page in [*root.glob("*.md"), *(root / "core").glob("*.md")]:
        shutil.copy(page, docs)
    publish = lambda: subprocess.run([arguments.nearfind, "index", docs, "-o", ADDRESS, "--quiet"], env=environment, check=True)
    publish()
    servers, ports = [], []
    for number in range(3):
        command = [arguments.nearfind, "mcp", "--structured", "--bundle", ADDRESS, "--http", "127.0.0.1:0", "--stateless"]
        server = subprocess.Popen(command, env={**environment, "NEARFIND_CACHE": f"{folder}/cache-{number}"}, stderr=subprocess.PIPE, text=True)
        servers.append(server)
        ports.append(int(re.search(r":(\d+)/mcp", server.stderr.readline()).group(1)))
        threading.Thread(target=server.stderr.read, daemon=True).start()
    port = free_port()
    (folder / "nginx.conf").write_text(nginx_configuration(folder, port, ports))
    balancer = subprocess.Popen([shutil.which("nginx"), "-c", f"{folder}/nginx.conf", "-p", str(folder)])
    counts = Counts()
    try:
        for _ in range(100):
            try:
                ask(port, NEWER, "index")
                break
            except OSError:
                time.sleep(0.1)
        threads = [threading.Thread(target=client, args=(port, (NEWER, OLDER)[number % 2], counts)) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        while counts.done < arguments.calls // 4:
            time.sleep(0.05)
        servers[0].send_signal(signal.SIGKILL)
        (docs / "new.md").write_text("# Lanterns\n\nHow to light a lantern in the dark.\n")
        publish()
        at = counts.done
        # The servers check the bundle once a minute.
        end = time.monotonic() + MOST_WAIT
        while counts.done < arguments.calls or not all("Lanterns" in ask(port, NEWER, "lantern") for port in ports[1:]):
            if time.monotonic() > end:
                raise SystemExit("failed: the new bundle is not seen")
            time.sleep(1)
        counts.ends.set()
        for thread in threads:
            thread.join()
        print(f"{counts.done} calls of {CLIENTS} clients, a server killed, the bundle replaced after {at}: {len(counts.again)} tried once more, {len(counts.failed)} failed")
        if counts.failed:
            raise SystemExit(f"failed: {counts.failed[:3]}")
    finally:
        counts.ends.set()
        balancer.terminate()
        for server in servers:
            server.kill()
        storage.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("nearfind")
    parser.add_argument("root")
    parser.add_argument("--calls", type=int, default=2000)
    with tempfile.TemporaryDirectory() as work:
        main(parser.parse_args(), pathlib.Path(work))
