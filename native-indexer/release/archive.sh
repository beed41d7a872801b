#!/usr/bin/env bash
# Packs the program of one platform with the search box, the model and general English:
#   native-indexer/release/archive.sh CLI_PACKAGE NAME OUT      into OUT/NAME.tar.gz, of a package that web/scripts/package-cli.mjs made
# The npm package is built already.
set -euo pipefail
[ $# -eq 3 ] || { echo "usage: native-indexer/release/archive.sh CLI_PACKAGE NAME OUT" >&2; exit 2; }
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$3" "$work/$2"
cp -R "$1"/bin/* "$1"/LICENSE-* "$work/$2"
# Where the program finds the search box.
package="$work/$2/nearfind-data/package"
mkdir "$package"
cp -R "$ROOT/web/dist" "$ROOT/web/wasm" "$package"
# The same bytes for the same files.
(cd "$work" && find "$2" -type f | LC_ALL=C sort | tar --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - -T - | gzip -n) >"$3/$2.tar.gz"
