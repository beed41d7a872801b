"""Lets Spark embed the shares of an index, and makes the index from them.

    spark-submit --py-files share.py spark_shares.py --shares 16 --into /data/shares --out /data/search docs=/data/docs

Further arguments are passed to `nearfind index`. Every worker has nearfind, its model, the files and the folder of
shares, under the same paths. If a share fails, or its worker is lost, it is made again on another worker, up to
`spark.task.maxFailures` times.
"""
import argparse
import sys
import time

from pyspark import TaskContext
from pyspark.sql import SparkSession

from share import finish, make_share

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--shares", type=int, required=True, help="into how many the work is cut: some for each worker, so that none waits long for the last")
parser.add_argument("--into", required=True, help="the folder of shares")
parser.add_argument("--out", required=True, help="where the index goes")
options, arguments = parser.parse_known_args()

context = SparkSession.builder.appName("nearfind shares").getOrCreate().sparkContext
tries = int(context.getConf().get("spark.task.maxFailures", "4"))
shares, into = options.shares, options.into


def attempt(number):
    """Returns the share, or the error after the last attempt, because a share that always fails would end the others
    with it."""
    try:
        return number, make_share(number, shares, into, arguments), None
    except RuntimeError as error:
        if TaskContext.get().attemptNumber() + 1 < tries:
            raise
        return number, None, str(error)


started = time.monotonic()
made, failed = [], {}
for number, share, problem in context.parallelize(range(1, shares + 1), shares).map(attempt).collect():
    if share is None:
        failed[number] = problem
    else:
        made.append(share)
code = finish(made, failed, time.monotonic() - started, into, options.out, arguments)
context.stop()
sys.exit(code)
