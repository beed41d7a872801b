#!/usr/bin/env bash
# Builds the Python wheel, with the program, the search box, the model and general English, into target/wheels:
#   native-indexer/python/build.sh [PROFILE]      requires the built npm package and target/nearfind-data
# Requires maturin. The environment variable MATURIN may contain its path.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
ROOT="$(cd "$HERE/../.." && pwd)"
WEB="$ROOT/web"
[ -f "$WEB/dist/box.js" ] || { echo "error: web/dist is missing: run \`npm run build\` in web" >&2; exit 1; }
DATA="$ROOT/target/nearfind-data"
[ -d "$DATA/models" ] || { echo "error: $DATA/models is missing: examples/run.sh makes it" >&2; exit 1; }

# Files that `nearfind index` copies to an index, and the models: installed in share/nearfind.
data="$HERE/data"
package="$data/data/share/nearfind/package"
rm -rf "$data" && mkdir -p "$package/dist/element" "$package/dist/ask" "$package/wasm"
cp -R "$DATA/." "$data/data/share/nearfind"
cp "$WEB"/dist/{ask,box,browser,pagefind,worker,model_loader,onnx_loader}.js "$package/dist"
cp -R "$WEB"/dist/ask/{strings,panel.js} "$package/dist/ask"
cp -R "$WEB"/dist/element/{strings,agent_tool.js,preview.js} "$package/dist/element"
find "$package/dist" -name '*.d.ts' -delete
for module in search embed embed-onnx; do
  mkdir "$package/wasm/$module"
  cp "$WEB/wasm/$module"/*.wasm "$package/wasm/$module"
done

cp "$ROOT"/LICENSE-* "$HERE"
rm -rf "$ROOT/target/wheels"
cd "$HERE"
CARGO_TARGET_DIR="$ROOT/target" "${MATURIN:-maturin}" build --quiet --profile "${1:-dist}" --out "$ROOT/target/wheels"
