#!/usr/bin/env bash
# Lays out a container image of a Linux program, to be built by any engine: docker build OUT
#   native-indexer/release/image.sh CLI_PACKAGE OUT      of a package that web/scripts/package-cli.mjs made
# The npm package is built already. A container of it works in /work, which is where your files are mounted:
#   docker run --rm -v "$PWD:/work" nearfind index site -o site/nearfind
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: native-indexer/release/image.sh CLI_PACKAGE OUT" >&2; exit 2; }
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
ROOT="$HERE/../.."
root="$2/root"
rm -rf "$2"
mkdir -p "$root/usr/lib/nearfind" "$root/proc" "$root/work"
# Any user may be the one that runs it.
install -d -m 1777 "$root/tmp" "$root/home"
cp -R "$1"/bin/* "$root/usr/lib/nearfind"
package="$root/usr/lib/nearfind/nearfind-data/package"
mkdir "$package"
cp -R "$ROOT/web/dist" "$ROOT/web/wasm" "$package"
# The system's libraries that it loads, where it looks for them.
ldd "$1/bin/nearfind" | grep -o '/[^ ]*' | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
cp "$HERE/Containerfile" "$2"
