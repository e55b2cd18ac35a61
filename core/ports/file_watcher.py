"""Being told when files change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol


class StopFlag(Protocol):
    """Whether to stop; asked several times a second."""

    def is_set(self) -> bool:
        """True = stop."""


class FileWatcher(Protocol):
    """The system's notice of changes, or a look every now and then where the system has none."""

    def changes(self, directories: Sequence[Path], stop: StopFlag) -> Iterator[frozenset[Path]]:
        """What was added, changed or removed below the directories: a set about every second, often an empty one.

        Ends when `stop` is set. Errors: OSError when a directory is not there (any more).
        """
