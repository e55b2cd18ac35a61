"""Core events on the main thread: one signal for commits, one for what waits for the index."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from core.domain.api import Cancel, EngineApi, Report, Unsubscribe
from core.domain.queries import Counts
from core.domain.results import Changes, LibraryCounts
from ui.tasks import Lane, TaskRunner, single_shot

POLL_MS = 2000
COUNT_DELAY_MS = 400
COUNT_AGAIN_MS, COUNT_SELDOM_MS = 1500, 30_000
"""How soon it is counted again while something waits for the index: seldom when nothing comes of it."""


class Bridge(QObject):
    """Sends every commit of the engine as `changes`, on the main thread, after it happened."""

    changes = Signal(object)
    """A core.domain.results.Changes."""
    counted = Signal(object)
    """A LibraryCounts, after commits and while something waits for the index."""
    waiting = Signal(int)
    """Memories that wait for the index."""

    _heard = Signal(object)

    def __init__(self, engine: EngineApi, tasks: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine, self._tasks = engine, tasks
        self._heard.connect(self._pass_on, Qt.ConnectionType.QueuedConnection)
        self._unsubscribe: Unsubscribe | None = engine.subscribe(self._heard.emit)
        self._count = single_shot(self, COUNT_DELAY_MS, self._ask_counts)
        self._waiting, self._again_ms = -1, COUNT_AGAIN_MS
        self._poll = QTimer(self)
        self._poll.setInterval(POLL_MS)
        self._poll.timeout.connect(self._ask_poll)

    def start(self) -> None:
        """Begin to look for other programs' changes and to count."""
        self._poll.start()
        self._count.start(0)

    def close(self) -> None:
        """Hear nothing any more."""
        self._poll.stop()
        self._count.stop()
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None

    def _pass_on(self, changes: Changes) -> None:
        if self._unsubscribe is not None:
            self.changes.emit(changes)
            self._count.start(COUNT_DELAY_MS)

    def _ask_counts(self) -> None:
        def ask(_progress: Report, cancel: Cancel) -> LibraryCounts:
            return self._engine.ask(Counts(journal=False), cancel=cancel)

        self._tasks.run(Lane.READ, ask, self._on_counts, owner=self, query="counts", failed=_ignore)

    def _on_counts(self, counts: LibraryCounts) -> None:
        self.counted.emit(counts)
        waiting, before = counts.waiting_for_index, self._waiting
        self._waiting = waiting
        self._again_ms = min(2 * self._again_ms, COUNT_SELDOM_MS) if waiting == before else COUNT_AGAIN_MS
        self.waiting.emit(waiting)
        if waiting:
            self._count.start(self._again_ms)

    def _ask_poll(self) -> None:
        self._tasks.run(
            Lane.READ, lambda _p, _c: self._engine.poll(), owner=self, query="poll", failed=_ignore
        )


def _ignore(_error: Exception) -> None:
    """A count or a poll that failed is asked again by the next timer; a real fault shows elsewhere."""
