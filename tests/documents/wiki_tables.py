#!/usr/bin/env python3
"""Measures whether questions about tables lead to the right table: WikiTableQuestions.

    tests/documents/wiki_tables.py NEARFIND CLONE WORK [--all-tables] [--questions N] [--quick]

CLONE is a clone of WikiTableQuestions (CC BY-SA 4.0): git clone https://github.com/ppasupat/WikiTableQuestions. Each
question of its test set was written about one of 421 tables of Wikipedia, without naming it: "which country had the
most cyclists finish within the top 10?". So several tables may fit a question, and no ranking can be near 1. The script
asks 500 questions by default, evenly spaced in the test set. The tables are indexed as CSV and as HTML. With
`--all-tables`, all 2,108 tables are indexed, including those of the training set. A table called 404.html is left out
as an error page.
BM25 ranks whole tables: `pip install bm25s==0.3.16 PyStemmer==3.1.0`.
"""
import argparse, csv, json
import retrieval
from retrieval import mean, ndcg, rank, share_within

URL = "https://github.com/ppasupat/WikiTableQuestions"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    retrieval.add_arguments(parser, URL)
    parser.add_argument("--all-tables", action="store_true")
    parser.add_argument("--questions", type=int, default=500)
    options = parser.parse_args()
    split = options.clone / "data" / "pristine-unseen-tables.tsv"
    retrieval.needs(split, URL)
    with open(split, encoding="utf-8", newline="") as file:
        judged = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    asked_about = {table(item["context"]) for item in judged}
    every = {table(path.relative_to(options.clone).as_posix()) for path in options.clone.glob("csv/*/*.csv")}
    names = sorted(every if options.all_tables else asked_about)
    count = min(options.questions, len(judged))
    judged = [judged[at * len(judged) // count] for at in range(count)]
    questions, right = [item["utterance"] for item in judged], [{table(item["context"])} for item in judged]
    print(f"{len(questions)} questions over {len(names)} tables\n")

    found = {}
    for ending in ("csv", "html"):
        folder = options.work / f"{ending}-{len(names)}"
        for name in names:
            place = folder / f"{name}.{ending}"
            if not place.exists():
                place.parent.mkdir(parents=True, exist_ok=True)
                content = (options.clone / "csv" / place.relative_to(folder)).read_text(encoding="utf-8")
                # Without these tags, a file is not recognized as a page.
                place.write_text(f"<html><body>{content}</body></html>" if ending == "html" else content, encoding="utf-8")
        bundle = options.work / f"bundle-{ending}-{len(names)}{'-quick' if options.quick else ''}"
        retrieval.index(options, folder, bundle, "--include", f"**/*.{ending}")
        for way_name, way in retrieval.ways(options).items():
            hits = retrieval.ask(options, bundle, questions, way)
            found[f"{way_name}, {ending.upper()}"] = [[hit["path"].removesuffix(f".{ending}") for hit in one] for one in hits]
    if not options.no_peer:
        texts = {name: (options.clone / "csv" / f"{name}.csv").read_text(encoding="utf-8") for name in names}
        found["BM25 over tables"] = retrieval.Bm25(texts).ranked(questions, 10)

    ranks = {name: [rank(*pair) for pair in zip(ranked, right, strict=True)] for name, ranked in found.items()}
    rows = {name: [share_within(places, depth) for depth in (1, 3, 10)] for name, places in ranks.items()}
    for name, ranked in found.items():
        rows[name].append(mean(ndcg(*pair) for pair in zip(ranked, right)))
    retrieval.table(rows, ["table in 1", "in 3", "in 10", "nDCG@10"])
    if options.save:
        options.save.write_text(json.dumps({item["id"]: {name: places[at] for name, places in ranks.items()} for at, item in enumerate(judged)}, indent=1))


def table(path):
    """Returns the name of a table: its folder and number."""
    return path.removeprefix("csv/").removesuffix(".csv")


main()
