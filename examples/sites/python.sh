# Sourced by scripts that build a site with nearfind's Python package, which is built when it is first needed.
TOOLS="$ROOT/target/tools"
MATURIN_VERSION=1.16.0

# Creates a Python environment with nearfind's own package and the packages that a file lists.
python_project() {
  local venv="$1" requirements="$2"
  if [ ! -x "$venv/bin/pip" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet -r "$requirements"
  fi
  if [ -z "${WHEEL_IS_BUILT:-}" ]; then
    if [ ! -x "$TOOLS/maturin/bin/maturin" ]; then
      python3 -m venv "$TOOLS/maturin"
      "$TOOLS/maturin/bin/pip" install --quiet "maturin==$MATURIN_VERSION"
    fi
    MATURIN="$TOOLS/maturin/bin/maturin" "$ROOT/native-indexer/python/build.sh" "$PROFILE"
    WHEEL_IS_BUILT=yes
  fi
  "$venv/bin/pip" install --quiet --force-reinstall --no-deps "$ROOT"/target/wheels/*.whl
}
