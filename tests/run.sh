#!/usr/bin/env bash
# Sets up missing tools and runs every check of the project. Takes about forty minutes on two cores, without caches.
# `just check` and `just test` are quick, see CONTRIBUTING.md.
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# The whole program, compiled with the quick profile of the example.
PROFILE=example
WHOLE=yes
source "$ROOT/examples/setup.sh"
cd "$ROOT"
export PROFILE WHOLE
WASM=wasm32-unknown-unknown
# Optimized code calls the system interface of Node 20 without its guards, which damages the heap and crashes one run in
# twenty.
WASI="node --no-warnings --no-turbo-fast-api-calls $ROOT/tests/wasi_runner.mjs"

have git || fail "git is needed: tests serve repositories with it"
setup_rust
setup_node
setup_chromium
setup_firefox
setup_tracers
setup_tesseract
setup_bindings_runner

say "format"
cargo fmt --all --check
(cd web && npm run --silent lint)

say "the example: build, index real docs, ask in three places"
"$ROOT/examples/run.sh" --check

# The English linter runs on one core, so it runs beside the lints of code.
ENGLISH_LOG="$ROOT/target/english.log"
(cd web && npm run --silent english) >"$ENGLISH_LOG" 2>&1 &
ENGLISH=$!
trap 'kill "$ENGLISH" 2>/dev/null || true' EXIT

say "lints"
cargo clippy --locked --profile example --workspace --all-targets -- -D warnings
cargo clippy --locked --profile example -p nearfind-core -- -D warnings
# The variants of the program: the default, checked above; the example's; and the example's without pip.
cargo clippy --locked --profile example -p nearfind --no-default-features -- -D warnings
cargo clippy --locked --profile example -p nearfind --no-default-features --features network -- -D warnings
cargo clippy --locked --profile example --target "$WASM" -p nearfind-wasm --all-targets -- -D warnings
# These flags need a separate target folder.
RUSTFLAGS="-C target-feature=+simd128" cargo clippy --locked --profile example --target "$WASM" -p nearfind-kernels --target-dir target/simd -- -D warnings
RUSTDOCFLAGS="-D warnings" cargo doc --locked --profile example --workspace --no-deps --quiet

say "the English of all pages"
wait "$ENGLISH" || { cat "$ENGLISH_LOG"; fail "the English of a page needs an editor, see above"; }
trap - EXIT

if have cargo-deny; then
  say "licences, sources and versions of dependencies"
  cargo deny --locked --all-features check licenses bans sources
else
  say "left out: what the project depends on, which needs cargo-deny"
fi

say "fuzz targets compile"
for fuzz in core/fuzz native-indexer/fuzz; do
  cargo check --locked --quiet --manifest-path "$fuzz/Cargo.toml" --target-dir target/fuzz
done

say "what must not reach a web page"
for module in "search tract|tokenizers|prost|regex|rayon|hnsw_rs|mmap|tokio|clap|gix" \
  "grep tract|tokenizers|prost|regex|rayon|hnsw_rs|mmap|tokio|clap|gix" \
  "embed tract|tokenizers|prost|regex|rayon|hnsw_rs|mmap|tokio|clap|gix"; do
  read -r feature banned <<<"$module"
  if cargo tree --locked -p nearfind-wasm --target "$WASM" --no-default-features --features "$feature" -e normal --prefix none | grep -E "^($banned)[ -]"; then
    fail "the $feature module depends on the crates above"
  fi
done

say "native tests, those that need the model or mount file systems among them"
# Test one package at a time. Together they would select other features of shared crates and compile tract again.
cargo test --locked --profile example -p nearfind-kernels -- --include-ignored
cargo test --locked --profile example -p nearfind-core -- --include-ignored
LEFT_OUT=()
have valgrind || { say "left out: the work of readers, which needs valgrind"; LEFT_OUT=(--skip work_grows_with_the_file); }
have tesseract || { say "left out: a page read by OCR, which needs Tesseract"; LEFT_OUT+=(--skip tesseract_reads_a_page); }
# Test all crates of the program together, because the program selects the features of each.
cargo test --locked --profile example -p nearfind -p nearfind-base -p nearfind-bundles -p nearfind-extract -p nearfind-indexing -p nearfind-languages \
  -p nearfind-mcp -p nearfind-models -- --include-ignored ${LEFT_OUT[@]+"${LEFT_OUT[@]}"}
cargo test --locked --profile example -p nearfind-tests -- --include-ignored

say "the MCP server and real clients"
tests/mcp/run.sh

if have python3 && strace -o /dev/null true 2>/dev/null; then
  say "losses of power, slow disks and clocks that jump"
  python3 tests/disks/lost_writes.py "$NEARFIND" --schedules 200 --updates 20
  python3 tests/disks/slow_disks_and_clocks.py "$NEARFIND"
else
  say "left out: losses of power and slow disks, which need Python and leave to trace with strace"
fi

if have python3; then
  say "the format, by a reader that knows its document alone"
  python3 tests/format/check.py "$NEARFIND"
else
  say "left out: the format by a second reader, which needs Python"
fi

if have python3; then
  say "buckets of object storage"
  tests/buckets/run.sh
else
  say "left out: buckets of object storage, which need Python"
fi

say "kernels of other processors: wasm32 in Node, and ARM if it can be emulated"
RUSTFLAGS="-C target-feature=+simd128" CARGO_TARGET_WASM32_WASIP1_RUNNER="$WASI" \
  cargo test --locked --profile example --target wasm32-wasip1 -p nearfind-kernels --target-dir target/simd --lib --tests
ARM=aarch64-unknown-linux-musl
if have qemu-aarch64-static && rustup target list --installed | grep -qx "$ARM"; then
  CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUNNER=qemu-aarch64-static \
    cargo test --locked --profile example --target "$ARM" -p nearfind-kernels --target-dir target/arm --lib --tests
else
  say "left out: ARM kernels, which need qemu-aarch64-static and the Rust target $ARM"
fi

say "core on wasm32, in Node"
CARGO_TARGET_WASM32_WASIP1_RUNNER="$WASI" \
  cargo test --locked --profile example --target wasm32-wasip1 -p nearfind-core --lib --tests

say "bindings in Node and in browsers"
export WASM_BINDGEN_TEST_TIMEOUT=120
# The runner takes the browser whose driver is named, or Node.
bindings() {
  CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER=wasm-bindgen-test-runner \
    cargo test --locked --profile example --target "$WASM" -p nearfind-wasm --features embed --test "$@"
}
bindings node
CHROMEDRIVER="$(command -v chromedriver)" bindings web
if have geckodriver && { have firefox || have firefox-esr; }; then
  GECKODRIVER="$(command -v geckodriver)" bindings web
else
  say "left out: bindings in Firefox, which need geckodriver"
fi

say "the same input gives the same bytes"
for run in first second; do
  rm -rf "target/same-bytes-$run"
  "$NEARFIND" index "core=$ROOT/core" -o "target/same-bytes-$run" --ship-model --quiet --full --no-cache
done
diff -r --exclude '.nearfind-*' target/same-bytes-first target/same-bytes-second

say "sites of eighteen generators, with nearfind as their search"
"$ROOT/examples/sites/build.sh"

say "the project's own site"
"$ROOT/examples/website/build.sh"

say "archive, install script and wheel, as a person installs them"
if ! have curl; then
  have apt-get || fail "curl is needed: install it"
  install_packages curl
fi
tests/install/run.sh

say "a folder of documents, with nearfind as its search"
"$ROOT/examples/documents/build.sh"

say "the npm package, as packed; the search box in every browser; the sites; terminal, Node and Chromium over fifty questions"
find_docs
NEARFIND="$NEARFIND" NEARFIND_BUNDLE="$ROOT/target/example-bundle" NEARFIND_DOCS="${DOCS[*]}" \
  node --test --test-reporter=spec --test-timeout=300000 --test-concurrency=2 web/test/*.test.mjs tests/hosts/*.test.mjs tests/sites/*.test.mjs
say "all is green"
