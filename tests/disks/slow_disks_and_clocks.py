"""Tests updates on a slow disk and with clocks that jump. While each write, sync and rename of `nearfind update`
takes long, a searching client is answered from the previous or the new bundle, and a second update reports that one is
running. With the clock decades off in either direction, and with files from the future, each update still finds the
changes.

    python3 tests/disks/slow_disks_and_clocks.py NEARFIND [--delay 100]

Linux, with strace and faketime.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

SLOW = "write,pwrite64,writev,fsync,fdatasync,rename,renameat,renameat2,unlink"
CLOCKS = ["1971-02-03 04:05:06", "2089-12-31 23:59:59", "2026-01-01 00:00:00"]
FILES_AGES = [0, 4_000_000_000]


def main(arguments):
    nearfind = os.path.abspath(arguments.nearfind)
    failures = []
    with tempfile.TemporaryDirectory() as place:
        os.mkdir(f"{place}/docs")
        environment = dict(os.environ, NEARFIND_CACHE=f"{place}/cache", NEARFIND_HOME=f"{place}/home")

        def edition(number):
            for page in range(12):
                with open(f"{place}/docs/page{page}.md", "w") as file:
                    file.write(f"# Page {page}\n\nThe edition{number} of this page, about threads and locks.\n")

        def run(*command, before=()):
            return subprocess.run([*before, nearfind, *command], env=environment, cwd=place, capture_output=True, text=True)

        def pages(number):
            """Returns the number of pages of an edition that a search finds."""
            found = run("search", "search", "--mode", "words", "--limit", "50", "--json", f"edition{number}")
            if found.returncode:
                failures.append(f"search: {found.stderr}")
                return 0
            return sum(f"edition{number}" in json.dumps(hit) for hit in json.loads(found.stdout)["hits"])

        def update(number, *before):
            edition(number)
            updated = run("update", "-q", before=before)
            verified = run("verify", "search")
            if updated.returncode or not verified.stdout.startswith("sound") or pages(number) != 12:
                failures.append(f"edition {number} {before}: {updated.stderr}{verified.stdout}{verified.stderr}")

        with open(f"{place}/nearfind.toml", "w") as file:
            file.write('query_encoder = false\n[[project]]\nname = "docs"\npath = "docs"\n')
        update(1)

        edition(2)
        delays = f"inject={SLOW}:delay_enter={arguments.delay * 1000}"
        traced = ["strace", "-f", "-o", "/dev/null", "-e", f"trace={SLOW}", "-e", delays, nearfind, "update", "-q"]
        slow = subprocess.Popen(traced, env=environment, cwd=place)
        asked = 0
        while slow.poll() is None:
            counts = (pages(1), pages(2))
            asked += 1
            # The bundle may have been replaced between the two queries.
            if counts not in ((12, 0), (0, 12), (12, 12)):
                failures.append(f"while the disk was slow: {counts} pages of the two editions")
            if asked % 6 == 5:
                second = run("update", "-q")
                if second.returncode and "is writing here" not in second.stderr:
                    failures.append(f"a second update: {second.stderr}")
        if slow.returncode or (pages(1), pages(2)) != (0, 12):
            failures.append(f"the slow update: {slow.returncode}, {pages(2)} pages of its edition")
        print(f"{asked} questions while the disk was slow", flush=True)

        number, clocks = 2, CLOCKS if shutil.which("faketime") else []
        for clock in clocks:
            for seconds in FILES_AGES:
                number += 1
                for name in ("nearfind.json", "nearfind-build.json"):
                    if os.path.exists(f"{place}/search/{name}"):
                        os.utime(f"{place}/search/{name}", (seconds, seconds))
                update(number, "faketime", clock)
        print(f"{number - 2} updates under clocks that are off")
    for failure in failures[:10]:
        print(failure, file=sys.stderr)
    return bool(failures)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("nearfind")
    parser.add_argument("--delay", type=int, default=100, help="milliseconds for each call")
    raise SystemExit(main(parser.parse_args()))
