#!/usr/bin/env python3
"""Measures whether questions about annual reports lead to the right report and the right page: FinanceBench.

    tests/documents/financebench.py NEARFIND CLONE WORK [--documents N] [--quick]

CLONE is a clone of FinanceBench: git clone https://github.com/patronus-ai/financebench. Its open part has 150
questions, each with a report and the pages that contain the answer. The bundle contains the reports of the questions,
or the first N of them by name with `--documents`. Other questions are left out, and so are reports that are not in the
clone.
BM25 ranks the pages as pdftotext reads them, each with the name of its file: `apt-get install poppler-utils`,
`pip install bm25s==0.3.16 PyStemmer==3.1.0`. Pages count in the order of a search box: the best passage of a document,
then its other passages. In the columns `alone`, each question searches only its own report.
"""
import argparse, json, shutil
import retrieval
from retrieval import distinct, rank, share_within

URL = "https://github.com/patronus-ai/financebench"
#: Maximum number of passages of a document: the most that `nearfind search` shows.
PASSAGES = 4


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    retrieval.add_arguments(parser, URL)
    parser.add_argument("--documents", type=int, default=1000, help="so many reports at most")
    options = parser.parse_args()
    questions_file = options.clone / "data" / "financebench_open_source.jsonl"
    retrieval.needs(questions_file, URL)
    with open(questions_file, encoding="utf-8") as file:
        judged = [json.loads(line) for line in file]
    names = sorted({item["doc_name"] for item in judged})
    names = [name for name in names if (options.clone / "pdfs" / f"{name}.pdf").exists()][: options.documents]
    judged = [item for item in judged if item["doc_name"] in names]
    folder = options.work / f"reports-{len(names)}"
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        place = folder / f"{name}.pdf"
        if not place.exists():
            shutil.copyfile(options.clone / "pdfs" / place.name, place)
    bundle = options.work / f"bundle-{len(names)}{'-quick' if options.quick else ''}"
    retrieval.index(options, folder, bundle)

    print(f"{len(judged)} questions about {len(names)} reports\n")
    questions = [item["question"] for item in judged]
    pages_of = [{(e["doc_name"], e["evidence_page_num"] + 1) for e in item["evidence"]} for item in judged]
    shared, single = {}, {}
    for name, way in retrieval.ways(options).items():
        hits = retrieval.ask(options, bundle, questions, way, passages=PASSAGES)
        shared[name] = [([document(hit) for hit in found], pages(found)) for found in hits]
        single[name] = [[]] * len(judged)
        for report_name in names:
            asked = [at for at, item in enumerate(judged) if item["doc_name"] == report_name]
            only = [*way, "--filter", f"path={report_name}.pdf"]
            for at, found in zip(asked, retrieval.ask(options, bundle, [questions[at] for at in asked], only, passages=PASSAGES)):
                single[name][at] = pages(found)
    if not options.no_peer:
        texts = {(name, page): text for name in names for page, text in enumerate(retrieval.pdf_pages(folder / f"{name}.pdf", options.work), 1)}
        shared["BM25 over pages"] = [
            (distinct(name for name, _ in ranked), ranked) for ranked in retrieval.Bm25(texts).ranked(questions, 200)]
        single["BM25 over pages"] = [[]] * len(judged)
        for report_name in names:
            asked = [at for at, item in enumerate(judged) if item["doc_name"] == report_name]
            engine = retrieval.Bm25({place: text for place, text in texts.items() if place[0] == report_name})
            for at, ranked in zip(asked, engine.ranked([questions[at] for at in asked], 20)):
                single["BM25 over pages"][at] = ranked

    rows, ranks = {}, {}
    for name, found in shared.items():
        documents = [rank(ranked, {item["doc_name"]}) for (ranked, _), item in zip(found, judged)]
        places = [rank(ranked, right) for (_, ranked), right in zip(found, pages_of)]
        alone = [rank(ranked, right) for ranked, right in zip(single[name], pages_of)]
        ranks[name] = {item["financebench_id"]: places for item, *places in zip(judged, documents, places, alone)}
        rows[name] = [share_within(documents, 1), share_within(documents, 3)]
        rows[name] += [share_within(places, depth) for depth in (1, 5, 10)]
        rows[name] += [share_within(alone, depth) for depth in (1, 3)]
    columns = ["report in 1", "in 3", "page in 1", "in 5", "in 10", "alone: in 1", "in 3"]
    retrieval.table(rows, columns)
    for kind in sorted({item["question_type"] for item in judged}):
        print(f"\n{kind}")
        of = [item["financebench_id"] for item in judged if item["question_type"] == kind]
        retrieval.table({name: [share_within([found[one][place] for one in of], depth) for place, depth in ((0, 3), (1, 5), (2, 3))]
                         for name, found in ranks.items()}, ["report in 3", "page in 5", "alone: in 3"])
    if options.save:
        options.save.write_text(json.dumps(ranks, indent=1))


def document(hit):
    return hit["path"].removesuffix(".pdf")


def pages(hits):
    """Returns pages in the order in which a search box shows them."""
    rows = [(document(hit), row["anchor"]) for hit in hits for row in (hit, *hit["more"])]
    return distinct((name, int(anchor.removeprefix("page="))) for name, anchor in rows if anchor)


main()
