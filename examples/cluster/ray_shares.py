"""Lets a Ray cluster embed the shares of an index, and makes the index from them.

    python ray_shares.py --shares 16 --into /data/shares --out /data/search docs=/data/docs

Further arguments are passed to `nearfind index`. Every node has nearfind, its model, the files and the folder of
shares, under the same paths. If a share fails, or its worker or node is lost, it is made again on another node, a
limited number of times.
"""
import argparse
import os
import sys
import time

import ray

from share import finish, make_share

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--shares", type=int, required=True, help="into how many the work is cut: some for each worker, so that none waits long for the last")
parser.add_argument("--into", required=True, help="the folder of shares")
parser.add_argument("--out", required=True, help="where the index goes")
parser.add_argument("--cpus", type=float, default=1, help="what a share is given of a node (1)")
parser.add_argument("--retries", type=int, default=3, help="how often a share is made again (3)")
parser.add_argument("--address", default="auto", help="of the cluster (auto: the one of this node)")
options, arguments = parser.parse_known_args()

ray.init(address=options.address, runtime_env={"working_dir": os.path.dirname(os.path.abspath(__file__))}, log_to_driver=False)
print(f"{options.shares} shares over {sum(node['Alive'] for node in ray.nodes())} nodes", file=sys.stderr)
started = time.monotonic()
make = ray.remote(num_cpus=options.cpus, max_retries=options.retries, retry_exceptions=True)(make_share)
waiting = {make.remote(number, options.shares, options.into, arguments): number for number in range(1, options.shares + 1)}
made, failed = [], {}
while waiting:
    (ready, *_), _ = ray.wait(list(waiting))
    number = waiting.pop(ready)
    try:
        made.append(ray.get(ready))
    except ray.exceptions.RayTaskError as error:
        failed[number] = str(error.cause)
    except ray.exceptions.RayError as error:
        failed[number] = str(error).splitlines()[0]
    print(f"{len(made)} of {options.shares} shares made, {len(failed)} failed, {time.monotonic() - started:.0f} s", file=sys.stderr)
sys.exit(finish(made, failed, time.monotonic() - started, options.into, options.out, arguments))
