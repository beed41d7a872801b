"""Makes one share of an index, as any scheduler may run and repeat it."""
import json
import socket
import subprocess


def make_share(number, shares, into, arguments):
    """What `nearfind` prints of the share, and where it was made. Raises RuntimeError, with nearfind's words, if it fails."""
    command = ["nearfind", "index", *arguments, "--share", f"{number}/{shares}", "--into", into, "--quiet"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(run.stderr.strip() or f"nearfind ended with {run.returncode}")
    return {**json.loads(run.stdout), "host": socket.gethostname()}


def finish(made, failed, seconds, into, out, arguments):
    """Prints a line of JSON on all shares; makes the index of them if none has failed. The exit code."""
    hosts = {}
    for share in made:
        hosts[share["host"]] = hosts.get(share["host"], 0) + 1
    print(json.dumps({"shares": len(made) + len(failed), "made": len(made), "failed": failed, "hosts": hosts, "seconds": round(seconds, 1)}))
    if failed:
        return 1
    return subprocess.run(["nearfind", "index", *arguments, "-o", out, "--from", into, "--quiet"]).returncode
