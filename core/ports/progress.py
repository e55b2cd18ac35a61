"""How a long call says how far it is and learns that it was cancelled."""

from __future__ import annotations

import threading
from typing import Protocol

from core.domain.errors import Cancelled


class Progress(Protocol):
    """Called with how much is done of how much (0 = unknown), from any thread."""

    def __call__(self, done: int, total: int, /) -> None:
        """Report progress."""


class CancelToken:
    """A flag that the person's Cancel sets and long calls look at."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def cancel(self) -> None:
        """Ask the call to stop; it keeps nothing it has not finished."""
        self._event.set()

    @property
    def cancelled(self) -> bool:
        """Whether cancel was asked for."""
        return self._event.is_set()

    def check(self) -> None:
        """Errors: Cancelled when cancel was asked for."""
        if self._event.is_set():
            raise Cancelled


def ignore_progress(_done: int, _total: int, /) -> None:
    """Progress for callers that do not care."""
