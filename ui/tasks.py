"""The background runner: three lanes on thread pools, one dispatcher on the main thread.

Every long call goes through `TaskRunner.run`. It gets a progress function and a cancel token. Its
result arrives on the main thread, unless its owner is gone or a newer run of the same query
replaced it: late results are dropped.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from threading import Event
from typing import Generic, TypeVar

import shiboken6
from PySide6.QtCore import QObject, QRunnable, Qt, QThreadPool, QTimer, Signal

from core.domain.api import Cancel, Report
from core.domain.errors import Cancelled, CuratorError, WaitsForReply

T = TypeVar("T")
CLOSE_WAIT_MS = 3000
PROGRESS_INTERVAL_S = 0.1


class Lane(StrEnum):
    """Where work runs. Writes are one at a time, in the order asked."""

    WRITE = "write"
    READ = "read"
    NET = "net"


LANE_THREADS = {Lane.WRITE: 1, Lane.READ: 3, Lane.NET: 4}


class CancelFlag:
    """A cancel token (core.domain.api.Cancel)."""

    def __init__(self) -> None:
        self._event = Event()

    def cancel(self) -> None:
        """Ask the call to stop."""
        self._event.set()

    @property
    def cancelled(self) -> bool:
        """Whether cancel was asked for."""
        return self._event.is_set()

    def check(self) -> None:
        """Errors: Cancelled when cancel was asked for."""
        if self._event.is_set():
            raise Cancelled


@dataclass(eq=False)
class Task(Generic[T]):
    """One call on its way. `label` "" = not shown in the task strip."""

    number: int
    lane: Lane
    function: Callable[[Report, Cancel], T]
    done: Callable[[T], None] | None
    failed: Callable[[Exception], None] | None
    owner: QObject
    query: str
    label: str
    label_args: Mapping[str, object] = field(default_factory=dict)
    cancel_flag: CancelFlag = field(default_factory=CancelFlag)
    progress: tuple[int, int] = (0, 0)
    started_at: float = field(default_factory=time.monotonic)
    stale: bool = False
    reported_at: float = 0.0

    def cancel(self) -> None:
        """Ask the call to stop; its result is dropped."""
        self.cancel_flag.cancel()


class _Work(QRunnable):
    """Runs one task in a pool thread and posts how it ended."""

    def __init__(
        self,
        task: Task[object],
        post: Callable[[int, object, object], None],
        report: Callable[[int, int, int], None],
    ) -> None:
        super().__init__()
        self._task, self._post, self._report = task, post, report

    def run(self) -> None:
        """The body, in the pool thread."""
        task = self._task
        result: object = None
        error: Exception | None = None
        try:
            task.cancel_flag.check()
            result = task.function(self._progress, task.cancel_flag)
        except Exception as caught:
            error = caught
        self._post(task.number, result, error)

    def _progress(self, done: int, total: int, /) -> None:
        task, now = self._task, time.monotonic()
        task.progress = (done, total)
        if now - task.reported_at >= PROGRESS_INTERVAL_S:
            task.reported_at = now
            self._report(task.number, done, total)


class TaskRunner(QObject):
    """Runs calls off the main thread. Made once per window; `close` ends it."""

    started = Signal(object)
    progressed = Signal(object)
    ended = Signal(object)
    error = Signal(object)
    """An error that no `failed` handler took (never Cancelled)."""
    waits = Signal(int)
    """A call ended because a request waits for a person's reply; its `failed` hears of it too."""
    bug = Signal(object)
    """An error from outside the error tree, whoever handles it: to be reported."""

    _posted = Signal(int, object, object)
    _reported = Signal(int, int, int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers = itertools.count(1)
        self._tasks: dict[int, Task[object]] = {}
        self._work: dict[int, _Work] = {}
        self._closed = False
        self._pools: dict[Lane, QThreadPool] = {}
        for lane, threads in LANE_THREADS.items():
            pool = QThreadPool(self)
            pool.setMaxThreadCount(threads)
            self._pools[lane] = pool
        self._posted.connect(self._dispatch, Qt.ConnectionType.QueuedConnection)
        self._reported.connect(self._on_progress, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        lane: Lane,
        function: Callable[[Report, Cancel], T],
        done: Callable[[T], None] | None = None,
        *,
        owner: QObject,
        failed: Callable[[Exception], None] | None = None,
        query: str = "",
        label: str = "",
        label_args: Mapping[str, object] | None = None,
    ) -> Task[T]:
        """Start a call; `done(result)` or `failed(error)` follows on the main thread.

        `owner`: when it is destroyed the call is cancelled and its result dropped. `query`: a newer
        run of the same owner and query name cancels and replaces the older one. Without `failed` an
        error is sent as `error`. Cancelled never reaches `failed`. `label`: text key for the strip.
        """
        task: Task[T] = Task(
            next(self._numbers), lane, function, done, failed, owner, query, label, dict(label_args or {})
        )
        if self._closed:
            task.cancel()
            return task
        if query:
            self.drop(owner, query)
        kept: Task[object] = task  # type: ignore[assignment]  # results are only handed back to their own task
        self._tasks[task.number] = kept
        work = _Work(kept, self._posted.emit, self._reported.emit)
        work.setAutoDelete(False)
        self._work[task.number] = work
        self.started.emit(task)
        self._pools[lane].start(work)
        return task

    def drop(self, owner: QObject, query: str) -> None:
        """Cancel what the owner asked under that query name and drop its result."""
        for task in self._tasks.values():
            if task.owner is owner and task.query == query:
                task.stale = True
                task.cancel()

    def drop_below(self, top: QObject) -> None:
        """Cancel what an object and everything below it asked, and drop the results."""
        for task in self._tasks.values():
            at: QObject | None = task.owner if shiboken6.isValid(task.owner) else None
            while at is not None and at is not top:
                at = at.parent()
            if at is top:
                task.stale = True
                task.cancel()

    @property
    def busy(self) -> int:
        """How many calls run or wait."""
        return len(self._tasks)

    def close(self) -> None:
        """Cancel everything and wait, 3 s at most; results that come later are dropped."""
        self._closed = True
        for task in self._tasks.values():
            task.stale = True
            task.cancel()
        deadline = time.monotonic() + CLOSE_WAIT_MS / 1000
        for pool in self._pools.values():
            pool.clear()
            left = max(0, int((deadline - time.monotonic()) * 1000))
            pool.waitForDone(left)
        self._tasks.clear()

    def _on_progress(self, number: int, done: int, total: int) -> None:
        task = self._tasks.get(number)
        if task is not None and not task.stale:
            task.progress = (done, total)
            self.progressed.emit(task)

    def _dispatch(self, number: int, result: object, error: Exception | None) -> None:
        self._work.pop(number, None)
        task = self._tasks.pop(number, None)
        if task is None:
            return
        self.ended.emit(task)
        if error is not None and not isinstance(error, CuratorError) and not task.stale:
            self.bug.emit(error)
        if task.stale or self._closed or not shiboken6.isValid(task.owner):
            return
        if error is None:
            if task.done is not None and not task.cancel_flag.cancelled:
                task.done(result)
        elif not isinstance(error, Cancelled):
            (task.failed or self.error.emit)(error)
            if isinstance(error, WaitsForReply):
                self.waits.emit(error.number)


def single_shot(owner: QObject, delay_ms: int, slot: Callable[[], None]) -> QTimer:
    """A stopped one-shot timer that belongs to the owner; `start()` restarts the wait (debounce)."""
    timer = QTimer(owner)
    timer.setSingleShot(True)
    timer.setInterval(delay_ms)
    timer.timeout.connect(slot)
    return timer
