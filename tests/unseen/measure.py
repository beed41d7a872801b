#!/usr/bin/env python3
"""Asks the questions of run.sh with each encoder, and prints the quality of the answers by kind. See run.sh."""

import argparse
import json
import math
import random
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
ENCODERS = {
    "words": ["--mode", "words"],
    "table": ["--tier", "1"],
    "small": ["--small", "--near"],
    "model": ["--near"],
    "every": [],
}
KINDS = ["paraphrase", "how-to", "name", "typo", "none"]


def ask(nearfind, bundle, texts, options):
    """Returns the paths that answer each of `texts`, best first."""
    command = [nearfind, "search", str(bundle), "--stdin", "--json", "--limit", "10", *options]
    answer = subprocess.run(command, input="\n".join(texts), capture_output=True, text=True, check=True)
    return [[hit["path"] for hit in json.loads(line)["hits"]] for line in answer.stdout.splitlines()]


def ndcg(found, pages):
    gain = lambda path: pages.get(path, 0)
    best = sorted(pages.values(), reverse=True)
    discounted = lambda gains: sum(g / math.log2(at + 2) for at, g in enumerate(gains[:10]))
    return discounted([gain(path) for path in found]) / discounted(best)


def mean(values):
    return sum(values) / max(len(values), 1)


def interval(values):
    """Returns the 95 % confidence interval of the mean, by bootstrap."""
    rng = random.Random(1)
    means = sorted(mean(rng.choices(values, k=len(values))) for _ in range(1000))
    return f"[{means[25]:+.3f}, {means[974]:+.3f}]"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nearfind", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--unfit", action="store_true", help="judge the whole ranking, with weak matches that readers do not see")
    parser.add_argument("sites", nargs="+")
    arguments = parser.parse_args()
    rows = []
    for site in arguments.sites:
        questions = [json.loads(line) for line in (HERE / "questions" / f"{site}.jsonl").read_text().splitlines()]
        texts = [question["text"] for question in questions]
        for encoder, options in ENCODERS.items():
            found = ask(arguments.nearfind, arguments.work / "bundles" / site, texts, [*options, *["--unfit"] * arguments.unfit])
            assert len(found) == len(questions), (len(found), len(questions))
            for question, paths in zip(questions, found):
                pages = question["pages"]
                scores = dict(ndcg=ndcg(paths, pages), first=float(pages.get(paths[0] if paths else "", 0) > 0)) if pages else {}
                rows.append(dict(site=site, encoder=encoder, kind=question["kind"], text=question["text"], empty=not paths, **scores))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))
    of = lambda encoder, kind, key, site=None: [
        row[key] for row in rows if row["encoder"] == encoder and row["kind"] == kind and key in row and (site is None or row["site"] == site)
    ]
    print(f"{'nDCG@10':<12} {'questions':>9} " + " ".join(f"{encoder:>7}" for encoder in ENCODERS) + "   small/model  first: " + " ".join(ENCODERS) + "  empty: " + " ".join(ENCODERS))
    for kind in KINDS[:-1]:
        scores = {encoder: mean(of(encoder, kind, "ndcg")) for encoder in ENCODERS}
        first = " ".join(f"{int(sum(of(encoder, kind, 'first'))):>5}" for encoder in ENCODERS)
        empty = " ".join(f"{sum(of(encoder, kind, 'empty')):>5}" for encoder in ENCODERS)
        print(f"{kind:<12} {len(of('words', kind, 'ndcg')):>9} " + " ".join(f"{score:>7.3f}" for score in scores.values())
              + f"   {scores['small'] / scores['model']:.3f}       {first}  {empty}")
        differences = [a - b for a, b in zip(of("small", kind, "ndcg"), of("model", kind, "ndcg"))]
        print(f"{'':<12} small - model {interval(differences)}; "
              + "; ".join(f"{site} " + " ".join(f"{mean(of(encoder, kind, 'ndcg', site)):.3f}" for encoder in ENCODERS) for site in arguments.sites))
    asked = len(of("words", "none", "empty"))
    print(f"answered, of {asked} that no page answers: " + ", ".join(f"{encoder} {asked - sum(of(encoder, 'none', 'empty'))}" for encoder in ENCODERS))


main()
