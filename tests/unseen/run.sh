#!/usr/bin/env bash
# Asks questions over sites that this project had never used. They were written from the pages before any search: half
# of them in other words than the pages, how-to questions, names, misspelled questions, and some that no page answers.
#   tests/unseen/run.sh WORK [mastodon|jellyfin|obsidian|cpp]…   MEASURE has options of measure.py
# Compares words alone and three encoders of questions: the bundle's table, the small encoder and the model. Vectors are
# compared as in pages, and for the model also as on the command line, with every vector. The pages are cloned at a commit,
# unless they are already in WORK/src/NAME. They are under the GNU FDL 1.3 (Mastodon), CC BY-ND 4.0 (Jellyfin), Obsidian's
# own terms and CC BY 4.0 (Microsoft's C++ documentation, 9,746 pages, which takes an hour to index and is only searched
# if you name it). The questions are under this repository's license.
set -euo pipefail
HERE="$(cd "$(dirname "$0")" && pwd)"
NEARFIND="${NEARFIND:-$HERE/../../target/release/nearfind}"
mkdir -p "$1"
WORK="$(cd "$1" && pwd)"
shift
declare -A PAGES=(
  [mastodon]="mastodon/documentation 2903485da54a20f1da5e7dfb8b34712e6196e8f7 content/en"
  [jellyfin]="jellyfin/jellyfin.org 04dc6a60fd7045474ac40b1cac962947a4a9b4a9 docs"
  [cpp]="MicrosoftDocs/cpp-docs a2e592a8fc391b6aff8d1323f5b58696abdc5d57 docs"
  [obsidian]="obsidianmd/obsidian-help fa179e91e86eaff5859226cc045c81000d64e3cd en"
)
[ $# -gt 0 ] || set -- mastodon jellyfin obsidian
for name in "$@"; do
  read -r repository commit folder <<<"${PAGES[$name]}"
  if [ ! -d "$WORK/src/$name" ]; then
    git init -q "$WORK/clones/$name"
    git -C "$WORK/clones/$name" fetch -q --depth 1 "https://github.com/$repository" "$commit"
    git -C "$WORK/clones/$name" checkout -q FETCH_HEAD
    mkdir -p "$WORK/src"
    ln -s "$WORK/clones/$name/$folder" "$WORK/src/$name"
  fi
  "$NEARFIND" index "docs=$WORK/src/$name/" -o "$WORK/bundles/$name" --no-box -q
done
exec python3 "$HERE/measure.py" --nearfind "$NEARFIND" --work "$WORK" ${MEASURE:-} "$@"
