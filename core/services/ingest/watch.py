"""The thread that watches folders while a library is open: what changes there comes in as documents.

A file is taken in when it has stood still for a moment; the same file is known again by its time and size, so
nothing is read twice. A changed file becomes a new version. A file that went is told; its document stays.
"""

from __future__ import annotations

import fnmatch
import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.domain.api import Cancel
from core.domain.document import DocumentRow, FileState, FoundFiles, QueueRow
from core.domain.errors import Cancelled, CuratorError
from core.domain.queries_documents import Queued, QueueFiles
from core.domain.watching import WATCHED_SOURCE, GoneFile, WatchedFolder
from core.ports.file_watcher import FileWatcher
from core.ports.progress import CancelToken
from core.services.ingest.rows import shown_path
from core.services.ingest.watched_list import Signature, WatchedList

SETTLED_S = 1.0
"""A file that changed less long ago may still be growing: it is looked at again."""
LOOK_AGAIN_S = 5.0
"""How soon a directory that is missing is looked for."""
STOP_S = 3.0
_IN = frozenset({FileState.DONE, FileState.SAME})

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Doors:
    """What the thread needs of the library. `skip`: files that are none of a person's (libraries, exports)."""

    watcher: FileWatcher
    find: Callable[[Sequence[Path], Cancel], FoundFiles]
    is_document: Callable[[Path, Cancel], bool]
    add: Callable[[QueueFiles], Queued]
    work: Callable[[Cancel], int]
    rows: Callable[[], Sequence[QueueRow]]
    documents: Callable[[], Sequence[DocumentRow]]
    skip: Callable[[Path], bool]


class FolderWatch:
    """Watches in the background, for the program that holds the library's lock."""

    def __init__(self, watched: WatchedList, doors: Doors) -> None:
        self._watched = watched
        self._doors = doors
        self._stop = CancelToken()
        self._changed = threading.Event()
        self._missing: frozenset[Path] = frozenset()
        self._tried: dict[tuple[Path, str], Signature] = {}
        self._thread: threading.Thread | None = None

    # --- from other threads ---

    def start(self) -> None:
        """Start the thread; it begins with what changed while nobody watched."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="folder-watch", daemon=True)
            self._thread.start()

    def reload(self) -> None:
        """Other folders are to be watched."""
        self._changed.set()

    def stop(self) -> None:
        """End the thread; a file that is being taken in waits in the queue."""
        thread, self._thread = self._thread, None
        self._stop.cancel()
        self._changed.set()
        if thread is not None:
            thread.join(STOP_S)

    @property
    def missing(self) -> frozenset[Path]:
        """Directories that were not there when they were looked at last."""
        return self._missing

    def is_set(self) -> bool:
        """Whether the present watching ends (core.ports.file_watcher.StopFlag)."""
        return self._stop.cancelled or self._changed.is_set()

    # --- in the thread ---

    def _run(self) -> None:
        while not self._stop.cancelled:
            self._changed.clear()
            try:
                self._watch(self._watched.folders())
            except Cancelled:
                return
            except (CuratorError, OSError) as error:  # the library is busy, or a directory went
                _log.info("watching begins anew: %s", type(error).__name__)
                self._changed.wait(LOOK_AGAIN_S)

    def _watch(self, folders: Sequence[WatchedFolder]) -> None:
        """Look everything over, then at what changes, until other folders are to be watched."""
        there = [folder for folder in folders if folder.path.is_dir()]
        self._missing = frozenset(folder.path for folder in folders if folder not in there)
        for folder in there:
            self._look(folder)
        again = {folder.path for folder in there}  # also what changed before the system began to watch
        if not there:
            self._changed.wait(LOOK_AGAIN_S if folders else None)
            return
        looked = time.monotonic()
        for batch in self._doors.watcher.changes([folder.path for folder in there], self):
            for folder in there:
                touched = any(path.is_relative_to(folder.path) for path in batch)
                if (touched or folder.path in again) and not self._stop.cancelled:
                    settled = self._look(folder)
                    (again.discard if settled else again.add)(folder.path)
            if time.monotonic() - looked > LOOK_AGAIN_S:
                looked = time.monotonic()
                if any(path.is_dir() for path in self._missing) or not all(f.path.is_dir() for f in there):
                    return

    def _look(self, folder: WatchedFolder) -> bool:
        """Take in what is new or changed; False when a file has to be looked at again."""
        if not folder.path.is_dir():
            return True
        look = _Look(folder, self._watched.seen(folder.path))
        now = time.time()
        for path in self._doors.find((folder.path,), self._stop).files:
            if is_ignored(path, folder) or self._doors.skip(path):
                continue
            look.saw(path, now, self._tried)
        taken = self._take(look)
        self._note_gone(look, taken)
        if look.after != look.before:
            self._watched.remember(folder.path, look.after)
        return not look.growing

    def _take(self, look: _Look) -> set[int]:
        """Bring the changed files in; which documents they are."""
        fresh = []
        for path, signature in look.changed.items():
            if self._doors.is_document(path, self._stop):
                fresh.append(path)
            else:
                look.after[shown_path(path)] = signature
        if not fresh:
            return set()
        folder = look.folder
        queued = self._doors.add(
            QueueFiles(
                paths=tuple(fresh), folder=folder.folder, source=WATCHED_SOURCE, settings=folder.settings
            )
        )
        taken = set()
        for row in self._finished(queued.rows):
            if row.file.path not in look.changed:
                continue
            signature = look.changed[row.file.path]
            self._tried[folder.path, row.file.shown] = signature
            if row.state in _IN:
                look.after[row.file.shown] = signature
                taken |= {row.document} if row.document is not None else set()
        return {int(each) for each in taken}

    def _finished(self, pks: Sequence[int]) -> list[QueueRow]:
        """The rows when nothing of them is open any more. Another worker may be at them."""
        wanted = set(pks)
        while True:
            self._doors.work(self._stop)
            self._stop.check()
            rows = [row for row in self._doors.rows() if row.pk in wanted]
            if not any(row.state.is_open for row in rows):
                return rows
            if self._changed.wait(0.2):
                self._stop.check()
                return [row for row in rows if not row.state.is_open]

    def _note_gone(self, look: _Look, taken: set[int]) -> None:
        """Files that are no longer there: told when their documents are; those that came back are not gone."""
        there = look.there
        back = [each.document for each in self._watched.gone() if each.path in there]
        if back:
            self._watched.forget_gone(back)
        lost = [name for name in look.before if name not in there and not Path(name).exists()]
        for name in lost:
            look.after.pop(name, None)
        if not lost:
            return
        known = {row.path: row for row in self._doors.documents() if row.folder_name == look.folder.folder}
        self._watched.add_gone(
            GoneFile(name, row.pk, row.title)
            for name in lost
            if (row := known.get(name)) is not None and row.pieces and int(row.pk) not in taken
        )


@dataclass(slots=True)
class _Look:
    """One look at a directory."""

    folder: WatchedFolder
    before: dict[str, Signature]
    after: dict[str, Signature] = field(init=False)
    there: set[str] = field(default_factory=set)
    changed: dict[Path, Signature] = field(default_factory=dict)
    growing: bool = False

    def __post_init__(self) -> None:
        self.after = dict(self.before)

    def saw(self, path: Path, now: float, tried: dict[tuple[Path, str], Signature]) -> None:
        """A file that is there."""
        name = shown_path(path)
        self.there.add(name)
        try:
            status = path.stat()
        except OSError:
            return
        signature = (status.st_mtime_ns, status.st_size)
        if self.before.get(name) == signature or tried.get((self.folder.path, name)) == signature:
            return
        if 0 <= now - status.st_mtime < SETTLED_S:
            self.growing = True
            return
        self.changed[path] = signature


def is_ignored(path: Path, folder: WatchedFolder) -> bool:
    """Whether a pattern of the folder names the file, a directory above it, or its place."""
    place = path.relative_to(folder.path).as_posix() if path.is_relative_to(folder.path) else path.name
    parts = place.split("/")
    return any(_matches(pattern, place, parts) for pattern in folder.ignore)


def _matches(pattern: str, place: str, parts: Iterable[str]) -> bool:
    plain = pattern.strip().rstrip("/")
    if not plain:
        return False
    return fnmatch.fnmatch(place, plain) or any(fnmatch.fnmatch(part, plain) for part in parts)
