"""A second reader of bundles, written from core/FORMAT.md alone, with only Python's library. Reads texts, posting
lists and vectors.

Used as a module by check.py, or to look into a bundle: python3 decode.py BUNDLE
"""

from __future__ import annotations

import base64
import functools
import json
import math
import struct
import sys
import zlib
from pathlib import Path

PARTS = "map terms positions spelling pages catalog tokens rotation cells codes fine graph directory symbols trigrams".split()
# The tables of these parts are elsewhere.
WITHOUT_TABLE = {"pages", "codes", "symbols", "trigrams"}
MASK = 2**64 - 1


def xxh64(data: bytes, seed: int) -> int:
    p1, p2, p3, p4, p5 = 11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579, 2870177450012600261
    rotl = lambda x, r: ((x << r) | (x >> (64 - r))) & MASK
    merge = lambda acc, lane: rotl((acc + lane * p2) & MASK, 31) * p1 & MASK
    at = 0
    if len(data) >= 32:
        lanes = [(seed + p1 + p2) & MASK, (seed + p2) & MASK, seed, (seed - p1) & MASK]
        while at + 32 <= len(data):
            lanes = [merge(acc, lane) for acc, lane in zip(lanes, struct.unpack_from("<4Q", data, at))]
            at += 32
        h = sum(rotl(acc, r) for acc, r in zip(lanes, (1, 7, 12, 18))) & MASK
        for acc in lanes:
            h = ((h ^ merge(0, acc)) * p1 + p4) & MASK
    else:
        h = (seed + p5) & MASK
    h = (h + len(data)) & MASK
    while at + 8 <= len(data):
        h = (rotl(h ^ merge(0, struct.unpack_from("<Q", data, at)[0]), 27) * p1 + p4) & MASK
        at += 8
    if at + 4 <= len(data):
        h = (rotl(h ^ struct.unpack_from("<I", data, at)[0] * p1 & MASK, 23) * p2 + p3) & MASK
        at += 4
    for byte in data[at:]:
        h = rotl(h ^ byte * p5 & MASK, 11) * p1 & MASK
    h = (h ^ h >> 33) * p2 & MASK
    h = (h ^ h >> 29) * p3 & MASK
    return h ^ h >> 32


class Cursor:
    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        if self.at + count > len(self.data):
            raise ValueError("bytes end early")
        self.at += count
        return self.data[self.at - count : self.at]

    def read(self, form: str):
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]

    def varint(self) -> int:
        value, shift = 0, 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    def string(self) -> str:
        return self.take(self.varint()).decode()

    def strings(self) -> list[str]:
        return [self.string() for _ in range(self.varint())]

    def key(self, before: bytes) -> bytes:
        shared = self.varint()
        return before[:shared] + self.take(self.varint())

    def keys(self) -> list[bytes]:
        found, before = [], b""
        for _ in range(self.varint()):
            before = self.key(before)
            found.append(before)
        return found

    def table(self) -> list[int]:
        return [self.varint() for _ in range(self.varint())]

    @property
    def ended(self) -> bool:
        return self.at == len(self.data)


class Bundle:
    """A bundle with fewer than 4,096 blocks in each part, and with whole files."""

    def __init__(self, folder: Path):
        self.folder = folder
        manifest = json.loads((folder / "nearfind.json").read_bytes())
        assert manifest["format"] == 0
        stored = base64.b64decode(manifest["root"], validate=True)
        assert f"{xxh64(stored, 0):016x}" == manifest["generation"], "the root has another hash"
        cursor = Cursor(stored)
        length = cursor.varint()
        raw = zlib.decompress(stored[cursor.at :], -15)
        assert len(raw) == length
        self._root(Cursor(raw))

    def _root(self, c: Cursor) -> None:
        assert c.take(8) == b"nearfind" and c.read("I") == 0
        self.analyzer = c.string()
        self.documents, self.chunks, self.tokens = c.varint(), c.varint(), c.varint()
        self.chunk_lengths = [c.varint() for _ in range(4)]
        self.chunks_of_page = c.varint()
        self.projects = [(c.string(), c.varint(), c.varint()) for _ in range(c.varint())]
        self.facets = [(c.string(), c.keys()) for _ in range(c.varint())]
        self.orders = c.keys()
        self.pins = [(c.string(), [c.varint() for _ in range(c.varint())]) for _ in range(c.varint())]
        self.dimensions, self.step = c.varint(), c.read("f")
        near = c.varint()
        self.centers = [c.read("h") for _ in range(near)]
        self.spreads = list(c.take(near))
        self.graph_entry, self.file_limit = c.varint(), c.varint()
        self.identities, self.tables = {}, {}
        for part in PARTS:
            self.identities[part] = c.read("Q")
            if part not in WITHOUT_TABLE:
                self.tables[part] = c.table()
        self.term_separators, self.spelling_keys, self.token_separators, self.frequent_tokens = (c.keys() for _ in range(4))
        self.normalizer, self.floors, self.knowledge = c.read("B"), [c.read("f"), c.read("f")], c.read("B")
        assert c.ended
        m = Cursor(self.block("map", 0))
        self.chunks_of = [m.varint() for _ in range(self.documents)]
        self.facet_values = [[[m.varint() for _ in range(m.varint())] for _ in range(self.documents)] for _ in self.facets]
        self.weights = [m.varint() for _ in range(self.documents)]
        self.places = [[m.varint() for _ in range(self.documents)] for _ in self.orders]
        self.latest = [m.varint() for _ in range(self.documents)]
        self.tables["pages"], self.tables["codes"] = m.table(), m.table()
        assert sum(self.chunks_of) == self.chunks

    def block(self, part: str, number: int) -> bytes:
        identity, sizes = self.identities[part], self.tables[part]
        start = sum(sizes[:number])
        stored = (self.folder / f"{part}-{identity:016x}.nf").read_bytes()[start : start + sizes[number]]
        body, checksum = stored[:-4], struct.unpack("<I", stored[-4:])[0]
        assert xxh64(body, identity ^ number) & 0xFFFFFFFF == checksum, f"{part} {number}: checksum"
        cursor = Cursor(body)
        length = cursor.varint()
        raw = zlib.decompress(body[cursor.at :], -15) if length else body[cursor.at :]
        assert not length or len(raw) == length
        return raw

    def blocks(self, part: str) -> list[bytes]:
        return [self.block(part, number) for number in range(len(self.tables[part]))]

    def texts(self) -> list[dict]:
        """Returns the documents with their texts, and the text of each chunk."""
        found: list[dict] = []
        for block in self.blocks("pages"):
            c = Cursor(block)
            while not c.ended:
                tag = c.read("B")
                if tag:
                    record = {"project": c.varint()}
                    record |= {name: c.string() for name in ("id", "path", "url", "title")}
                    record["versions"] = [(c.string(), c.string(), c.string()) for _ in range(c.varint())]
                    record["meta"] = [(c.string(), c.string()) for _ in range(c.varint())]
                    if tag == 1:
                        found.append(record | {"description": c.string(), "aliases": c.strings(), "chunks": []})
                c.read("B")
                sections = [(c.varint(), c.string(), c.string()) for _ in range(c.varint())]
                found[-1]["chunks"].append({"sections": sections, "text": c.string()})
        return found

    def lists(self) -> dict[str, list[tuple[int, int, int]]]:
        """Returns the postings of each term: chunk, marks, and frequency in the text."""
        lists: dict[str, list[tuple[int, int, int]]] = {}
        for block in self.blocks("terms"):
            c, key = Cursor(block), b""
            c.varint()
            while not c.ended:
                key = c.key(key)
                count, _positions = c.varint(), c.varint()
                entries, chunk = Cursor(c.take(c.varint())), -1
                postings = []
                while not entries.ended:
                    head = entries.varint()
                    chunk += 1 + (head >> 4)
                    marks = entries.read("B") if head & 2 else 0
                    frequency = entries.varint() + 2 if head & 1 else int(not marks & 64)
                    postings.append((chunk, marks, frequency))
                name = key.decode()
                lists[name] = postings
                assert name.startswith("\0") or len(postings) <= count
        return lists

    def vectors(self) -> list[list[float]]:
        """Returns the rotated vector of each chunk, from its coarse and fine codes."""
        near, coarse = len(self.centers), []
        tables = [coarse_frequencies(spread) for spread in self.spreads]
        for block, chunks in zip(self.blocks("codes"), self.chunks_of):
            coarse += decode(block, [tables] * chunks, -15)
        head, *blocks = self.blocks("fine")
        c = Cursor(head)
        rest = c.varint()
        centers, spreads = [c.read("h") for _ in range(rest)], list(c.take(rest))
        assert near + rest == self.dimensions
        vectors: list[list[float]] = []
        for block in blocks:
            stream = Stream(block)
            for known in coarse[len(vectors) : len(vectors) + 256]:
                codes = [16 * at - 8 + stream.symbol(fine_frequencies(spread, at)) for spread, at in zip(self.spreads, known)]
                for spread in spreads:
                    at = stream.symbol(coarse_frequencies(spread)) - 15
                    codes.append(16 * at - 8 + stream.symbol(fine_frequencies(spread, at)))
                vectors.append([(center + code) * self.step for center, code in zip(self.centers + centers, codes)])
            stream.finish()
        return vectors

    def rotate(self, vector: list[float]) -> list[float]:
        """Rotates a vector like the vectors of chunks."""
        numbers = struct.unpack(f"<{self.dimensions**2}h", self.block("rotation", 0))
        rows = (numbers[at : at + self.dimensions] for at in range(0, len(numbers), self.dimensions))
        return [sum(a * b for a, b in zip(row, vector)) / 1024 for row in rows]


class Stream:
    """Decodes symbols coded by rANS."""

    def __init__(self, data: bytes):
        self.cursor = Cursor(data)
        self.state = self.cursor.read("I")

    def symbol(self, frequencies: list[int]) -> int:
        slot, start = self.state & 4095, 0
        for symbol, frequency in enumerate(frequencies):
            if slot < start + frequency:
                break
            start += frequency
        self.state = frequency * (self.state >> 12) + slot - start
        if self.state < 1 << 16:
            self.state = self.state << 16 | self.cursor.read("H")
        return symbol

    def finish(self) -> None:
        assert self.state == 1 << 16 and self.cursor.ended


def decode(data: bytes, rows: list[list[list[int]]], first: int) -> list[list[int]]:
    stream = Stream(data)
    decoded = [[first + stream.symbol(table) for table in row] for row in rows]
    stream.finish()
    return decoded


def weight(fine: int, spread: int) -> float:
    deviation = struct.unpack("<d", struct.pack("<d", 2.0 ** (spread % 8 / 8)))[0] * 2.0 ** (spread // 8)
    x = (fine / deviation) ** 2 / 2
    if x > 60:
        return 0.0
    y = -x / 1024
    power = 1 + y * (1 + y / 2 * (1 + y / 3 * (1 + y / 4 * (1 + y / 5))))
    for _ in range(10):
        power *= power
    return power


def added(weights) -> float:
    # Not `sum`, which compensates for rounding in newer versions of Python.
    return functools.reduce(lambda a, b: a + b, weights, 0.0)


def frequencies(weights: list[float]) -> list[int]:
    total = added(weights)
    parts = [1 + (math.floor(w / total * (4096 - len(weights))) if total else 0) for w in weights]
    parts[weights.index(max(weights))] += 4096 - sum(parts)
    return parts


KNOWN: dict = {}


def coarse_frequencies(spread: int) -> list[int]:
    if spread not in KNOWN:
        KNOWN[spread] = frequencies([added(weight(16 * c - 8 + at, spread) for at in range(16)) for c in range(-15, 16)])
    return KNOWN[spread]


def fine_frequencies(spread: int, coarse: int) -> list[int]:
    if (spread, coarse) not in KNOWN:
        KNOWN[spread, coarse] = frequencies([weight(16 * coarse - 8 + at, spread) for at in range(16)])
    return KNOWN[spread, coarse]


if __name__ == "__main__":
    bundle = Bundle(Path(sys.argv[1]))
    texts, lists, vectors = bundle.texts(), bundle.lists(), bundle.vectors()
    print(f"{len(texts)} documents, {sum(len(text['chunks']) for text in texts)} chunks, {len(lists)} terms, {len(vectors)} vectors of {bundle.dimensions}")
