"""Works on the queue of files in the background, one worker a window, and says how it stands."""

from __future__ import annotations

import time
from collections import deque
from threading import Event

from PySide6.QtCore import QObject, Signal

from core.domain.api import Cancel, Report
from core.domain.queries_documents import AnswerQueue, ChangeQueue, QueueAction, RunQueue
from core.domain.queries_drop import LookAtQueue, QueueView
from ui.context import Context
from ui.tasks import Lane, Task, single_shot

LOOK_MS = 400
"""How often the queue is looked at while it is worked on."""
ELSEWHERE_MS, SELDOM_MS = 2000, 60_000
"""How soon a queue is tried again on which another program works, or that failed as a whole (a full disk); each
failure in a row doubles the wait."""
RATE_OVER_S = 10.0


class Rate:
    """How fast a number falls, over the last ten seconds."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def saw(self, left: int) -> None:
        """So much is left now; more than before begins anew."""
        now = time.monotonic()
        if self._seen and left > self._seen[-1][1]:
            self._seen.clear()
        self._seen.append((now, left))
        while now - self._seen[0][0] > RATE_OVER_S and len(self._seen) > 2:
            self._seen.popleft()

    @property
    def per_second(self) -> float:
        """0 while nothing is known."""
        if len(self._seen) < 2:
            return 0.0
        (then, before), (now, left) = self._seen[0], self._seen[-1]
        return (before - left) / (now - then) if now > then else 0.0


class QueueWorker(QObject):
    """`viewed(QueueView)` whenever the queue was looked at; `failed(Exception)` when working on it failed.

    The library's queue goes on where it was left; closing the library stops it, and the file that was being
    worked on waits again. Cancelling the task in the strip pauses what waits.
    """

    viewed = Signal(object)
    failed = Signal(object)

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._task: Task[int] | None = None
        self._idle = Event()
        self._idle.set()
        self.view = QueueView({}, ())
        self.rate = Rate()
        self._soon = single_shot(self, LOOK_MS, self.look)
        self._again = single_shot(self, ELSEWHERE_MS, self.look)
        self._failures = 0
        context.tasks.ended.connect(self._on_ended)

    @property
    def working(self) -> bool:
        """Whether files are being worked on."""
        return self._task is not None

    def look(self) -> None:
        """Ask how the queue stands; work on it when there is something to do."""
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> QueueView:
            return engine.ask(LookAtQueue(), cancel=cancel)

        self._context.tasks.run(
            Lane.READ,
            ask,
            self._on_view,
            owner=self,
            query="queue",
            failed=self.failed.emit,
        )

    def change(self, action: QueueAction, rows: tuple[int, ...] | None = None) -> None:
        """Pause, resume, cancel, retry or clear rows (None = all that it fits)."""
        self._write(ChangeQueue(action, rows))

    def answer(self, row: int, *, encoding: str = "", password: str = "", confirmed: bool = False) -> None:
        """Answer the question of a row; it goes on at once."""
        self._write(AnswerQueue(row=row, encoding=encoding, password=password, confirmed=confirmed))

    def close(self) -> None:
        """Stop working; see `wait`."""
        self._soon.stop()
        self._again.stop()
        if self._task is not None:
            self._task.cancel()

    def wait(self, seconds: float) -> None:
        """Wait, in a thread of the background, until the last file was let go."""
        self._idle.wait(seconds)

    def _write(self, query: ChangeQueue | AnswerQueue) -> None:
        engine = self._context.engine

        def work(_progress: Report, cancel: Cancel) -> int:
            return int(engine.ask(query, cancel=cancel))

        self._again.stop()
        self._context.tasks.run(
            Lane.WRITE, work, lambda _count: self.look(), owner=self, failed=self.failed.emit
        )

    def _on_view(self, view: QueueView) -> None:
        self.view = view
        self.rate.saw(view.open)
        self.viewed.emit(view)
        idle = self._task is None and not self._again.isActive()
        if view.open and idle and self._context.read_only is None:
            self._run()
        if self._task is not None:
            self._soon.start()

    def _run(self) -> None:
        engine, idle = self._context.engine, self._idle
        idle.clear()

        def work(_progress: Report, cancel: Cancel) -> int:
            try:
                return engine.ask(RunQueue(), cancel=cancel)
            finally:
                idle.set()

        self._task = self._context.tasks.run(
            Lane.NET, work, self._on_run, owner=self, failed=self._fail, label="task.ingest"
        )

    def _on_run(self, count: int) -> None:
        self._failures = 0
        if count == 0:
            self._again.start(ELSEWHERE_MS)  # another program works on it
        self.look()

    def _on_ended(self, task: Task[object]) -> None:
        if self._task is None or task.number != self._task.number:
            return
        cancelled, self._task = task.cancel_flag.cancelled, None
        self._idle.set()
        if cancelled and not task.stale:
            self.change(QueueAction.PAUSE)

    def _fail(self, error: Exception) -> None:
        """Say it once, and try again later: a full disk may have room by then."""
        if not self._failures:
            self.failed.emit(error)
        self._again.start(min(ELSEWHERE_MS << self._failures, SELDOM_MS))
        self._failures = min(self._failures + 1, 8)
        self.look()


def queue_worker(context: Context) -> QueueWorker:
    """The one worker of an open library in a window, made when it is first asked for."""
    found: QueueWorker | None = context.bridge.findChild(QueueWorker)
    return found if found is not None else QueueWorker(context, context.bridge)
