"""Search for documentation that understands what people mean: the program `nearfind`, from Python."""

from __future__ import annotations

import html
import os
import shutil
import subprocess
import sys
import sysconfig
from typing import Mapping

__all__ = ["NearfindError", "box", "index", "program"]

# Folder of the index in a site, and in it the script of the box.
FOLDER = "nearfind"
SCRIPT = "box/box.js"


class NearfindError(Exception):
    """What `nearfind` says when it cannot do what it was asked."""


def program() -> str:
    """Path of the program: what NEARFIND names, the one of this package, or that of PATH."""
    name = "nearfind.exe" if sys.platform == "win32" else "nearfind"
    # Of this environment, or of the user's own packages.
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
    for path in [os.environ.get("NEARFIND"), *(os.path.join(folder, name) for folder in folders)]:
        if path and os.path.isfile(path):
            return path
    found = shutil.which(name)
    if found is None:
        raise NearfindError("the program nearfind is not installed: `pip install nearfind`, or name it in the environment variable NEARFIND")
    return found


def index(site: str | os.PathLike[str], out: str | os.PathLike[str], *arguments: str) -> None:
    """Indexes the built site in the folder `site` into the folder `out`, with the search box beside it. `arguments` are more options
    of `nearfind index`. Raises NearfindError."""
    command = [program(), "index", os.fspath(site), "--out", os.fspath(out), "--quiet", *arguments]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
    if done.returncode != 0:
        raise NearfindError(done.stderr.strip().removeprefix("error: ") or f"{command[0]} ended with {done.returncode}")


def box(attributes: Mapping[str, object]) -> str:
    """The element of the search box, with these attributes."""
    written = "".join(f' {name}="{html.escape(str(value))}"' for name, value in attributes.items())
    return f"<nearfind-search{written}></nearfind-search>"
