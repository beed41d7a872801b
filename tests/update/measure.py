"""Measures updates of a real index by the real program. See run.sh."""

import json
import os
import pathlib
import shutil
import sys
import tempfile
import time


def run(nearfind, folder, *arguments):
    """Returns the outcome of an update, its seconds and its peak memory in MB."""
    read, write = os.pipe()
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        os.dup2(write, 1)
        os.close(read)
        os.chdir(folder)
        os.environ["NEARFIND_CACHE"] = str(folder / "cache")
        os.execv(nearfind, [nearfind, "update", "--json", "--quiet", *arguments])
    os.close(write)
    with os.fdopen(read) as output:
        text = output.read()
    _, status, usage = os.wait4(child, 0)
    seconds = time.monotonic() - started
    if status != 0:
        sys.exit(f"nearfind update ended with status {status}")
    return json.loads(text), seconds, usage.ru_maxrss / 1000


def embedded(outcome):
    return sum(project["embedded"] for project in outcome["written"]["projects"])


def write_config(folder, projects, query_encoder):
    lines = [f"query_encoder = {'true' if query_encoder else 'false'}"]
    for project in projects:
        lines += ["[[project]]", f'path = "{project}"', 'docs = ""', "reference = []"]
    (folder / "nearfind.toml").write_text("\n".join(lines) + "\n")


def main(nearfind, source):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="nearfind-update-"))
    projects = sorted(path.name for path in pathlib.Path(source).iterdir() if path.is_dir())
    for project in projects:
        shutil.copytree(pathlib.Path(source) / project, folder / project)
    write_config(folder, projects, True)

    first, seconds, memory = run(nearfind, folder)
    report = first["written"]
    documents = sum(project["documents"] for project in report["projects"])
    chunks = sum(project["chunks"] for project in report["projects"])
    print(f"{documents} documents, {chunks} chunks, {len(projects)} projects")
    print(f"full index: {seconds:.1f} s, {memory:.0f} MB at most")

    nothing, seconds, memory = run(nearfind, folder)
    assert nothing["written"] is None
    print(f"nothing changed: {seconds:.2f} s, {memory:.0f} MB")

    page = max(folder.glob("*/**/*.md"), key=lambda path: path.stat().st_size)
    for edition in range(3):
        page.write_text(page.read_text() + f"\nA sentence that was not there, number {edition}.\n")
        changed, seconds, memory = run(nearfind, folder)
        graph = changed["written"]["graph_seconds"]
        print(
            f"one page changed: {embedded(changed)} chunks embedded, {seconds:.1f} s, "
            f"{seconds - graph:.1f} s besides the graph ({graph:.1f} s), {memory:.0f} MB"
        )

    largest = max(projects, key=lambda name: sum(1 for _ in (folder / name).glob("**/*.md")))
    (folder / largest / "moved").mkdir()
    for path in list((folder / largest).iterdir()):
        if path.name != "moved":
            path.rename(folder / largest / "moved" / path.name)
    moved, seconds, _ = run(nearfind, folder)
    files = len(next(changes for changes in moved["changes"] if changes["project"] == largest)["moved"])
    print(f"{files} files moved: {embedded(moved)} chunks embedded, {seconds:.1f} s")

    # Without the query encoder, and with only vectors cached, the remaining work is reading, chunking, analyzing,
    # writing and the graph.
    write_config(folder, projects, False)
    for _ in range(3):
        shutil.rmtree(folder / "cache" / "pages")
        full, seconds, _ = run(nearfind, folder, "--full")
        report = full["written"]
        graph = report["graph_seconds"]
        parts = report["read_seconds"] + report["write_seconds"]
        parts += sum(project["chunk_seconds"] for project in report["projects"])
        print(
            f"full index without embedding: reading, chunking, analyzing and writing {parts:.1f} s; with the graph, "
            f"which is built beside that, {seconds:.1f} s ({graph:.1f} s)"
        )
    shutil.rmtree(folder)


main(*sys.argv[1:])
