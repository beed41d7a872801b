#!/usr/bin/env bash
# Tests bundles and shares in buckets on moto's S3 server, and servers for agents behind nginx that read a bucket.
# NEARFIND is the program.
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
PROFILE="${PROFILE:-release}"
source "$ROOT/examples/setup.sh"
HERE="$ROOT/tests/buckets" TOOLS="$ROOT/target/tools/buckets"
SERVER="moto[s3,server]==5.2.5"

have python3 || fail "Python is needed: the storage is written in it"
if [ "$(cat "$TOOLS/installed" 2>/dev/null)" != "$SERVER" ]; then
  say "installing $SERVER"
  rm -rf "$TOOLS"
  python3 -m venv "$TOOLS"
  "$TOOLS/bin/pip" install --quiet --disable-pip-version-check "$SERVER"
  printf '%s\n' "$SERVER" >"$TOOLS/installed"
fi

say "a bundle in a bucket, and what goes wrong with one"
"$TOOLS/bin/python" "$HERE/publishing.py" "$NEARFIND" "$ROOT"

if have nginx; then
  say "servers for agents over one bucket, behind nginx"
  "$TOOLS/bin/python" "$HERE/replicas.py" "$NEARFIND" "$ROOT" "$@"
else
  say "left out: servers behind nginx, which is not installed"
fi
