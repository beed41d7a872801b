#!/usr/bin/env bash
# Measures the time and the memory of updates. Each folder in FOLDER is a project, and is copied. Embeds everything
# once, which takes minutes for a thousand pages.
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
