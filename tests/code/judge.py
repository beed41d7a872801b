"""Judged questions about source code, and the quality of a ranking for them.

A question has targets: files, or lines of files. A result is a path with its first and last line. Rankings are compared
by nDCG@10, for which a target counts at the first result that covers it. Scores are averaged over the questions of a
language, then over languages, as the authors of the questions do.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path

TOP = 10


@dataclass(frozen=True)
class Target:
    path: str
    first: int | None
    last: int | None

    def is_covered_by(self, path: str, first: int, last: int) -> bool:
        is_file = path == self.path or path.endswith("/" + self.path) or self.path.endswith("/" + path)
        return is_file and (self.first is None or (last >= self.first and first <= self.last))


@dataclass(frozen=True)
class Question:
    text: str
    targets: tuple[Target, ...]
    category: str


@dataclass(frozen=True)
class Repository:
    name: str
    language: str
    url: str
    commit: str
    folder: str
    questions: tuple[Question, ...]


def repositories(benchmark: Path) -> list[Repository]:
    """Returns the repositories of a folder with `repos.json` and `annotations`."""
    found = []
    for entry in json.loads((benchmark / "repos.json").read_text()):
        annotations = benchmark / "annotations" / f"{entry['name']}.json"
        questions = [question(item) for item in json.loads(annotations.read_text())] if annotations.exists() else []
        found.append(
            Repository(
                entry["name"],
                entry["language"],
                entry["url"],
                entry["revision"],
                entry.get("benchmark_root") or "",
                tuple(questions),
            )
        )
    return found


def question(item: dict) -> Question:
    targets = tuple(target(raw) for raw in item.get("relevant", []) + item.get("secondary", []))
    return Question(item["query"], targets, item.get("category") or "")


def target(raw: str | dict) -> Target:
    if isinstance(raw, str):
        return Target(raw, None, None)
    return Target(raw["path"], raw.get("start_line"), raw.get("end_line"))


def ndcg(results: list[tuple[str, int, int]], targets: tuple[Target, ...]) -> float:
    """Returns the nDCG@10 of results, best first."""
    gains = [0] * TOP
    for target in targets:
        places = (place for place, result in enumerate(results[:TOP]) if target.is_covered_by(*result))
        place = next(places, None)
        if place is not None:
            gains[place] = 1
    gain = sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))
    ideal = sum(1 / math.log2(place + 2) for place in range(min(TOP, len(targets))))
    return gain / ideal if ideal else 0.0


def mean(values) -> float:
    values = list(values)
    return sum(values) / len(values) if values else 0.0


def by_language(scores: dict[Repository, list[float]]) -> dict[str, float]:
    """Returns the mean for each language: over the questions of a repository, then over its repositories."""
    languages: dict[str, list[float]] = {}
    for repository, values in scores.items():
        languages.setdefault(repository.language, []).append(mean(values))
    return {language: mean(values) for language, values in sorted(languages.items())}
