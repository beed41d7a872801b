"""Tests what remains of a bundle after a loss of power. Records the file operations of `nearfind update`, repeats
them up to any moment, and loses data that was not synced by then: bytes of files, torn or whole, and names in folders,
in any order. The remaining bundle must be whole, either the previous or the new one, and the next update must make the
new one.

    python3 tests/disks/lost_writes.py NEARFIND [--schedules 10000] [--updates 200]

Linux, with strace.
"""

import argparse
import codecs
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

CALLS = "openat,creat,write,pwrite64,writev,pwritev,pwritev2,lseek,ftruncate,truncate,rename,renameat,renameat2,unlink,unlinkat,link,linkat,fsync,fdatasync,copy_file_range,sendfile,fallocate,close"
CALL = re.compile(r"^(\d+\.\d+) (\w+)\((.*)\)\s+= (-?\d+)(?:<((?:\\.|[^>])*)>)?")
FD = re.compile(r"^(\d+)<((?:\\.|[^>])*)>")
STRING = re.compile(r'"((?:\\.|[^"\\])*)"')


def text(escaped):
    return codecs.escape_decode(escaped.encode())[0]


class Recorded:
    """The files of some folders at one point in time, and the later operations of a program on them."""

    def __init__(self, folders):
        self.folders = folders
        self.contents = {}  # By number of the file.
        self.names = {}  # The number of the file for each path.
        self.operations = []
        for folder in folders:
            for place, _, files in os.walk(folder):
                for name in files:
                    path = os.path.join(place, name)
                    with open(path, "rb") as file:
                        self.names[path] = len(self.contents)
                        self.contents[len(self.contents)] = file.read()
        self.first = (dict(self.contents), dict(self.names))

    def is_ours(self, path):
        return any(path == folder or path.startswith(folder + "/") for folder in self.folders)

    def run(self, command, environment, folder):
        with tempfile.TemporaryDirectory() as logs:
            traced = ["strace", "-ff", "-ttt", "-y", "-xx", "-s", "100000000", "-e", f"trace={CALLS}", "-o", f"{logs}/log"]
            subprocess.run(traced + command, env=environment, cwd=folder, check=True, stdout=subprocess.DEVNULL)
            lines = []
            for log in os.listdir(logs):
                with open(os.path.join(logs, log)) as opened:
                    lines += [line for line in opened if CALL.match(line)]
        lines.sort(key=lambda line: float(line.split(" ", 1)[0]))
        now, places, made = dict(self.names), {}, len(self.contents)
        for line in lines:
            _, call, arguments, result, opened = CALL.match(line).groups()
            result = int(result)
            if result < 0:
                continue
            strings = [text(found).decode(errors="surrogateescape") for found in STRING.findall(arguments)] if call not in ("write", "pwrite64") else []
            if call in ("openat", "creat"):
                path = text(opened).decode(errors="surrogateescape")
                if not self.is_ours(path) or os.path.isdir(path):
                    continue
                if path not in now:
                    now[path] = made
                    self.operations.append(("named", path, made))
                    made += 1
                if "O_TRUNC" in arguments:
                    self.operations.append(("cut", now[path], 0))
                places[result] = [now[path], 0, "O_APPEND" in arguments]
                continue
            if call in ("rename", "renameat", "renameat2"):
                old, new = (os.path.normpath(os.path.join(folder, path)) for path in strings)
                if self.is_ours(old):
                    now[new] = now.pop(old)
                    self.operations.append(("renamed", old, new, now[new]))
                continue
            if call in ("unlink", "unlinkat"):
                path = os.path.normpath(os.path.join(folder, strings[0]))
                if self.is_ours(path) and path in now:
                    del now[path]
                    self.operations.append(("removed", path))
                continue
            number, path = FD.match(arguments).groups()
            number, path = int(number), text(path).decode(errors="surrogateescape")
            if not self.is_ours(path.removesuffix(" (deleted)")):
                continue
            if call in ("fsync", "fdatasync"):
                kind = "folder synced" if os.path.isdir(path) else "synced"
                self.operations.append((kind, path if kind == "folder synced" else places[number][0]))
            elif number not in places:
                continue
            elif call == "write":
                file, at, appends = places[number]
                data = text(STRING.search(arguments).group(1))[:result]
                self.operations.append(("written", file, None if appends else at, data))
                places[number][1] += result
            elif call == "pwrite64":
                data = text(STRING.search(arguments).group(1))[:result]
                self.operations.append(("written", places[number][0], int(arguments.rsplit(", ", 1)[1]), data))
            elif call == "lseek":
                places[number][1] = result
            elif call == "ftruncate":
                self.operations.append(("cut", places[number][0], int(arguments.rsplit(", ", 1)[1])))
            elif call == "close":
                del places[number]
            else:
                raise SystemExit(f"{call} on {path}: it is not known how to lose that")

    def left(self, moment, chance):
        """Returns the remaining files by path after a loss of power before operation `moment`."""
        contents = {number: bytearray(content) for number, content in self.first[0].items()}
        names = dict(self.first[1])
        last_file, last_folder = {}, {}
        for at, operation in enumerate(self.operations[:moment]):
            if operation[0] == "synced":
                last_file[operation[1]] = at
            elif operation[0] == "folder synced":
                last_folder[operation[1]] = at
        # Some file systems keep the order of names, and others do not.
        in_order = chance.random() < 0.5
        end_of_names = chance.randint(0, moment)
        for at, operation in enumerate(self.operations[:moment]):
            kind = operation[0]
            if kind in ("written", "cut"):
                file = contents.setdefault(operation[1], bytearray())
                lasts = at < last_file.get(operation[1], -1)
                fate = 1 if lasts else chance.random()
                if kind == "cut":
                    if fate >= 0.5:
                        del file[operation[2] :]
                        file.extend(bytes(operation[2] - len(file)))
                    continue
                _, _, place, data = operation
                if fate < 0.3:
                    continue
                if fate < 0.6:
                    data = data[: chance.randint(0, len(data))]
                elif fate < 0.7:
                    # The file has its length, but not the bytes.
                    data = bytes(len(data))
                place = len(file) if place is None else place
                file.extend(bytes(max(0, place - len(file))))
                file[place : place + len(data)] = data
            elif kind in ("named", "renamed", "removed"):
                path = operation[2] if kind == "renamed" else operation[1]
                lasts = at < last_folder.get(os.path.dirname(path), -1)
                happened = at < end_of_names if in_order else chance.random() < 0.5
                if not (lasts or happened):
                    continue
                if kind == "named":
                    names[path] = operation[2]
                elif kind == "removed":
                    names.pop(path, None)
                else:
                    names.pop(operation[1], None)
                    names[path] = operation[3]
        return {path: bytes(contents.get(number, b"")) for path, number in names.items()}


def main(arguments):
    nearfind = os.path.abspath(arguments.nearfind)
    with tempfile.TemporaryDirectory() as work:
        work = os.path.realpath(work)
        place = os.path.join(work, "place")
        os.makedirs(f"{place}/docs")
        environment = dict(os.environ, NEARFIND_CACHE=f"{place}/cache", NEARFIND_HOME=f"{place}/home")

        def edition(number):
            for page in range(6):
                with open(f"{place}/docs/page{page}.md", "w") as file:
                    file.write(f"# Page {page}\n\nEdition {number * (page % 3)} of page {page}, about threads and locks.\n")

        def run(*command, folder=place, cache=f"{place}/cache"):
            its = dict(environment, NEARFIND_CACHE=cache)
            return subprocess.run([nearfind, *command], env=its, cwd=folder, capture_output=True, text=True)

        with open(f"{place}/nearfind.toml", "w") as file:
            file.write('query_encoder = false\n[[project]]\nname = "docs"\npath = "docs"\n')
        edition(1)
        first = run("update", "-q")
        if first.returncode:
            raise SystemExit(first.stderr)
        with open(f"{place}/search/nearfind.json") as file:
            before = json.load(file)["generation"]
        recorded = Recorded([f"{place}/search", f"{place}/cache"])
        edition(2)
        recorded.run([nearfind, "update", "-q"], environment, place)
        with open(f"{place}/search/nearfind.json") as file:
            after = json.load(file)["generation"]
        assert before != after
        print(f"{len(recorded.operations)} operations on files", flush=True)

        def attempt(number):
            chance = random.Random(number)
            moment = chance.randint(0, len(recorded.operations))
            with tempfile.TemporaryDirectory(dir=work) as folder:
                for path, content in recorded.left(moment, chance).items():
                    path = os.path.join(folder, os.path.relpath(path, place))
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    with open(path, "wb") as file:
                        file.write(content)
                verified = run("verify", "search", folder=folder)
                if not verified.stdout.startswith("sound"):
                    return f"schedule {number}: {verified.stdout}{verified.stderr}"
                with open(f"{folder}/search/nearfind.json") as file:
                    generation = json.load(file)["generation"]
                if generation not in (before, after):
                    return f"schedule {number}: generation {generation}"
                if number < arguments.updates:
                    shutil.copytree(f"{place}/docs", f"{folder}/docs")
                    shutil.copy(f"{place}/nearfind.toml", folder)
                    updated = run("update", "-q", folder=folder, cache=f"{folder}/cache")
                    verified = run("verify", "search", folder=folder)
                    with open(f"{folder}/search/nearfind.json") as file:
                        generation = json.load(file)["generation"]
                    if updated.returncode or not verified.stdout.startswith("sound") or generation != after:
                        return f"schedule {number}: the next update: {updated.stderr}{verified.stdout}{generation}"
            return None

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            failures = [failure for failure in pool.map(attempt, range(arguments.schedules)) if failure]
        for failure in failures[:10]:
            print(failure, file=sys.stderr)
        print(f"{arguments.schedules} schedules, {len(failures)} left no whole bundle")
        return bool(failures)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("nearfind")
    parser.add_argument("--schedules", type=int, default=10_000)
    parser.add_argument("--updates", type=int, default=200)
    raise SystemExit(main(parser.parse_args()))
