"""From the start of the interpreter to a window with rows: time, CPU time and memory (DESIGN §8).

The window starts in a process of its own, as a person starts it, on the library opened last.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.library import cached
from tests.bench.report import Row

ROOT = Path(__file__).parents[2]
SMALL, LARGE = 20_000, 100_000
REPEATS = 3
FIRST_MS, RESIDENT_MB, HELD_MS = "<= 1500", "<= 250", "<= 50"

PROGRAM = """
import gc, json, sys, time
gc.set_threshold({threshold})  # as app.__main__ does
from pathlib import Path
from app import container, gui
from core.settings import Settings
settings = Settings(Path({settings!r}))
app = gui.application(["bench"])
with gui.running(app, settings) as window:
    window.start(Path({library!r}))
    window.show()
    from tests.bench.ui_bench import Loop, _first_row
    loop = Loop()
    loop.until(lambda: _first_row(window))
    cpu = time.process_time()
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * 4096 if sys.platform == "linux" else 0
    held, _late = loop.rows("", "")
    loop.stop()
    print(json.dumps({{"at": time.time(), "cpu": cpu, "resident": resident, "held": held.value}}))
"""


def run(full: bool) -> list[Row]:
    """The best of three starts: other programs of the machine only ever make it slower."""
    count = LARGE if full else SMALL
    library, size = cached(count).root, f"{count:,} memories"
    starts = [_start(library) for _ in range(REPEATS)]
    best = {name: min(start[name] for start in starts) for name in starts[0]}
    rows = [
        Row("start: interpreter to first rows", best["ms"], "ms", FIRST_MS, size),
        Row("start: CPU until first rows", best["cpu_ms"], "ms", FIRST_MS, size),
        Row("start: event loop held, CPU", best["held"], "ms", HELD_MS, size),
    ]
    if best["mb"]:
        rows.append(Row("start: resident then", best["mb"], "MB", RESIDENT_MB, size))
    return rows


def _start(library: Path) -> dict[str, float]:
    from app.__main__ import YOUNG_OBJECTS

    with tempfile.TemporaryDirectory() as place:
        settings = Path(place) / "settings.json"
        settings.write_text(json.dumps({"embedder": "none"}), encoding="utf-8")
        program = PROGRAM.format(threshold=YOUNG_OBJECTS, settings=str(settings), library=str(library))
        began = time.time()
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONUTF8": "1"},
            stdout=subprocess.PIPE,
            check=True,
        )
    found = json.loads(done.stdout.splitlines()[-1])
    return {
        "ms": (found["at"] - began) * 1000,
        "cpu_ms": found["cpu"] * 1000,
        "held": found["held"],
        "mb": found["resident"] / 1e6,
    }
