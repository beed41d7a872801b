#!/usr/bin/env python3
"""Measures whether questions lead to the right section or page of the right file.

    places.py NEARFIND BUNDLE QUERIES PLACES [-- OPTIONS OF SEARCH]

QUERIES are JSON lines with `_id`, `text` and `metadata.category`. PLACES are tab-separated rows of query, file, place
and gain, where a place is the anchor `page=7`, or headings from the outermost on, joined by ` > `. Rows count in the
order of a search box: the best passage of a document, then its other passages.
"""
import collections, json, subprocess, sys


def is_place(place, row):
    if place.startswith("page="):
        return row["anchor"] == place
    # The headings of a section come before its place, and the title of a document is not among them.
    section = row["section"].lower()
    return place.lower() in section or place.lower().split(" > ")[-1] in section.split(" > ")[-1]


def main():
    arguments, options = sys.argv[1:], []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, options = arguments[:at], arguments[at + 1:]
    program, bundle, queries, places = arguments
    wanted = collections.defaultdict(list)
    with open(places, encoding="utf-8") as file:
        for line in list(file)[1:]:
            query, path, place, _ = line.rstrip("\n").split("\t")
            wanted[query].append((path, place))
    asked = [json.loads(line) for line in open(queries, encoding="utf-8")]
    asked = [query for query in asked if query["_id"] in wanted]
    run = subprocess.run(
        [program, "search", bundle, "--stdin", "--json", "--quiet", "--limit", "10", "--passages", "3", *options],
        input="\n".join(" ".join(query["text"].split()) for query in asked), capture_output=True, text=True, check=True)
    replies = [json.loads(line) for line in run.stdout.splitlines() if line.strip()]
    totals = collections.defaultdict(lambda: collections.Counter())
    for query, reply in zip(asked, replies, strict=True):
        files = [hit["path"] for hit in reply["hits"]]
        rows = [(hit["path"], row) for hit in reply["hits"] for row in (hit, *hit["more"])]
        right = wanted[query["_id"]]
        file_rank = next((rank for rank, path in enumerate(files, 1) if any(path == name for name, _ in right)), 0)
        place_rank = next((rank for rank, (path, row) in enumerate(rows, 1) if any(path == name and is_place(place, row) for name, place in right)), 0)
        for group in ("all", query.get("metadata", {}).get("category", "")):
            total = totals[group]
            total["questions"] += 1
            total["file in 1"] += file_rank == 1
            total["file in 3"] += 0 < file_rank <= 3
            total["place in 1"] += place_rank == 1
            total["place in 5"] += 0 < place_rank <= 5
            total["place MRR"] += 1 / place_rank if place_rank else 0
        if file_rank != 1 or place_rank != 1:
            print(f"  {query['_id']} file {file_rank or '-'}, place {place_rank or '-'}: {query['text']} ({right[0][1]})")
            print("      " + "; ".join(f"{path.rsplit('/')[-1]} {row['anchor'] or row['section']}" for path, row in rows[:3]))
    for group, total in totals.items():
        count = total.pop("questions")
        print(f"{group or 'other'}: {count} questions, " + ", ".join(f"{name} {value / count:.3f}" for name, value in total.items()))


main()
