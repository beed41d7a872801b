"""Measures exact searches, symbols and outlines in a running server, beside ripgrep over the same files in the same
run.

    tests/code/navigate.py NEARFIND BUNDLE FOLDER [SYMBOL FILE]

BUNDLE was made from FOLDER. The ratios compare medians with those of ripgrep, with its files in memory.
"""
import json
import statistics
import subprocess
import sys
import time

PATTERNS = [r"strbuf_addstr", r"(?i)todo|fixme", r"free\(.*->name\)", r"static\s+int\s+\w+_init\(", r"\w+_\w+_\w+_\w+_\w+_lock"]
RUNS = 9


def median_ms(run):
    run()
    times = []
    for _ in range(RUNS):
        started = time.perf_counter()
        result = run()
        times.append((time.perf_counter() - started) * 1e3)
    return statistics.median(times), result


class Server:
    def __init__(self, program, bundle, structured=True):
        command = [program, "mcp", *(["--structured"] if structured else []), "--bundle", bundle]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.last = 0
        self.greeting = self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "measure", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.last += 1
        self.send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.last:
                return answer["result"]

    def call(self, tool, **arguments):
        return self.request("tools/call", {"name": tool, "arguments": arguments}).get("structuredContent")


def main(program, bundle, folder, symbol=None, file=None):
    server = Server(program, bundle)
    print(f"{'':38} ripgrep ms  nearfind ms  ratio  lines")
    for pattern in PATTERNS:
        rg, _ = median_ms(lambda: subprocess.run(["rg", "-n", "--no-ignore", pattern, folder], capture_output=True))
        ours, found = median_ms(lambda: server.call("grep", pattern=pattern, regex=True, case_sensitive=True))
        print(f"{pattern:38} {rg:10.1f} {ours:12.1f} {ours / rg:6.2f}  {found['total_lines']}")
    for tool, arguments in [("symbol", {"name": symbol}), ("symbol", {"name": symbol, "want": "callers"}), ("outline", {"path": file}), ("outline", {})]:
        if symbol and file:
            ours, _ = median_ms(lambda: server.call(tool, **arguments))
            print(f"{tool} {json.dumps(arguments):30} {ours:.1f} ms")
    server.process.kill()


if __name__ == "__main__":
    main(*sys.argv[1:])
