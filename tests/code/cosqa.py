#!/usr/bin/env python3
"""Searches the 6,267 Python functions of CoSQA for its 500 test questions, with nearfind and its peers.

    tests/code/cosqa.py NEARFIND CLONE WORK [--peers bm25,semble] [--unfit] [--lost N]

CLONE is a clone of CoCLR (MIT): git clone https://github.com/Jun-jie-Huang/CoCLR. Each function becomes a file in WORK,
with its docstring. The questions are ones that people asked a search engine, and each has one function that answers it.
BM25 needs `pip install bm25s==0.3.16`, and semble `pip install semble==0.7.0`.
"""
import argparse
import json
import math
from pathlib import Path

from judge import TOP, mean
from measure import run

WAYS = {
    "nearfind, words": ["--mode", "words"],
    "nearfind, as a page asks": ["--tier", "1"],
    "nearfind, the model": ["--tier", "2"],
}
#: An index without the model takes the meaning of words from general English.
QUICK_WAYS = {"nearfind, words": ["--mode", "words"], "nearfind, quick": ["--tier", "1"]}
URL = "https://github.com/Jun-jie-Huang/CoCLR"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nearfind")
    parser.add_argument("clone", type=Path)
    parser.add_argument("work", type=Path, help="where functions and bundle go")
    parser.add_argument("--peers", default="", help="of bm25 and semble, separated by commas")
    parser.add_argument("--quick", action="store_true", help="index without the model, which is then not asked")
    parser.add_argument("--unfit", action="store_true", help="judge weak matches too, which users get marked as such")
    parser.add_argument("--lost", type=int, default=0, help="print so many questions that a peer answers and nearfind does not")
    arguments = parser.parse_args()
    data = arguments.clone / "data" / "search"
    if not (data / "code_idx_map.txt").exists():
        raise SystemExit(f"{data} has no code_idx_map.txt. Get it with: git clone {URL}")

    functions = json.loads((data / "code_idx_map.txt").read_text())
    judged = json.loads((data / "cosqa-retrieval-test-500.json").read_text())
    questions = [" ".join(item["doc"].split()) for item in judged]
    right = [file_name(item["retrieval_idx"]) for item in judged]
    folder = arguments.work / "code"
    folder.mkdir(parents=True, exist_ok=True)
    for code, number in functions.items():
        (folder / file_name(number)).write_text(code + "\n")

    bundle = arguments.work / ("bundle-quick" if arguments.quick else "bundle")
    quick = ["--quick"] if arguments.quick else []
    run([arguments.nearfind, "index", str(folder), "--code", "-o", str(bundle), "--no-box", "--quiet", *quick])
    ways = QUICK_WAYS if arguments.quick else WAYS
    ranks = {}
    for name, options in ways.items():
        options = [*options, *(["--unfit"] if arguments.unfit else [])]
        ranks[name] = [rank(paths, wanted) for paths, wanted in zip(ask(arguments.nearfind, bundle, questions, options), right, strict=True)]
    for peer in filter(None, arguments.peers.split(",")):
        searcher = peer_of(peer, folder, arguments.work)
        ranks[peer] = [rank([path for path, _, _ in searcher.results(question)], wanted) for question, wanted in zip(questions, right)]

    print(f"{len(questions)} questions over {len(functions)} functions")
    print(f"{'':<26} nDCG@10  MRR@10  in 1  in 3  in 10")
    for name, found in ranks.items():
        gains = mean(1 / math.log2(place + 1) if place else 0 for place in found)
        reciprocal = mean(1 / place if place else 0 for place in found)
        hits = "  ".join(f"{mean(0 < (place or 0) <= depth for place in found):.3f}" for depth in (1, 3, TOP))
        print(f"{name:<26} {gains:.3f}    {reciprocal:.3f}   {hits}")
    lost(questions, right, ranks, list(ways)[-1], arguments.lost)


def file_name(number: int) -> str:
    return f"{number:05}.py"


def ask(nearfind: str, bundle: Path, questions: list[str], options: list[str]) -> list[list[str]]:
    """Returns the files with pieces of code that answer each question, best first."""
    command = [nearfind, "search", str(bundle), "--stdin", "--quiet", "-n", "20", "--filter", "kind=code", *options]
    answers = run(command, "".join(question + "\n" for question in questions)).splitlines()
    # A function within a function is a separate result, in the same file.
    return [list(dict.fromkeys(hit["path"] for hit in json.loads(answer)["hits"]))[:TOP] for answer in answers]


def rank(paths: list[str], wanted: str) -> int | None:
    return paths.index(wanted) + 1 if wanted in paths else None


def peer_of(name: str, folder: Path, work: Path):
    from peers import Bm25, Semble

    return {"bm25": lambda: Bm25(folder), "semble": lambda: Semble(folder, work / "stand-in")}[name]()


def lost(questions: list[str], right: list[str], ranks: dict[str, list[int | None]], way: str, count: int) -> None:
    """Prints questions for which a peer has the function among its first three results, and nearfind not among ten."""
    own, peers = ranks[way], [found for name, found in ranks.items() if not name.startswith("nearfind")]
    missed = [at for at, place in enumerate(own) if place is None and any((found[at] or 99) <= 3 for found in peers)]
    for at in missed[:count]:
        print(f"  {questions[at]} ({right[at]}): " + ", ".join(f"{name} {found[at] or '-'}" for name, found in ranks.items()))


if __name__ == "__main__":
    main()
