"""Floods a server over HTTP with handshakes, connections, slow headers, slow bodies and slow readers, while one
client behaves well. Prints that client's longest wait and the server's peak memory. Fails if they are too large, or if
a call of that client fails.

    python3 tests/mcp/flood.py NEARFIND BUNDLE [--handshakes 100000] [--connections 10000]
"""

import argparse
import asyncio
import json
import re
import resource
import subprocess
import time

# Maximum memory of the server in megabytes.
MOST_MEGABYTES = 200
ACCEPT = "application/json, text/event-stream"


def request(message, headers=(), length=None):
    body = json.dumps(message).encode()
    head = [
        "POST /mcp HTTP/1.1",
        "Host: localhost",
        "Content-Type: application/json",
        f"Accept: {ACCEPT}",
        f"Content-Length: {length or len(body)}",
        *headers,
    ]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def handshake():
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "flood", "version": "1"}}
    return request({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})


def search(session):
    arguments = {"query": "colour", "mode": "words", "limit": 1}
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "search", "arguments": arguments}}
    return request(call, [f"Mcp-Session-Id: {session}", "MCP-Protocol-Version: 2025-11-25", "Connection: close"])


def search_alone():
    """Returns a search without a session, as in the newer protocol."""
    name = "io.modelcontextprotocol/"
    version = "2026-07-28"
    meta = {f"{name}protocolVersion": version, f"{name}clientCapabilities": {}}
    meta[f"{name}clientInfo"] = {"name": "flood", "version": "1"}
    params = {"name": "search", "arguments": {"query": "colour", "mode": "words"}, "_meta": meta}
    headers = [f"MCP-Protocol-Version: {version}", "Mcp-Method: tools/call", "Mcp-Name: search"]
    return request({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, headers)


async def exchange(port, sent, until=None):
    """Sends a request on a new connection. Returns the answer, to its end or to a line with `until`."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(sent)
        answer = b""
        while piece := await reader.read(1 << 16):
            answer += piece
            if until and until in answer:
                break
        return answer
    finally:
        writer.close()


async def session(port):
    answer = await exchange(port, handshake(), b"serverInfo")
    return re.search(rb"(?i)mcp-session-id: (\S+)", answer).group(1).decode()


class Behaves:
    """A client that sends ten requests per second."""

    def __init__(self, port):
        self.port, self.waits, self.failed = port, [], 0

    async def run(self):
        own = await session(self.port)
        await exchange(self.port, search(own))
        while True:
            began = time.monotonic()
            try:
                answer = await asyncio.wait_for(exchange(self.port, search(own)), 10)
                self.failed += not answer.startswith(b"HTTP/1.1 200")
            except (OSError, asyncio.TimeoutError):
                self.failed += 1
            self.waits.append(time.monotonic() - began)
            await asyncio.sleep(0.1)


async def handshakes(port, count):
    left = iter(range(count))

    async def one_after_another():
        for _ in left:
            try:
                await exchange(port, handshake(), b"serverInfo")
            except OSError:
                pass

    await asyncio.gather(*(one_after_another() for _ in range(64)))


async def connections(port, count, sent, seconds):
    """Opens `count` connections that send the beginning of a request and then nothing."""
    opened = []
    for number in range(count):
        try:
            opened.append(await asyncio.open_connection("127.0.0.1", port))
            opened[-1][1].write(sent)
        except OSError:
            await asyncio.sleep(0.01)
        if number % 100 == 0:
            await asyncio.sleep(0)
    await asyncio.sleep(seconds)
    for _, writer in opened:
        writer.close()


def memory(process):
    with open(f"/proc/{process.pid}/status") as status:
        return int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1)) / 1024


async def main(arguments):
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    command = [arguments.nearfind, "mcp", "--bundle", arguments.bundle, "--http", "127.0.0.1:0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        port = int(re.search(r":(\d+)/mcp", process.stderr.readline()).group(1))
        one = request({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, length=100_000)
        floods = {
            "nothing": lambda: asyncio.sleep(3),
            "handshakes": lambda: handshakes(port, arguments.handshakes),
            "connections": lambda: connections(port, arguments.connections, b"", 5),
            "slow headers": lambda: connections(port, arguments.connections, b"POST /mcp HTTP/1.1\r\nHost: lo", 5),
            "large headers": lambda: connections(port, 2000, b"POST /mcp HTTP/1.1\r\nA: " + b"x" * 30_000, 5),
            "slow bodies": lambda: connections(port, arguments.connections, one, 5),
            "large bodies": lambda: connections(port, 2000, one + b" " * 99_000, 5),
            "slow readers": lambda: connections(port, arguments.connections, handshake(), 5),
            "calls without a reader": lambda: connections(port, arguments.connections, search_alone(), 5),
        }
        failed = False
        for name, flood in floods.items():
            client = Behaves(port)
            behaving = asyncio.create_task(client.run())
            await asyncio.sleep(0.5)
            began = time.monotonic()
            await flood()
            seconds = time.monotonic() - began
            behaving.cancel()
            megabytes = memory(process)
            print(
                f"{name:24} {seconds:6.1f} s, {len(client.waits):5} calls, longest wait {max(client.waits) * 1000:6.0f} ms,"
                f" {client.failed} failed, {megabytes:5.0f} MB",
                flush=True,
            )
            failed |= client.failed > 0 or megabytes > MOST_MEGABYTES
        return failed
    finally:
        process.kill()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("nearfind")
    parser.add_argument("bundle")
    parser.add_argument("--handshakes", type=int, default=100_000)
    parser.add_argument("--connections", type=int, default=10_000)
    raise SystemExit(asyncio.run(main(parser.parse_args())))
