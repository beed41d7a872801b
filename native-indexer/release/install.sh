#!/bin/sh
# Installs nearfind from a release:
#   curl -fsSL ADDRESS/install.sh | sh
# NEARFIND_RELEASE   address of the archives; default the release that this file is of
# NEARFIND_PREFIX    where it goes: bin/nearfind and lib/nearfind below it; default ~/.local
set -eu
VERSION="@VERSION@"
RELEASE="${NEARFIND_RELEASE:-@RELEASE@}"
PREFIX="${NEARFIND_PREFIX:-$HOME/.local}"

fail() { echo "error: $*" >&2; exit 1; }
case "$(uname -s)" in
  Linux) os=linux ;;
  Darwin) os=darwin ;;
  *) fail "there is no archive for $(uname -s): install with npm or pip, or build it from the repository" ;;
esac
case "$(uname -m)" in
  x86_64 | amd64) cpu=x64 ;;
  aarch64 | arm64) cpu=arm64 ;;
  *) fail "there is no archive for $(uname -m): build it from the repository" ;;
esac
name="nearfind-$VERSION-$os-$cpu"
if command -v curl >/dev/null; then fetch() { curl -fsSL -o "$2" "$1"; }
elif command -v wget >/dev/null; then fetch() { wget -qO "$2" "$1"; }
else fail "curl or wget is needed"; fi
if command -v sha256sum >/dev/null; then sha256() { sha256sum "$1" | cut -d' ' -f1; }
else sha256() { shasum -a 256 "$1" | cut -d' ' -f1; }; fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
fetch "$RELEASE/$name.tar.gz" "$work/archive.tar.gz" || fail "$RELEASE/$name.tar.gz cannot be fetched"
fetch "$RELEASE/SHA256SUMS" "$work/SHA256SUMS" || fail "$RELEASE/SHA256SUMS cannot be fetched"
expected="$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]$name\.tar\.gz\$/\1/p" "$work/SHA256SUMS")"
[ -n "$expected" ] && [ "$(sha256 "$work/archive.tar.gz")" = "$expected" ] || fail "$name.tar.gz does not have the hash in SHA256SUMS: nothing was installed"
tar -xzf "$work/archive.tar.gz" -C "$work"

# The one that was there goes when the new one is there whole.
mkdir -p "$PREFIX/lib" "$PREFIX/bin"
rm -rf "$PREFIX/lib/.nearfind-new" "$PREFIX/lib/.nearfind-old"
mv "$work/$name" "$PREFIX/lib/.nearfind-new"
[ ! -e "$PREFIX/lib/nearfind" ] || mv "$PREFIX/lib/nearfind" "$PREFIX/lib/.nearfind-old"
mv "$PREFIX/lib/.nearfind-new" "$PREFIX/lib/nearfind"
rm -rf "$PREFIX/lib/.nearfind-old"
ln -sf ../lib/nearfind/nearfind "$PREFIX/bin/nearfind"
"$PREFIX/bin/nearfind" --version
case ":$PATH:" in
  *":$PREFIX/bin:"*) ;;
  *) echo "put $PREFIX/bin on your PATH" ;;
esac
echo "next: nearfind index FOLDER -o FOLDER/search"
