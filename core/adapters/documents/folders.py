"""Files below dropped paths: each once, loops of links end, hidden ones are counted and left out."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.domain.api import Cancel
from core.domain.document import FoundFiles
from core.domain.results import Problem

_HIDDEN_NAMES = frozenset(
    {"node_modules", "__pycache__", "__MACOSX", "Thumbs.db", "desktop.ini", "$RECYCLE.BIN"}
)
_CHECK_EVERY = 256


def find_files(paths: Sequence[Path], cancel: Cancel | None = None) -> FoundFiles:
    """What is to be read. A path that is named itself counts, hidden or not. Errors: Cancelled."""
    walk = _Walk(cancel)
    for path in paths:
        walk.named(path)
    return FoundFiles(
        files=tuple(walk.files),
        left_out=tuple(walk.left_out),
        hidden=walk.hidden,
        same_file=walk.same_file,
    )


@dataclass(slots=True)
class _Walk:
    """One walk over all dropped paths. Files and directories are known by device and number, not by name."""

    cancel: Cancel | None
    files: list[Path] = field(default_factory=list)
    left_out: list[Problem] = field(default_factory=list)
    hidden: int = 0
    same_file: int = 0
    _seen: set[tuple[int, int]] = field(default_factory=set)
    _looked: int = 0

    def named(self, path: Path) -> None:
        """A path that was dropped."""
        for each in self._expand(path, self._status(path)):
            self.files.append(each)

    def _status(self, path: Path) -> os.stat_result | None:
        self._looked += 1
        if self.cancel is not None and self._looked % _CHECK_EVERY == 1:
            self.cancel.check()
        try:
            return path.stat()
        except OSError as error:
            link = path.is_symlink()
            loop = link and not isinstance(error, FileNotFoundError | PermissionError)
            key = "document.left_out.link" if link and not loop else "document.left_out.cannot_open"
            if loop:
                self.same_file += 1
            else:
                self._leave_out(key, path, error)
            return None

    def _leave_out(self, key: str, path: Path, error: OSError) -> None:
        name = os.fsencode(path).decode("utf-8", "replace")
        if isinstance(error, FileNotFoundError) and key != "document.left_out.link":
            key = "document.left_out.missing"
        self.left_out.append(Problem(key, {"path": name}, refs=(name,)))

    def _expand(self, path: Path, status: os.stat_result | None) -> Iterator[Path]:
        stack: list[tuple[Path, os.stat_result | None]] = [(path, status)]
        while stack:
            path, status = stack.pop()
            if status is None:
                continue
            identity = (status.st_dev, status.st_ino)
            if stat.S_ISDIR(status.st_mode):
                if identity not in self._seen:
                    self._seen.add(identity)
                    stack += reversed([(each, self._status(each)) for each in self._entries(path)])
            elif stat.S_ISREG(status.st_mode):
                if identity in self._seen and status.st_ino:
                    self.same_file += 1
                    continue
                self._seen.add(identity)
                yield path

    def _entries(self, directory: Path) -> list[Path]:
        """What lies in a directory, by name; the real files before links to them."""
        try:
            with os.scandir(directory) as found:
                entries = sorted(found, key=lambda entry: (entry.is_symlink(), entry.name))
        except OSError as error:
            self._leave_out("document.left_out.cannot_open", directory, error)
            return []
        shown = [entry for entry in entries if not _is_hidden(entry.name)]
        self.hidden += len(entries) - len(shown)
        return [directory / entry.name for entry in shown]


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "~$")) or name in _HIDDEN_NAMES
