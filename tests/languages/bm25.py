#!/usr/bin/env python3
"""BM25 with Snowball's stemmers, pairs of characters in scripts without spaces, and folded accents. See run.sh."""

import json
import math
import re
import sys
import unicodedata
from collections import Counter
from pathlib import Path

import snowballstemmer

K1, B = 1.2, 0.75
NAMES = {
    "ar": "arabic", "de": "german", "el": "greek", "en": "english", "es": "spanish", "hi": "hindi", "ro": "romanian",
    "ru": "russian", "tr": "turkish",
}
WITHOUT_SPACES = {"th", "zh"}


def terms_of(language):
    stem = snowballstemmer.stemmer(NAMES[language]).stemWord if language in NAMES else lambda word: word
    fold = lambda word: "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))

    def terms(text):
        words = re.findall(r"\w+", unicodedata.normalize("NFC", text.lower()))
        if language not in WITHOUT_SPACES:
            return [fold(stem(word)) for word in words]
        return [word[at : at + 2] for word in words for at in range(max(len(word) - 1, 1))]

    return terms


def main():
    language, folder, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    terms = terms_of(language)
    pages = {f"docs/{path.name}": Counter(terms(path.read_text())) for path in sorted((folder / "pages").iterdir())}
    lengths = {page: sum(counts.values()) for page, counts in pages.items()}
    mean = sum(lengths.values()) / len(lengths)
    holding = Counter(term for counts in pages.values() for term in counts)
    weight = {term: math.log(1 + (len(pages) - count + 0.5) / (count + 0.5)) for term, count in holding.items()}
    with out.open("w") as lines:
        for line in (folder / "queries.jsonl").read_text().splitlines():
            query = json.loads(line)
            asked = set(terms(query["text"]))
            score = lambda page: sum(
                weight[term] * count * (K1 + 1) / (count + K1 * (1 - B + B * lengths[page] / mean))
                for term in asked
                if (count := pages[page].get(term))
            )
            scores = {page: score(page) for page in pages}
            best = sorted((page for page in scores if scores[page] > 0), key=lambda page: -scores[page])[:100]
            lines.write(json.dumps({"_id": query["_id"], "documents": best}) + "\n")


main()
