#!/usr/bin/env bash
# Builds a folder of documents with nearfind as its search, in target/documents:
#   examples/documents/build.sh            builds it
#   examples/documents/build.sh --serve    serves it too, until Ctrl-C
# `nearfind` with documents and its npm package must already be built: `WHOLE=yes examples/run.sh --check` does so.
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
source "$ROOT/examples/setup.sh"
HERE="$ROOT/examples/documents"
SITE="$ROOT/target/documents"

rm -rf "$SITE" && mkdir -p "$SITE/nearfind"
node "$HERE/make.mjs" "$SITE/files"
# `--include` also selects the table, because comma-separated values are read only on request.
"$NEARFIND" index "$SITE/files" -o "$SITE/search" --base-url ../files --include '**' --ship-model
"$NEARFIND" verify "$SITE/search"
tar -xzf "$(ls "$ROOT"/target/nearfind-*.tgz | tail -n 1)" -C "$SITE/nearfind" --strip-components 1 package/dist package/wasm
cp "$HERE/index.html" "$SITE"
if [ "${1:-}" = --serve ]; then
  say "search at http://127.0.0.1:8478/   (Ctrl-C ends)"
  exec python3 -m http.server --bind 127.0.0.1 --directory "$SITE" 8478
fi
