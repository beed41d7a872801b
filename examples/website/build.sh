#!/usr/bin/env bash
# Builds the project's website from its documents, its command line and its package, into target/website, or below the
# folder that WEBSITE names. `nearfind`, its npm package and target/nearfind-data must already be made
# (examples/run.sh).
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
mkdir -p "$WORK"
cp -R "$HERE/docs" "$HERE/mkdocs.yml" "$HERE/row_headers.py" "$WORK"
PAGES="$WORK/docs"
mkdir -p "$PAGES/examples/search-page"
cp "$ROOT"/examples/search-page/*.png "$PAGES/examples/search-page"

# Converts a document of the repository to a page. Links to documents that are also pages lead to these pages, and links
# to other files are removed.
page() {
  sed -E \
    -e '/^ *<\/?(picture|source)/d' \
    -e 's#^ *<img alt="([^"]*)" src="([^"]*)">#![\1](\2)#' \
    -e 's#\]\((\.\./)*(core/)?FORMAT\.md#](format.md#g' \
    -e 's#\]\((\.\./)*ARCHITECTURE\.md#](architecture.md#g' \
    -e 's#\]\((\.\./)*CHANGELOG\.md#](changelog.md#g' \
    -e 's#\]\((\.\./)*CONTRIBUTING\.md#](contributing.md#g' \
    -e 's#\]\((\.\./)*RELEASE\.md#](releasing.md#g' \
    -e 's#\]\((\.\./)*(examples/)?website/docs/([a-z_]+\.md)#](\3#g' \
    -e 's#\]\((\.\./)*SECURITY\.md#](security.md#g' \
    -e 's#\]\((\.\./)*examples/search-page/#](examples/search-page/#g' \
    -e 's#\]\((\.\./)*web/README\.md#](package.md#g' \
    -e 's#\]\((\.\./)*(native-indexer/)?ERRORS\.md#](errors.md#g' \
    -e 's%\]\((\.\./)*(examples/)?sites(/README\.md)?(#[a-z-]+)?\)%](generators.md\4)%g' \
    -e 's#(^|[^!])\[([^]]*)\]\((\.\./|[a-z][a-z_-]*/|\.(ci|github)/|[A-Z]+\.md)[^)]*\)#\1\2#g' \
    -e 's#\[([^]]*)\]\(([a-z]+|build\.sh)\)#\1#g' \
    "$1" >"$PAGES/$2"
}
for guide in "$HERE"/docs/*.md; do page "$guide" "$(basename "$guide")"; done
page "$ROOT/README.md" overview.md
page "$ROOT/examples/sites/README.md" generators.md
page "$ROOT/web/README.md" package.md
page "$ROOT/native-indexer/python/README.md" python.md
page "$ROOT/native-indexer/ERRORS.md" errors.md
page "$ROOT/ARCHITECTURE.md" architecture.md
page "$ROOT/core/FORMAT.md" format.md
page "$ROOT/SECURITY.md" security.md
page "$ROOT/CHANGELOG.md" changelog.md
page "$ROOT/CONTRIBUTING.md" contributing.md
page "$ROOT/RELEASE.md" releasing.md
# On the website their titles tell these pages apart.
retitle() { sed -i.bak -e "1s/.*/# $2/" "$PAGES/$1.md" && rm "$PAGES/$1.md.bak"; }
retitle package "The box and the library"
retitle python "Python"
node "$HERE/recipes.mjs" "$PAGES" "$WORK/mkdocs.yml"

# The reference of the library, made from the declarations of the package.
mkdir -p "$TOOLS/typedoc" && cp "$HERE"/typedoc/*.json "$TOOLS/typedoc"
(
  cd "$TOOLS/typedoc"
  # Not `ci`, which fails if a registry lacks the binaries of other platforms.
  npm ls --silent >/dev/null 2>&1 || npm install --no-audit --no-fund --loglevel=error
  npx typedoc --tsconfig "$ROOT/web/tsconfig.json" --out "$PAGES/reference" --entryPoints "$ROOT"/web/src/{api,element,indexer}.ts
)
retitle reference/api "The library"
retitle reference/element "The box as a class"
retitle reference/indexer "Indexing in Node"

(cd "$WORK" && NO_MKDOCS_2_WARNING=1 env -u NEARFIND "$TOOLS/mkdocs/bin/mkdocs" build --quiet --site-dir "$SITE")

# A well-known book for trying the search. Its results lead to the published book.
find_docs
"$NEARFIND" index "${DOCS[0]}" -o "$SITE/rust-book" --base-url https://doc.rust-lang.org/book/ --ship-model --no-box --quiet
