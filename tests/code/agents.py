"""Three scripted agents for tasks.py: one with ripgrep and reading files, one with semble, one with nearfind.

Each agent is a generator that makes one call and yields. It knows the task, and what its own calls showed. It does not
know the lines that answer: after each call, tasks.py checks whether they have been shown, and stops the agent then. The
policies were fixed for all tasks together.

All agents read a task in the same way. Names are options such as --size, and words with an underscore or an inner
capital. The other words are taken in the order of their length, without those in TASK_WORDS. A task that begins with
"Which test" is about tests, "What changed" is about documents, and "Who calls" is about uses. The rest is about source.

grep-and-read: each name is one `rg -n -w`, at most two, cut off after 60 lines. Without names, three words are one
`rg -c` each, which lists files. A term in many files weighs less. Then the agent takes the files with the most weight, at
most four. For each it lists the lines that match, unless it knows them, and reads the 200 lines with the most weight, and
then the next 200. With names, the words follow. Globs select tests, documents or source.

semble: a search with the whole task and semble's defaults, five results with ten lines each. If there are names, the same
for the first one. Then the rest of each result that was cut off, the 60 lines before and after the first two results, a
search for the words alone, and the rest of its results.

nearfind: for uses, `symbol` with callers. Then a search with the whole task, of kind code or docs, and of class test for
tests. If there are names, the references of the first one, and 40 lines around its definition and its uses, at most four
places; if `symbol` answers that grep finds it, `grep` does. Then the rest of each result that was cut off. If a passage
begins inside its piece, the agent cannot know on which line, and reads the whole piece. Then the 60 lines before and
after the first two results, and the next five results.
"""

import json
import re
import subprocess
from collections import defaultdict
from pathlib import Path

from peers import STOP_WORDS

#: Words that say what kind of answer is wanted, and not where it is.
TASK_WORDS = STOP_WORDS | set("who calls what breaks must change changed which test tests cover covers function option code one over all not about given if than them they are instead outside decides with without has version".split())
#: How many lines of a grep are shown, and how many characters of each line.
GREP_LINES, GREP_COLUMNS = 60, 300
#: How many lines before and after a result are read.
AROUND = 60
#: How many lines are read around a use of a name, and of how many uses.
USE_LINES, USES = 40, 4
#: Most lines that are read at once from a result.
MOST_LINES = 200


class Task:
    """A task as an agent reads it."""

    def __init__(self, text: str):
        self.text = text
        self.names = re.findall(r"--[a-z][a-z-]+|\b\w*[a-z]_[a-z]\w*\b|\b[a-z]+[A-Z]\w*\b", text)
        words = re.findall(r"[A-Za-z]{3,}", re.sub(r"--[a-z-]+", " ", text))
        words = dict.fromkeys(word.lower().removesuffix("s") for word in words if word not in self.names)
        self.words = sorted((word for word in words if word not in TASK_WORDS), key=len, reverse=True)
        self.about = "source"
        for start, about in (("Which test", "tests"), ("What changed", "documents"), ("Who calls", "uses")):
            if text.startswith(start):
                self.about = about


def plain(line: str, path: str) -> str:
    """Returns what must agree for a line to be shown. Documents are shown without some of their markup."""
    return re.sub(r":\w+:(?=`)|\W", "", line) if path.endswith((".md", ".rst")) else line.strip()


class Screen:
    """What an agent has seen, and the cost of it in calls and characters."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.seen: dict[str, set[int]] = defaultdict(set)
        self.files: dict[str, list[str]] = {}
        self.calls: list[tuple[str, int, int]] = []

    def took(self, tool: str, arguments: dict, answer: str, structured: str = "") -> str:
        """Counts a call. `structured` is the answer as clients see it that show structured content and no text."""
        asked = len(json.dumps({"name": tool, "arguments": arguments}))
        self.calls.append((tool, asked + len(answer), asked + len(structured or answer)))
        return answer

    def lines(self, path: str) -> list[str]:
        if path not in self.files:
            self.files[path] = (self.folder / path).read_text(errors="replace").split("\n")
        return self.files[path]

    def show(self, path: str, first: int, shown: list[str]) -> None:
        """Notes the lines that are really shown: a line that was cut off does not count."""
        lines = self.lines(path)
        for number, line in enumerate(shown, first):
            if number <= len(lines) and plain(lines[number - 1], path) == plain(line, path):
                self.seen[path].add(number)

    def rest(self, path: str, first: int, last: int) -> tuple[int, int] | None:
        """Returns the lines from the first one to the last one that have not been seen."""
        last = min(last, len(self.lines(path)))
        unseen = [line for line in range(max(first, 1), last + 1) if line not in self.seen[path]]
        return (unseen[0], min(unseen[-1], unseen[0] + MOST_LINES - 1)) if unseen else None

    def read(self, path: str, first: int, last: int) -> None:
        """Reads lines of a file as clients do."""
        shown = self.lines(path)[first - 1 : last]
        answer = "\n".join(f"{number}\t{line[:2000]}" for number, line in enumerate(shown, first))
        self.took("read", {"path": path, "offset": first, "limit": last - first + 1}, answer)
        self.show(path, first, shown)


class GrepAndRead:
    SCOPES = {"tests": ["-g", "*test*"], "documents": ["-g", "*.{md,rst,txt}"]}
    SOURCE = ["-g", "!*test*", "-g", "!*.{md,rst,txt,lock}", "-g", "!docs"]

    def __init__(self, screen: Screen, window: int):
        self.screen, self.window = screen, window
        #: The files of each term, and the lines that are known to match, with their weights.
        self.having: dict[str, set[str]] = defaultdict(set)
        self.matches: dict[str, dict[int, float]] = defaultdict(dict)
        self.read: dict[str, set[int]] = defaultdict(set)

    def rg(self, *options: str) -> list[str]:
        command = ["rg", "--sort", "path", *options]
        out = subprocess.run(command, cwd=self.screen.folder, capture_output=True, text=True).stdout
        shown = [line[:GREP_COLUMNS].removeprefix("./") for line in out.splitlines()[:GREP_LINES]]
        self.screen.took("bash", {"command": f"{' '.join(command)} | head -n {GREP_LINES}"}, "\n".join(shown))
        return shown

    def weight(self, term: str) -> float:
        return 1 / max(len(self.having[term]), 1)

    def matched(self, path: str, number: int, text: str, weight: float) -> None:
        self.screen.show(path, number, [text])
        self.matches[path][number] = weight

    def run(self, task: Task):
        scope = self.SCOPES.get(task.about, self.SOURCE)
        for name in task.names[:2]:
            # The names of options have other forms in code.
            pattern = name.removeprefix("--").replace("-", "[-_]")
            lines = [re.match(r"([^:]+):(\d+):(.*)", line) for line in self.rg("-n", "-w", "-e", pattern, *scope, ".")]
            found = [(line[1], int(line[2]), line[3]) for line in lines if line]
            self.having[name] = {path for path, _, _ in found}
            for path, number, text in found:
                self.matched(path, number, text, self.weight(name))
            yield
        if task.names:
            yield from self.files([])
        words = task.words[:3]
        for word in words:
            counts = self.rg("-c", "-i", "-F", "-e", word, *scope, ".")
            self.having[word] = {line.rpartition(":")[0] for line in counts}
            yield
        yield from self.files(words)

    def files(self, words: list[str]):
        """Reads the files with the most weight. The lines that match `words` are not known yet."""
        weight = lambda path: sum(self.weight(term) for term, having in self.having.items() if path in having)
        order = sorted(sorted(set().union(*self.having.values())), key=weight, reverse=True)
        for path in order[:4]:
            if words:
                for line in self.rg("-n", "-i", *(part for word in words for part in ("-e", word)), path):
                    if found := re.match(r"(\d+):(.*)", line):
                        weight = sum(self.weight(word) for word in words if word in found[2].lower())
                        self.matched(path, int(found[1]), found[2], weight)
                yield
            for _ in range(2):
                unread = {line: weight for line, weight in self.matches[path].items() if line not in self.read[path]}
                if not unread:
                    break
                inside = lambda first: [line for line in unread if first <= line < first + self.window]
                first = max(sorted(unread), key=lambda first: sum(unread[line] for line in inside(first)))
                # The matches are in the middle of the window.
                first = max(1, first - (self.window - (max(inside(first)) - first)) // 2)
                self.screen.read(path, first, first + self.window - 1)
                self.read[path].update(range(first, first + self.window))
                yield


class Semble:
    """semble's answers as its MCP server gives them, but by words and its ranking alone, because its model must be
    downloaded."""

    def __init__(self, screen: Screen, index):
        self.screen, self.index = screen, index

    def search(self, query: str, content: str) -> list[tuple[str, int, int]]:
        from semble.utils import format_results

        arguments = {"query": query, "repo": ".", **({"content": content} if content != "code" else {})}
        results = self.index(content).search(query, top_k=5, alpha=0.0, max_snippet_lines=10)
        answer = format_results(query, results, 10) if results else {"error": "No results found."}
        self.screen.took("search", arguments, json.dumps(answer))
        found = []
        for entry in answer.get("results", []):
            path, first = entry["file_path"], entry["start_line"]
            self.screen.show(path, first, entry["content"].split("\n"))
            found.append((path, first, entry["end_line"]))
        return found

    def run(self, task: Task):
        content = "docs" if task.about == "documents" else "code"
        results = self.search(task.text, content)
        yield
        if task.names:
            results = self.search(task.names[0], content) + results
            yield
        yield from self.rests(results)
        for path, first, last in results[:2]:
            for rest in (self.screen.rest(path, first - AROUND, first - 1), self.screen.rest(path, last + 1, last + AROUND)):
                if rest:
                    self.screen.read(path, *rest)
                    yield
        results = self.search(" ".join(task.words), content)
        yield
        yield from self.rests(results)

    def rests(self, results: list[tuple[str, int, int]]):
        for path, first, last in results:
            rest = self.screen.rest(path, first, last)
            if rest:
                self.screen.read(path, *rest)
                yield


class Nearfind:
    def __init__(self, screen: Screen, server):
        self.screen, self.server = screen, server

    def call(self, tool: str, **arguments) -> str:
        result = self.server.request("tools/call", {"name": tool, "arguments": arguments})
        text = "".join(part["text"] for part in result["content"])
        structured = json.dumps(result.get("structuredContent"), ensure_ascii=False, separators=(",", ":"))
        return self.screen.took(tool, arguments, text, structured)

    def run(self, task: Task):
        kind = {"kind": "docs" if task.about == "documents" else "code", **({"class": "test"} if task.about == "tests" else {})}
        name = task.names[0].removeprefix("--") if task.names else ""
        if task.about == "uses" and name:
            self.symbol(name, "callers")
            yield
        results = self.search(query=task.text, **kind)
        yield
        if name:
            uses = self.symbol(name.replace("-", "_"), "references")
            yield
            for path, line in uses[:USES]:
                rest = self.screen.rest(path, line - USE_LINES // 2, line + USE_LINES // 2)
                if rest:
                    self.get(path, *rest)
                    yield
        yield from self.rests(results)
        for path, first, last in results[:2]:
            for rest in (self.screen.rest(path, first - AROUND, first - 1), self.screen.rest(path, last + 1, last + AROUND)):
                if rest:
                    self.get(path, *rest)
                    yield
        results = self.search(query=task.text, offset=5, **kind)
        yield
        yield from self.rests(results)

    def rests(self, results: list[tuple[str, int, int]]):
        for path, first, last in results:
            rest = self.screen.rest(path, first, last)
            if rest:
                self.get(path, *rest)
                yield

    def search(self, **arguments) -> list[tuple[str, int, int]]:
        """Returns the path and the lines of each result. A document has the line of its passage, and is read on from
        there."""
        text = self.call("search", **arguments)
        found = []
        for entry in re.split(r"^## \d+\. ", text, flags=re.MULTILINE)[1:]:
            place = re.search(r"^code: (.+):(\d+)-(\d+)(?:, here \d+-\d+|, key lines)?$|^document: (.+) \(line (\d+)", entry, re.MULTILINE)
            path, first, last = (place[1], int(place[2]), int(place[3])) if place[1] else (place[4], int(place[5]), int(place[5]) + AROUND)
            fenced = re.search(r"^(`{3,})[^`\n]*\n(.*?)^\1$", entry, re.MULTILINE | re.DOTALL)
            shown = fenced[2].rstrip("\n").split("\n") if fenced else []
            if f"{first}-{last}, key lines\n" in entry:
                for line in shown:
                    number, _, text = line.partition(": ")
                    self.screen.show(path, int(number), [text])
            else:
                self.screen.show(path, self.begin(path, first, last, shown), shown)
            found.append((path, first, last))
        return found

    def begin(self, path: str, first: int, last: int, shown: list[str]) -> int:
        """Returns the line of the file on which a passage begins."""
        lines, shown = [[plain(line, path) for line in of] for of in (self.screen.lines(path), shown)]
        agree = lambda start: sum(a == b for a, b in zip(lines[start - 1 :], shown))
        return max(range(first, last + 1), key=agree)

    def get(self, path: str, first: int, last: int) -> None:
        text = self.call("get_document", path=f"{path}:{first}-{last}")
        fenced = re.search(r"^(`{3,})[^`\n]*\n(.*)^\1$", text, re.MULTILINE | re.DOTALL)
        at = re.search(r"^lines (\d+)-", text, re.MULTILINE)
        if fenced and at:
            self.screen.show(path, int(at[1]), fenced[2].split("\n"))

    def symbol(self, name: str, want: str) -> list[tuple[str, int]]:
        """Returns the places that mention a name. A definition is shown by its signature in one line, and a use by its
        line. Further lines of a use are listed by number and have not been seen."""
        uses = []
        answer = self.call("symbol", name=name, want=want)
        if "grep finds" in answer:
            return self.grep(name)
        for line in answer.split("\n"):
            if found := re.match(r"(\S+):(\d+)-(\d+) \w+ \S+: (.*)", line):
                path, first, signature = found[1], int(found[2]), found[4]
                for number in range(first, int(found[3]) + 1):
                    # The signature does not have the sign before the body.
                    text = self.screen.lines(path)[number - 1].strip().rstrip(" {:")
                    if not text or not signature.startswith(text):
                        break
                    self.screen.seen[path].add(number)
                    signature = signature[len(text) :].strip()
                uses.append((path, first))
            elif found := re.match(r"(\S+):(\d+)(?:,[\d,…]+)?(?: \[[^\]]*\])? (.*)", line):
                self.screen.show(found[1], int(found[2]), [found[3]])
                uses.append((found[1], int(found[2])))
        return uses

    def grep(self, pattern: str) -> list[tuple[str, int]]:
        path, found = "", []
        for line in self.call("grep", pattern=pattern, kind="code").split("\n"):
            if match := re.match(r"(\d+)(?: \[[^\]]*\])?: (.*)", line):
                self.screen.show(path, int(match[1]), [match[2]])
                found.append((path, int(match[1])))
            else:
                path = line
        return found
