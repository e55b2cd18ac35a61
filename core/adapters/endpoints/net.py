"""One thread with an event loop for all requests: connections are kept, and any request ends at once on cancel."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from core.domain.errors import Cancelled
from core.ports.progress import CancelToken

T = TypeVar("T")
POLL_S = 0.02
"""How soon a cancelled request is dropped."""
CLOSE_S = 3.0


class Net:
    """Runs coroutines for threads that wait for them. Its thread starts with the first one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    def run(self, work: Coroutine[Any, Any, T], cancel: CancelToken | None = None) -> T:
        """What the coroutine gives. Errors: its own; Cancelled at once when cancel is asked for."""
        try:
            if cancel is not None:
                cancel.check()
            loop = self._started()
        except Cancelled:
            work.close()
            raise
        future = asyncio.run_coroutine_threadsafe(work, loop)
        while True:
            try:
                return future.result(POLL_S if cancel is not None else None)
            except concurrent.futures.TimeoutError:
                if future.done():
                    raise
                if cancel is not None and cancel.cancelled:
                    future.cancel()
                    raise Cancelled from None
            except (concurrent.futures.CancelledError, asyncio.CancelledError):
                raise Cancelled from None

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs the coroutine without waiting for it; not at all when nothing runs here any more."""
        with self._lock:
            loop = self._loop
        if loop is None:
            work.close()
        else:
            asyncio.run_coroutine_threadsafe(work, loop)

    def close(self) -> None:
        """Drops what still runs and ends the thread."""
        with self._lock:
            self._closed = True
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        loop.call_soon_threadsafe(loop.stop)
        thread.join(CLOSE_S)

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise Cancelled
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_serve, args=(self._loop,), name="endpoints", daemon=True
                )
                self._thread.start()
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
