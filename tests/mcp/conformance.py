"""Runs the scenarios of the protocol's conformance suite that apply to a server with tools and resources of its own,
and compares the failures with `baseline.json`, which explains them.

    python conformance.py CONFORMANCE URL [--accept]"""

import json
import pathlib
import subprocess
import sys
import tempfile

SUITE, URL = sys.argv[1:3]
BASELINE = pathlib.Path(__file__).with_name("baseline.json")
# The other scenarios call tools, prompts and resources of a server made for the suite.
SCENARIOS = {
    "2025-11-25": ["server-initialize", "ping", "tools-list", "resources-list", "server-sse-multiple-streams", "dns-rebinding-protection"],
    "2026-07-28": ["server-stateless", "tools-list", "resources-list", "sep-2164-resource-not-found", "server-sse-multiple-streams", "dns-rebinding-protection", "caching"],
}


def checks(scenario, version):
    """Runs a scenario. Returns for each check, by name, whether it passed."""
    with tempfile.TemporaryDirectory() as folder:
        command = [SUITE, "server", "--url", URL, "--scenario", scenario, "--spec-version", version, "-o", folder]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
        files = list(pathlib.Path(folder).rglob("checks.json"))
        assert files, f"{scenario} at {version} did not run: {ran.stdout[-500:]} {ran.stderr[-500:]}"
        return [check for file in files for check in json.loads(file.read_text())]


def main():
    failed, passed = {}, 0
    for version, scenarios in SCENARIOS.items():
        for scenario in scenarios:
            for check in checks(scenario, version):
                name = f"{version}/{scenario}/{check['id']}"
                if check["status"] == "FAILURE":
                    failed[name] = check.get("errorMessage") or check.get("description", "")
                elif check["status"] == "SUCCESS":
                    passed += 1
    known = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    print(f"{passed} checks passed, {len(failed)} failed, {len(known)} are known to fail")
    for name, why in failed.items():
        if name not in known:
            print(f"failed: {name}: {why}")
    for name in known.keys() - failed.keys():
        print(f"passes now: {name}: take it out of {BASELINE.name}")
    if "--accept" in sys.argv:
        BASELINE.write_text(json.dumps({name: known.get(name, why) for name, why in sorted(failed.items())}, indent=2) + "\n")
    elif failed.keys() != known.keys():
        sys.exit(1)


main()
