"""Quality of recall (DESIGN §8): LoCoMo and the Chinese/English set, where their files are here.

The variable MEMORY_CURATOR_BENCH_DATA names a directory with files of the shapes of tests.bench.locomo (`*.json`) and
tests.bench.retrieval (`*.jsonl`). They are not part of the project; without them nothing is measured.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.bench import locomo, retrieval
from tests.bench.ablation_bench import DATA
from tests.bench.report import Row


def run(full: bool) -> list[Row]:
    """All figures of all files, categories apart."""
    directory = Path(os.environ.get(DATA, ""))
    if not os.environ.get(DATA) or not directory.is_dir():
        print(f"quality: left out, {DATA} names no directory with the sets")
        return []
    rows: list[Row] = []
    for file in sorted(directory.glob("*.json")):
        for line in locomo.figures(file):
            rows += _locomo_rows(line)
    for file in sorted(directory.glob("*.jsonl")):
        rows += [_row(line, "queries", file.name) for line in retrieval.figures(file)]
    return rows


def _locomo_rows(line: Mapping[str, object]) -> Iterator[Row]:
    yield _row(line, "questions", str(line["file"]))
    categories = line["categories"]
    assert isinstance(categories, Mapping)
    for name, value in categories.items():
        yield Row(f"{line['figure']}, {name}", float(value), "%", "", str(line["file"]))


def _row(line: Mapping[str, object], counted: str, file: str) -> Row:
    target = line["target"]
    value = line["value"]
    assert isinstance(value, float)
    return Row(
        str(line["figure"]),
        value,
        "%",
        "" if target is None else f">= {target}",
        f"{line[counted]} {counted}, {file}",
    )
