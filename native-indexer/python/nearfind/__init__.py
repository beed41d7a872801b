"""Runs the program `nearfind`, a search for documentation that understands meaning, from Python.

>>> import nearfind
>>> nearfind.box({"bundle": "/nearfind/"})
'<nearfind-search bundle="/nearfind/"></nearfind-search>'
"""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from typing import Callable, Mapping

__all__ = ["NearfindError", "box", "index", "program"]

# Folder of the index in a site, and path of the search box's script in this folder.
FOLDER = "nearfind"
SCRIPT = "box/box.js"


class NearfindError(Exception):
    """The error message of `nearfind`.

    >>> try:
    ...     index("no-such-folder", "out")
    ... except NearfindError as error:
    ...     print("no-such-folder" in str(error))
    True
    """


def program() -> str:
    """Returns the path of the program: from the variable NEARFIND, from this package, or from PATH. Raises NearfindError if there is
    none.

    >>> subprocess.check_output([program(), "--version"], text=True).split()[0]
    'nearfind'
    """
    name = "nearfind.exe" if sys.platform == "win32" else "nearfind"
    # Scripts of this environment, and of packages that are installed for the user.
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
    for path in [os.environ.get("NEARFIND"), *(os.path.join(folder, name) for folder in folders)]:
        if path and os.path.isfile(path):
            return path
    found = shutil.which(name)
    if found is None:
        raise NearfindError("the program nearfind is not installed: `pip install nearfind`, or name it in the environment variable NEARFIND")
    return found


def index(
    site: str | os.PathLike[str], out: str | os.PathLike[str], *arguments: str, say: Callable[[str], object] | None = None
) -> None:
    """Indexes the built site in the folder `site`, and writes the index and the search box to the folder `out`. `arguments` are further
    options of `nearfind index`. `say` is called with each line of progress and of the summary. Raises NearfindError.

    >>> with tempfile.TemporaryDirectory() as site:
    ...     with open(os.path.join(site, "undo.html"), "w", encoding="utf-8") as page:
    ...         _ = page.write("<!doctype html><title>Undo</title><main>Run git revert to undo a commit.</main>")
    ...     index(site, os.path.join(site, "nearfind"), "--quick")
    ...     os.path.isfile(os.path.join(site, "nearfind", "nearfind.json"))
    True
    """
    quiet = [] if say else ["--quiet"]
    command = [program(), "index", os.fspath(site), "--out", os.fspath(out), *quiet, *arguments]
    tell = say or (lambda line: None)
    tell(f"nearfind: indexing {os.fspath(site)}; the first time takes longest")
    errors: list[str] = []
    # The summary is short, and is read after the last line of progress.
    with tempfile.TemporaryFile() as summary:
        with subprocess.Popen(command, stdout=summary, stderr=subprocess.PIPE, encoding="utf-8", errors="replace") as running:
            assert running.stderr is not None
            for line in map(str.rstrip, running.stderr):
                if errors or not say or line.startswith("error: "):
                    errors.append(line)
                else:
                    tell(f"nearfind: {line}")
        if running.returncode != 0:
            raise NearfindError("\n".join(errors).strip().removeprefix("error: ") or f"{command[0]} ended with {running.returncode}")
        summary.seek(0)
        for line in summary.read().decode("utf-8", "replace").splitlines():
            if re.match(r"\d+ documents,|nothing has changed", line):
                tell(f"nearfind: {line}")


def box(attributes: Mapping[str, object]) -> str:
    """Returns the HTML element of the search box, with these attributes. A value of True or None adds
    the attribute without a value, and False leaves the attribute out.

    >>> box({"placeholder": 'Search "the docs"', "limit": 5})
    '<nearfind-search placeholder="Search &quot;the docs&quot;" limit="5"></nearfind-search>'
    >>> box({"ask": True, "hotkeys": False})
    '<nearfind-search ask></nearfind-search>'
    """
    values = {name: "" if value is True or value is None else f'="{html.escape(str(value))}"' for name, value in attributes.items() if value is not False}
    written = "".join(f" {name}{value}" for name, value in values.items())
    return f"<nearfind-search{written}></nearfind-search>"
