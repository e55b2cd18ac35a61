"""The thread that keeps the index up to date while the library is open.

It belongs to the program that holds the library's lock. It sleeps until a change wakes it, works in small
chunks with a pause between them, and backs off while the embedder or the index does not answer.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from core.domain.errors import Cancelled, Unavailable
from core.ports.progress import CancelToken
from core.services.indexer import Indexer

CHUNK_ROWS = 250
PAUSE_S = 0.01
BACK_OFF_S = (2.0, 5.0, 15.0, 60.0)
STOP_S = 1.5

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class IndexState:
    """What the window shows: how many memories wait, and what does not answer."""

    waiting: int
    problem: Unavailable | None = None
    failed: int = 0


class Drainer:
    """Drains an indexer's outbox in the background. `on_state` is called from its thread."""

    def __init__(self, indexer: Indexer, on_state: Callable[[IndexState], None] | None = None) -> None:
        self._indexer = indexer
        self._on_state = on_state
        self._wake = threading.Event()
        self._stop = CancelToken()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._state = IndexState(0)
        self._state_changed = threading.Condition()
        self._idle = False

    @property
    def state(self) -> IndexState:
        """The state as it was told last."""
        return self._state

    def start(self) -> None:
        """Starts the thread; it begins with what waits already."""
        if self._thread is None:
            self._stop = CancelToken()
            self._stopping.clear()
            self._wake.set()
            self._thread = threading.Thread(target=self._run, name="index-drainer", daemon=True)
            self._thread.start()

    def changed(self, memories: Iterable[int] = ()) -> None:
        """Tell it that memories changed (after each commit). Returns at once."""
        self._indexer.touched(memories)
        with self._state_changed:
            self._idle = False
        self._wake.set()

    def stop(self) -> None:
        """Ends the thread within three seconds; what is unfinished waits in the outbox.

        A chunk that takes longer is cut off by ending the index process, which loses nothing.
        """
        thread, self._thread = self._thread, None
        if thread is None:
            return
        self._stop.cancel()
        self._stopping.set()
        self._wake.set()
        thread.join(STOP_S)
        if thread.is_alive():
            self._indexer.index.release()
            thread.join()

    def wait_until_idle(self, timeout_s: float) -> bool:
        """Waits until nothing more can be done. Returns whether the outbox is empty then."""
        with self._state_changed:
            self._state_changed.wait_for(lambda: self._idle, timeout_s)
            return self._idle and self._state.waiting == 0

    def _run(self) -> None:
        failures = 0
        while not self._stop.cancelled:
            self._wake.clear()
            problem = self._drain_all()
            failures = failures + 1 if problem else 0
            if not self._stop.cancelled:
                self._wait(failures)

    def _wait(self, failures: int) -> None:
        with self._state_changed:
            self._idle = not self._wake.is_set()
            self._state_changed.notify_all()
        if failures:
            # Changes do not shorten this: each try would fail as the one before.
            self._stopping.wait(BACK_OFF_S[min(failures, len(BACK_OFF_S)) - 1])
        else:
            self._wake.wait()

    def _drain_all(self) -> Unavailable | None:
        failed = 0
        try:
            while not self._stop.cancelled:
                result = self._indexer.drain(CHUNK_ROWS, self._stop)
                failed += len(result.failed)
                self._tell(IndexState(result.waiting, None, failed))
                if not result.waiting or not result.done:
                    return None
                self._stopping.wait(PAUSE_S)
        except Cancelled:
            return None
        except Unavailable as error:
            _log.info("%s unavailable: %s", error.port, error.reason)
            self._tell(IndexState(self._indexer.waiting(), error, failed))
            return error
        return None

    def _tell(self, state: IndexState) -> None:
        with self._state_changed:
            before, self._state = self._state, state
        if self._on_state is not None and state != before:
            self._on_state(state)
