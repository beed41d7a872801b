#!/usr/bin/env bash
# Installs the files of a release from a local server, as a user does: the archive by install.sh, and the wheel by pip.
# Then searches a plain page. NEARFIND is the program. The npm package, target/nearfind-data and target/wheels must
# already exist.
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
NEARFIND="${NEARFIND:-$ROOT/target/${PROFILE:-release}/nearfind}"
work="$(mktemp -d)"
server=""
trap 'kill $server 2>/dev/null || true; rm -rf "$work"' EXIT
fail() { echo "error: $*" >&2; exit 1; }

version="$("$NEARFIND" --version | cut -d' ' -f2)"
platform="$(node -p '`${process.platform}-${process.arch}`')"
archives="$work/archives"
node "$ROOT/web/scripts/package-cli.mjs" "$NEARFIND" "$platform" "$work/cli"
"$ROOT/native-indexer/release/archive.sh" "$work/cli" "nearfind-$version-$platform" "$archives"
(cd "$archives" && if command -v sha256sum >/dev/null; then sha256sum -- *.tar.gz; else shasum -a 256 -- *.tar.gz; fi >SHA256SUMS)
python3 -u -m http.server --bind 127.0.0.1 --directory "$archives" 0 >"$work/server.log" 2>&1 &
server=$!
for _ in $(seq 50); do
  port="$(sed -n 's/.*127\.0\.0\.1 port \([0-9]*\).*/\1/p' "$work/server.log")"
  [ -z "$port" ] || break
  sleep 0.1
done
address="http://127.0.0.1:$port"
sed -e "s#@VERSION@#$version#" -e "s#@RELEASE@#$address#" "$ROOT/native-indexer/release/install.sh" >"$archives/install.sh"

# A page without a generator. The program knows nothing of this repository and finds no model except its own. Data that
# it computes from the model is kept for the next program, so that the check is quick.
mkdir "$work/site"
printf '<!doctype html><title>Locks</title><main><h1>Locks</h1><p>A mutex keeps other threads out.</p></main>' >"$work/site/index.html"
export XDG_DATA_HOME="$work/models" NEARFIND_CACHE="$work/cache"
ask() {
  local program="$1"
  rm -rf "$work/site/nearfind"
  env -u NEARFIND -u NEARFIND_PACKAGE "$program" index "$work/site" -o "$work/site/nearfind" --quiet
  [ -f "$work/site/nearfind/box/box.js" ] || fail "$program put no box beside the index"
  env -u NEARFIND "$program" search "$work/site/nearfind" mutex | grep Locks >/dev/null || fail "$program does not find the page"
}

for round in first again; do
  curl -fsSL "$address/install.sh" | NEARFIND_PREFIX="$work/home" sh >"$work/said" || fail "install.sh failed the $round time"
done
grep -q "nearfind $version" "$work/said" || fail "install.sh does not say its version"
ask "$work/home/bin/nearfind"
printf x >>"$archives/nearfind-$version-$platform.tar.gz"
if curl -fsSL "$address/install.sh" | NEARFIND_PREFIX="$work/home" sh 2>"$work/refused"; then fail "an archive with another hash was installed"; fi
grep -q "does not have the hash" "$work/refused" || fail "the refusal does not say why: $(cat "$work/refused")"
ask "$work/home/bin/nearfind"
echo "install.sh installs, with a model, again over itself, and refuses what was changed"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --no-index "$ROOT"/target/wheels/*.whl
rm -rf "$work/models/nearfind/models"/*.nfm
ask "$work/venv/bin/nearfind"
(cd "$work" && env -u NEARFIND "$work/venv/bin/python" -c 'import nearfind; nearfind.index("site", "site/nearfind", "--quick")')
if env -u NEARFIND "$work/venv/bin/python" -c 'import nearfind; nearfind.index("nowhere", "out")' 2>"$work/refused"; then fail "a folder that is not there was indexed"; fi
grep -q "NearfindError: .*nowhere" "$work/refused" || fail "what is missing is not named: $(tail -1 "$work/refused")"
echo "the wheel has the program, the model, the box and a function"

# The examples in the docstrings. The plugins are tried where the sites of their generators were built.
env -u NEARFIND "$work/venv/bin/python" "$ROOT/tests/install/python_examples.py" nearfind
for generator in mkdocs sphinx; do
  python="$ROOT/target/tools/$generator/bin/python"
  if [ -x "$python" ]; then
    env -u NEARFIND "$python" "$ROOT/tests/install/python_examples.py" "nearfind.$generator"
    if [ "$generator" = mkdocs ]; then env -u NEARFIND "$python" "$ROOT/tests/install/mkdocs_pages.py"; fi
    echo "the examples of nearfind.$generator run"
  else
    echo "left out: the examples of nearfind.$generator, for which examples/sites/build.sh installs $generator"
  fi
done

# Runs the image like a container engine: with a root of its own, as no user, and with the folder of the site mounted.
image() { unshare --mount --pid --fork sh -c 'root="$1"; shift; mount -t proc proc "$root/proc" && mount --bind "$PWD" "$root/work" && exec env -i HOME=/home TMPDIR=/tmp "$(command -v chroot)" --userspec=65532:65532 "$root" /usr/lib/nearfind/nearfind "$@"' - "$work/image/root" "$@"; }
if [ "$platform" != "${platform#linux}" ] && [ "$(id -u)" = 0 ] && unshare --mount --pid --fork true 2>/dev/null; then
  "$ROOT/native-indexer/release/image.sh" "$work/cli" "$work/image"
  rm -rf "$work/site/nearfind" && chmod -R a+rwX "$work/site"
  (cd "$work/site" && image index /work -o /work/nearfind --quick --quiet)
  (cd "$work/site" && image search /work/nearfind mutex) | grep Locks >/dev/null || fail "the image does not find the page"
  echo "the image has all that it needs"
else
  echo "left out: the container image, which is tried as root on Linux"
fi

sums="$work/sums"
for name in darwin-arm64 darwin-x64 linux-arm64 linux-x64; do printf '%064d  nearfind-%s-%s.tar.gz\n' 7 "$version" "$name"; done >"$sums"
"$ROOT/native-indexer/release/formula.sh" "$version" "$address" "$sums" >"$work/nearfind.rb"
if command -v ruby >/dev/null; then ruby -c "$work/nearfind.rb" >/dev/null; echo "the formula of Homebrew is Ruby"; fi
