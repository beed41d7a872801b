"""Plugin for MkDocs: indexes the built site, and inserts the search box at the place of the theme's own search."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.utils import get_relative_url

from . import FOLDER, SCRIPT, NearfindError, box, index

__all__ = ["NearfindConfig", "NearfindPlugin"]

log = get_plugin_logger(__name__)

# For each theme, the place of its own search: the pattern before which the box is inserted, and the HTML around the box.
PLACES = {
    "material": (re.compile(r'<div class="md-header__source">|</nav>(?=\s*(<nav class="md-tabs|</header>))'), '<div class="md-header__option" style="font-size: .7rem">{}</div>'),
    "mkdocs": (re.compile(r'(?<=<ul class="nav navbar-nav ms-md-auto">)|(?<=<ul class="nav navbar-nav ml-auto">)'), '<li class="nav-item" style="color: var(--bs-nav-link-color)">{}</li>'),
    "readthedocs": (re.compile(r'(?=<div class="wy-menu )'), '<div style="padding: 0 1em 1em">{}</div>'),
}


class NearfindConfig(Config):
    """The settings of the plugin: further options of `nearfind index`, attributes of the search box, and the HTML that the box goes in
    front of.

    >>> settings = NearfindConfig()
    >>> settings.load_dict({"arguments": ["--ship-model"]})
    >>> settings.validate()
    ([], [])
    >>> settings.arguments, settings.attributes, settings.before
    (['--ship-model'], {}, None)
    """

    arguments = config_options.ListOfItems(config_options.Type(str), default=[])
    attributes = config_options.Type(dict, default={})
    before = config_options.Optional(config_options.Type(str))


class NearfindPlugin(BasePlugin[NearfindConfig]):
    """`nearfind` in the list of plugins. MkDocs creates it from `mkdocs.yml`.

    >>> plugin = NearfindPlugin()
    >>> plugin.load_config({"attributes": {"limit": 5}})
    ([], [])
    >>> from mkdocs.theme import Theme
    >>> site = MkDocsConfig()
    >>> site.theme = Theme("mkdocs")
    >>> page = plugin.with_box('<head></head><ul class="nav navbar-nav ms-md-auto">', "nearfind", site)
    >>> '<nearfind-search limit="5"></nearfind-search>' in page
    True
    """

    def __init__(self) -> None:
        self.is_serving = False
        self.has_place = True

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Notes whether MkDocs serves the site while its author writes."""
        self.is_serving = command == "serve"

    @event_priority(-100)  # after other plugins have changed the page
    def on_post_page(self, output: str, *, page, config: MkDocsConfig) -> str:
        """Returns a page with the box."""
        return self.with_box(output, get_relative_url(FOLDER, page.url), config)

    def on_post_template(self, output_content: str, *, template_name: str, config: MkDocsConfig) -> str:
        """Returns the page 404.html with the box, and other templates as they are."""
        if template_name != "404.html":
            return output_content
        # The page is shown at any address, so the path must be absolute.
        site = urlsplit(config.site_url or "/").path
        return self.with_box(output_content, f"{site.rstrip('/')}/{FOLDER}", config)

    @event_priority(-100)  # after all files are written
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Indexes the built site. Raises PluginError with the message of `nearfind`."""
        # Repeated builds while an author writes must take only seconds.
        quick = ["--quick"] if self.is_serving else []
        say = lambda line: log.info(line.removeprefix("nearfind: "))  # MkDocs adds this prefix itself
        try:
            index(config.site_dir, os.path.join(config.site_dir, FOLDER), *quick, *self.config.arguments, say=say)
        except NearfindError as error:
            raise PluginError(f"nearfind: {error}") from error

    def with_box(self, page: str, folder: str, config: MkDocsConfig) -> str:
        """Returns the HTML `page` with the script and the box. `folder` is the address of the index, seen from the page."""
        script = f'<script type="module" src="{folder}/{SCRIPT}"></script>\n'
        page = page.replace("</head>", f"{script}</head>", 1)
        if "<nearfind-search" in re.split(r'<main\b|role="main"', page, maxsplit=1)[0]:
            return page  # a template already contains the box
        place, around = PLACES.get(config.theme.name or "", (None, "{}"))
        if self.config.before:
            place, around = re.compile(re.escape(self.config.before)), "{}"
        found = place and place.search(page)
        if found:
            return page[: found.start()] + around.format(box(self.config.attributes)) + page[found.start() :]
        if self.has_place:
            log.warning("nearfind does not know where to put the box in this theme: write <nearfind-search></nearfind-search> in a template, or set `before` to the HTML that the box goes in front of")
            self.has_place = False
        return page
