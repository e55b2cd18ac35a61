"""Prints the figures of DESIGN §8: python -m tests.bench [--full] [NAME ...].

Every module `<name>_bench.py` here has `run(full) -> list[Row]`; without names all of them run. `--full`
measures the libraries of 100,000 memories too. Ends with 1 when a figure misses its target.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

from tests.bench.report import Row, table

SUFFIX = "_bench"


def names() -> list[str]:
    """The areas that can be measured."""
    return sorted(path.stem.removesuffix(SUFFIX) for path in Path(__file__).parent.glob(f"*{SUFFIX}.py"))


def main() -> int:
    """Measures and prints area by area, so that a long run shows what it has."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure the figures.")
    parser.add_argument("--full", action="store_true", help="also on 100,000 memories")
    parser.add_argument("name", nargs="*", help=f"areas: {', '.join(names())}")
    given = parser.parse_args()
    unknown = set(given.name) - set(names())
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(names())}")
    rows: list[Row] = []
    for name in given.name or names():
        print(f"\n{name}", flush=True)
        measured: list[Row] = importlib.import_module(f"tests.bench.{name}{SUFFIX}").run(given.full)
        print(table(measured), flush=True)
        rows += measured
    missed = [row for row in rows if row.met is False]
    print(f"\n{len(rows)} figures, {len(missed)} missed their target")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
