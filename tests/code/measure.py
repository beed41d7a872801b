"""Asks nearfind and its peers judged questions about source code, and prints nDCG@10. Called by run.sh."""

import argparse
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from judge import Repository, by_language, mean, ndcg, repositories


#: The weight of a piece that defines a name of the question in the same case.
IN_CASE = 9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nearfind")
    parser.add_argument("benchmark", type=Path, help="folder with repos.json and annotations")
    parser.add_argument("checkouts", type=Path, help="a folder for each repository, by its name")
    parser.add_argument("work", type=Path, help="where bundles go")
    parser.add_argument("--peers", default="", help="of ripgrep, csearch, semble and chunkhound, separated by commas")
    parser.add_argument("--only", default="", help="names of repositories, separated by commas")
    parser.add_argument("--tier", default="2", help="2 the model, 1 the bundle's own query encoder")
    arguments = parser.parse_args()
    peers = [peer for peer in arguments.peers.split(",") if peer]

    scores: dict[str, dict[Repository, list[float]]] = {}
    in_ten: dict[str, dict[str, list[bool]]] = {}
    names, gates = 0, 0
    source, bundle_bytes = 0, 0
    for repository in repositories(arguments.benchmark):
        folder = arguments.checkouts / repository.name
        if not folder.exists() or (arguments.only and repository.name not in arguments.only.split(",")):
            continue
        bundle = arguments.work / repository.name
        index(arguments.nearfind, folder, bundle, with_encoder=arguments.tier == "1")
        for mode in ("words", "hybrid"):
            results = ask(arguments.nearfind, bundle, [question.text for question in repository.questions], mode, arguments.tier)
            values = [ndcg(found, question.targets) for found, question in zip(results, repository.questions)]
            scores.setdefault(f"nearfind, {mode}", {})[repository] = values
            note_answered(in_ten.setdefault(f"nearfind, {mode}", {}), repository, results)
        defined, first = exact(arguments.nearfind, bundle, folder)
        names, gates = names + defined, gates + first
        for peer in peers:
            searcher = peer_of(peer, arguments.nearfind, folder / repository.folder, arguments.work / ".peers", repository.name)
            results = [searcher.results(question.text) for question in repository.questions]
            values = [ndcg(found, question.targets) for found, question in zip(results, repository.questions)]
            scores.setdefault(peer, {})[repository] = values
            note_answered(in_ten.setdefault(peer, {}), repository, results)
        line = "  ".join(f"{name} {mean(of[repository]):.3f}" for name, of in scores.items())
        print(f"{repository.name:<16} {repository.language:<12} {line}", flush=True)
        files = json.loads(run([arguments.nearfind, "index", str(folder), "--code", "-o", str(bundle), "--dry-run", "--json"]))
        source += sum(file["bytes"] for project in files for file in project["files"])
        bundle_bytes += sum(file.stat().st_size for file in bundle.glob("*.nf"))

    print()
    for name, of in scores.items():
        languages = by_language(of)
        kinds: dict[str, list[float]] = {}
        for repository, values in of.items():
            for question, value in zip(repository.questions, values):
                kinds.setdefault(question.category, []).append(value)
        parts = "  ".join(f"{kind} {mean(values):.3f}" for kind, values in sorted(kinds.items()))
        print(f"{name:<18} by language {mean(languages.values()):.3f}, of {len(languages)}; all questions {mean(v for values in of.values() for v in values):.3f}; {parts}")
    for name, kinds in in_ten.items():
        every = [answered for values in kinds.values() for answered in values]
        parts = "  ".join(f"{kind} {mean(values):.2f}" for kind, values in sorted(kinds.items()))
        print(f"{name:<18} has an answer in the first ten for {mean(every):.2f} of the questions; {parts}")
    print(f"{gates} of {names} names lead to a definition of theirs first when they are asked for")
    print(f"{bundle_bytes / max(source, 1):.2f} bytes a byte of source")


def note_answered(kinds: dict[str, list[bool]], repository: Repository, results: list[list[tuple[str, int, int]]]) -> None:
    """Notes for each question whether one of the first ten results covers an answer."""
    for found, question in zip(results, repository.questions):
        is_answer = lambda result: any(target.is_covered_by(*result) for target in question.targets)
        kinds.setdefault(question.category, []).append(any(map(is_answer, found[:10])))


def run(command: list[str], text: str = "") -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def index(nearfind: str, folder: Path, bundle: Path, with_encoder: bool) -> None:
    run([nearfind, "index", str(folder), "--code", "-o", str(bundle), "--no-box", "--quiet", *([] if with_encoder else ["--no-query-encoder"])])


def ask(nearfind: str, bundle: Path, questions: list[str], mode: str, tier: str) -> list[list[tuple[str, int, int]]]:
    """Returns the pieces of code that answer each question: path, first and last line."""
    command = [nearfind, "search", str(bundle), "--stdin", "-n", "10", "--filter", "kind=code", "--mode", mode, "--tier", tier]
    answers = run(command, "".join(question.replace("\n", " ") + "\n" for question in questions)).splitlines()
    return [[(hit["path"], *lines(hit["anchor"])) for hit in json.loads(answer)["hits"]] for answer in answers]


def lines(anchor: str) -> tuple[int, int]:
    first, _, last = anchor.replace("L", "").partition("-")
    return int(first), int(last or first)


def exact(nearfind: str, bundle: Path, folder: Path) -> tuple[int, int]:
    """Returns the number of names that occur in only one piece, and how many of them lead to a defining piece first."""
    listed = run([nearfind, "export", str(bundle)])
    places: dict[str, set[str]] = {}
    for line in listed.splitlines():
        file = json.loads(line)
        for piece in file.get("pieces", []):
            name = piece.rsplit(".", 1)[-1]
            if len(name) > 3 and name.replace("_", "").isalnum():
                places.setdefault(name, set()).add(f"{file['document']}#{piece}")
    once = sorted(name for name, of in places.items() if len(of) == 1)[:200]
    if not once:
        return 0, 0
    command = [nearfind, "search", str(bundle), "--stdin", "-n", "3", "--filter", "kind=code"]
    answers = run(command, "".join(name + "\n" for name in once)).splitlines()
    found = [json.loads(answer)["hits"] for answer in answers]
    return len(once), sum(is_first(hits, name, places[name]) for hits, name in zip(found, once))


def is_first(hits: list[dict], name: str, places: set[str]) -> bool:
    """Returns whether the first hit defines `name`. A piece is named after its first definition. Other pieces may also
    define the name, and count as right if they have it in the same case."""
    in_case = max((hit["why"].get("defines", 0) for hit in hits), default=0)
    return bool(hits) and (hits[0]["document"] in places or hits[0]["why"].get("defines", 0) >= max(in_case, IN_CASE))


def peer_of(name: str, nearfind: str, folder: Path, work: Path, repository: str):
    from peers import ChunkHound, Csearch, Ripgrep, Semble

    work.mkdir(parents=True, exist_ok=True)
    if name == "ripgrep":
        return Ripgrep(folder)
    if name == "csearch":
        return Csearch(folder, work / f"{repository}.csearch")
    if name == "chunkhound":
        return ChunkHound(nearfind, folder, work, repository)
    return Semble(folder, work / "stand-in")


if __name__ == "__main__":
    main()
