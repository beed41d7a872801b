#!/usr/bin/env bash
# Compares the text that `nearfind` reads from the documents below a folder with that of other readers:
#   tests/documents/run.sh FOLDER [--damaged 200] [--kinds pdf,docx,pptx,xlsx] [--worst 20]
# Readers from Debian (pdftotext, pandoc) are used if they are installed. Readers from PyPI are installed below target.
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
PROFILE="${PROFILE:-release}"
source "$ROOT/examples/setup.sh"
[ -d "${1:-}" ] || fail "name a folder of documents"
setup_rust
build_native
READERS="$ROOT/target/tools/readers"
if [ ! -x "$READERS/bin/mammoth" ]; then
  say "installing readers to compare with"
  python3 -m venv "$READERS"
  "$READERS/bin/pip" install --quiet pypdfium2==5.15.2 pymupdf==2.0 python-docx==1.2.0 mammoth==1.13.0 python-pptx==1.0.2 openpyxl==3.1.5
fi
exec "$READERS/bin/python" "$ROOT/tests/documents/measure.py" "$NEARFIND" "$@" --cache "$ROOT/target/references"
