#!/usr/bin/env bash
# Runs the programs of examples/cluster over two nodes on this machine. A worker is killed in the middle, and one share
# always fails.
#   tests/cluster/run.sh ray|spark|kubernetes SOURCE   SOURCE takes some minutes to embed; Ray or PySpark is installed, Java for Spark
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
[ $# -eq 2 ] || { echo "usage: tests/cluster/run.sh ray|spark|kubernetes SOURCE" >&2; exit 2; }
case "${INSIDE:-}$1" in
  # The nodes end with the run, and their addresses are private.
  ray|spark) exec env INSIDE=yes unshare --net --pid --fork --mount-proc "$0" "$1" "$(realpath "$2")" ;;
esac
[ -z "${INSIDE:-}" ] || ip link set lo up
KIND="${1}" SOURCE="$2" SHARES=8
WORK="$(mktemp -d)"
trap 'rm -rf "$WORK"' EXIT
export NEARFIND_CACHE="$WORK/none"
# Replaces the program: counts calls, and fails for the share that FAILING names.
mkdir "$WORK/bin"
cat > "$WORK/bin/nearfind" <<'END'
#!/usr/bin/env bash
echo "$*" >> "$CALLS"
if [ -e "$FAILING" ] && [[ " $* " == *" --share $(cat "$FAILING")/"* ]]; then echo "error: this share always fails" >&2; exit 1; fi
exec "$PROGRAM" "$@"
END
chmod +x "$WORK/bin/nearfind"
PROGRAM="$(command -v nearfind)" CALLS="$WORK/calls" FAILING="$WORK/failing"
export PROGRAM CALLS FAILING PATH="$WORK/bin:$PATH"
cd "$ROOT/examples/cluster"
case "$KIND" in
  ray)
    export RAY_DISABLE_IMPORT_WARNING=1 RAY_USAGE_STATS_ENABLED=0
    ray=(python3 -c 'import sys; from ray.scripts.scripts import main; sys.exit(main())')
    "${ray[@]}" start --head --node-ip-address 127.0.0.1 --port 6399 --num-cpus 1 --include-dashboard false --object-store-memory 100000000 > "$WORK/log"
    "${ray[@]}" start --address 127.0.0.1:6399 --node-ip-address 127.0.0.2 --num-cpus 1 --object-store-memory 100000000 >> "$WORK/log"
    run=(python3 ray_shares.py --address 127.0.0.1:6399 --retries 2)
    worker='ray::make_share' ;;
  spark)
    # Spark as installed by pip has no scripts.
    home="$(python3 -c 'import pyspark, os; print(os.path.dirname(pyspark.__file__))')"
    export SPARK_HOME="$home" SPARK_LOCAL_IP=127.0.0.1 PYSPARK_PYTHON=python3 SPARK_NO_DAEMONIZE=1
    "$home/bin/spark-class" org.apache.spark.deploy.master.Master --host 127.0.0.1 --port 7077 --webui-port 0 > "$WORK/log" 2>&1 &
    for node in 1 2; do
      "$home/bin/spark-class" org.apache.spark.deploy.worker.Worker --host "127.0.0.$node" --webui-port 0 --cores 1 --memory 1g --work-dir "$WORK/node$node" spark://127.0.0.1:7077 >> "$WORK/log" 2>&1 &
    done
    run=("$home/bin/spark-submit" --master spark://127.0.0.1:7077 --conf spark.task.maxFailures=3 --conf spark.executor.memory=512m --py-files share.py spark_shares.py)
    worker='pyspark.daemon' ;;
  kubernetes)
    # Without a cluster, run the commands of the manifests for each number that Kubernetes would assign.
    mkdir -p "$WORK/data"; ln -s "$SOURCE" "$WORK/data/docs"
    python3 - "$WORK/data" <<'END'
import os, subprocess, sys, yaml
spec = lambda name: yaml.safe_load(open(name))["spec"]
job = spec("job.yaml")
command = lambda spec: spec["template"]["spec"]["containers"][0]["command"]
for index in range(job["completions"]):
    subprocess.run(command(job), cwd=sys.argv[1], check=True, env={**os.environ, "JOB_COMPLETION_INDEX": str(index)}, stdout=subprocess.DEVNULL)
subprocess.run(command(spec("index.yaml")), cwd=sys.argv[1], check=True)
END
    "$PROGRAM" index "$SOURCE" -o "$WORK/one" --quiet
    diff -r -x '.nearfind-*' "$WORK/one" "$WORK/data/site/search"
    echo "the same bundle as of one machine"
    exit ;;
esac

# Engines print other lines beside the summary.
summary_of() { grep '^{' "$WORK/summary" | tail -n 1; }

echo "== a worker is killed"
"${run[@]}" --shares "$SHARES" --into "$WORK/shares" --out "$WORK/many" "docs=$SOURCE" > "$WORK/summary" 2> "$WORK/progress" &
driver=$!
# Wait until some shares are done and others are in progress.
until [ "$(find "$WORK/shares" -name '*.nf*' 2>/dev/null | wc -l)" -ge 2 ]; do kill -0 $driver || { cat "$WORK/progress"; exit 1; }; sleep 0.2; done
pkill -KILL -o -f "$PROGRAM index .*--share" || true
pkill -KILL -n -f "$worker" && echo "killed $worker and the share that it was making"
wait $driver || { tail -n 40 "$WORK/progress"; cat "$WORK/summary"; exit 1; }
[ "$KIND" != ray ] || grep "over 2 nodes" "$WORK/progress"
summary_of
calls="$(grep -c -- --share "$CALLS")"
[ "$calls" -gt "$SHARES" ] || { echo "nothing was made again"; exit 1; }
echo "$calls shares begun for $SHARES"
"$PROGRAM" index "docs=$SOURCE" -o "$WORK/one" --quiet
diff -r -x '.nearfind-*' "$WORK/one" "$WORK/many"
echo "the same bundle as of one machine"

echo "== a share that always fails"
echo 3 > "$FAILING"
rm -rf "$WORK/shares"
if "${run[@]}" --shares "$SHARES" --into "$WORK/shares" --out "$WORK/many" "docs=$SOURCE" > "$WORK/summary" 2> "$WORK/progress"; then echo "it should have failed"; exit 1; fi
summary_of
summary_of | python3 -c "import json, sys; summary = json.load(sys.stdin); assert summary['made'] == $SHARES - 1 and list(summary['failed']) == ['3'] and 'always fails' in summary['failed']['3'], summary"
diff -r -x '.nearfind-*' "$WORK/one" "$WORK/many"
echo "the index stays as it was"
