"""Time as a port, so that tests and replays can fix it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Returns the present as an aware UTC datetime."""


def system_clock() -> datetime:
    """The machine's time."""
    return datetime.now(UTC)
