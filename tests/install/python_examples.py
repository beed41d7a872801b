"""Runs the examples in the docstrings of modules of the installed package: python python_examples.py MODULE…

Fails if a public function or class has no example."""

import doctest
import importlib
import sys

failures = 0
for name in sys.argv[1:]:
    module = importlib.import_module(name)
    public = [getattr(module, member) for member in module.__all__]
    for member in public:
        if ">>>" not in (member.__doc__ or ""):
            print(f"{name}.{member.__name__} has no example")
            failures += 1
    result = doctest.testmod(module)
    if result.attempted < len(public):
        print(f"{name}: only {result.attempted} examples ran")
        failures += 1
    failures += result.failed
sys.exit(failures > 0)
