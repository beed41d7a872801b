"""Builds a small site with MkDocs' own theme and the plugin, and checks what the front matter of its pages says about search."""

import html.parser
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from nearfind import program

CONFIG = """site_name: Ponds
plugins:
  - nearfind:
      arguments: [--quick]
      attributes: {ask: true, hotkeys: false}
"""
PAGES = {
    "index.md": "# Ponds\n\nAll about ponds and their otters.\n",
    "secret.md": "---\nsearch: false\n---\n# Draft\n\nNobody should find the otters here.\n",
    "old [1].md": "---\nsearch:\n  exclude: true\n---\n# Old\n\nNor the otters here.\n",
    "users/{id}.md": "---\nsearch: false\n---\n# User\n\nNor the otters of a user.\n",
    "weight.md": "---\nboost: 5\ntags: [water, 'how to']\n---\n# Otters\n\nOtters swim.\n",
}

with tempfile.TemporaryDirectory() as folder:
    docs = Path(folder) / "docs"
    docs.mkdir()
    (Path(folder) / "mkdocs.yml").write_text(CONFIG)
    for name, text in PAGES.items():
        (docs / name).parent.mkdir(exist_ok=True)
        (docs / name).write_text(text)
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet"], cwd=folder, check=True, env=environment)
    site = Path(folder) / "site"

    def found(*options):
        command = [program(), "search", site / "nearfind", "otters", "--mode", "words", "--json", *options]
        return sorted(hit["path"] for hit in json.loads(subprocess.check_output(command))["hits"])

    assert found() == ["index.html", "weight/index.html"], found()
    assert found("--filter", "tag=how to") == ["weight/index.html"], found("--filter", "tag=how to")
    page = (site / "weight/index.html").read_text()
    assert '<html data-nearfind-weight="5"' in page, page[:300]
    assert "<nearfind-search ask></nearfind-search>" in page

    class Ids(html.parser.HTMLParser):
        """Collects the ids of elements."""

        ids: set[str] = set()

        def handle_starttag(self, tag, attributes):
            self.ids.update(value for name, value in attributes if name == "id")

    # Without this dialog, the scripts of the theme stop before they listen to keys.
    Ids().feed(page)
    assert {"mkdocs_search_modal", "mkdocs-search-query", "mkdocs-search-results"} <= Ids.ids
print("pages of MkDocs say what is searched")
