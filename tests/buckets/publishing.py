"""Publishes a bundle in a bucket, reads it, updates it, and lets storage fail in every way that it can. Readers must
always see a whole bundle."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from storage import BUCKET, Proxy, Storage

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
ADDRESS = f"s3://{BUCKET}/docs"


def check(condition, *said):
    if not condition:
        raise SystemExit(f"failed: {said}")


class Machine:
    """Runs nearfind with a cache of its own."""

    def __init__(self, folder, environment):
        self.folder = folder
        self.environment = {**environment, "NEARFIND_CACHE": str(folder / "cache")}

    def run(self, *arguments, ok=True, **environment):
        if arguments[0] == "index":
            # Saves half a minute.
            arguments = (*arguments, "--no-query-encoder")
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder, env={**self.environment, **environment}, timeout=300)
        check((done.returncode == 0) == ok, arguments, done.returncode, done.stdout, done.stderr)
        return done.stdout if ok else done.stderr


def files_of(folder):
    names = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".nearfind-")]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in names}


def results(machine, place):
    hits = json.loads(machine.run("search", place, "how are vectors stored", "--json"))
    return [(hit["path"], hit["score"]) for hit in hits["hits"]] if "hits" in hits else hits


def main(work):
    storage = Storage()
    proxy = Proxy(storage)
    docs = work / "docs"
    docs.mkdir()
    for page in [*ROOT.glob("*.md"), *(ROOT / "core").glob("*.md")]:
        shutil.copy(page, docs)
    (work / "first").mkdir()
    (work / "second").mkdir()
    first = Machine(work / "first", storage.environment())
    # A second machine for failures, which uses the proxy.
    second = Machine(work / "second", storage.environment(proxy.port))
    published = lambda: storage.objects("docs/")

    def is_whole(before):
        check({name: data for name, data in published().items() if name in before} == before, "what was published is not what it was")
        first.run("verify", ADDRESS)

    print("what is in the bucket is what would be in a folder")
    first.run("index", docs, "-o", work / "folder", "--quiet")
    said = first.run("index", docs, "-o", ADDRESS)
    check(f"published at {ADDRESS}/" in said, said)
    check(published() == files_of(work / "folder"), sorted(published()), sorted(files_of(work / "folder")))
    head = lambda name: storage.client.head_object(Bucket=BUCKET, Key=f"docs/{name}")
    check(head("nearfind.json")["CacheControl"] == "no-cache" and head("nearfind.json")["ContentType"] == "application/json")
    part = next(name for name in published() if name.startswith("pages-"))
    check("immutable" in head(part)["CacheControl"])
    if "box/box.js" in published():
        check(head("box/box.js")["ContentType"].startswith("text/javascript"))

    print("it is read as a folder is")
    check(results(first, ADDRESS) == results(first, work / "folder"))
    check("sound" in first.run("verify", ADDRESS))
    check(first.run("inspect", ADDRESS).splitlines()[1:] != [])
    check("up to date" in first.run("index", docs, "-o", ADDRESS))

    print("a change uploads what has changed, and what readers may still want stays")
    configuration = f'output = "{ADDRESS}"\n[[project]]\nname = "docs"\npath = "{docs}"\n'
    (work / "second" / "nearfind.toml").write_text(configuration)
    check("--allow-outside" in second.run("update", ok=False) or "outside" in second.run("update", ok=False), "a file of a repository must not publish")
    before = published()
    (docs / "new.md").write_text("# Lanterns\n\nHow to light a lantern in the dark.\n")
    outcome = json.loads(first.run("index", docs, "-o", ADDRESS, "--json"))
    check(outcome["published"]["removed"] == 0 and outcome["published"]["files"] < len(before) + 1, outcome["published"])
    check(all(name in published() for name in before))
    check("Lanterns" in first.run("search", ADDRESS, "lantern"))

    print("after a day only the current bundle and the one before are kept")
    proxy.ages = True
    former, removed = set(published()), 0
    for text in ["once more", "and again", "at last"]:
        (docs / "new.md").write_text(f"# Lanterns\n\nHow to light a lantern in the dark, {text}.\n")
        outcome = json.loads(second.run("index", docs, "-o", ADDRESS, "--json"))
        removed += outcome["published"]["removed"]
    proxy.ages = False
    check(removed > 0 and not former <= set(published()), removed)
    check("Lanterns" in first.run("search", ADDRESS, "lantern"))
    first.run("verify", ADDRESS)

    print("of two publishers at once the second is told of the first")
    (docs / "new.md").write_text("# Lanterns\n\nHow the other publisher lights a lantern.\n")

    def publish_first(method, path):
        if method == "PUT" and path.split("?")[0].endswith("nearfind.json"):
            proxy.fault = lambda method, path: None
            first.run("index", docs, "-o", ADDRESS, "--full")

    # The manifest must differ from that of the first publisher.
    (work / "other").mkdir()
    (work / "other" / "page.md").write_text("# Another page\n\nOf the second publisher.\n")
    proxy.fault = publish_first
    said = second.run("index", work / "other", "-o", ADDRESS, ok=False)
    check("another publisher has written here" in said, said)
    check("other publisher lights" in first.run("search", ADDRESS, "lantern"))
    is_whole({})

    print("storage that ignores conditions is detected")
    before = published()
    proxy.fault = lambda method, path: ("if-match", "if-none-match") if method == "PUT" else None
    said = second.run("index", work / "other", "-o", ADDRESS, ok=False)
    check("AWS_CONDITIONAL_PUT=disabled" in said, said)
    is_whole(before)
    check(not any("probe" in name for name in published()))

    print("rights that are missing, or lost on the way")
    proxy.fault = lambda method, path: 403 if method == "PUT" else None
    said = second.run("index", work / "other", "-o", ADDRESS, ok=False)
    check("do not permit" in said, said)
    is_whole(before)
    (work / "other" / "page.md").write_text("# Another page\n\nOf the second publisher, once more.\n")
    expires = lambda method, path: 401 if method == "PUT" and path.endswith("nearfind.json") else None
    proxy.fault = expires
    said = second.run("index", work / "other", "-o", ADDRESS, ok=False)
    check("renew them" in said, said)
    check(len(published()) > len(before), "new parts were there first")
    is_whole(before)
    proxy.fault = lambda method, path: 403
    said = second.run("search", ADDRESS, "lantern", "--cache", work / "empty", ok=False)
    check("do not permit" in said, said)
    proxy.fault = lambda method, path: None

    print("buckets that are not there")
    said = first.run("index", docs, "-o", "s3://nowhere/docs", ok=False)
    check("no such bucket" in said, said)
    said = first.run("search", f"s3://{BUCKET}/nothing", "lantern", ok=False)
    check("there is no index here" in said, said)
    said = first.run("index", docs, "-o", ADDRESS, ok=False, AWS_ENDPOINT_URL="http://127.0.0.1:9")
    check("cannot be reached" in said, said)
    said = first.run("index", docs, "-o", "ftp://host/docs", ok=False)
    check("bucket (s3, gs, az)" in said, said)
    check("folder or a bucket" in first.run("index", docs, "-o", "https://example.org/docs", ok=False))
    check("this command needs an index" in first.run("rollback", ADDRESS, ok=False))

    print("an object that was cut short is named, and comes whole with the next run")
    for part in [name for name in published() if name.startswith("pages-")]:
        storage.client.put_object(Bucket=BUCKET, Key=f"docs/{part}", Body=published()[part][:-7])
    said = second.run("search", ADDRESS, "lantern", "--cache", work / "empty", ok=False)
    check("publish the index again" in said, said)
    first.run("verify", ADDRESS, ok=False)
    first.run("index", docs, "-o", ADDRESS)
    first.run("verify", ADDRESS)

    print("bytes that were changed come right with --full")
    for part in [name for name in published() if name.startswith("pages-")]:
        storage.client.put_object(Bucket=BUCKET, Key=f"docs/{part}", Body=published()[part][:-7] + b"1234567")
    first.run("verify", ADDRESS, ok=False)
    first.run("index", docs, "-o", ADDRESS, "--full")
    first.run("verify", ADDRESS)

    print("shares by way of a bucket make the same bundle")
    shares = f"s3://{BUCKET}/shares"
    for number in (1, 2):
        made = json.loads(first.run("index", docs, "--share", f"{number}/2", "--into", shares))
        check(made["file"] in storage.objects("shares/"))
    count = len(storage.objects("shares/"))
    first.run("index", docs, "--share", "1/2", "--into", shares)
    check(len(storage.objects("shares/")) == count)
    fresh = Machine(work / "second", {**storage.environment()})
    fresh.run("index", docs, "-o", work / "of-shares", "--from", shares, "--quiet", NEARFIND_CACHE=str(work / "fresh"))
    first.run("index", docs, "-o", work / "alone", "--quiet")
    check(files_of(work / "of-shares") == files_of(work / "alone"))
    gone = next(iter(storage.objects("shares/")))
    storage.client.delete_object(Bucket=BUCKET, Key=f"shares/{gone}")
    said = fresh.run("index", docs, "-o", work / "of-shares", "--from", shares, "--full", ok=False, NEARFIND_CACHE=str(work / "fresh-2"))
    check(shares in said and "make the shares that are missing" in said, said)
    storage.stop()


with tempfile.TemporaryDirectory() as folder:
    main(pathlib.Path(folder))
