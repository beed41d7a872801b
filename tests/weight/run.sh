#!/usr/bin/env bash
# Measures the cost of a search for a reader, nearfind against Pagefind: bytes, requests and time, cold and warm.
#   tests/weight/run.sh SITE QUERIES   SITE is a folder of built pages, QUERIES JSON lines with `text`
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
PROFILE="${PROFILE:-release}"
source "$ROOT/examples/setup.sh"
[ $# -eq 2 ] || fail "say which site and which queries: tests/weight/run.sh SITE QUERIES"
OUT="$ROOT/target/weight"
setup_chromium
(cd "$ROOT/tests/weight" && npm install --no-save --no-audit --no-fund --loglevel=error)
"$NEARFIND" index "site=$1" -o "$OUT/bundle" --quiet
"$NEARFIND" index "site=$1" -o "$OUT/split" --quiet --max-file-bytes 16000
"$NEARFIND" inspect "$OUT/bundle"
exec node "$ROOT/tests/weight/measure.mjs" --site "$1" --bundle "$OUT/bundle" --split-bundle "$OUT/split" --queries "$2" --json "$OUT/report.json"
