#!/usr/bin/env bash
# Builds nearfind.exe with mingw and runs it in Wine, as people run it on Windows. Then runs the program's own tests there, if
# the argument is `tests`. Needs Debian's packages mingw-w64 and wine; takes a quarter of an hour the first time.
# Not a part of tests/run.sh.
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
PROFILE="${PROFILE:-example}"
source "$ROOT/examples/setup.sh"
HERE="$ROOT/tests/windows" TARGET=x86_64-pc-windows-gnu
cd "$ROOT"
for tool in x86_64-w64-mingw32-gcc wine python3; do
  have "$tool" || fail "$tool is needed: apt-get install mingw-w64 wine python3"
done
rustup target list --installed | grep -qx "$TARGET" || rustup target add "$TARGET"

say "building nearfind.exe"
cargo build --locked --profile "$PROFILE" --target "$TARGET" -p nearfind
PROGRAM="$ROOT/target/$TARGET/$PROFILE/nearfind.exe"

# A Windows of its own, of a version that Rust's standard library is made for. Nothing is shown, and nothing said but by programs.
export WINEPREFIX="${WINEPREFIX:-$ROOT/target/wine}" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree=;mshtml=;winemenubuilder.exe="
if [ ! -f "$WINEPREFIX/ready" ]; then
  say "making a Windows in $WINEPREFIX"
  timeout 300 wineboot --init >/dev/null 2>&1
  timeout 60 wine reg add 'HKCU\Software\Wine' /v Version /d win10 /f >/dev/null 2>&1
  [ -f "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" ] ||
    x86_64-w64-mingw32-gcc -shared -O2 -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" "$HERE/bcryptprimitives.c" -ladvapi32
  touch "$WINEPREFIX/ready"
fi
mkdir -p "$ROOT/target/windows"
x86_64-w64-mingw32-gcc -municode -O2 -o "$ROOT/target/windows/hold.exe" "$HERE/hold.c"

say "nearfind.exe in Wine, against the program of this machine"
cargo build --locked --profile "$PROFILE" -p nearfind
setup_data
python3 "$HERE/check.py" "$PROGRAM" "$ROOT/target/windows/hold.exe" "$WINEPREFIX/drive_c/check" --models "$DATA/models" --wine --reference "$NEARFIND"

if [ "${1:-}" = tests ]; then
  say "the program's own tests in Wine"
  # Wine sets no limits on memory by job objects, and shows the links of the machine below it as what they lead to.
  CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine cargo test --locked --profile "$PROFILE" --target "$TARGET" -p nearfind -p nearfind-base \
    -p nearfind-bundles -p nearfind-extract -p nearfind-indexing -p nearfind-languages -p nearfind-mcp -p nearfind-models --no-fail-fast -- \
    --skip a_reader_that_uses_too_much_memory
fi
