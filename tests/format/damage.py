"""Forges bundles like an attacker with write access to a mirror: changes raw bytes of a block or of the root, and
writes matching checksums.

    python3 damage.py BUNDLE OUT COUNT SEED      writes the damaged bundles OUT/0, OUT/1 and so on, with links to what is sound
"""

import base64
import json
import random
import struct
import sys
import zlib
from pathlib import Path

from decode import Bundle, Cursor, xxh64

MARKUP = b"<img src=x onerror=hacked=1><script>hacked=1</script>"
# The tables of these parts are in the map.
IN_MAP = {"pages", "codes"}


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def table(sizes: list[int]) -> bytes:
    return varint(len(sizes)) + b"".join(map(varint, sizes))


def deflated(raw: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return varint(len(raw)) + packer.compress(raw) + packer.flush()


def changed(raw: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(raw) + 1)
    kind = draw.randrange(6)
    if kind == 0 and raw:
        at = draw.randrange(len(raw))
        return raw[:at] + bytes([raw[at] ^ 1 << draw.randrange(8)]) + raw[at + 1 :]
    if kind == 1:
        return raw[:at] + draw.randbytes(draw.randrange(1, 9)) + raw[at + draw.randrange(9) :]
    if kind == 2:
        # Numbers far beyond any valid value.
        return raw[:at] + b"\xff" * draw.randrange(1, 10) + b"\x7f" + raw[at + draw.randrange(12) :]
    if kind == 3:
        return raw[:at] + MARKUP + raw[at + len(MARKUP) :]
    if kind == 4:
        return raw[:at]
    return raw[:at] + raw[draw.randrange(len(raw) + 1) :]


class Forger(Bundle):
    def __init__(self, folder: Path):
        super().__init__(folder)
        self.manifest = json.loads((folder / "nearfind.json").read_bytes())
        cursor = Cursor(base64.b64decode(self.manifest["root"]))
        cursor.varint()
        self.raw_root = zlib.decompress(cursor.data[cursor.at :], -15)

    def damage(self, draw: random.Random) -> dict[str, bytes]:
        part = draw.choice(["root", *(part for part, sizes in self.tables.items() if sizes)])
        if part == "root":
            return self.with_root(changed(self.raw_root, draw))
        number = draw.randrange(len(self.tables[part]))
        return self.with_block(part, number, changed(self.block(part, number), draw))

    def with_root(self, raw: bytes) -> dict[str, bytes]:
        stored = deflated(raw)
        manifest = self.manifest | {"root": base64.b64encode(stored).decode(), "generation": f"{xxh64(stored, 0):016x}"}
        return {"nearfind.json": json.dumps(manifest).encode()}

    def with_block(self, part: str, number: int, raw: bytes) -> dict[str, bytes]:
        identity, sizes = self.identities[part], self.tables[part]
        name, body = f"{part}-{identity:016x}.nf", deflated(raw)
        sealed = body + struct.pack("<I", xxh64(body, identity ^ number) & 0xFFFFFFFF)
        file, start = (self.folder / name).read_bytes(), sum(sizes[:number])
        files = {name: file[:start] + sealed + file[start + sizes[number] :]}
        before, after = table(sizes), table([*sizes[:number], len(sealed), *sizes[number + 1 :]])
        if part in IN_MAP:
            # Both tables are at the end.
            head, found, tail = self.block("map", 0).rpartition(table(self.tables["pages"]) + table(self.tables["codes"]))
            parts = [after if part == other else table(self.tables[other]) for other in ("pages", "codes")]
            return files | self.with_block("map", 0, head + b"".join(parts) + tail) if found else files
        head, found, tail = self.raw_root.partition(struct.pack("<Q", identity) + before)
        assert found, part
        return files | self.with_root(head + struct.pack("<Q", identity) + after + tail)


def main(folder: str, out: str, count: str, seed: str) -> None:
    forger, draw = Forger(Path(folder)), random.Random(int(seed))
    for number in range(int(count)):
        copy = Path(out, str(number))
        copy.mkdir(parents=True)
        files = forger.damage(draw)
        for file in Path(folder).glob("*.nf*"):
            if file.name not in files:
                copy.joinpath(file.name).hardlink_to(file)
        for name, bytes in ({"nearfind.json": Path(folder, "nearfind.json").read_bytes()} | files).items():
            copy.joinpath(name).write_bytes(bytes)


main(*sys.argv[1:])
