"""Measures the calls and tokens that an agent's questions about source code cost: with nearfind's tools, and with
only ripgrep and reading files.

    tests/code/agent_cost.py NEARFIND FOLDER

FOLDER is a checkout with `src/requests` of psf/requests. There are twenty questions that agents ask, each with the
calls that answer it in either way. The calls are listed below, and their cost is measured. Four characters of requests
and answers count as a token.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from navigate import Server


class Ripgrep:
    """The steps of an agent that has grep and can read files."""

    def __init__(self, folder):
        self.folder = folder
        self.calls = self.characters = 0

    def took(self, asked, answered):
        self.calls += 1
        self.characters += len(asked) + len(answered)
        return answered

    def grep(self, pattern, *more):
        command = ["rg", "-n", *more, pattern, "."]
        return self.took(" ".join(command), subprocess.run(command, cwd=self.folder, capture_output=True, text=True).stdout)

    def read(self, path, first=1, last=10**9):
        lines = (Path(self.folder) / path).read_text().split("\n")[first - 1 : last]
        return self.took(f"read {path} {first}-{last}", "\n".join(f"{first + at}\t{line}" for at, line in enumerate(lines)))


class Tools:
    """The steps of an agent that has nearfind's tools. The text of each answer counts, as shown by clients."""

    def __init__(self, server):
        self.server = server
        self.calls = self.characters = 0

    def __call__(self, tool, **arguments):
        result = self.server.request("tools/call", {"name": tool, "arguments": arguments})
        text = "".join(part["text"] for part in result["content"])
        self.calls += 1
        self.characters += len(json.dumps({"name": tool, "arguments": arguments})) + len(text)
        return text


def definition(name, kind, path, lines):
    """Where is it, and what does it do? By grep: the line of the definition, then the lines after it."""
    found = lambda rg: (rg.grep(rf"^\s*{kind} {name}\b"), rg.read(path, *lines))
    return f"what does {name} do", found, lambda tools: tools("symbol", name=name)


def callers(name):
    """Who calls it? By grep: every mention, with enough lines to see the function that contains it."""
    return f"who calls {name}", lambda rg: rg.grep(rf"\b{name}\(", "-B", "12"), lambda tools: tools("symbol", name=name, want="callers")


def outline(path):
    """What is in the file? By grep: its definitions, without their ends, and with only indentation to show nesting."""
    return f"what is in {path}", lambda rg: rg.read(path), lambda tools: tools("outline", path=path)


def lines(pattern):
    """Which lines match, and in which functions? By grep: the lines, and the lines above each."""
    return f"lines with {pattern}", lambda rg: rg.grep(pattern, "-B", "8"), lambda tools: tools("grep", pattern=pattern, regex=True, case_sensitive=True)


def meaning(question, words, path, span):
    """Where is this done? By grep: likely words, then the file that looks right."""
    return question, lambda rg: ([rg.grep(word, "-i") for word in words], rg.read(path, *span)), lambda tools: tools("search", query=question, kind="code", max_results=3)


QUESTIONS = [
    definition("merge_setting", "def", "src/requests/sessions.py", (61, 90)),
    definition("HTTPAdapter", "class", "src/requests/adapters.py", (143, 220)),
    definition("resolve_redirects", "def", "src/requests/sessions.py", (159, 283)),
    definition("get_netrc_auth", "def", "src/requests/utils.py", (205, 250)),
    definition("PreparedRequest", "class", "src/requests/models.py", (313, 380)),
    callers("get_netrc_auth"),
    callers("merge_setting"),
    callers("should_bypass_proxies"),
    callers("to_native_string"),
    callers("extract_cookies_to_jar"),
    outline("src/requests/sessions.py"),
    outline("src/requests/adapters.py"),
    outline("src/requests/utils.py"),
    lines(r"raise \w+Error"),
    lines(r"\.history\b"),
    lines(r"TODO|FIXME|XXX"),
    meaning("how are cookies kept between requests of a session", ["cookies"], "src/requests/sessions.py", (480, 560)),
    meaning("where is the proxy of a request chosen", ["proxy", "proxies"], "src/requests/utils.py", (820, 880)),
    meaning("how is the encoding of a response guessed", ["encoding"], "src/requests/models.py", (880, 940)),
    meaning("what happens when a server redirects to another host with authentication", ["redirect", "rebuild_auth"], "src/requests/sessions.py", (283, 310)),
]


def main(program, folder):
    with tempfile.TemporaryDirectory() as place:
        command = [program, "index", folder, "--code", "-o", f"{place}/bundle", "--no-box", "--no-query-encoder", "-q"]
        subprocess.run(command, check=True)
        ripgrep, tools = Ripgrep(folder), Tools(Server(program, f"{place}/bundle"))
        print(f"{'':75} ripgrep: calls tokens  nearfind: calls tokens")
        for question, by_grep, by_tools in QUESTIONS:
            before = [(way.calls, way.characters) for way in (ripgrep, tools)]
            by_grep(ripgrep)
            by_tools(tools)
            (grep_calls, grep_tokens), (tool_calls, tool_tokens) = [
                (way.calls - calls, (way.characters - characters) // 4) for way, (calls, characters) in zip((ripgrep, tools), before)
            ]
            print(f"{question:75} {grep_calls:14} {grep_tokens:6} {tool_calls:16} {tool_tokens:6}")
        print(f"{'all':75} {ripgrep.calls:14} {ripgrep.characters // 4:6} {tools.calls:16} {tools.characters // 4:6}")
        tools.server.process.kill()


if __name__ == "__main__":
    main(*sys.argv[1:])
