"""CPU time of read commands of the command line, start of the interpreter included (DESIGN §8)."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

from tests.bench.library import cached, words
from tests.bench.report import Row

ROOT = Path(__file__).parents[2]
TARGET = "<= 800"
REPEATS = 5
SMALL, LARGE = 10_000, 100_000


def run(full: bool) -> list[Row]:
    """list, search, folders and show as processes of their own."""
    memories = LARGE if full else SMALL
    library = cached(memories).root
    common = words(chinese=True)[5]
    commands = {
        "list, first 50": ["list"],
        "list of a type by importance": ["list", "--type", "event", "--sort", "importance"],
        "search, common Chinese word": ["search", common],
        "folders": ["folders"],
        "history": ["history"],
    }
    return [
        Row(f"CLI {name}: CPU", _cpu_ms(library, command), "ms", TARGET, f"{memories:,} memories")
        for name, command in commands.items()
    ]


def _cpu_ms(library: Path, command: list[str]) -> float:
    """Median CPU time of the process: user and system."""
    times = []
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "app", *command, "--library", str(library), "--json"],
            cwd=ROOT,
            env={**os.environ, "PYTHONUTF8": "1"},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        times.append(used * 1000)
    return statistics.median(times)
