#!/usr/bin/env python3
"""Measures whether the text that an agent works on leads to the files that it needs next: Agent Retrieval Bench.

    tests/code/agent_retrieval.py NEARFIND CLONE REPOSITORIES WORK [--peers bm25] [--model] [--only pytest-dev/pytest,…]

CLONE is a clone of the benchmark (MIT): git clone https://github.com/eyuansu62/agent-retrieval-bench. It contains 35
questions with right files. Each question is the title and text of a change, a comment or a failure. For 82 more
questions, no file is right: 50 are issues that were solved elsewhere, and 32 are issues of other repositories. The rest
of the benchmark is not in the clone but on a hub.
REPOSITORIES contains a clone of each repository by its name, such as REPOSITORIES/pallets+flask. Missing ones are
cloned into it without their files: `git clone --bare --filter=blob:none`. Each is read at the commit of the question.
Files are ranked by their best piece, including documentation. As in the benchmark, the file that a comment is about
counts if it is among the right ones. BM25 needs `pip install bm25s==0.3.16`.
"""
import argparse
import json
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

from cosqa import QUICK_WAYS, WAYS
from judge import mean
from measure import run

URL = "https://github.com/eyuansu62/agent-retrieval-bench"
DEPTH = 20
NO_ANSWER = "no answer"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nearfind")
    parser.add_argument("clone", type=Path)
    parser.add_argument("repositories", type=Path, help="clones, by owner+name")
    parser.add_argument("work", type=Path, help="where files and bundles go")
    parser.add_argument("--peers", default="", help="bm25")
    parser.add_argument("--model", action="store_true", help="have the model read everything, which takes hours")
    parser.add_argument("--only", default="", help="repositories, separated by commas")
    parser.add_argument("--snapshots", type=int, default=1000, help="so many commits of each repository at most, the first by name")
    arguments = parser.parse_args()
    data = arguments.clone / "data" / "benchmark"
    if not data.exists():
        raise SystemExit(f"{data} does not exist. Get it with: git clone {URL}")
    cases = [*read(data / "v0_1" / "samples.jsonl"), *read(data / "v2_abstention_pilot" / "abstention.jsonl")]
    only = [name for name in arguments.only.split(",") if name]
    snapshots = defaultdict(list)
    for case in cases:
        if not only or case["repo"] in only:
            snapshots[case["repo"], case["base_commit"]].append(case)

    ways = WAYS if arguments.model else QUICK_WAYS
    scores, answered = defaultdict(lambda: defaultdict(list)), defaultdict(lambda: defaultdict(list))
    read_of = Counter()
    for (name, commit), asked in sorted(snapshots.items(), key=lambda item: item[0]):
        read_of[name] += 1
        if read_of[name] > arguments.snapshots:
            continue
        folder = checkout(arguments.repositories, arguments.work, name, commit)
        if folder is None:
            print(f"left out, {name} at {commit[:8]}: {len(asked)} questions", flush=True)
            continue
        bundle = arguments.work / "bundles" / folder.name
        quick = [] if arguments.model else ["--quick"]
        run([arguments.nearfind, "index", f"files={folder}", "--code", "-o", str(bundle), "--no-box", "--quiet", *quick])
        questions = [question(case) for case in asked]
        found = {way: ask(arguments.nearfind, bundle, questions, options) for way, options in ways.items()}
        if "bm25" in arguments.peers:
            from peers import Bm25

            engine = Bm25(folder)
            found["bm25"] = [[path for path, _, _ in engine.results(text, DEPTH)] for text in questions]
        for way, rankings in found.items():
            for case, ranking in zip(asked, rankings, strict=True):
                wanted = right(case)
                answered[way][kind(case)].append(bool(ranking))
                if wanted:
                    scores[way][kind(case)].append(measures(ranking, wanted))
        print(f"{name} at {commit[:8]}: {len(asked)} questions", flush=True)

    for way, kinds in scores.items():
        kinds["all"] = [one for values in list(kinds.values()) for one in values]
        for group, values in sorted(kinds.items()):
            numbers = "  ".join(f"{mean(one[at] for one in values):.3f}" for at in range(3))
            print(f"{way:<26} {group:<18} {len(values):>3} questions: MRR, recall@10, recall@20: {numbers}")
    for way, kinds in answered.items():
        for group, values in sorted(kinds.items()):
            print(f"{way:<26} {group:<28} {len(values):>3} questions, {mean(values):.0%} get an answer")


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def kind(case: dict) -> str:
    if not case["gold"].get("no_gold"):
        return case["task_type"]
    return f"{NO_ANSWER}, {'its own issue' if case['metadata'].get('organic') else 'of another repository'}"


def question(case: dict) -> str:
    """Returns the texts of a question as one line."""
    return " ".join(" ".join(str(value) for value in case["query"].values()).split())


def right(case: dict) -> set[str]:
    gold = case["gold"]
    if case["task_type"] == "code2test":
        return set(gold["related_tests"])
    return set(gold.get("root_cause_files") or gold.get("related_tests") or gold.get("files") or [])


def measures(ranking: list[str], wanted: set[str]) -> tuple[float, float, float]:
    first = next((at for at, path in enumerate(ranking, 1) if path in wanted), 0)
    recall = [len(wanted & set(ranking[:depth])) / len(wanted) for depth in (10, DEPTH)]
    return (1 / first if first else 0.0, *recall)


def checkout(repositories: Path, work: Path, name: str, commit: str) -> Path | None:
    """Returns the folder with the files of a repository at a commit, or None if the commit cannot be found."""
    folder = work / "files" / f"{name.replace('/', '+')}-{commit[:8]}"
    if folder.exists():
        return folder
    places = [repositories / name.replace("/", "+") / inner for inner in ("", ".git", "repo")]
    clone = next((place for place in places if (place / "HEAD").exists()), places[0])
    git = ["git", "-c", "safe.directory=*", "--git-dir", str(clone)]
    if not clone.exists():
        subprocess.run(["git", "clone", "--quiet", "--bare", "--filter=blob:none", f"https://github.com/{name}", str(clone)])
    archive = subprocess.run([*git, "archive", commit], capture_output=True)
    if archive.returncode:
        return None
    folder.mkdir(parents=True)
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True)
    return folder


def ask(nearfind: str, bundle: Path, questions: list[str], options: list[str]) -> list[list[str]]:
    """Returns the files that answer each question, best first."""
    command = [nearfind, "search", str(bundle), "--stdin", "--quiet", "-n", "60", *options]
    answers = run(command, "".join(text + "\n" for text in questions)).splitlines()
    return [list(dict.fromkeys(hit["path"] for hit in json.loads(answer)["hits"]))[:DEPTH] for answer in answers]


if __name__ == "__main__":
    main()
