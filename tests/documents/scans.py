#!/usr/bin/env python3
"""Measures how much text of scanned pages `nearfind index --ocr` finds, compared with Tesseract on the same pictures.

    scans.py NEARFIND [TEXT …] [--pages 20] [--dpi 175] [--keep FOLDER] [-- OPTION …]

TEXT are plain texts in English, by default licenses that Debian installs. The script sets them as pages, draws the
pages with pdftoppm, turns them by up to a degree, adds noise, and packs them into a PDF as JPEG, as scanners do. A
repeated word counts as often as it is both on the pages and in the text that was read. OPTION are passed to
`nearfind index`. Fails if nearfind finds fewer than 95 % of the words. Needs tesseract, pdftoppm (poppler-utils) and
Pillow.
"""
import argparse, collections, json, pathlib, random, subprocess, sys, tempfile, textwrap, time

from PIL import Image, ImageChops, ImageFilter

from measure import words

LICENCES = ["GPL-3", "Apache-2.0", "MPL-2.0", "Artistic"]
FONTS = ["Times-Roman", "Helvetica", "Times-Roman", "Courier"]
COLUMNS, LINES = 72, 52


def page_texts(sources, count):
    """Returns the font and the lines of `count` pages."""
    paragraphs = [" ".join(part.split()) for source in sources for part in source.split("\n\n") if part.strip()]
    pages, lines = [], []
    for paragraph in paragraphs:
        lines += textwrap.wrap(paragraph, COLUMNS) + [""]
        while len(lines) >= LINES:
            pages.append((FONTS[len(pages) % len(FONTS)], lines[:LINES]))
            lines = lines[LINES:]
            if len(pages) == count:
                return pages
    sys.exit("the texts are too short for so many pages")


def pdf_of(pages):
    """Returns a PDF that shows `pages`."""
    objects = {1: b"<< /Type /Catalog /Pages 2 0 R >>"}
    kids = " ".join(f"{10 + 2 * number} 0 R" for number in range(len(pages)))
    objects[2] = f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode()
    names = sorted(set(FONTS))
    for number, name in enumerate(names):
        objects[3 + number] = f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
    for number, (font, lines) in enumerate(pages):
        shown = "\n".join(
            "({}) Tj T*".format(line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")) for line in lines
        )
        content = f"BT /F{names.index(font)} 11 Tf 60 780 Td 14 TL {shown} ET".encode("cp1252", "replace")
        fonts = " ".join(f"/F{index} {3 + index} 0 R" for index in range(len(names)))
        objects[10 + 2 * number] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {11 + 2 * number} 0 R "
            f"/Resources << /Font << {fonts} >> >> >>"
        ).encode()
        objects[11 + 2 * number] = b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)
    out, places = b"%PDF-1.7\n", {}
    for number, body in objects.items():
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 1\n0000000000 65535 f \n"
    for number, place in places.items():
        out += b"%d 1\n%010d 00000 n \n" % (number, place)
    return out + b"trailer << /Root 1 0 R /Size 1000 >>\nstartxref\n%d\n%%%%EOF\n" % start


def scanned(picture, dice):
    """Returns a page like one from a scanner: slightly turned, blurred and noisy."""
    page = picture.convert("L").rotate(dice.uniform(-1, 1), Image.Resampling.BICUBIC, fillcolor=255)
    page = page.filter(ImageFilter.GaussianBlur(0.6))
    page = page.point(lambda value: 40 + value * 200 // 255)
    grain = Image.effect_noise(page.size, 24)
    return ImageChops.add(page, grain, 1, -128)


def found(true, read):
    """Returns the share of the words of `true` that are in `read`."""
    wanted, known = collections.Counter(words(true)), collections.Counter(words(read))
    return sum((wanted & known).values()) / sum(wanted.values())


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command[0]}: {done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("nearfind")
    parser.add_argument("texts", nargs="*", type=pathlib.Path)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--dpi", type=int, default=175)
    parser.add_argument("--keep", type=pathlib.Path)
    arguments, options = parser.parse_known_args()
    texts = arguments.texts or [pathlib.Path("/usr/share/common-licenses", name) for name in LICENCES]
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or pathlib.Path(scratch)
        (folder / "documents").mkdir(parents=True, exist_ok=True)
        pages = page_texts([text.read_text("utf-8", "replace") for text in texts], arguments.pages)
        (folder / "true.pdf").write_bytes(pdf_of(pages))
        run("pdftoppm", "-r", arguments.dpi, "-gray", folder / "true.pdf", folder / "page")
        dice = random.Random(1)
        pictures = [scanned(Image.open(path), dice) for path in sorted(folder.glob("page-*.pgm"))]
        scan = folder / "documents" / "scan.pdf"
        pictures[0].save(scan, resolution=arguments.dpi, save_all=True, append_images=pictures[1:], quality=75)
        true = "\n".join("\n".join(lines) for _, lines in pages)

        started = time.monotonic()
        alone = ""
        for number, picture in enumerate(pictures):
            path = folder / f"scan-{number:02}.png"
            picture.save(path)
            alone += run("tesseract", path, "stdout", "-l", "eng", "--dpi", arguments.dpi)
        tesseract_seconds = time.monotonic() - started

        index = ["--quick", "--no-box", "--json", "--cache", folder / "cache"]
        seconds = []
        for _ in range(2):
            started = time.monotonic()
            run(arguments.nearfind, "index", "--ocr", *index, *options, folder / "documents", "-o", folder / "index", "--full")
            seconds.append(time.monotonic() - started)
        exported = [json.loads(line) for line in run(arguments.nearfind, "export", folder / "index").splitlines()]
    text = "\n".join(section["text"] for document in exported for section in document["sections"])
    print(f"{len(pages)} pages, {len(words(true))} words, {arguments.dpi} dpi")
    print(f"nearfind --ocr   {found(true, text):6.1%} of words found   {seconds[0]:.0f} s, again {seconds[1]:.1f} s")
    print(f"tesseract alone  {found(true, alone):6.1%} of words found   {tesseract_seconds:.0f} s")
    if found(true, text) < 0.95:
        sys.exit("fewer than 95 % of the words were found")


main()
