#!/usr/bin/env bash
# Asks when, why and by which commit something changed, of repositories with their history, and of BM25 over messages alone:
#   tests/code/history/run.sh [--only redis/hiredis] [--commits 500]
# questions.json has a repository with the commit that was at its head, and five questions with the commit that answers each. They
# were written from the commits before any was asked. Repositories are cloned from github.com into target/code/history, or found in
# the folder MIRRORS as MIRRORS/owner+name/repo.
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
