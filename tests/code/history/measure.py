"""Asks nearfind, and BM25 over messages, questions about the history of repositories. Prints how many are answered.
Called by run.sh."""

import argparse
import json
import math
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

#: Number of results that are judged for each question.
FIRST = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nearfind")
    parser.add_argument("work", type=Path, help="where clones and bundles go")
    parser.add_argument("--mirrors", default="", help="a folder with clones, as owner+name/repo")
    parser.add_argument("--only", default="", help="repositories, separated by commas")
    parser.add_argument("--commits", type=int, default=500)
    parser.add_argument("--quick", action="store_true", help="words alone: the model reads nothing")
    arguments = parser.parse_args()

    ways = {
        "words": ["--mode", "words"],
        "with the model": ["--mode", "hybrid"],
        "words, kind=history": ["--mode", "words", "--filter", "kind=history"],
        "with the model, kind=history": ["--mode", "hybrid", "--filter", "kind=history"],
    }
    if arguments.quick:
        ways = {way: options for way, options in ways.items() if way.startswith("words")}
    ranks: dict[str, list[tuple[int, bool]]] = {}
    for repository in json.loads((Path(__file__).parent / "questions.json").read_text()):
        if arguments.only and repository["repository"] not in arguments.only.split(","):
            continue
        clone, bundle = cloned(repository, arguments.work, arguments.mirrors)
        began = time.monotonic()
        run([arguments.nearfind, "index", f"project={clone}", "--code", "--history", str(arguments.commits), "-o", str(bundle)]
            + ["--no-box", "--quiet", "--quick" if arguments.quick else "--no-query-encoder"])
        print(f"{repository['repository']}: indexed in {time.monotonic() - began:.0f} s", flush=True)
        questions = [question["question"] for question in repository["questions"]]
        found = {way: asked(arguments.nearfind, bundle, questions, options) for way, options in ways.items()}
        found["BM25 over messages"] = over_messages(clone, arguments.commits, questions)
        for number, question in enumerate(repository["questions"]):
            line = []
            for way, results in found.items():
                rank = next((at + 1 for at, commit in enumerate(results[number]) if question["commit"].startswith(commit)), 0)
                ranks.setdefault(way, []).append((rank, question["own_words"]))
                line.append(f"{rank or '-':>2}")
            print(f"  {' '.join(line)}  {question['question']}", flush=True)
    print(f"the columns: {'; '.join(ranks)}")
    for way, of in ranks.items():
        own = [rank for rank, is_own in of if is_own]
        print(f"{way:<30} first {share([rank == 1 for rank, _ in of])}, in {FIRST} {share([0 < rank <= FIRST for rank, _ in of])}"
              f"; in other words than the commit's: in {FIRST} {share([0 < rank <= FIRST for rank in own])}")


def share(values: list[bool]) -> str:
    return f"{sum(values)}/{len(values)}"


def run(command: list[str], text: str = "") -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def cloned(repository: dict, work: Path, mirrors: str) -> tuple[Path, Path]:
    """Returns the clone of a repository at the commit that the questions are for, and the folder for its bundle."""
    name = repository["repository"].replace("/", "+")
    clone = work / "clones" / name
    if not clone.exists():
        mirror = Path(mirrors) / name / "repo"
        source = f"file://{mirror}" if mirrors else f"https://github.com/{repository['repository']}"
        run(["git", "-c", "safe.directory=*", "clone", "--quiet", source, str(clone)])
        run(["git", "-C", str(clone), "checkout", "--quiet", repository["head"]])
    return clone, work / "bundles" / name


def asked(nearfind: str, bundle: Path, questions: list[str], options: list[str]) -> list[list[str]]:
    """Returns the best results of each question, or the nearest ones if none fits. A result is the start of a commit's
    hash, or `other` for another document."""
    command = [nearfind, "search", str(bundle), "--stdin", "-n", str(FIRST), *options]
    lines = run(command, "".join(f"{question}\n" for question in questions)).splitlines()
    answers = [json.loads(line) for line in lines]
    hits = [answer["hits"] or answer.get("nearest", []) for answer in answers]
    return [[hit["path"].split(" ")[1] if hit["path"].startswith("history/") else "other" for hit in of] for of in hits]


def over_messages(clone: Path, commits: int, questions: list[str]) -> list[list[str]]:
    """Returns the best commits for each question by BM25 over their messages alone, without the merges."""
    log = run(["git", "-C", str(clone), "log", "--no-merges", f"-{commits}", "--format=%H%x00%B%x01"])
    messages = [entry.strip().split("\0") for entry in log.split("\x01") if entry.strip()]
    texts = {commit: Counter(terms(message)) for commit, message in messages}
    mean = sum(sum(counts.values()) for counts in texts.values()) / len(texts)
    having = Counter(term for counts in texts.values() for term in counts)

    def score(counts: Counter, question: list[str]) -> float:
        length = 1.2 * (0.25 + 0.75 * sum(counts.values()) / mean)
        rarity = {term: math.log(1 + (len(texts) - having[term] + 0.5) / (having[term] + 0.5)) for term in question}
        return sum(rarity[term] * counts[term] * 2.2 / (counts[term] + length) for term in question if counts[term])

    best = []
    for question in questions:
        wanted = sorted(set(terms(question)))
        best.append(sorted(texts, key=lambda commit: -score(texts[commit], wanted))[:FIRST])
    return best


def terms(text: str) -> list[str]:
    """Returns the words in lower case, without the most frequent endings of English."""
    return [re.sub(r"(ing|ed|es|s)$", "", word) if len(word) > 4 else word for word in re.findall(r"[a-z0-9]+", text.lower())]


if __name__ == "__main__":
    main()
