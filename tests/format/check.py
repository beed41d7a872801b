"""Checks that decode.py, which implements only core/FORMAT.md, reads the same texts, posting lists and vectors from
a bundle as nearfind.

    python3 check.py NEARFIND      the program, with the default model
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from decode import Bundle

DOCUMENTS = {
    "bread.md": "# Baking bread\n\nBread needs flour, water, salt and time. Qzxvolt is a word of this page, qzxvolt.\n\n## Kneading\n\nFold the dough until it is smooth: été, 漢字.\n",
    "threads.md": "# Threads\n\nThreads share memory through a lock. A mutex keeps others out of it.\n",
    "garden/roses.md": "# Gardens\n\n## Roses\n\nRoses want sun, and pruning in spring.\n",
}
QUESTION = "where do flowers need light"


def main(program: str) -> None:
    run = lambda *arguments: subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    with tempfile.TemporaryDirectory() as folder:
        docs, out = Path(folder, "docs"), Path(folder, "bundle")
        for name, text in DOCUMENTS.items():
            docs.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
            docs.joinpath(name).write_text(text, encoding="utf-8")
        run("index", str(docs), "--out", str(out), "--no-box", "--quiet")
        bundle = Bundle(out)

        texts = bundle.texts()
        assert {text["path"]: "".join(chunk["text"] for chunk in text["chunks"]) for text in texts} == DOCUMENTS
        exported = [json.loads(line) for line in run("export", str(out)).splitlines()]
        for text, other in zip(texts, exported, strict=True):
            assert [text["id"], text["url"], text["title"], text["description"]] == [other[name] for name in ("document", "url", "title", "description")]

        lists = bundle.lists()
        first_chunk = {text["path"]: sum(bundle.chunks_of[:number]) for number, text in enumerate(texts)}
        [(chunk, marks, frequency)] = lists["qzxvolt"]
        assert (chunk, marks, frequency) == (first_chunk["bread.md"], 0, 2), lists["qzxvolt"]
        [(chunk, marks, frequency)] = [posting for posting in lists["thread"] if posting[0] == first_chunk["threads.md"]]
        assert frequency == 2 and marks & 3, "in the title, and twice in the text"

        vectors = bundle.vectors()
        assert len(vectors) == bundle.chunks
        question = bundle.rotate(json.loads(run("model", "embed", QUESTION)))
        scores = [sum(a * b for a, b in zip(question, vector)) for vector in vectors]
        found = json.loads(run("search", str(out), QUESTION, "--mode", "meaning", "--json", "--limit", "3"))["hits"]
        assert found[0]["path"] == "garden/roses.md"
        for hit in found:
            own = scores[first_chunk[hit["path"]]]
            assert abs(own - hit["why"]["meaning"]["score"]) < 0.002, (hit["path"], own, hit["why"])
    print(f"{len(texts)} documents, {len(lists)} terms and {len(vectors)} vectors are read alike by the format's document alone")


main(sys.argv[1])
