#!/usr/bin/env bash
# Measures how well words are found in other languages, with XQuAD: 1,190 questions about 240 paragraphs in each of
# twelve languages. Peers are BM25 with Snowball's stemmers, Pagefind, MiniSearch, and Orama with stemmers.
#   tests/languages/run.sh WORK [LANGUAGE…]
# MODEL=multilingual-e5-small measures hybrid search with that model. Otherwise the default model reads the pages. The
# paragraphs are cloned at a commit, unless they are already in WORK/xquad. They are from Google DeepMind, under CC
# BY-SA 4.0.
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
PROFILE="${PROFILE:-release}"
source "$ROOT/examples/setup.sh"
HERE="$ROOT/tests/languages"
COMMIT=7d30520c717524000f0d9d2f9c10a069acd9d285
mkdir -p "$1"
WORK="$(cd "$1" && pwd)"
shift
[ $# -gt 0 ] || set -- en ar de el es hi ro ru th tr vi zh
if [ ! -d "$WORK/xquad" ]; then
  git init -q "$WORK/clone"
  git -C "$WORK/clone" fetch -q --depth 1 https://github.com/google-deepmind/xquad "$COMMIT"
  git -C "$WORK/clone" checkout -q FETCH_HEAD
  mv "$WORK/clone" "$WORK/xquad"
fi
if [ ! -x "$WORK/python/bin/python" ]; then
  python3 -m venv "$WORK/python"
  "$WORK/python/bin/pip" install --quiet snowballstemmer==3.1.1
fi
setup_chromium
(cd "$ROOT/tests/peers" && npm install --no-save --no-audit --no-fund --loglevel=error)
for language in "$@"; do
  folder="$WORK/$language"
  python3 "$HERE/prepare.py" "$WORK/xquad/xquad.$language.json" "$folder"
  "$NEARFIND" index "docs=$folder/pages" -o "$folder/bundle" ${MODEL:+--model "$MODEL"} --no-box -q
  "$NEARFIND" export "$folder/bundle" |
    node "$ROOT/tests/peers/rank.mjs" --queries "$folder/queries.jsonl" --out "$folder/peers" --language "$language"
  "$WORK/python/bin/python" "$HERE/bm25.py" "$language" "$folder" "$folder/peers/bm25.jsonl"
  ranked=()
  for engine in bm25 pagefind minisearch orama; do ranked+=(--ranked "$engine=$folder/peers/$engine.jsonl"); done
  # By words alone, like pages, and with the model.
  for asked in "words 1" "hybrid 1" "hybrid 2"; do
    read -r mode tier <<<"$asked"
    echo "$language, $mode, tier $tier"
    "$NEARFIND" eval "$folder/bundle" --queries "$folder/queries.jsonl" --qrels "$folder/qrels.tsv" --mode "$mode" --tier "$tier" --unfit "${ranked[@]}"
    ranked=()
  done
done
