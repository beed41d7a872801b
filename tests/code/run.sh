#!/usr/bin/env bash
# Asks nearfind and its installed peers judged questions about the source code of many repositories:
#   tests/code/run.sh BENCHMARK [--tier 1] [--only flask,gin]
# BENCHMARK is a folder with `repos.json` and `annotations`, such as `benchmarks` of github.com/MinishLab/semble (MIT).
# tests/code/unseen is another one: 60 questions about three repositories, written from the code before any search.
# Its repositories are fetched at their commits into target/code, or read from the folder CHECKOUTS, by name. ripgrep
# and csearch (Debian's ripgrep and codesearch) are measured if they are installed. semble is installed below target,
# and ChunkHound with CHUNKHOUND=yes, which takes several seconds per question. ChunkHound looks for an extension
# of DuckDB in the home directory.
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
PROFILE="${PROFILE:-release}"
source "$ROOT/examples/setup.sh"
BENCHMARK="${1:-}"
[ -f "$BENCHMARK/repos.json" ] || fail "name a folder with repos.json and annotations"
shift
setup_rust
build_native
setup_model
CHECKOUTS="${CHECKOUTS:-$ROOT/target/code/checkouts}"
mkdir -p "$CHECKOUTS"
python3 - "$BENCHMARK/repos.json" <<'PY' | while read -r name url commit; do
import json, sys
for entry in json.load(open(sys.argv[1])):
    print(entry["name"], entry["url"], entry["revision"])
PY
  folder="$CHECKOUTS/$name"
  [ ! -d "$folder" ] && [ "$CHECKOUTS" = "$ROOT/target/code/checkouts" ] || continue
  say "fetching $name"
  git init -q "$folder"
  git -C "$folder" fetch -q --depth 1 "$url" "$commit" && git -C "$folder" checkout -q FETCH_HEAD || rm -rf "$folder"
done
PEERS="$(have rg && printf 'ripgrep,' || true)$(have csearch && printf 'csearch,' || true)"
PYTHON="$ROOT/target/tools/semble/bin/python"
if [ ! -x "$PYTHON" ]; then
  say "installing semble to compare with"
  python3 -m venv "$ROOT/target/tools/semble"
  "$ROOT/target/tools/semble/bin/pip" install --quiet semble==0.7.0 || say "semble cannot be installed: it is left out"
fi
if [ -n "${CHUNKHOUND:-}" ]; then
  say "installing ChunkHound to compare with"
  "$ROOT/target/tools/semble/bin/pip" install --quiet chunkhound==6.1.0 duckdb-extension-vss==1.5.4
  EXTENSION="$(find "$ROOT/target/tools/semble" -name vss.duckdb_extension | head -n 1)"
  mkdir -p "$HOME/.duckdb/extensions/v1.5.4/linux_amd64" && cp "$EXTENSION" "$HOME/.duckdb/extensions/v1.5.4/linux_amd64/"
  PEERS="${PEERS}chunkhound,"
fi
"$PYTHON" -c 'import semble' 2>/dev/null && PEERS="${PEERS}semble"
exec "$PYTHON" "$ROOT/tests/code/measure.py" "$NEARFIND" "$BENCHMARK" "$CHECKOUTS" "$ROOT/target/code/bundles" --peers "${PEERS%,}" "$@"
