"""Figures of the window: how fast a long list shows, and how long the event loop is ever held.

A timer runs in the main thread the whole time. "held" is the most CPU time that thread used between two
turns (DESIGN: never more than 50 ms), "late" the longest time by which a turn came late on the clock,
which other programs of the machine lengthen (case c601: 200 ms at 200,000 memories). The library is that
of tests.bench.library; no index process runs.
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

SMALL, LARGE, HUGE = 20_000, 100_000, 200_000
BULK = 10_000
TICK_MS = 5
LOOK_MS = 5
PATIENCE_S = 120.0
SETTLE_MS = 400
HELD_MS, LATE_MS, FIRST_MS, COUNT_MS, SELECT_MS = "<= 50", "<= 200", "<= 1000", "<= 5000", "<= 200"
SCROLLS = 20


def turn(milliseconds: int) -> None:
    """Let the event loop work as it does in the program. (QTest.qWait would hold Python's lock while it
    waits, and the workers with it.)"""
    from PySide6.QtCore import QEventLoop, QTimer

    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


class Loop:
    """Turns the event loop until something holds; knows how long it was ever held, and how late it was."""

    def __init__(self) -> None:
        from PySide6.QtCore import Qt, QTimer

        self._late_ms = self._held_ms = 0.0
        self._last, self._last_cpu = time.perf_counter(), time.thread_time()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def _tick(self) -> None:
        now, cpu = time.perf_counter(), time.thread_time()
        self._late_ms = max(self._late_ms, (now - self._last) * 1000 - TICK_MS)
        self._held_ms = max(self._held_ms, (cpu - self._last_cpu) * 1000)
        self._last, self._last_cpu = now, cpu

    def until(self, holds: Callable[[], bool]) -> float:
        """Milliseconds until it holds."""
        began = time.perf_counter()
        while not holds():
            turn(LOOK_MS)
            if time.perf_counter() - began > PATIENCE_S:
                raise TimeoutError("the window never came to rest")
        return (time.perf_counter() - began) * 1000

    def rows(self, what: str, size: str) -> tuple[Row, Row]:
        """The worst since the last question."""
        self._tick()
        held, late = self._held_ms, self._late_ms
        self._held_ms = self._late_ms = 0.0
        return (
            Row(f"window: event loop held {what}, CPU", held, "ms", HELD_MS, size),
            Row(f"window: event loop late {what}", late, "ms", LATE_MS, size),
        )

    def stop(self) -> None:
        """No more turns."""
        self._timer.stop()


def run(full: bool) -> list[Row]:
    """All figures: on 100,000 and 200,000 memories with `full`, else on 20,000 (same targets)."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    rows: list[Row] = []
    for count in (LARGE, HUGE) if full else (SMALL,):
        root = cached(count).root
        with _window(root) as (window, loop):
            rows += _measure(window, loop, root, f"{count:,} memories")
        gc.collect()
    return rows


@contextmanager
def _window(root: Path) -> Iterator[tuple[object, Loop]]:
    from app import gui, library_place
    from core.settings import Settings

    settings = Settings()
    settings.set("embedder", "none")
    app = gui.application(["bench"])
    assert library_place.library_exists(root)
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
    from ui.main_window import MainWindow

    assert isinstance(window, MainWindow)
    tasks = window._services.tasks
    loop.rows("", size)
    began = time.perf_counter()
    window.open_library(root)
    loop.until(lambda: window.session is not None and _first_row(window))
    yield Row("window: library opened to first rows", _ms(began), "ms", FIRST_MS, size)
    yield from loop.rows("while opening", size)
    loop.until(lambda: tasks.busy == 0)
    yield Row("window: library opened to all counts", _ms(began), "ms", COUNT_MS, size)
    yield from loop.rows("while counting", size)
    session = window.session
    assert session is not None
    page = session.memories
    yield from _list_steps(window, loop, size)
    began = time.perf_counter()
    page.select_all()
    yield Row("window: select all", _ms(began), "ms", SELECT_MS, size)
    loop.until(lambda: tasks.busy == 0)
    yield from loop.rows("by select all", size)
    yield from _bulk_steps(window, loop, size)


def _list_steps(window: object, loop: Loop, size: str) -> Iterator[Row]:
    from core.domain.queries import Sort, SortKey
    from ui.main_window import MainWindow

    assert isinstance(window, MainWindow)
    assert window.session is not None
    page, tasks = window.session.memories, window._services.tasks
    common = words(True)[3]

    def scroll() -> None:
        bar = page.table.verticalScrollBar()
        for step in range(SCROLLS):
            bar.setValue(bar.maximum() * step // SCROLLS)
            turn(20)

    steps: tuple[tuple[str, Callable[[], object]], ...] = (
        ("sorting by importance", lambda: page.table.sort_wanted.emit(Sort(SortKey.IMPORTANCE))),
        ("sorting by folder", lambda: page.table.sort_wanted.emit(Sort(SortKey.FOLDER))),
        ("searching a common word", lambda: page.search(common)),
        ("clearing the search", lambda: page.search("")),
        ("filtering by type", lambda: page.facets.toggle("type", "event")),
        ("clearing the filter", page.clear_filters),
        ("scrolling to 20 places", scroll),
    )
    for name, act in steps:
        loop.rows("", size)
        began = time.perf_counter()
        act()
        loop.until(lambda: tasks.busy == 0)
        yield Row(f"window: {name}", _ms(began), "ms", "", size)
        yield from loop.rows(f"while {name}", size)


def _bulk_steps(window: object, loop: Loop, size: str) -> Iterator[Row]:
    """Ops on 10,000 rows and their undo, with what the views do about them."""
    from core.domain.commands import ArchiveMemories, Command, MoveMemories, TrashMemories
    from core.domain.queries import Folders
    from ui.main_window import MainWindow

    assert isinstance(window, MainWindow)
    session = window.session
    assert session is not None
    tasks = window._services.tasks
    session.memories.table.select(session.memories.model.pks[:BULK].tolist())
    picked = session.memories.selected()
    target = next(node.folder.pk for node in session.context.engine.ask(Folders()))
    commands: dict[str, Command] = {
        "moving 10,000": MoveMemories(memories=picked, folder=target),
        "archiving 10,000": ArchiveMemories(memories=picked),
        "trashing 10,000": TrashMemories(memories=picked),
    }
    undo = window.actions_table.get("edit.undo")
    for name, command in commands.items():
        acts: tuple[tuple[str, Callable[[], object]], ...] = (
            (name, lambda c=command: session.operations.run(c)),  # type: ignore[misc]
            (f"undoing that ({name})", undo.trigger),
        )
        for what, act in acts:
            loop.until(lambda: tasks.busy == 0)
            loop.rows("", size)
            began = time.perf_counter()
            act()
            loop.until(lambda: tasks.busy == 0)
            yield Row(f"window: {what}", _ms(began), "ms", "", size)
            turn(SETTLE_MS)
            loop.until(lambda: tasks.busy == 0)
            yield from loop.rows(f"while {what}", size)


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
