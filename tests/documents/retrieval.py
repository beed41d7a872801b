"""Asks a bundle judged questions, and BM25 over texts for comparison. Prints how often the right documents are found.

A ranking is a list of names, best first. A judgment is the set of right names.
"""
import json, math, pathlib, subprocess

#: Ways to search: by words alone, with the bundle's own query encoder as pages do, or with the model.
WAYS = {
    "nearfind, words": ["--mode", "words"],
    "nearfind, as a page asks": ["--tier", "1"],
    "nearfind, the model": ["--tier", "2"],
}
#: An index without the model takes the meaning of words from general English.
QUICK_WAYS = {"nearfind, words": ["--mode", "words"], "nearfind, quick": ["--tier", "1"]}


def add_arguments(parser, url):
    """Adds the arguments that all benchmarks share."""
    parser.add_argument("nearfind")
    parser.add_argument("clone", type=pathlib.Path, help=f"a clone of {url}")
    parser.add_argument("work", type=pathlib.Path, help="where the bundle and texts for BM25 go")
    parser.add_argument("--quick", action="store_true", help="index without the model, which is then not asked")
    parser.add_argument("--unfit", action="store_true", help="judge weak matches too, which users get marked as such")
    parser.add_argument("--no-peer", action="store_true", help="do not ask BM25")
    parser.add_argument("--save", type=pathlib.Path, help="keep the ranks of each question in this file")


def needs(path, url):
    if not path.exists():
        raise SystemExit(f"{path} does not exist. Get it with: git clone {url}")


def run(command, text=""):
    done = subprocess.run([str(part) for part in command], input=text, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{command}: {done.stderr}")
    return done.stdout


def index(options, folder, bundle, *more):
    run([options.nearfind, "index", folder, "-o", bundle, "--no-box", "--quiet", *(["--quick"] if options.quick else []), *more])


def ways(options):
    return QUICK_WAYS if options.quick else WAYS


def ask(options, bundle, questions, way, limit=10, passages=1):
    """Returns the hits of each question: documents, best first, each with its passages."""
    command = [options.nearfind, "search", bundle, "--stdin", "--quiet", "-n", limit, "--passages", passages, *way]
    command += ["--unfit"] if options.unfit else []
    answers = run(command, "".join(" ".join(question.split()) + "\n" for question in questions))
    return [json.loads(answer)["hits"] for answer in answers.splitlines()]


class Bm25:
    """BM25 over named texts, with English stems and without stop words."""

    def __init__(self, texts):
        import bm25s, Stemmer
        self.library, self.stemmer = bm25s, Stemmer.Stemmer("english")
        self.names = list(texts)
        self.index = bm25s.BM25()
        self.index.index(self.words(list(texts.values())), show_progress=False)

    def words(self, texts):
        return self.library.tokenize(texts, stopwords="en", stemmer=self.stemmer, show_progress=False)

    def ranked(self, questions, depth):
        found, scores = self.index.retrieve(self.words(questions), k=min(depth, len(self.names)), show_progress=False)
        return [[self.names[at] for at, score in zip(row, values) if score > 0] for row, values in zip(found, scores)]


def pdf_pages(path, work):
    """Returns the pages of a PDF as pdftotext reads them, each after the words in the name of the file."""
    text = work / "texts" / f"{path.stem}.txt"
    if not text.exists():
        text.parent.mkdir(parents=True, exist_ok=True)
        run(["pdftotext", "-q", "-layout", path, text])
    return [f"{path.stem.replace('_', ' ')}\n{page}" for page in text.read_text(encoding="utf-8", errors="replace").split("\f")[:-1]]


def rank(ranked, right):
    """Returns the rank of the first right name, from 1, or 0 if there is none."""
    return next((at for at, name in enumerate(ranked, 1) if name in right), 0)


def ndcg(ranked, right):
    gain = sum(1 / math.log2(at + 1) for at, name in enumerate(ranked[:10], 1) if name in right)
    return gain / sum(1 / math.log2(at + 1) for at in range(1, min(10, len(right)) + 1))


def distinct(names):
    return list(dict.fromkeys(names))


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0.0


def share_within(ranks, depth):
    """Returns the share of questions with a right name among the first `depth`."""
    return mean(0 < place <= depth for place in ranks)


def table(rows, columns):
    """Prints a table. `rows` has values by name, and `columns` the titles of the values."""
    width = max(len(name) for name in rows)
    print(" " * width + "".join(f"  {column:>12}" for column in columns))
    for name, values in rows.items():
        print(f"{name:<{width}}" + "".join(f"  {value:>12.3f}" for value in values), flush=True)
