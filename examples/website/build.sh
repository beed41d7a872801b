#!/usr/bin/env bash
# Builds the project's own site, of its documents and its command line, into target/website, or below the folder that WEBSITE names.
# `nearfind`, its npm package and target/english.json are made already (examples/run.sh).
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
PROFILE="${PROFILE:-release}"
source "$ROOT/examples/setup.sh"
source "$ROOT/examples/sites/python.sh"
HERE="$ROOT/examples/website"
SITE="${WEBSITE:-$ROOT/target/website}"
WORK="$ROOT/target/website-docs"
python_project "$TOOLS/mkdocs" "$ROOT/examples/sites/mkdocs/requirements.txt"

rm -rf "$WORK" "$SITE"
cp -R "$HERE" "$WORK"
PAGES="$WORK/docs"
mkdir -p "$PAGES/examples/search-page"
cp "$ROOT/examples/search-page/screenshot.png" "$PAGES/examples/search-page"

# A document of the repository as a page: links to others that are pages too lead there, other files have none here.
page() {
  sed -E \
    -e 's#\]\((\.\./)*(core/)?FORMAT\.md#](format.md#g' \
    -e 's#\]\((\.\./)*ARCHITECTURE\.md#](architecture.md#g' \
    -e 's#\]\((\.\./)*CHANGELOG\.md#](changelog.md#g' \
    -e 's#\]\((\.\./)*SECURITY\.md#](security.md#g' \
    -e 's#\]\((\.\./)*web/README\.md#](package.md#g' \
    -e 's#\]\((\.\./)*(native-indexer/)?ERRORS\.md#](errors.md#g' \
    -e 's#\]\((\.\./)*examples/sites(/README\.md)?\)#](generators.md)#g' \
    -e 's#(^|[^!])\[([^]]*)\]\((\.\./|[a-z][a-z_-]*/|\.ci/|[A-Z]+\.md)[^)]*\)#\1\2#g' \
    -e 's#\[([^]]*)\]\(([a-z]+|build\.sh)\)#\1#g' \
    "$1" >"$PAGES/$2"
}
page "$ROOT/README.md" overview.md
page "$ROOT/examples/sites/README.md" generators.md
page "$ROOT/web/README.md" package.md
page "$ROOT/native-indexer/python/README.md" python.md
page "$ROOT/native-indexer/ERRORS.md" errors.md
page "$ROOT/ARCHITECTURE.md" architecture.md
page "$ROOT/core/FORMAT.md" format.md
page "$ROOT/SECURITY.md" security.md
page "$ROOT/CHANGELOG.md" changelog.md

# The reference of the command line, as the program prints it.
commands_of() { "$NEARFIND" "$@" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' | grep -v '^help$' || true; }
{
  printf '# Command line\n\nWhat `nearfind --help` prints, and each command.\n'
  printf '\n```text\n%s\n```\n' "$("$NEARFIND" --help)"
  for command in $(commands_of); do
    printf '\n## nearfind %s\n\n```text\n%s\n```\n' "$command" "$("$NEARFIND" "$command" --help)"
    for part in $(commands_of "$command"); do
      printf '\n### nearfind %s %s\n\n```text\n%s\n```\n' "$command" "$part" "$("$NEARFIND" "$command" "$part" --help)"
    done
  done
} >"$PAGES/commands.md"

(cd "$WORK" && NO_MKDOCS_2_WARNING=1 env -u NEARFIND "$TOOLS/mkdocs/bin/mkdocs" build --quiet --site-dir "$SITE")

# A well-known book to try it on, whose results lead to where it is published.
find_docs
"$NEARFIND" index "${DOCS[0]}" -o "$SITE/rust-book" --base-url https://doc.rust-lang.org/book/ --ship-model --no-box --quiet
