#!/usr/bin/env bash
# Tests a real provider: indexes this repository's judged pages with it, and evaluates both tiers. With a reranker,
# evaluates its order. Settings and keys are read from the environment:
#   NEARFIND_SET_EMBEDDING__PROVIDER=openai NEARFIND_SET_EMBEDDING__MODEL=text-embedding-3-small OPENAI_API_KEY=… tests/providers/run.sh
#   NEARFIND_SET_RERANK__BASE_URL=http://127.0.0.1:8080 NEARFIND_SET_RERANK__PROVIDER=tei tests/providers/run.sh
#   NEARFIND_SET_LANGUAGE_MODEL__PROVIDER=ollama NEARFIND_SET_LANGUAGE_MODEL__MODEL=llama3.2 tests/providers/run.sh
# With a language model, the pages are also indexed with the texts that it writes for them and judged by words alone,
# and a question is researched.
set -euo pipefail
cd "$(dirname "$0")/../.."
NEARFIND=${NEARFIND:-nearfind}
JUDGED=native-indexer/tests/judged
QUESTIONS=(--queries "$JUDGED/queries.jsonl" --qrels "$JUDGED/qrels.tsv")
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

if [ -z "${NEARFIND_SET_EMBEDDING__PROVIDER:-}${NEARFIND_SET_RERANK__BASE_URL:-}${NEARFIND_SET_RERANK__URL:-}${NEARFIND_SET_LANGUAGE_MODEL__PROVIDER:-}" ]; then
  echo "no provider is set: see the beginning of this script" >&2
  exit 2
fi
# Estimate the cost first. Then all texts are sent, because this folder has no known ones.
export NEARFIND_CACHE="$WORK/cache"
"$NEARFIND" index "$JUDGED/docs" -o "$WORK/bundle" --config "$JUDGED/nearfind.toml" --dry-run >/dev/null
"$NEARFIND" index "$JUDGED/docs" -o "$WORK/bundle" --config "$JUDGED/nearfind.toml" --no-box
for tier in 1 2; do
  echo "tier $tier, by words and meaning alone"
  "$NEARFIND" eval "$WORK/bundle" "${QUESTIONS[@]}" --tier "$tier" --no-rerank
done
if [ -n "${NEARFIND_SET_RERANK__BASE_URL:-}${NEARFIND_SET_RERANK__URL:-}" ]; then
  echo "reranked"
  "$NEARFIND" eval "$WORK/bundle" "${QUESTIONS[@]}"
fi
if [ -n "${NEARFIND_SET_LANGUAGE_MODEL__PROVIDER:-}" ]; then
  HELP=(--set language_model.questions=true --set language_model.summaries=true)
  "$NEARFIND" index "$JUDGED/docs" -o "$WORK/helped" --config "$JUDGED/nearfind.toml" --no-box "${HELP[@]}"
  for bundle in bundle helped; do
    echo "$bundle, by words alone"
    "$NEARFIND" eval "$WORK/$bundle" "${QUESTIONS[@]}" --mode words --no-rerank
  done
  "$NEARFIND" research "$WORK/helped" "how are requests that fail tried again, and how long does that take" --write
fi
