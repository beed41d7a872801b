#!/usr/bin/env bash
# Installs missing tools, builds nearfind, indexes real documentation and serves it with a search box.
#   ./examples/run.sh          serve, until Ctrl-C
#   ./examples/run.sh --check  ask in the terminal, in Node and in Chromium, compare, exit
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
source "$ROOT/examples/setup.sh"

BUNDLE="$ROOT/target/example-bundle"
setup_rust
setup_node
build_native
# Pages search and run the quantized model. The example needs no other modules of the package.
if [ -z "$WHOLE" ]; then build_web search grep embed; else build_web; fi
setup_prior
find_docs
say "indexing ${DOCS[*]}"
"$NEARFIND" index "${DOCS[@]}" -o "$BUNDLE" --ship-model
"$NEARFIND" verify "$BUNDLE"
install_packed

if [ "${1:-}" = "--check" ]; then
  setup_chromium
  say "asking in the terminal, in Node and in Chromium"
  exec node "$ROOT/examples/search-page/check.mjs" "$NEARFIND" "$BUNDLE" "${DOCS[@]}"
fi
exec node "$ROOT/examples/search-page/serve.mjs" "$BUNDLE" "${DOCS[@]}"
