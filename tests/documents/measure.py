#!/usr/bin/env python3
"""Measures how well `nearfind` reads the documents below a folder, compared with installed readers.

    measure.py NEARFIND FOLDER [--damaged N] [--kinds pdf,docx,pptx,xlsx] [--cache FOLDER] [--worst N]

NEARFIND is called in the same way as it calls itself: a process reads files. Each message is a kind, a name and a
content, each after its length in four bytes. The answer is an `A` and JSON. The references for PDF are pdftotext,
PDFium (pypdfium2) and MuPDF (pymupdf); for Word, pandoc, python-docx and mammoth; for slides, python-pptx; for
workbooks, openpyxl. Missing ones are left out and named.

Words are compared as multisets, in NFKC and lower case, with Chinese, Japanese and Korean by character, and with
hyphenated lines joined. The truth for each word is the median of the references. The order is the F1 of pairs of
neighbors against the nearest reference. nearfind deliberately removes running headers, footers, page numbers and
tables of contents, so this script removes them from the references as well: lines at the top and bottom of pages that
repeat on a third of them.
"""
import argparse, collections, hashlib, json, os, pathlib, random, re, select, statistics, struct, subprocess, sys, time, unicodedata

MEMORY = 1 << 30
SECONDS = 60


class Reader:
    """A process that reads files."""

    def __init__(self, program):
        self.program, self.process = program, None

    def read(self, name, data):
        """Returns the answer, and the seconds of CPU time that it took."""
        if self.process is None:
            self.process = subprocess.Popen(
                [self.program, "read-apart", str(MEMORY)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        before = self.seconds()
        try:
            for part in (b"document", name.encode(), data):
                self.process.stdin.write(struct.pack("<I", len(part)) + part)
            self.process.stdin.flush()
            if not select.select([self.process.stdout], [], [], SECONDS)[0]:
                raise TimeoutError
            self.message()
            answer = json.loads(self.message())
        except (OSError, struct.error, TimeoutError) as error:
            self.process.kill()
            self.process.wait()
            self.process = None
            return {"Err": "slow" if isinstance(error, TimeoutError) else "died"}, 0.0
        return answer, self.seconds() - before

    def message(self):
        length = struct.unpack("<I", self.process.stdout.read(4))[0]
        return self.process.stdout.read(length)

    def seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak(self):
        """Returns the peak memory of the process in bytes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text() if self.process else ""
        found = re.search(r"VmHWM:\s+(\d+)", status)
        return int(found[1]) * 1024 if found else 0


def document(answer):
    return answer.get("Ok", {}).get("Document") if isinstance(answer.get("Ok"), dict) else None


WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\W_]+")


def words(text):
    text = re.sub(r"(?<=\w)[-\u00ad\u2010]\n\s*(?=[^\W\d_])", "", text).replace("\u00ad", "")
    text = unicodedata.normalize("NFKC", text).lower()
    return WORD.findall("".join(c for c in text if not unicodedata.combining(c)))


def f1(found, wanted):
    both = sum((found & wanted).values())
    total = sum(found.values()) + sum(wanted.values())
    return 2 * both / total if total else 1.0


def median_words(texts):
    counts = [collections.Counter(text) for text in texts]
    names = set().union(*counts)
    return collections.Counter({word: int(statistics.median(count[word] for count in counts)) for word in names})


def pairs(text):
    return collections.Counter(zip(text, text[1:]))


LEADER = re.compile(r"(\.\s?){4,}\s*[\divxlc-]+\s*$|…\s*\d+\s*$", re.M)


def without_furniture(pages):
    """Returns pages without lines that repeat at their edges, and without tables of contents."""
    lines = [page.split("\n") for page in pages]
    lines = [[line for line in page if line.strip()] for page in lines]
    shape = lambda line: re.sub(r"\d+|\b[ivxlc]+\b", "#", " ".join(line.split()))
    seen = collections.Counter(s for page in lines for s in {shape(line) for line in page[:3] + page[-3:]})
    running = {s for s, count in seen.items() if count >= 3 and count * 3 > len(pages)}
    kept, out = set(), []
    for page in lines:
        leaders = sum(bool(LEADER.search(line)) for line in page)
        if leaders >= 4 and leaders > len(page) * 0.4:
            page = [line for line in page if not LEADER.search(line)]
        rest = []
        for number, line in enumerate(page):
            edge = number < 3 or number >= len(page) - 3
            if edge and shape(line) in running:
                # The first such line stays, unless it is only a number.
                if shape(line) in kept or not re.search(r"[^\W\d_]{2}", shape(line).replace("#", "")):
                    continue
                kept.add(shape(line))
            rest.append(line)
        out.append("\n".join(rest))
    return out


def pdf_references(path):
    found = {}
    try:
        text = subprocess.run(["pdftotext", "-q", str(path), "-"], capture_output=True, timeout=30).stdout.decode("utf-8", "replace")
        found["pdftotext"] = text.split("\f")[:-1] or [text]
    except (FileNotFoundError, subprocess.TimeoutExpired):
        pass
    try:
        import pypdfium2
        book = pypdfium2.PdfDocument(str(path))
        found["pdfium"] = [page.get_textpage().get_text_bounded().replace("\r\n", "\n").replace("\ufffe", "-\n") for page in book]
    except Exception:
        pass
    try:
        import pymupdf
        pymupdf.TOOLS.mupdf_display_errors(False)
        found["mupdf"] = [page.get_text() for page in pymupdf.open(path)]
    except Exception:
        pass
    return found


def outline_of(path):
    try:
        import pymupdf
        return [(title, page) for _, title, page in pymupdf.open(path).get_toc() if page > 0 and title.strip()]
    except Exception:
        return []


def docx_references(path):
    found, headings = {}, None
    try:
        run = subprocess.run(["pandoc", "-f", "docx", "-t", "json", str(path)], capture_output=True, timeout=60)
        if run.returncode == 0:
            blocks = json.loads(run.stdout)["blocks"]
            plain = subprocess.run(["pandoc", "-f", "json", "-t", "plain", "--wrap=none"], input=run.stdout, capture_output=True, timeout=60)
            found["pandoc"] = [plain.stdout.decode()]
            headings = [" ".join(words(heading_text(block["c"][2]))) for block in blocks if block["t"] == "Header"]
            # Empty headings cannot be found.
            headings = [heading for heading in headings if heading]
    except (FileNotFoundError, subprocess.TimeoutExpired, ValueError):
        pass
    try:
        import docx
        opened = docx.Document(str(path))
        texts = []
        body = opened.element.body
        namespace = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
        for paragraph in body.iter(namespace + "p"):
            texts.append("".join(node.text or "" if node.tag == namespace + "t" else " " for node in paragraph.iter(namespace + "t", namespace + "tab", namespace + "br")))
        found["python-docx"] = ["\n".join(texts)]
    except Exception:
        pass
    try:
        import mammoth
        with open(path, "rb") as file:
            found["mammoth"] = [mammoth.extract_raw_text(file).value]
    except Exception:
        pass
    return found, headings


def heading_text(inlines):
    out = []
    for inline in inlines:
        content = inline.get("c")
        if inline["t"] == "Str":
            out.append(content)
        elif inline["t"] in ("Space", "SoftBreak", "LineBreak"):
            out.append(" ")
        elif inline["t"] in ("Code", "Math", "RawInline"):
            out.append(content[1])
        elif inline["t"] not in ("Note", "Image") and isinstance(content, list):
            inner = next((part for part in reversed(content) if isinstance(part, list) and part and isinstance(part[0], dict)), [])
            out.append(heading_text(content if content and isinstance(content[0], dict) else inner))
    return "".join(out)


def pptx_references(path):
    try:
        import pptx
        texts = []
        def shapes(group):
            for shape in group:
                if shape.shape_type == 6:
                    shapes(shape.shapes)
                elif shape.has_text_frame:
                    texts.append(shape.text_frame.text)
                elif getattr(shape, "has_table", False) and shape.has_table:
                    texts.extend(cell.text for row in shape.table.rows for cell in row.cells)
        for slide in pptx.Presentation(str(path)).slides:
            shapes(slide.shapes)
            if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
                texts.append(slide.notes_slide.notes_text_frame.text)
        return {"python-pptx": ["\n".join(texts)]}
    except Exception:
        return {}


def xlsx_references(path):
    try:
        import openpyxl
        book = openpyxl.load_workbook(str(path), read_only=True, data_only=True)
        texts = [cell for sheet in book.worksheets if sheet.sheet_state == "visible" for row in sheet.iter_rows(values_only=True) for cell in row if isinstance(cell, str)]
        return {"openpyxl": ["\n".join(texts)]}
    except Exception:
        return {}


def cached(folder, path, make):
    if not folder:
        return make(path)
    place = pathlib.Path(folder) / (hashlib.sha256(path.read_bytes()).hexdigest()[:24] + ".json")
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        # A reference that crashes ends its process.
        child = os.fork()
        if child == 0:
            try:
                made = make(path)
                place.write_text(json.dumps(made), encoding="utf-8", errors="surrogatepass")
            finally:
                os._exit(0)
        os.waitpid(child, 0)
    return json.loads(place.read_text(encoding="utf-8", errors="surrogatepass")) if place.exists() else ({}, []) if make is not pptx_references else {}


def compare(found, references):
    texts = [words("\n".join(pages)) for pages in references.values()]
    score = f1(collections.Counter(found), median_words(texts))
    order = max(f1(pairs(found), pairs(text)) for text in texts)
    return score, order


def is_right_to_left(text):
    letters = [c for c in text if c.isalpha()]
    return len(letters) > 20 and sum(unicodedata.bidirectional(c) in ("R", "AL") for c in letters) * 3 > len(letters)


def markdown_words(text):
    return words(re.sub(r"^#+ |^\| | \|$|^```.*$|\\(?=[#|`~])", "", text, flags=re.M))


def measure_pdf(paths, reader, options):
    print(f"\nPDF: {len(paths)} files")
    rows, failures, seconds, pages_read, long_pages, long_seconds = [], collections.Counter(), 0, 0, 0, 0
    outline_found = outline_all = 0
    peak = 0
    for path in paths:
        answer, took = reader.read(path.name, path.read_bytes())
        peak = max(peak, reader.peak())
        read = document(answer)
        if read is None:
            failures[str(answer.get("Err", answer.get("Ok")))[:60]] += 1
            continue
        references, outline = cached(options.cache, path, lambda p: (pdf_references(p), outline_of(p)))
        count = max((len(pages) for pages in references.values()), default=0)
        seconds, pages_read = seconds + took, pages_read + count
        if count >= 20:
            long_pages, long_seconds = long_pages + count, long_seconds + took
        if len(outline) >= 3:
            titles = collections.defaultdict(set)
            for heading in read["headings"]:
                titles[heading["anchor"]].add("".join(words(heading["title"])))
            outline_all += len(outline)
            outline_found += sum("".join(words(title)) in titles[f"page={page}"] for title, page in outline)
        plain = {name: without_furniture(pages) for name, pages in references.items()}
        if len(plain) < 2:
            continue
        counts = [collections.Counter(words("\n".join(pages))) for pages in plain.values()]
        agree = max(f1(a, b) for n, a in enumerate(counts) for b in counts[n + 1:])
        if agree < 0.9 or min(sum(count.values()) for count in counts) < 30:
            continue
        found = markdown_words(read["text"])
        score, order = compare(found, plain)
        whole = "\n".join(next(iter(references.values())))
        rows.append((score, order, path, is_right_to_left(whole), count))
    report("all that two references agree on", rows)
    report("right to left", [row for row in rows if row[3]])
    report("twenty pages and more", [row for row in rows if row[4] >= 20])
    report("others", [row for row in rows if not row[3]])
    print(f"  {pages_read} pages, {pages_read / max(seconds, .01):.0f} a CPU second; of long documents {long_pages / max(long_seconds, .01):.0f}; memory {peak >> 20} MB")
    print(f"  titles of outlines that are headings on their page: {outline_found} of {outline_all} ({outline_found / max(outline_all, 1):.3f})")
    print("  not read:", dict(failures))
    for score, order, path, _, _ in sorted(rows)[: options.worst]:
        print(f"    {score:.3f} {order:.3f} {path}")


def report(name, rows):
    if rows:
        print(f"  {name}: {len(rows)} files, words {statistics.mean(r[0] for r in rows):.3f}, order {statistics.mean(r[1] for r in rows):.3f}")


def measure_office(name, paths, reader, make, options):
    print(f"\n{name}: {len(paths)} files")
    rows, failures, headings_f1, seconds = [], collections.Counter(), [], 0
    for path in paths:
        answer, took = reader.read(path.name, path.read_bytes())
        seconds += took
        read = document(answer)
        if read is None:
            failures[str(answer.get("Err", answer.get("Ok")))[:60]] += 1
            continue
        made = cached(options.cache, path, make)
        references, headings = made if isinstance(made, (list, tuple)) else (made, None)
        if not references or sum(len(words("".join(pages))) for pages in references.values()) < 20 * len(references):
            continue
        # The numbers of slides are in no text box, so the references do not have them.
        found = markdown_words(re.sub(r"(?m)^# Slide \d+:?", "#", read["text"]) if make is pptx_references else read["text"])
        rows.append((*compare(found, references), path))
        if headings:
            own = collections.Counter(" ".join(words(h["title"])) for h in read["headings"])
            # Numbers before a heading belong to a list, not to the text of the heading.
            strip = lambda counts: collections.Counter({re.sub(r"^(\d+ )+", "", k): v for k, v in counts.items()})
            headings_f1.append((max(f1(own, collections.Counter(headings)), f1(strip(own), strip(collections.Counter(headings)))), path))
    report("words", rows)
    if headings_f1:
        print(f"  headings: {len(headings_f1)} files, {statistics.mean(score for score, _ in headings_f1):.3f}")
        for score, path in sorted(headings_f1)[: options.worst]:
            print(f"    heading {score:.3f} {path}")
    print(f"  {len(paths) / max(seconds, .01):.0f} files a CPU second; not read:", dict(failures))
    for score, order, path in sorted(rows)[: options.worst]:
        print(f"    {score:.3f} {order:.3f} {path}")


def measure_damaged(paths, reader, count):
    """Reads files with a part cut out or changed. A bad file may end only the process of its reader."""
    draw = random.Random(7)
    by_kind = collections.defaultdict(list)
    for path in paths:
        if path.stat().st_size < 4 << 20:
            by_kind[path.suffix.lower()].append(path)
    print("\nDamaged files")
    for kind, found in sorted(by_kind.items()):
        outcomes = collections.Counter()
        for _ in range(count):
            path = draw.choice(found)
            data = bytearray(path.read_bytes())
            for _ in range(draw.randint(1, 40)):
                if data:
                    data[draw.randrange(len(data))] = draw.randrange(256)
            if draw.random() < 0.4:
                data = data[: draw.randrange(len(data) + 1)]
            answer, _ = reader.read(path.name, bytes(data))
            error = answer.get("Err")
            outcomes["read" if document(answer) else "left out" if error is None else error if isinstance(error, str) else next(iter(error))] += 1
        print(f"  {kind}: {dict(outcomes)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nearfind")
    parser.add_argument("folder")
    parser.add_argument("--damaged", type=int, default=0)
    parser.add_argument("--kinds", default="pdf,docx,pptx,xlsx")
    parser.add_argument("--cache")
    parser.add_argument("--worst", type=int, default=0)
    options = parser.parse_args()
    files = sorted(path for path in pathlib.Path(options.folder).rglob("*") if path.is_file())
    of = lambda *endings: [path for path in files if path.suffix.lower() in endings]
    kinds = options.kinds.split(",")
    reader = Reader(options.nearfind)
    if "pdf" in kinds:
        measure_pdf(of(".pdf"), reader, options)
    if "docx" in kinds:
        measure_office("Word", of(".docx"), reader, docx_references, options)
    if "pptx" in kinds:
        measure_office("Slides", of(".pptx"), reader, pptx_references, options)
    if "xlsx" in kinds:
        measure_office("Workbooks", of(".xlsx"), reader, xlsx_references, options)
    if options.damaged:
        endings = [".pdf", ".docx", ".pptx", ".xlsx", ".xlsb", ".xls", ".ods", ".odt", ".odp", ".epub", ".csv"]
        measure_damaged(of(*endings), reader, options.damaged)


if __name__ == "__main__":
    main()
