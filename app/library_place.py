"""What can be done with a library's directory while it is not open: look, lock, compare, back up."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from core.domain.errors import LibraryInUse
from core.ports.clock import system_clock
from core.settings import Settings
from core.store.comparable import Rows, comparable_rows
from core.store.library import Holder, LibraryFiles, LibraryLock
from core.store.reading import can_be_written

if TYPE_CHECKING:
    from core.store.backups import SqlBackups

LOCK_PATIENCE_S = 1.5
"""A command that ran beside it may hold the lock for a moment when a window opens."""


def library_exists(root: Path) -> bool:
    """Whether a library lies in that directory."""
    return LibraryFiles(root).exists


def take_lock(root: Path, address: str = "") -> LibraryLock:
    """The library's lock. Errors: LibraryInUse when another program keeps it."""
    lock = LibraryLock(LibraryFiles(root))
    deadline = time.monotonic() + LOCK_PATIENCE_S
    while not lock.acquire(address):
        holder = lock.holder()
        if time.monotonic() > deadline or (holder is not None and holder.address):  # a window stays
            raise LibraryInUse("error.library.in_use", path=str(root))
        time.sleep(0.05)
    return lock


def may_write(root: Path) -> bool:
    """Whether a library's directory and file may be written to."""
    return can_be_written(LibraryFiles(root).database)


def rows_of(root: Path) -> Rows:
    """All rows of a library that an undo must bring back, to compare two states of it."""
    return comparable_rows(LibraryFiles(root).database)


def lock_holder(root: Path) -> Holder | None:
    """Who keeps the library open."""
    return LibraryLock(LibraryFiles(root)).holder()


def copies_of(root: Path, settings: Settings) -> SqlBackups:
    """The backups of a library, which need not be open or even whole."""
    from core.store.backups import SqlBackups

    return SqlBackups(LibraryFiles(root), system_clock, settings.text_without_keys)


def index_dir(root: Path) -> Path:
    """Where a library's vector index lies."""
    return LibraryFiles(root).index
