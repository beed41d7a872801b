"""Plugin for MkDocs: indexes the built site, and inserts the search box at the place of the theme's own search."""

from __future__ import annotations

import html
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

# The scripts of MkDocs' own theme need the dialog of its own search, even if that search is off. Its key opens the box.
DIALOG = """<div id="mkdocs_search_modal" hidden><input id="mkdocs-search-query"><div id="mkdocs-search-results"></div></div>
<script>document.getElementById("mkdocs_search_modal").addEventListener("show.bs.modal", (event) => { event.preventDefault(); document.querySelector("nearfind-search")?.show(); });</script>
"""


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
        self.hidden: list[str] = []

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Notes whether MkDocs serves the site while its author writes."""
        self.is_serving = command == "serve"

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        """Forgets the pages of the build before, because `mkdocs serve` builds many times."""
        self.hidden = []

    @event_priority(-100)  # after other plugins have changed the page
    def on_post_page(self, output: str, *, page, config: MkDocsConfig) -> str:
        """Returns a page with the box, and with what its front matter says about search."""
        if is_hidden(page.meta):
            self.hidden.append(page.file.dest_uri)
        output = with_front_matter(output, page.meta)
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
        options = [f"--exclude={pattern_of(page)}" for page in self.hidden]
        arguments = self.config.arguments
        if self.is_serving:
            # Repeated builds while an author writes must take only seconds. Only the default model can do without reading.
            # A shipped model would conflict with that, and is not needed on the author's machine.
            arguments = [argument for argument in arguments if argument not in ("--ship-model", "--no-query-encoder", "--quick")]
            has_model = any(argument.split("=")[0] == "--model" for argument in arguments)
            options.append("--no-query-encoder" if has_model else "--quick")
        say = lambda line: log.info(line.removeprefix("nearfind: "))  # MkDocs adds this prefix itself
        try:
            index(config.site_dir, os.path.join(config.site_dir, FOLDER), *options, *arguments, say=say)
        except (NearfindError, OSError) as error:
            raise PluginError(f"nearfind: {error}") from error

    def with_box(self, page: str, folder: str, config: MkDocsConfig) -> str:
        """Returns the HTML `page` with the script and the box. `folder` is the address of the index, seen from the page."""
        script = f'<script type="module" src="{folder}/{SCRIPT}"></script>\n'
        page = page.replace("</head>", f"{script}</head>", 1)
        if config.theme.name == "mkdocs" and "mkdocs_search_modal" not in page:
            page = page.replace("</body>", f"{DIALOG}</body>", 1)
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


def pattern_of(path: str) -> str:
    """Returns the pattern of `nearfind` that matches only this path.

    >>> pattern_of("users/{id} [1].html")
    'users/[{]id[}] [[]1].html'
    """
    return re.sub(r"[*?\[{}]", lambda sign: f"[{sign.group()}]", path)


def is_hidden(meta: dict) -> bool:
    """Returns whether the front matter of a page leaves it out of search.

    >>> is_hidden({"search": False}), is_hidden({"search": {"exclude": True}}), is_hidden({"search": {"boost": 2}})
    (True, True, False)
    """
    search = meta.get("search")
    return search is False or (isinstance(search, dict) and search.get("exclude") is True)


def with_front_matter(page: str, meta: dict) -> str:
    """Returns the HTML `page` with the weight and the tags of its front matter as attributes, which `nearfind` reads.

    >>> with_front_matter("<html lang=en><head></head>", {"boost": 2, "tags": ["network"]})
    '<html data-nearfind-weight="2" lang=en><head><meta data-nearfind-filter="tag:network"></head>'
    """
    search = meta.get("search")
    boost = meta.get("boost", search.get("boost") if isinstance(search, dict) else None)
    if isinstance(boost, (int, float)) and not isinstance(boost, bool):
        page = re.sub(r"<html\b", f'<html data-nearfind-weight="{boost}"', page, count=1)
    tags = meta.get("tags")
    filters = [f'<meta data-nearfind-filter="tag:{html.escape(str(tag))}">' for tag in (tags if isinstance(tags, list) else [])]
    return page.replace("</head>", f"{''.join(filters)}</head>", 1) if filters else page
