"""The extension of Sphinx: indexes the site once it is built, and puts the search box where themes have their search field."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError
from sphinx.util import logging

from . import FOLDER, SCRIPT, NearfindError, box, index

logger = logging.getLogger(__name__)

BUILDERS = ("html", "dirhtml", "singlehtml")


def add_templates(app: Sphinx, config: Config) -> None:
    """Ours come before those of themes, and after those of the project."""
    config.templates_path = [*config.templates_path, str(Path(__file__).parent / "templates")]
    # PyData's theme has a dialog and a shortcut of its own, unless its option says otherwise.
    ours = {"nearfind_box": box(config.nearfind_attributes), "theme_disable_search": True}
    config.html_context = {**ours, **config.html_context}


def add_script(app: Sphinx) -> None:
    if app.builder.name in BUILDERS:
        # Addresses of scripts are below the folder of static files, and so is the index.
        app.add_js_file(f"{FOLDER}/{SCRIPT}", type="module")


def index_site(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.name not in BUILDERS:
        return
    try:
        index(app.outdir, Path(app.outdir) / "_static" / FOLDER, *app.config.nearfind_arguments, say=logger.info)
    except NearfindError as error:
        raise ExtensionError(f"nearfind: {error}") from error


def setup(app: Sphinx) -> dict[str, object]:
    """What Sphinx calls."""
    app.add_config_value("nearfind_arguments", [], "", [list])
    app.add_config_value("nearfind_attributes", {}, "html", [dict])
    app.connect("config-inited", add_templates)
    app.connect("builder-inited", add_script)
    # After other extensions, which may still write pages.
    app.connect("build-finished", index_site, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
