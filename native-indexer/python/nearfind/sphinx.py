"""Extension for Sphinx: indexes the built site, and inserts the search box instead of the theme's search field."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError
from sphinx.util import logging

from . import FOLDER, SCRIPT, NearfindError, box, index

__all__ = ["setup"]

logger = logging.getLogger(__name__)

BUILDERS = ("html", "dirhtml", "singlehtml")


def add_templates(app: Sphinx, config: Config) -> None:
    """Adds the templates of this package, which override those of themes, but not those of the project."""
    config.templates_path = [*config.templates_path, str(Path(__file__).parent / "templates")]
    # Disables the search dialog and the keyboard shortcut of PyData's theme.
    ours = {"nearfind_box": box(config.nearfind_attributes), "theme_disable_search": True}
    config.html_context = {**ours, **config.html_context}


def add_script(app: Sphinx) -> None:
    """Adds the script of the box to pages of HTML."""
    if app.builder.name in BUILDERS:
        # Sphinx resolves paths of scripts relative to the folder of static files, which also contains the index.
        app.add_js_file(f"{FOLDER}/{SCRIPT}", type="module")


def index_site(app: Sphinx, exception: Exception | None) -> None:
    """Indexes the built site. Raises ExtensionError with the message of `nearfind`."""
    if exception is not None or app.builder.name not in BUILDERS:
        return
    try:
        index(app.outdir, Path(app.outdir) / "_static" / FOLDER, *app.config.nearfind_arguments, say=logger.info)
    except NearfindError as error:
        raise ExtensionError(f"nearfind: {error}") from error


def setup(app: Sphinx) -> dict[str, object]:
    """Registers the extension with Sphinx, which calls it for `extensions = ["nearfind.sphinx"]` in `conf.py`.

    >>> import tempfile
    >>> from sphinx.application import Sphinx
    >>> settings = {"extensions": ["nearfind.sphinx"], "nearfind_attributes": {"limit": 5}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     app = Sphinx(folder, None, f"{folder}/out", f"{folder}/doctrees", "html", confoverrides=settings, status=None)
    >>> app.config.nearfind_arguments
    []
    >>> app.config.html_context["nearfind_box"]
    '<nearfind-search limit="5"></nearfind-search>'
    """
    app.add_config_value("nearfind_arguments", [], "", [list])
    app.add_config_value("nearfind_attributes", {}, "html", [dict])
    app.connect("config-inited", add_templates)
    app.connect("builder-inited", add_script)
    # After other extensions, which may still write pages.
    app.connect("build-finished", index_site, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
