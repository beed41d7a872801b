"""Runs many clients for a long time, with updates in between: 64 clients search over HTTP, and every minute a page
changes and the index is updated. Prints failed calls and the growth of the server's memory after the first sixth of the
time. Fails if a call fails or memory grows by more than a tenth.

    python3 tests/mcp/soak.py NEARFIND [--minutes 30] [--clients 64]
"""

import argparse
import asyncio
import os
import random
import re
import subprocess
import tempfile
import time

from flood import exchange, request, session

WORDS = "threads locks channels memory safety borrow owner trait closure async future macro module crate".split()
MOST_GROWTH = 1.1


def call(own, name, arguments):
    params = {"name": name, "arguments": arguments}
    headers = [f"Mcp-Session-Id: {own}", "MCP-Protocol-Version: 2025-11-25", "Connection: close"]
    return request({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}, headers)


def memory(process):
    with open(f"/proc/{process.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024


def write_page(folder, number, edition):
    chance = random.Random(number * 1000 + edition)
    text = "\n\n".join(" ".join(chance.choices(WORDS, k=60)) for _ in range(8))
    with open(f"{folder}/docs/page{number}.md", "w") as file:
        file.write(f"# Page {number}\n\nEdition {edition}.\n\n{text}\n")


async def main(arguments):
    nearfind = os.path.abspath(arguments.nearfind)
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/docs")
        environment = dict(os.environ, NEARFIND_CACHE=f"{folder}/cache", NEARFIND_HOME=f"{folder}/home")
        for number in range(200):
            write_page(folder, number, 0)
        with open(f"{folder}/nearfind.toml", "w") as file:
            file.write('[[project]]\nname = "docs"\npath = "docs"\n')
        update = [nearfind, "update", "--quiet"]
        subprocess.run(update, cwd=folder, env=environment, check=True)
        command = [nearfind, "mcp", "--no-watch", "--http", "127.0.0.1:0"]
        process = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)
        port = int(re.search(r":(\d+)/mcp", process.stderr.readline()).group(1))
        end = time.monotonic() + arguments.minutes * 60
        done, failures, sizes, updates = 0, [], [], 0

        async def client(number):
            nonlocal done
            chance = random.Random(number)
            own = await session(port)
            while time.monotonic() < end:
                query = " ".join(chance.choices(WORDS, k=3))
                name, given = chance.choice(
                    [
                        ("search", {"query": query, "mode": "words"}),
                        ("search", {"query": query}),
                        ("get_document", {"path": f"page{chance.randrange(200)}.md"}),
                        ("list_documents", {}),
                        ("grep", {"pattern": chance.choice(WORDS)}),
                    ]
                )
                try:
                    answer = await asyncio.wait_for(exchange(port, call(own, name, given)), 30)
                    if not answer.startswith(b"HTTP/1.1 200") or b'"isError":true' in answer:
                        failures.append(answer[-300:])
                except (OSError, asyncio.TimeoutError) as error:
                    failures.append(repr(error))
                done += 1
                await asyncio.sleep(chance.random() * 2)

        async def updater():
            nonlocal updates
            while time.monotonic() < end - 5:
                await asyncio.sleep(min(60, arguments.minutes * 10))
                updates += 1
                write_page(folder, updates % 200, updates)
                run = await asyncio.create_subprocess_exec(*update, cwd=folder, env=environment)
                if await run.wait():
                    failures.append("an update")

        async def watcher():
            while time.monotonic() < end:
                sizes.append(memory(process))
                await asyncio.sleep(2)

        await asyncio.gather(updater(), watcher(), *(client(number) for number in range(arguments.clients)))
        process.kill()
        settled = len(sizes) // 6
        # The peak of the first sixth, while caches fill.
        before, after = max(sizes[:settled]), max(sizes[settled:])
        print(f"{done} calls, {len(failures)} failed; {updates} updates; memory {before:.0f} MB at first, {after:.0f} MB then")
        for failure in failures[:3]:
            print(failure)
        return bool(failures) or after > before * MOST_GROWTH


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("nearfind")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--clients", type=int, default=64)
    raise SystemExit(asyncio.run(main(parser.parse_args())))
