#!/usr/bin/env bash
# Measures the time until a site can be searched: `nearfind index --quick` with an empty cache, and Pagefind over the
# same site, in turn. Then measures how well the quick index answers judged queries, beside the full index. Set KEY=url
# if the judgments name pages by URL.
#   tests/quick/run.sh SITE QUERIES QRELS [QUERIES QRELS…]
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
PROFILE="${PROFILE:-release}"
source "$ROOT/examples/setup.sh"
[ $# -ge 3 ] || fail "say which site and which judged queries: tests/quick/run.sh SITE QUERIES QRELS"
SITE="$1"
shift
SETS=()
while [ $# -ge 2 ]; do
  SETS+=(--queries "$1" --qrels "$2")
  shift 2
done
(cd "$ROOT/tests/weight" && npm install --no-save --no-audit --no-fund --loglevel=error)
WORK="$(mktemp -d)"
trap 'rm -rf "$WORK"' EXIT

seconds_of() {
  local start; start="$(date +%s%N)"
  "$@" >/dev/null
  echo "$((($(date +%s%N) - start) / 1000000))"
}
quick() { rm -rf "$WORK/quick" "$WORK/cache"; "$NEARFIND" index "$SITE" -o "$WORK/quick" --quick --no-box --quiet --cache "$WORK/cache"; }
peer() { rm -rf "$WORK/pagefind"; "$ROOT/tests/weight/node_modules/.bin/pagefind" --site "$SITE" --output-path "$WORK/pagefind"; }
median() { sort -n | sed -n 3p; }

say "five times each, in turns"
for _ in 1 2 3 4 5; do
  seconds_of peer >>"$WORK/peer.ms"
  seconds_of quick >>"$WORK/quick.ms"
done
awk -v quick="$(median <"$WORK/quick.ms")" -v peer="$(median <"$WORK/peer.ms")" 'BEGIN { printf "%.2f of the time that Pagefind takes, %.1f s\n", quick / peer, quick / 1000 }'

say "the whole index"
"$NEARFIND" index "$SITE" -o "$WORK/whole" --no-box
say "what the quick one answers, by tier 1, and the whole one by tier 1 and 2"
"$NEARFIND" eval "$WORK/quick" "${SETS[@]}" --id "${KEY:-document}" --tier 1
"$NEARFIND" eval "$WORK/whole" "${SETS[@]}" --id "${KEY:-document}" --tier 1
"$NEARFIND" eval "$WORK/whole" "${SETS[@]}" --id "${KEY:-document}"
