#!/usr/bin/env python3
"""Measures whether questions about quarterly reports lead to the right reports: the part sec-10-q of KG-RAG-datasets.

    tests/documents/kg_rag.py NEARFIND CLONE WORK [--quick]

CLONE is a clone of KG-RAG-datasets (MIT): git clone https://github.com/docugami/KG-RAG-datasets. It has 195 questions
about 20 reports of five companies, each with the reports that contain the answer: one, or all of a company. Most
questions name the company and the quarter in other words than the reports.
BM25 ranks the pages as pdftotext reads them, each with the name of its file: `apt-get install poppler-utils`,
`pip install bm25s==0.3.16 PyStemmer==3.1.0`.
"""
import argparse, csv, fnmatch, json
import retrieval
from retrieval import distinct, mean, ndcg, rank, share_within

URL = "https://github.com/docugami/KG-RAG-datasets"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    retrieval.add_arguments(parser, URL)
    options = parser.parse_args()
    data = options.clone / "sec-10-q" / "data" / "v1"
    retrieval.needs(data / "qna_data.csv", URL)
    with open(data / "qna_data.csv", encoding="utf-8-sig", newline="") as file:
        judged = list(csv.DictReader(file))
    folder = data / "docs"
    names = sorted(path.stem for path in folder.glob("*.pdf"))
    right = [{name for name in names if fnmatch.fnmatchcase(name, item["Source Docs"])} for item in judged]
    questions = [item["Question"] for item in judged]
    bundle = options.work / f"bundle{'-quick' if options.quick else ''}"
    retrieval.index(options, folder, bundle)

    found = {}
    for name, way in retrieval.ways(options).items():
        found[name] = [[hit["path"].removesuffix(".pdf") for hit in hits] for hits in retrieval.ask(options, bundle, questions, way)]
    if not options.no_peer:
        texts = {(name, page): text for name in names for page, text in enumerate(retrieval.pdf_pages(folder / f"{name}.pdf", options.work), 1)}
        found["BM25 over pages"] = [distinct(name for name, _ in ranked) for ranked in retrieval.Bm25(texts).ranked(questions, 500)]

    groups = {"all": range(len(judged))}
    for kind in sorted({item["Question Type"] for item in judged}):
        groups[kind] = [at for at, item in enumerate(judged) if item["Question Type"] == kind]
    for group, members in groups.items():
        print(f"{group}: {len(members)} questions")
        rows = {}
        for name, ranked in found.items():
            ranks = [rank(ranked[at], right[at]) for at in members]
            rows[name] = [share_within(ranks, 1), share_within(ranks, 3), mean(ndcg(ranked[at], right[at]) for at in members)]
        retrieval.table(rows, ["report in 1", "in 3", "nDCG@10"])
    if options.save:
        options.save.write_text(json.dumps({name: [rank(*pair) for pair in zip(ranked, right)] for name, ranked in found.items()}))


main()
