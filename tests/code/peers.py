"""Other search programs over the same folders. Each is a function from a question to results: path, first and last
line."""

import atexit
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

STOP_WORDS = set("a an and are as at be by do does for from how i in into is it its of on or that the this to what when where which with".split())
#: The line range of a whole file.
WHOLE = (1, 1 << 30)


def words(question: str) -> list[str]:
    found = re.findall(r"[A-Za-z_][A-Za-z0-9_]+", question)
    return [word for word in found if word.lower() not in STOP_WORDS]


class Lines:
    """Ranks files by the matches of a line search: by the number of different words of the question, then by the number
    of lines."""

    def results(self, question: str) -> list[tuple[str, int, int]]:
        different, lines = Counter(), Counter()
        for word in words(question):
            for path, count in self.counts(word):
                different[path] += 1
                lines[path] += count
        order = sorted(lines, key=lambda path: (-different[path], -lines[path], path))
        return [(path, *WHOLE) for path in order[:10]]

    def counts(self, word: str) -> list[tuple[str, int]]:
        raise NotImplementedError


class Ripgrep(Lines):
    def __init__(self, folder: Path):
        self.folder = folder

    def counts(self, word: str) -> list[tuple[str, int]]:
        command = ["rg", "--count", "--ignore-case", "--fixed-strings", "--null", "--", word, "."]
        found = subprocess.run(command, cwd=self.folder, capture_output=True, text=True).stdout
        parts = (line.split("\0") for line in found.splitlines() if "\0" in line)
        return [(path.removeprefix("./"), int(count)) for path, count in parts]


class Csearch(Lines):
    def __init__(self, folder: Path, index: Path):
        self.folder, self.place = folder.resolve(), {**os.environ, "CSEARCHINDEX": str(index)}
        subprocess.run(["cindex", str(self.folder)], env=self.place, capture_output=True, check=True)

    def counts(self, word: str) -> list[tuple[str, int]]:
        command = ["csearch", "-i", "-c", re.escape(word)]
        found = subprocess.run(command, env=self.place, capture_output=True, text=True).stdout
        parts = (line.rsplit(": ", 1) for line in found.splitlines() if ": " in line)
        return [(str(Path(path).relative_to(self.folder)), int(count)) for path, count in parts]


class ChunkHound:
    """ChunkHound with the same model as nearfind and one hop. Its other searches need a reranking model."""

    server = None

    def __init__(self, nearfind: str, folder: Path, work: Path, name: str):
        if ChunkHound.server is None:
            here = Path(__file__).parent
            command = [sys.executable, str(here / "embedding_server.py"), nearfind]
            ChunkHound.server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            ChunkHound.address = f"http://127.0.0.1:{ChunkHound.server.stdout.readline().strip()}/v1"
            atexit.register(ChunkHound.server.kill)
        self.folder = folder
        place = ["--provider", "openai", "--model", "all-MiniLM-L6-v2", "--base-url", ChunkHound.address, "--api-key", "none"]
        self.options = [*place, "--db", str(work / f"{name}.chunkhound")]
        self.run("index", ".")

    def run(self, *arguments: str) -> str:
        program = Path(sys.executable).with_name("chunkhound")
        command = [str(program), *arguments, *self.options]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True).stdout

    def results(self, question: str) -> list[tuple[str, int, int]]:
        printed = self.run("search", question, ".", "--single-hop", "--page-size", "10")
        found = re.findall(r"^\[\d+\] (.+)\n(?:\[INFO\] Similarity.*\n)?\[INFO\] Lines (\d+)-(\d+)", printed, re.MULTILINE)
        return [(path, int(first), int(last)) for path, first, last in found]


class Semble:
    """semble with words and its ranking, without vectors, because its model must be downloaded."""

    def __init__(self, folder: Path, model: Path):
        from semble import SembleIndex

        self.folder = folder
        self.index = SembleIndex.from_path(folder, model_path=str(stand_in(model)))

    def results(self, question: str) -> list[tuple[str, int, int]]:
        found = self.index.search(question, top_k=10, alpha=0.0)
        return [(chunk.file_path, chunk.start_line, chunk.end_line) for chunk in (result.chunk for result in found)]


def stand_in(folder: Path) -> Path:
    """Writes a model without knowledge, because semble requires a model."""
    import numpy
    from model2vec import StaticModel
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    if not folder.exists():
        tokenizer = Tokenizer(WordLevel({"[UNK]": 0, "[PAD]": 1}, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = Whitespace()
        StaticModel(numpy.ones((2, 8), dtype=numpy.float32), tokenizer).save_pretrained(str(folder))
    return folder


class Bm25:
    """BM25 over whole files. The parts of names are words as well."""

    def __init__(self, folder: Path):
        import bm25s

        self.paths = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
        self.index = bm25s.BM25()
        self.index.index([code_words(self.text(folder / path)) for path in self.paths], show_progress=False)

    @staticmethod
    def text(path: Path) -> str:
        """Returns the name and the text of a file. A file with a zero byte is not text, and one of a megabyte or more
        is not written by hand."""
        data = path.read_bytes() if path.stat().st_size < 1 << 20 else b""
        return f"{path.stem}\n" + ("" if b"\0" in data else data.decode("utf-8", "replace"))

    def results(self, question: str, depth: int = 10) -> list[tuple[str, int, int]]:
        asked = code_words(question)
        if not any(word in self.index.vocab_dict for word in asked):
            return []
        found, _ = self.index.retrieve([asked], k=min(depth, len(self.paths)), show_progress=False)
        return [(self.paths[place], *WHOLE) for place in found[0]]


def code_words(text: str) -> list[str]:
    """Returns words in lower case. `parseHTTPHeader` and `parse_http_header` are three words, and the whole name."""
    found = []
    for name in re.findall(r"[A-Za-z0-9_]+", text):
        parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", name)
        found += [part.lower() for part in parts]
        if len(parts) > 1:
            found.append(name.lower())
    return [word for word in found if word not in STOP_WORDS]
