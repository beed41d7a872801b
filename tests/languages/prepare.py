#!/usr/bin/env python3
"""Makes a page from each paragraph of an XQuAD file, with its questions. See run.sh."""

import json
import sys
from pathlib import Path

source, folder = Path(sys.argv[1]), Path(sys.argv[2])
(folder / "pages").mkdir(parents=True, exist_ok=True)
queries, judgments, number = [], ["query-id\tcorpus-id\tscore"], 0
for article in json.loads(source.read_text())["data"]:
    for paragraph in article["paragraphs"]:
        number += 1
        # Leave out the title of the article, which is in English.
        (folder / "pages" / f"{number:03}.txt").write_text(paragraph["context"] + "\n")
        for question in paragraph["qas"]:
            queries.append(json.dumps({"_id": question["id"], "text": question["question"]}, ensure_ascii=False))
            judgments.append(f"{question['id']}\tdocs/{number:03}.txt\t1")
(folder / "queries.jsonl").write_text("\n".join(queries) + "\n")
(folder / "qrels.tsv").write_text("\n".join(judgments) + "\n")
