#!/usr/bin/env bash
# Measures performance, accessibility and best practices of the built website with Lighthouse, on an emulated phone:
#   examples/website/lighthouse.sh [PAGE…]      requires target/website, made by examples/website/build.sh
# Takes minutes, and depends on the load of the machine, so it is not one of the checks.
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
source "$ROOT/examples/setup.sh"
# The newest version that runs in Node 20.
LIGHTHOUSE=12.8.2
export TOOLS="$ROOT/target/tools/lighthouse"
setup_chromium
if [ ! -d "$TOOLS/node_modules/lighthouse" ]; then
  mkdir -p "$TOOLS" && echo '{ "private": true }' >"$TOOLS/package.json"
  (cd "$TOOLS" && npm install --no-audit --no-fund --loglevel=error "lighthouse@$LIGHTHOUSE")
fi
exec node "$ROOT/examples/website/lighthouse.mjs" "$@"
