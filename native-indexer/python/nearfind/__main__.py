"""Runs the program for `python -m nearfind`."""

import subprocess
import sys

from . import program

sys.exit(subprocess.run([program(), *sys.argv[1:]]).returncode)
