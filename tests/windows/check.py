"""Runs a nearfind.exe as people do on Windows, and fails if an answer is wrong.

    python check.py PROGRAM HOLD FOLDER --models MODELS [--wine] [--reference NEARFIND]

PROGRAM is nearfind.exe, HOLD is hold.exe, FOLDER a new folder on a drive of Windows, and MODELS has the default model. With --wine, this script runs on
Linux and starts both in Wine. --reference names a nearfind of this machine whose bundles must have the same bytes."""

import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time
import traceback
import urllib.request

arguments = argparse.ArgumentParser()
arguments.add_argument("program", type=pathlib.Path)
arguments.add_argument("hold", type=pathlib.Path)
arguments.add_argument("folder", type=pathlib.Path)
arguments.add_argument("--wine", action="store_true")
arguments.add_argument("--reference")
arguments.add_argument("--models", type=pathlib.Path, required=True)
GIVEN = arguments.parse_args()
GIVEN.program, GIVEN.hold = GIVEN.program.absolute(), GIVEN.hold.absolute()
START = ["wine"] if GIVEN.wine else []
# Programs start slowly in Wine, the more so on a busy machine.
PATIENCE = 240
DOCS = {
    "guide/channels.md": "# Channels\n\nThreads send messages to each other through channels.\n",
    "guide/locks.md": "# Locks\r\n\r\nA mutex keeps other threads out.\r\n\r\n```\r\nlet a = 1;\r\n```\r\n",
    "guide/größe ü.md": "# Größe\n\nHow large a file is, in bytes: 日本語.\n",
    "api/index.html": "<!doctype html><title>API</title><main><h1>Reference</h1><p>Calls every item of the list.</p></main>",
    "src/queue.rs": "/// Adds an item.\npub fn push(item: u8) -> u8 {\n    item + 1\n}\n",
    "src/windows.py": "def drain(queue):\r\n    \"\"\"Empties the queue.\"\"\"\r\n    return queue.clear()\r\n",
    "README.md": "# Queue\n\nHow to begin, and where [channels](guide/channels.md) are.\n",
}


def windows(path):
    """The name of a path for programs of Windows."""
    path = pathlib.Path(path).absolute()
    if not GIVEN.wine:
        return str(path)
    parts = list(path.parts)
    if "drive_c" in parts:
        return "C:\\" + "\\".join(parts[parts.index("drive_c") + 1 :])
    return "Z:" + str(path).replace("/", "\\")


HOME = GIVEN.folder.absolute()
ENVIRONMENT = dict(os.environ, LC_ALL="C.UTF-8", NEARFIND_CACHE=windows(HOME / "cache"), NEARFIND_MODELS=windows(GIVEN.models))


def command(*words):
    return START + [str(GIVEN.program), *map(str, words)]


def run(*words, fails=False, **more):
    """Runs the program, and returns its output and its errors."""
    more = {"cwd": HOME, "env": ENVIRONMENT, "timeout": PATIENCE, **more}
    done = subprocess.run(command(*words), capture_output=True, stdin=subprocess.DEVNULL, **more)
    said, errors = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
    assert "panicked" not in errors, errors
    assert (done.returncode != 0) == fails, f"{words}: {done.returncode}\n{said}\n{errors}"
    return said.replace("\r\n", "\n"), errors.replace("\r\n", "\n")


def out(*words, **more):
    return run(*words, **more)[0]


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def bundle(folder):
    """The files of a bundle, by their names."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir() if path.suffix.startswith((".nf", ".json"))}


def site(name, **more):
    folder = HOME / name
    for path, text in {**DOCS, **more}.items():
        write(folder / "docs", path, text)
    return folder


def index(source, to, *more, **how):
    return run("index", source, "-o", to, "--code", "--no-box", "--quick", *more, **how)


def timeless(text):
    return re.sub(r'"took_ms": ?[0-9.]+', "", text)


def same_bytes():
    """However a folder is named, the bundle is that of Linux."""
    folder = site("same")
    docs = windows(folder / "docs")
    ways = {
        "backslashes": docs,
        "slashes": docs.replace("\\", "/"),
        "relative": "same\\docs",
        "dots": "same\\.\\docs\\guide\\..",
        "verbatim": "\\\\?\\" + docs,
        "case": docs[0].lower() + docs[1:],
    }
    bundles = {}
    for way, source in ways.items():
        index(f"queue={source}", f"same\\{way}", "--no-cache")
        assert out("verify", f"same\\{way}").startswith("sound"), way
        bundles[way] = bundle(folder / way)
    assert all(files == bundles["backslashes"] for files in bundles.values()), bundles
    if GIVEN.reference:
        native = dict(os.environ, NEARFIND_CACHE=str(HOME / "native-cache"), NEARFIND_MODELS=str(GIVEN.models.absolute()))
        subprocess.run(
            [GIVEN.reference, "index", f"queue={folder / 'docs'}", "-o", str(folder / "native"), "--code", "--no-box", "--quick", "--no-cache", "-q"],
            check=True, env=native, cwd=HOME,
        )
        assert bundle(folder / "native") == bundles["backslashes"], (bundle(folder / "native"), bundles["backslashes"])
        # Answers as well.
        for words in [["search", "mutex threads", "--json"], ["grep", "mutex"], ["export"], ["symbol", "push"], ["outline", "src"]]:
            text = subprocess.run([GIVEN.reference, words[0], str(folder / "native"), *words[1:]], capture_output=True, check=True, env=native).stdout
            assert timeless(out(words[0], "same\\backslashes", *words[1:])) == timeless(text.decode()), words


def commands():
    """Each command, over one bundle."""
    folder = site("commands")
    assert "7" in index(f"queue={windows(folder / 'docs')}", "commands\\search")[0]
    place = "commands\\search"
    assert "guide/locks.md" in out("search", place, "mutex")
    assert "größe%20ü.md" in out("search", place, "Größe")
    assert "guide/locks.md" in out("grep", place, "mutex")
    assert "src/queue.rs" in out("symbol", place, "push")
    assert "push" in out("outline", place, "src\\queue.rs")
    assert "A mutex" in out("show", place, "guide\\locks.md")
    assert "A mutex" in out("show", place, windows(folder / "docs" / "guide" / "locks.md"))
    address = "file:///" + windows(folder / "docs" / "guide" / "locks.md").replace("\\", "/")
    assert "A mutex" in out("show", place, address)
    assert "A mutex" in out("show", place, "GUIDE/LOCKS.MD")
    assert "no folder that is indexed" in run("show", place, "C:\\elsewhere\\a.md", fails=True)[1]
    assert "日本語" in out("show", place, "guide/größe ü.md")
    assert "queue" in out("inspect", place)
    assert "mutex" in out("export", place) and "locks" in out("export", place, "--format", "llms")
    run("report", place, "--site", "commands\\docs", "--html", "commands\\report.html")
    assert (folder / "report.html").stat().st_size > 1000
    assert "mutex" in out("research", place, "mutex")
    assert "nearfind" in out("completions", "powershell") and ".TH" in out("man")
    assert "no bundle here" in run("search", "commands\\nowhere", "a", fails=True)[1]
    # Text goes to files as UTF-8, whatever the code page of the console.
    if GIVEN.wine or os.name == "nt":
        shell = ["wine", "cmd"] if GIVEN.wine else ["cmd"]
        line = f"chcp 437 >nul & {windows(GIVEN.program)} show commands\\search README.md > commands\\shown.txt"
        subprocess.run([*shell, "/c", line], cwd=HOME, env=ENVIRONMENT, check=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
        assert "How to begin" in (folder / "shown.txt").read_text("utf-8")


def configuration():
    """A nearfind.toml with a path of Windows, updates, and what went before."""
    folder = site("configured")
    (folder / "nearfind.toml").write_text("[[project]]\nname = 'queue'\npath = 'docs\\guide'\n")
    assert "3" in out("update", "--quick", cwd=folder)
    assert "nothing has changed" in out("update", "--quick", cwd=folder)
    write(folder / "docs", "guide/new.md", "# Semaphores\n\nThey count.\n")
    (folder / "docs" / "guide" / "channels.md").unlink()
    out("update", "--quick", cwd=folder)
    assert "new.md" in out("search", "search", "semaphores", cwd=folder)
    assert out("verify", "search", cwd=folder).startswith("sound")
    out("rollback", cwd=folder)
    assert "channels.md" in out("export", "search", cwd=folder)
    for words in [("config",), ("projects",), ("stats",), ("prune",)]:
        run(*words, cwd=folder)
    for path in ["..\\outside", "C:\\Windows", "C:outside", "\\outside", "\\\\server\\share"]:
        (folder / "nearfind.toml").write_text(f"[[project]]\nname = 'queue'\npath = '{path}'\n")
        errors = run("update", "--quick", cwd=folder, fails=True)[1]
        assert "--allow-outside" in errors, (path, errors)


def long_paths():
    """Paths of more than 260 characters, of sources and of bundles."""
    folder = HOME / "long"
    deep = "/".join(["a-folder-with-a-rather-long-name"] * 9)
    verbatim = pathlib.Path("\\\\?\\" + str(folder)) if os.name == "nt" else folder
    write(verbatim, f"docs/{deep}/locks.md".replace("/", os.sep), "# Locks\n\nA mutex keeps other threads out.\n")
    write(verbatim, "docs/a.md", "# A\n\nText.\n")
    for _ in range(2):
        index("queue=long\\docs", "long\\" + deep.replace("/", "\\") + "\\search")
        write(verbatim, "docs/a.md", "# A\n\nOther text.\n")
    place = "long\\" + deep.replace("/", "\\") + "\\search"
    assert f"{deep}/locks.md" in out("search", place, "mutex")
    assert out("verify", place).startswith("sound")


def reserved_names():
    """Files that Windows can only open by the form of its own, as Git on other systems makes them."""
    folder = HOME / "reserved"
    names = ["aux.md", "con.md", "nul.md", "com1.md", "ends with a dot.md.", "prn/page.md"]
    place = pathlib.Path("\\\\?\\" + str(folder)) if os.name == "nt" else folder
    for name in names:
        write(place / "docs", name.replace("/", os.sep), f"# Page\n\nThe mutex of {name}.\n")
    write(place / "docs", "plain.md", "# Page\n\nA mutex.\n")
    said = index("queue=reserved\\docs", "reserved\\search")
    found = out("search", "reserved\\search", "mutex", "-n", "20")
    for name in ["aux.md", "con.md", "nul.md", "com1.md", "prn/page.md", "plain.md"]:
        # Whatever cannot be opened is named, and the run goes on.
        assert name in found or name in said[1], (name, found, said)


class Held:
    """A file that another program holds open."""

    def __init__(self, path, *how):
        self.process = subprocess.Popen(
            START + [str(GIVEN.hold), windows(path), *how], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT
        )
        assert self.process.stdout.readline().strip() == b"held"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


def held_files():
    """Files that other programs hold open: sources, the manifest, and parts."""
    folder = site("held")
    source, to = "queue=held\\docs", "held\\search"
    index(source, to)
    before = bundle(folder / "search")
    with Held(folder / "docs" / "guide" / "locks.md"):
        said = index(source, "held\\other")
        assert "locks.md" in said[1], said
        assert "channels.md" in out("export", "held\\other")
    write(folder / "docs", "guide/new.md", "# Semaphores\n\nThey count.\n")
    # A reader that stays: nothing is lost, and the message says which file it is.
    with Held(folder / "search" / "nearfind.json", "read"):
        errors = index(source, to, fails=True)[1]
        assert "nearfind.json" in errors and "stays as it is" in errors, errors
        assert bundle(folder / "search") == before
        assert "locks.md" in out("search", to, "mutex")
    # A reader for a moment, as virus scanners are.
    held = Held(folder / "search" / "nearfind.json", "read")
    watcher = threading.Thread(target=lambda: (wait_for_temporary(folder / "search"), held.__exit__()))
    watcher.start()
    index(source, to)
    watcher.join()
    assert "new.md" in out("search", to, "semaphores")
    # A server that is sending a part of an old bundle.
    part = next(path for path in (folder / "search").iterdir() if path.name not in before and path.suffix == ".nf")
    with Held(part, "read"):
        for text in ["one", "two", "three", "four", "five"]:
            write(folder / "docs", "guide/new.md", f"# Semaphores\n\nThey count {text}.\n")
            index(source, to)
        assert part.exists() and out("verify", to).startswith("sound")
    write(folder / "docs", "guide/new.md", "# Semaphores\n\nThey count six.\n")
    index(source, to)
    assert not part.exists(), "what nobody holds any more goes with the next build"


def wait_for_temporary(folder):
    """Waits until the run is about to replace the manifest."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and not any(".nearfind-tmp" in path.name for path in folder.iterdir()):
        time.sleep(0.005)


def closed_pipes():
    """A reader that stops, as `more` does, is no error."""
    folder = site("closed")
    index(f"queue={windows(folder / 'docs')}", "closed\\search")
    for words in [["export"], ["search", "mutex"], ["show", "README.md"], ["inspect"], ["search", "mutex", "--json"]]:
        process = subprocess.Popen(
            command(words[0], "closed\\search", *words[1:]), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, cwd=HOME
        )
        process.stdout.close()
        errors = process.stderr.read().decode()
        process.wait(PATIENCE)
        assert all(line.startswith("warning: meaning") for line in errors.splitlines()), (words, errors)


class Agent:
    """A client of the server, over standard input and output."""

    def __init__(self, *words, cwd):
        self.number = 0
        self.process = subprocess.Popen(
            command("mcp", *words), cwd=cwd, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.hello = self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "check", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        # Clients on Windows may end lines as Windows does.
        self.process.stdin.write(json.dumps(message).encode() + b"\r\n")
        self.process.stdin.flush()

    def ask(self, method, parameters):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters})
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.number:
                return answer["result"]

    def call(self, tool, **given):
        result = self.ask("tools/call", {"name": tool, "arguments": given})
        return result["content"][0]["text"]

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(PATIENCE) == 0


def agents():
    """The server over standard input and output and over HTTP, with a configuration and with none."""
    folder = site("agents")
    index(f"queue={windows(folder / 'docs')}", "agents\\search")
    agent = Agent("--bundle", "search", cwd=folder)
    assert "guide/locks.md" in agent.call("search", query="mutex")
    for path in ["guide/locks.md", "guide\\locks.md", windows(folder / "docs" / "guide" / "locks.md")]:
        assert "A mutex" in agent.call("get_document", path=path), path
    below = agent.call("grep", pattern="mutex", path=windows(folder / "docs" / "guide"))
    assert "locks.md" in below, below
    assert "\\\\?\\" not in json.dumps(agent.hello)
    agent.end()

    address = subprocess.Popen(command("mcp", "--bundle", "search", "--http", "127.0.0.1:0", "--stateless"), cwd=folder, env=ENVIRONMENT, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    url = address.stderr.readline().decode().split()[-1]
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "arguments": {"query": "mutex"}}}
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json", "accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as response:
        assert "guide/locks.md" in response.read().decode()
    address.terminate()
    address.wait()


def repositories():
    """The server in a repository without a configuration makes an index, and follows changes."""
    folder = site("repository")
    repository = folder / "docs"
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    agent = Agent("--folder", windows(repository), cwd=HOME)
    wait_until(lambda: "locks.md" in agent.call("search", query="mutex"))
    projects = agent.call("list_projects")
    assert "\\\\?\\" not in projects and windows(repository) in projects, projects
    write(repository, "guide/new.md", "# Semaphores\n\nThey count permits.\n")
    wait_until(lambda: "new.md" in agent.call("search", query="semaphores permits"))
    assert "A mutex" in agent.call("get_document", path=windows(repository / "guide" / "locks.md"))
    agent.end()
    for refused in ["C:\\", "C:\\windows\\system32", "C:\\Program Files"]:
        errors = run("mcp", "--folder", refused, fails=True)[1]
        assert "not a project" in errors, (refused, errors)


def wait_until(is_so):
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.5)


def watching():
    """Files that change are indexed again, and the watcher ends."""
    folder = site("watched")
    process = subprocess.Popen(
        command("index", "queue=watched\\docs", "-o", "watched\\search", "--no-box", "--quick", "--watch"), cwd=HOME, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    manifest = folder / "search" / "nearfind.json"
    wait_until(manifest.exists)
    time.sleep(2)
    before = manifest.read_bytes()
    write(folder / "docs", "guide/new.md", "# Semaphores\n\nThey count permits.\n")
    wait_until(lambda: manifest.read_bytes() != before)
    assert "new.md" in out("search", "watched\\search", "semaphores")
    process.terminate()
    process.wait()


def agents_of_the_machine():
    """The configuration of agents, where they keep it on Windows."""
    folder = HOME / "machine"
    for name in ["Roaming/Claude", "Roaming/Code/User", "Roaming/Zed"]:
        (folder / "AppData" / name).mkdir(parents=True)
    for name in [".cursor", ".codex"]:
        (folder / name).mkdir(parents=True)
    # Wine gives programs the folders of its own user, unless another program of Windows names them.
    script = folder / "run.bat"
    names = {"USERPROFILE": folder, "APPDATA": folder / "AppData" / "Roaming", "LOCALAPPDATA": folder / "AppData" / "Local"}
    settings = "".join(f"set {name}={windows(path)}\r\n" for name, path in names.items())

    def as_user(*words):
        script.write_text(f"@echo off\r\n{settings}set NEARFIND_CACHE=\r\n{windows(GIVEN.program)} {' '.join(words)}\r\n")
        shell = ["wine", "cmd"] if GIVEN.wine else ["cmd"]
        done = subprocess.run([*shell, "/c", windows(script)], cwd=HOME, env=ENVIRONMENT, capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, (words, done)

    as_user("setup", "--yes")
    cursor = json.loads((folder / ".cursor" / "mcp.json").read_text())
    program = cursor["mcpServers"]["nearfind"]["command"]
    assert program.endswith("nearfind.exe") and program[1] == ":", program
    assert "nearfind.exe" in (folder / "AppData" / "Roaming" / "Code" / "User" / "mcp.json").read_text()
    assert "nearfind.exe" in (folder / ".codex" / "config.toml").read_text()
    as_user("setup", "--yes", "--remove")
    assert "nearfind" not in json.loads((folder / ".cursor" / "mcp.json").read_text()).get("mcpServers", {})
    # The user's caches are where Windows keeps those.
    write(folder, "docs/a.md", "# A\n\nText.\n")
    as_user("index", "machine\\docs", "-o", "machine\\search", "--no-box", "--quick")
    assert (folder / "AppData" / "Local" / "nearfind" / "builds").is_dir(), list((folder / "AppData").rglob("*"))


def main():
    if HOME.exists():
        shutil.rmtree(HOME)
    HOME.mkdir(parents=True)
    checks = [same_bytes, commands, configuration, long_paths, reserved_names, held_files, closed_pipes, agents, repositories, watching, agents_of_the_machine]
    wanted = os.environ.get("CHECKS", "").split()
    failed = []
    for check in checks:
        if wanted and check.__name__ not in wanted:
            continue
        began = time.monotonic()
        try:
            check()
            print(f"passed {check.__name__}, {time.monotonic() - began:.0f} s", flush=True)
        except Exception as error:
            failed.append(check.__name__)
            line = traceback.extract_tb(error.__traceback__)[1]
            print(f"FAILED {check.__name__}: line {line.lineno}, {line.line}: {type(error).__name__}: {error}", flush=True)
    sys.exit(f"failed: {' '.join(failed)}" if failed else 0)


main()
