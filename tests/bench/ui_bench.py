"""Figures of the window (case c601): how fast a long list shows, and how long the event loop ever waits.

A timer of 50 ms runs in the main thread the whole time; a figure "late" is the longest time by which
it missed its turn. The library is that of tests.bench.library; no index process runs.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.library import cached, words
from tests.bench.report import Row

SMALL, LARGE = 20_000, 200_000
BULK = 10_000
TICK_MS = 50
PATIENCE_S = 120.0
LATE_MS, FIRST_MS, COUNT_MS, SELECT_MS = "<= 200", "<= 1000", "<= 5000", "<= 200"


class Loop:
    """Turns the event loop until something holds, and knows how late its timer ever was."""

    def __init__(self) -> None:
        from PySide6.QtCore import QTimer

        self.worst_ms = 0.0
        self._last = time.perf_counter()
        self._timer = QTimer()
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def _tick(self) -> None:
        now = time.perf_counter()
        self.worst_ms = max(self.worst_ms, (now - self._last) * 1000 - TICK_MS)
        self._last = now

    def until(self, holds: Callable[[], bool]) -> float:
        """Milliseconds until it holds."""
        from PySide6.QtTest import QTest

        began = time.perf_counter()
        while not holds():
            QTest.qWait(1)
            if time.perf_counter() - began > PATIENCE_S:
                raise TimeoutError("the window never came to rest")
        return (time.perf_counter() - began) * 1000

    def late(self) -> float:
        """The greatest delay since the last question, in ms."""
        self._tick()
        worst, self.worst_ms = self.worst_ms, 0.0
        return worst

    def stop(self) -> None:
        """No more turns."""
        self._timer.stop()


def run(full: bool) -> list[Row]:
    """All figures: on 200,000 memories with `full`, else on 20,000 (same targets)."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    count = LARGE if full else SMALL
    root = cached(count).root
    with _window(root) as (window, loop):
        rows = list(_measure(window, loop, root, f"{count:,} memories"))
    gc.collect()
    return rows


@contextmanager
def _window(root: Path) -> Iterator[tuple[object, Loop]]:
    from app import container, gui
    from core.settings import Settings

    settings = Settings()
    settings.set("embedder", "none")
    app = gui.application(["bench"])
    assert container.library_exists(root)
    with gui.running(app, settings) as window:
        window.start()
        window.show()
        loop = Loop()
        loop.until(lambda: window._services.tasks.busy == 0)
        try:
            yield window, loop
        finally:
            loop.stop()


def _measure(window: object, loop: Loop, root: Path, size: str) -> Iterator[Row]:
    from core.domain.queries import Sort, SortKey
    from ui.main_window import MainWindow

    assert isinstance(window, MainWindow)
    tasks = window._services.tasks
    loop.late()
    began = time.perf_counter()
    window.open_library(root)
    loop.until(lambda: window.session is not None and _first_row(window))
    yield Row("window: library opened to first rows", _ms(began), "ms", FIRST_MS, size)
    loop.until(lambda: tasks.busy == 0)
    yield Row("window: library opened to all counts", _ms(began), "ms", COUNT_MS, size)
    yield Row("window: event loop late while opening", loop.late(), "ms", LATE_MS, size)
    assert window.session is not None
    page = window.session.memories
    steps: tuple[tuple[str, Callable[[], object]], ...] = (
        ("sorting by importance", lambda: page.table.sort_wanted.emit(Sort(SortKey.IMPORTANCE))),
        ("sorting by folder", lambda: page.table.sort_wanted.emit(Sort(SortKey.FOLDER))),
        ("searching a common word", lambda: page.search(words(True)[3])),
        ("clearing the search", lambda: page.search("")),
        ("filtering by type", lambda: page.facets.toggle("type", "event")),
        ("clearing the filter", page.clear_filters),
    )
    for name, act in steps:
        began = time.perf_counter()
        act()
        loop.until(lambda: tasks.busy == 0)
        yield Row(f"window: {name}", _ms(began), "ms", "", size)
        yield Row(f"window: event loop late while {name}", loop.late(), "ms", LATE_MS, size)
    began = time.perf_counter()
    page.select_all()
    yield Row("window: select all", _ms(began), "ms", SELECT_MS, size)
    loop.until(lambda: tasks.busy == 0)
    yield Row("window: event loop late after select all", loop.late(), "ms", LATE_MS, size)
    pks = page.model.pks[:BULK].tolist()
    page.table.select(pks)
    loop.until(lambda: tasks.busy == 0)
    for name, action in (("archiving 10,000", "memory.archive"), ("undoing it", "edit.undo")):
        loop.until(lambda a=action: window.session is not None and window.actions_table.get(a).isEnabled())
        loop.late()
        began = time.perf_counter()
        window.actions_table.get(action).trigger()
        loop.until(lambda: tasks.busy == 0)
        yield Row(f"window: {name}", _ms(began), "ms", "", size)
        yield Row(f"window: event loop late while {name}", loop.late(), "ms", LATE_MS, size)


def _first_row(window: object) -> bool:
    from ui.main_window import MainWindow

    assert isinstance(window, MainWindow)
    session = window.session
    if session is None or not session.memories.model.rowCount():
        return False
    pk = session.memories.model.pk_at(0)
    return pk is not None and session.memories.model.cached(pk) is not None


def _ms(began: float) -> float:
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    import sys

    from tests.bench.report import table

    print(table(run("--full" in sys.argv)))
