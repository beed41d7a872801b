#!/usr/bin/env bash
# How long is an index kept fresh for, and how much memory does it take? FOLDER holds a project in each of its folders, which are
# copied. Embeds everything once, which takes minutes for a thousand pages.
#   tests/update/run.sh FOLDER
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
PROFILE="${PROFILE:-release}"
source "$ROOT/examples/setup.sh"
[ $# -eq 1 ] || fail "give a folder of projects: tests/update/run.sh FOLDER"
setup_rust
build_native
setup_prior
exec python3 "$ROOT/tests/update/measure.py" "$NEARFIND" "$1"
