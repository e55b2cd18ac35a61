"""A library's directory: where its files lie, and the lock that says which process keeps it."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from core.domain.errors import Invalid

DATABASE, INDEX, BACKUPS, LOCK, HOLDER = (
    "library.db",
    "index",
    "backups",
    "library.lock",
    "library.holder.json",
)


@dataclass(frozen=True, slots=True)
class LibraryFiles:
    """Paths inside a library's directory."""

    root: Path

    @property
    def database(self) -> Path:
        """The SQL store."""
        return self.root / DATABASE

    @property
    def index(self) -> Path:
        """Directory of the vector index (a cache)."""
        return self.root / INDEX

    @property
    def backups(self) -> Path:
        """Copies of the store made before migrations."""
        return self.root / BACKUPS

    @property
    def exists(self) -> bool:
        """Whether a library lies there."""
        return self.database.exists()


def lies_in_library(path: Path) -> bool:
    """Whether a path is a library's directory or lies in one."""
    try:
        place = path.resolve()
        return any((each / LOCK).exists() and (each / DATABASE).exists() for each in (place, *place.parents))
    except OSError:  # a name that the file system does not take
        return False


@dataclass(frozen=True, slots=True)
class Holder:
    """Who keeps the library open: process id, the address at which its window can be called, since when (s)."""

    pid: int
    address: str
    since: float = 0.0


class LibraryLock:
    """The library's lock: a lock of the operating system on a file, so a dead holder never blocks.

    Beside it lies a small file that says who holds it.
    """

    def __init__(self, files: LibraryFiles) -> None:
        files.root.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(files.root / LOCK, thread_local=False)
        self._holder_file = files.root / HOLDER

    def acquire(self, address: str = "") -> bool:
        """Take the lock when it is free; False = somebody holds it. Errors: Invalid when it cannot be a lock."""
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            return False
        except OSError as error:
            root = self._holder_file.parent
            raise Invalid("error.library.cannot_write", path=str(root), details=str(error)) from error
        self._holder_file.write_text(json.dumps({"pid": os.getpid(), "address": address}), encoding="utf-8")
        return True

    def holder(self) -> Holder | None:
        """Who holds it, as far as its file tells."""
        try:
            data = json.loads(self._holder_file.read_text(encoding="utf-8"))
            return Holder(int(data["pid"]), str(data["address"]), self._holder_file.stat().st_mtime)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._lock.is_locked

    def release(self) -> None:
        """Give the lock back."""
        if self._lock.is_locked:
            with contextlib.suppress(OSError):
                self._holder_file.unlink()
            self._lock.release()
