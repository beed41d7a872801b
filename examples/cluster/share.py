"""Makes one share of an index. Any scheduler may run and repeat it."""
import json
import socket
import subprocess


def make_share(number, shares, into, arguments):
    """Returns the output of `nearfind` for the share, with the host that made it. Raises RuntimeError with nearfind's
    error message if it fails."""
    command = ["nearfind", "index", *arguments, "--share", f"{number}/{shares}", "--into", into, "--quiet"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(run.stderr.strip() or f"nearfind ended with {run.returncode}")
    return {**json.loads(run.stdout), "host": socket.gethostname()}


def finish(made, failed, seconds, into, out, arguments):
    """Prints a line of JSON about all shares and makes the index if none has failed. Returns the exit code."""
    hosts = {}
    for share in made:
        hosts[share["host"]] = hosts.get(share["host"], 0) + 1
    print(json.dumps({"shares": len(made) + len(failed), "made": len(made), "failed": failed, "hosts": hosts, "seconds": round(seconds, 1)}))
    if failed:
        return 1
    return subprocess.run(["nearfind", "index", *arguments, "-o", out, "--from", into, "--quiet"]).returncode
