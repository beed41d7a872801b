#!/usr/bin/env bash
# Builds documentation sites with nearfind as their search, one for each generator, of this project's own documents:
#   examples/sites/build.sh [mdbook|vitepress|starlight|sphinx]…      into target/sites/NAME
# What it needs (the generators, pinned) it installs below target. `nearfind` and its npm package are built already.
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
PROFILE="${PROFILE:-release}"
source "$ROOT/examples/setup.sh"
HERE="$ROOT/examples/sites"
TOOLS="$ROOT/target/tools"
MDBOOK=0.5.4
# Below which path the sites are published, for generators that must know.
export BASE=/docs/

# The documents, where a generator wants them.
own_docs() {
  local docs="$1"
  rm -rf "$docs" && mkdir -p "$docs"
  cp "$ROOT"/{README,ARCHITECTURE,CHANGELOG}.md "$ROOT/core/FORMAT.md" "$docs"
  cp "$ROOT/web/README.md" "$docs/PACKAGE.md"
  mkdir -p "$docs/examples/search-page" && cp "$ROOT/examples/search-page/screenshot.png" "$docs/examples/search-page"
  sed -i.bak -e 's#(core/FORMAT\.md)#(FORMAT.md)#g' -e 's#(web/README\.md)#(PACKAGE.md)#g' "$docs"/*.md && rm "$docs"/*.bak
}

# The package as it is published.
package() { ls "$ROOT"/target/nearfind-*.tgz | tail -n 1; }

# Index what was built: the same for every generator.
index() {
  local site="$1"
  # Addresses relative to the bundle are right wherever the site is published.
  "$NEARFIND" index "$site" -o "$site/search" --base-url .. --ship-model --quiet
  "$NEARFIND" verify "$site/search" >/dev/null
}

# The files of the package, for sites without a bundler.
copy_package() {
  rm -rf "$1" && mkdir -p "$1"
  tar -xzf "$(package)" -C "$1" --strip-components 1 package/dist package/wasm
}

# A project in node_modules of its own.
npm_project() {
  local project="$1"
  rm -rf "$project/.astro" "$project/dist"
  mkdir -p "$project"
  cp -R "$HERE/$(basename "$project")/." "$project"
  if ! (cd "$project" && npm ls --silent >/dev/null 2>&1); then
    # Not `ci`, which refuses where a registry lacks the binaries of other platforms.
    (cd "$project" && npm install --no-audit --no-fund --loglevel=error)
  fi
  (cd "$project" && npm install --no-save --no-audit --no-fund --loglevel=error --install-links "$(package)")
}

build_mdbook() {
  if [ ! -x "$TOOLS/bin/mdbook" ]; then
    # Not optimized: it makes one small book.
    CARGO_PROFILE_DEV_DEBUG=false cargo install --quiet --debug mdbook --version "$MDBOOK" --no-default-features --locked --root "$TOOLS"
  fi
  local project="$TOOLS/mdbook" site="$ROOT/target/sites/mdbook"
  rm -rf "$project" "$site" && cp -R "$HERE/mdbook" "$project"
  own_docs "$project/docs"
  printf '# Summary\n\n[nearfind](README.md)\n\n- [Architecture](ARCHITECTURE.md)\n- [Format](FORMAT.md)\n- [The npm package](PACKAGE.md)\n- [Changes](CHANGELOG.md)\n' > "$project/docs/SUMMARY.md"
  "$TOOLS/bin/mdbook" build "$project" --dest-dir "$site"
  copy_package "$site/nearfind"
  index "$site"
}

build_vitepress() {
  local project="$TOOLS/vitepress" site="$ROOT/target/sites/vitepress"
  rm -rf "$site"
  npm_project "$project"
  own_docs "$project/docs"
  cp "$project/docs/README.md" "$project/docs/index.md"
  (cd "$project" && npx vitepress build --outDir "$site")
  index "$site"
}

build_starlight() {
  local project="$TOOLS/starlight" site="$ROOT/target/sites/starlight"
  rm -rf "$site"
  npm_project "$project"
  own_docs "$project/src/content/docs"
  # Starlight wants titles as front matter.
  local page
  for page in "$project/src/content/docs"/*.md; do
    sed -i.bak -e "1s/^# \(.*\)/---\ntitle: \"\1\"\n---/" "$page" && rm "$page.bak"
  done
  cp "$project/src/content/docs/README.md" "$project/src/content/docs/index.md"
  (cd "$project" && ASTRO_TELEMETRY_DISABLED=1 npx astro build)
  cp -R "$project/dist" "$site"
  index "$site"
}

build_sphinx() {
  if [ ! -x "$TOOLS/sphinx/bin/sphinx-build" ]; then
    python3 -m venv "$TOOLS/sphinx"
    "$TOOLS/sphinx/bin/pip" install --quiet -r "$HERE/sphinx/requirements.txt"
  fi
  local project="$TOOLS/sphinx-docs" site="$ROOT/target/sites/sphinx"
  rm -rf "$project" "$site"
  own_docs "$project"
  cp -R "$HERE/sphinx/." "$project"
  printf 'nearfind\n========\n\n.. toctree::\n\n   README\n   ARCHITECTURE\n   FORMAT\n   PACKAGE\n   CHANGELOG\n' > "$project/index.rst"
  copy_package "$project/_static/nearfind"
  "$TOOLS/sphinx/bin/sphinx-build" --quiet -b html "$project" "$site"
  index "$site"
}

[ $# -gt 0 ] || set -- mdbook vitepress starlight sphinx
for name in "$@"; do
  say "the $name site"
  "build_$name"
done
