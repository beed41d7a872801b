#!/usr/bin/env bash
# Asks when, why and by which commit something changed, with nearfind over repositories and their history, and with BM25
# over messages alone:
#   tests/code/history/run.sh [--only redis/hiredis] [--commits 500]
# questions.json contains repositories at a commit, and for each of them questions with the commit that answers. The
# questions were written from the commits before any search. Repositories are cloned from github.com into
# target/code/history, or from MIRRORS/owner+name/repo if the folder MIRRORS is named.
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)"
PROFILE="${PROFILE:-release}"
source "$ROOT/examples/setup.sh"
if [ -z "${NEARFIND_BUILT:-}" ]; then
  setup_rust
  build_native
  setup_model
fi
exec python3 "$ROOT/tests/code/history/measure.py" "${NEARFIND_BUILT:-$NEARFIND}" "$ROOT/target/code/history" --mirrors "${MIRRORS:-}" "$@"
