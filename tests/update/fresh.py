"""Measures how soon `nearfind mcp` answers in a repository without an index, and how soon it finds changes.

python3 tests/update/fresh.py PROGRAM REPOSITORY [FILES]

REPOSITORY is a git clone without changes, and is left unchanged. FILES is the number of files that change when the
script switches branches. The index and the caches are in a temporary folder, and models are the user's. With WHOLE=1, the script edits
files only when the model has read everything. Prints a line of JSON."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

program, repository = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
files = int(sys.argv[3]) if len(sys.argv) > 3 else 1000


class Client:
    def __init__(self, cache):
        environment = dict(os.environ, NEARFIND_CACHE=cache)
        self.begun, self.number = time.time(), 0
        self.process = subprocess.Popen([program, "mcp", "--structured"], cwd=repository, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, method, parameters):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters}
        print(json.dumps(message), file=self.process.stdin, flush=True)
        while line := self.process.stdout.readline():
            answer = json.loads(line)
            if answer.get("id") == self.number:
                return answer["result"]
        raise SystemExit("the server has ended")

    def call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def text(self, tool, **arguments):
        return "\n".join(block["text"] for block in self.call(tool, **arguments)["content"])

    def until(self, word, wanted, begun):
        """Returns the seconds from `begun` until a search by words finds `word`, or does not if it is not `wanted`."""
        while time.time() - begun < 60:
            answer = self.call("search", query=word, mode="words", max_results=3)
            hits = answer.get("structuredContent", {}).get("results", [])
            if any(word in json.dumps(hit) for hit in hits) == wanted:
                return time.time() - begun
            time.sleep(0.02)
        raise SystemExit(f"{word}: {json.dumps(answer)[:500]}")


def git(*arguments):
    subprocess.run(["git", "-C", str(repository), *arguments], check=True, capture_output=True)


with tempfile.TemporaryDirectory() as cache:
    client = Client(cache)
    client.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "measure", "version": "1"}})
    measured = {"repository": repository.name, "handshake_s": time.time() - client.begun}
    while "no index yet" in client.text("search", query="how are requests sent", mode="words"):
        pass
    measured["first_answer_s"] = time.time() - client.begun
    if os.environ.get("WHOLE"):
        # Wait until the model has read everything.
        while "watching: the index matches the files on disk" not in client.text("index_status"):
            time.sleep(1)
        measured["model_has_read_s"] = time.time() - client.begun
    edited = next(path for path in sorted(repository.rglob("*.py")) if path.stat().st_size > 2000)
    before, seconds = edited.read_text(), []
    try:
        for number in range(5):
            word = f"wombatine{number}q"
            begun = time.time()
            edited.write_text(f"{before}\n\ndef {word}():\n    return {number}\n")
            seconds.append(client.until(word, True, begun))
            time.sleep(1)
    finally:
        edited.write_text(before)
    measured["edit_s"], measured["edits_s"] = statistics.median(seconds), [round(value, 2) for value in seconds]
    client.until("wombatine4q", False, time.time())
    texts = [path for path in sorted(repository.rglob("*")) if path.suffix in {".py", ".go", ".ts", ".rst", ".md"} and ".git" not in path.parts][:files]
    begin = subprocess.run(["git", "-C", str(repository), "rev-parse", "--abbrev-ref", "HEAD"], capture_output=True, text=True).stdout.strip()
    head = subprocess.run(["git", "-C", str(repository), "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    git("checkout", "-q", "--detach")
    try:
        for number, path in enumerate(texts):
            with path.open("a") as file:
                file.write(f"\n# quokkalike{number}z\n")
        git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qam", "change")
        client.until(f"quokkalike{len(texts) - 1}z", True, time.time())
        begun = time.time()
        git("checkout", "-q", head)
        client.until(f"quokkalike{len(texts) - 1}z", False, begun)
        measured |= {"switched_files": len(texts), "switch_s": time.time() - begun}
    finally:
        git("checkout", "-qf", begin if begin != "HEAD" else head)
    client.process.stdin.close()
    client.process.wait()
print(json.dumps({name: round(value, 2) if isinstance(value, float) else value for name, value in measured.items()}))
