"""Measures the benefit of a language model that helps to index. The pages of PowerShell's documentation that
paraphrased questions ask about are indexed without help, with a summary line for each page, and with questions that the
page answers as well. The texts are in powershell_lines.tsv. They were written for each page from its beginning, without
knowledge of the judged questions, and are served with the protocol of Ollama.

    python3 tests/providers/index_help.py NEARFIND SITE QUERIES QRELS
"""

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LINES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "powershell_lines.tsv")


def written(with_questions):
    """Returns the written text for each page, by path."""
    texts = {}
    with open(LINES, encoding="utf-8") as file:
        for line in file:
            page, summary, questions = line.rstrip("\n").split("\t")
            lines = [summary, *questions.split("|")] if with_questions else [summary]
            texts[page.strip("/")] = "\n".join(lines)
    return texts


def serve(texts):
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            page = body["messages"][-1]["content"].split("\n")[0].removesuffix("/index.html")
            answer = json.dumps({"message": {"role": "assistant", "content": texts[page]}, "done": True}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nearfind")
    parser.add_argument("site", help="the pages, as folders with index.html")
    parser.add_argument("queries")
    parser.add_argument("qrels")
    arguments = parser.parse_args()
    nearfind = os.path.abspath(arguments.nearfind)
    with tempfile.TemporaryDirectory() as work:
        pages = os.path.join(work, "pages")
        for page in written(False):
            os.makedirs(os.path.join(pages, page))
            shutil.copy(os.path.join(arguments.site, page, "index.html"), os.path.join(pages, page))
        environment = {**os.environ, "NEARFIND_CACHE": os.path.join(work, "cache"), "NEARFIND_SETTINGS": os.path.join(work, "none.toml")}
        for name, texts in [("nothing", None), ("a line", written(False)), ("a line and questions", written(True))]:
            bundle = os.path.join(work, name.replace(" ", "-"))
            command = [nearfind, "index", pages, "-o", bundle, "--base-url", "/", "--no-box", "-q"]
            if texts is not None:
                settings = {
                    "provider": "ollama",
                    # Each variant has a name of its own, so that cached texts of one are not used for another.
                    "model": name,
                    "base_url": f"http://127.0.0.1:{serve(texts)}",
                    "summaries": "true",
                }
                command += [part for key, value in settings.items() for part in ("--set", f"language_model.{key}={value}")]
            subprocess.run(command, check=True, env=environment)
            for tier in ("1", "2"):
                command = [nearfind, "eval", bundle, "--id", "url", "--tier", tier, "--queries", arguments.queries, "--qrels", arguments.qrels]
                printed = subprocess.run(command, check=True, env=environment, capture_output=True, text=True).stdout
                row = next(line.split() for line in printed.splitlines() if line.startswith("all "))
                print(f"{name:22} tier {tier}: nDCG@10 by words {row[2]}, by meaning {row[3]}, by both {row[4]}", flush=True)


main()
