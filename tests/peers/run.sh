#!/usr/bin/env bash
# Measures how well a search answers judged queries: nearfind beside Pagefind, MiniSearch and Orama, over the pages of a
# bundle.
#   tests/peers/run.sh BUNDLE QUERIES QRELS [QUERIES QRELS…]   KEY=url if the judgments name pages by URL
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
PROFILE="${PROFILE:-release}"
source "$ROOT/examples/setup.sh"
[ $# -ge 3 ] || fail "say which bundle and which judged queries: tests/peers/run.sh BUNDLE QUERIES QRELS"
OUT="$ROOT/target/peers"
BUNDLE="$1"
shift
SETS=()
QUERIES=()
while [ $# -ge 2 ]; do
  QUERIES+=(--queries "$1")
  SETS+=(--queries "$1" --qrels "$2")
  shift 2
done
setup_chromium
(cd "$ROOT/tests/peers" && npm install --no-save --no-audit --no-fund --loglevel=error)
"$NEARFIND" export "$BUNDLE" | node "$ROOT/tests/peers/rank.mjs" "${QUERIES[@]}" --out "$OUT" --key "${KEY:-document}"
exec "$NEARFIND" eval "$BUNDLE" "${SETS[@]}" --id "${KEY:-document}" --ranked "pagefind=$OUT/pagefind.jsonl" --ranked "minisearch=$OUT/minisearch.jsonl" --ranked "orama=$OUT/orama.jsonl"
