"""Copies of a library's file: made while it is in use, checked, brought back, removed.

A backup is a directory in `backups`: `library.db` (all of the file, vectors too), `settings.json` where there are
settings, and `manifest.json` with hash and counts. It is written beside and put in place when whole. Files that
older versions of the program left before a migration (`before-mNNN-*.db`) are listed with them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from core.domain.errors import BadFile, Invalid, NotFound, Unavailable
from core.domain.health import Backup, BackupCheck, BackupReason
from core.domain.json_types import Json, parse_object
from core.ports.clock import Clock, system_clock
from core.ports.progress import CancelToken, Progress, ignore_progress
from core.store.library import DATABASE, LibraryFiles
from core.store.restoring import InUse, is_damage, put_in_place, replace_file, set_aside

MANIFEST, SETTINGS = "manifest.json", "settings.json"
FORMAT = 1
PART = ".part"
"""Ending of a directory in which a backup is being made."""
STILL_WRITTEN_S = 1_800.0
"""What was not written to for so long is no backup that somebody is still making."""
PAGES_A_STEP = 4_000
HASHED_BYTES = 1 << 20
ROOM = 1.2
"""Free space that must be there, in sizes of the library."""
COUNTED = ("memory", "edge", "folder", "message", "document", "vector", "op")
_BEFORE = re.compile(r"before-m(\d+)-(\d{8}T\d{6})\.db")
_NAME = re.compile(r"[A-Za-z0-9._-]+")


class SqlBackups:
    """The backups of one library. `settings`: the text of the person's settings without keys."""

    def __init__(
        self, files: LibraryFiles, clock: Clock = system_clock, settings: Callable[[], str] | None = None
    ) -> None:
        self._files = files
        self._clock = clock
        self._settings = settings

    # --- making --------------------------------------------------------------------------

    def make(
        self,
        reason: BackupReason,
        note: str = "",
        progress: Progress = ignore_progress,
        cancel: CancelToken | None = None,
    ) -> Backup:
        """Copy the library as it is now; writers go on meanwhile and the copy does not see them.

        Errors: Invalid without room or when it cannot be written, Cancelled (nothing is left then).
        """
        now = self._clock()
        self._sweep()
        place = self._free_place(now, reason)
        beside = place.with_name(place.name + PART)
        try:
            self._check_room()
            beside.mkdir(parents=True)
            copy = beside / DATABASE
            copy_file(self._files.database, copy, progress, cancel)
            manifest = _manifest(copy, now, reason, note)
            if self._settings is not None:
                (beside / SETTINGS).write_text(self._settings(), encoding="utf-8")
            text = json.dumps(manifest, ensure_ascii=False, indent=1)
            (beside / MANIFEST).write_text(text + "\n", encoding="utf-8")
            beside.rename(place)
        except (OSError, sqlite3.Error) as error:
            raise Invalid("error.backup.cannot_write", path=str(place.parent), details=str(error)) from error
        finally:
            shutil.rmtree(beside, ignore_errors=True)
        return self.one(place.name)

    def _sweep(self) -> None:
        """Remove what backups left that were killed in the middle: each is as large as the library."""
        before = time.time() - STILL_WRITTEN_S
        for place in self._files.backups.glob(f"*{PART}"):
            with contextlib.suppress(OSError):
                if max(each.stat().st_mtime for each in (place, *place.iterdir())) < before:
                    shutil.rmtree(place, ignore_errors=True)

    def _free_place(self, now: datetime, reason: BackupReason) -> Path:
        stem = f"{now.astimezone(UTC):%Y%m%dT%H%M%S}-{reason.value}"
        place, number = self._files.backups / stem, 2
        while place.exists():
            place, number = self._files.backups / f"{stem}-{number}", number + 1
        return place

    def _check_room(self) -> None:
        needed = round(self._files.database.stat().st_size * ROOM)
        free = shutil.disk_usage(self._files.root).free
        if free < needed:
            raise Invalid("error.backup.no_room", needed=needed >> 20, free=free >> 20)

    # --- looking -------------------------------------------------------------------------

    def all(self) -> list[Backup]:
        """All backups, newest first; directories that hold none are left out."""
        try:
            places = list(self._files.backups.iterdir())
        except OSError:
            return []
        whole = [place for place in places if place.suffix != PART]
        found = [backup for place in whole if (backup := _read(place)) is not None]
        return sorted(found, key=lambda backup: (backup.at, backup.name), reverse=True)

    def one(self, name: str) -> Backup:
        """The backup of that name. Errors: NotFound."""
        if _NAME.fullmatch(name) and name not in (".", "..") and not name.endswith(PART):
            backup = _read(self._files.backups / name)
            if backup is not None:
                return backup
        raise NotFound("error.backup.missing", name=name)

    def verify(self, name: str) -> BackupCheck:
        """Hash, structure and counts of a backup. Errors: NotFound. Cost: reads all of it twice."""
        backup = self.one(name)
        file = _database(backup.path)
        problems: list[str] = []
        details = ""
        if not file.exists():
            return BackupCheck(backup, ("backup.problem.no_file",))
        if backup.sha256 and _hash(file) != backup.sha256:
            problems.append("backup.problem.hash")
        try:
            with closing(_open_copy(file)) as connection:
                broken = [row[0] for row in connection.execute("PRAGMA integrity_check(20)")]
                if broken != ["ok"]:
                    problems.append("backup.problem.damaged")
                    details = "\n".join(map(str, broken))
                elif backup.counts and _counts(connection) != dict(backup.counts):
                    problems.append("backup.problem.counts")
        except sqlite3.Error as error:
            problems.append("backup.problem.damaged")
            details = str(error)
        return BackupCheck(backup, tuple(problems), details)

    # --- ending --------------------------------------------------------------------------

    def delete(self, name: str) -> None:
        """Remove a backup for ever. Errors: NotFound, Invalid."""
        path = self.one(name).path
        try:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
        except OSError as error:
            raise Invalid("error.backup.cannot_write", path=str(path), details=str(error)) from error

    def restore(self, name: str) -> Backup | None:
        """Put a backup in place of the library's file, in one transaction of its own.

        The present state is backed up first and returned (None when its file is too damaged to be read). What
        another program writes meanwhile is in that backup. The vector index is to be made anew afterwards.
        Errors: NotFound; BadFile for a backup that is not whole; Invalid without room; Unavailable while another
        program is in the middle of a change. The library is unchanged then.
        """
        check = self.verify(name)
        if not check.whole:
            raise BadFile("error.backup.not_whole", file=name, details=check.details)
        source = _database(check.backup.path)
        try:
            return self._swap(source, name)
        except (Invalid, sqlite3.Error) as error:
            if not is_damage(error.__cause__ if isinstance(error, Invalid) else error):
                if isinstance(error, Invalid):
                    raise
                path = str(self._files.database)
                raise Invalid("error.backup.cannot_restore", path=path, details=str(error)) from error
        try:
            set_aside(self._files.database, self._files.backups, self._clock())
            replace_file(source, self._files.database)
        except OSError as error:
            path = str(self._files.root)
            raise Invalid("error.backup.cannot_restore", path=path, details=str(error)) from error
        return None

    def _swap(self, source: Path, name: str) -> Backup:
        kept: list[Backup] = []

        def keep() -> None:
            kept.append(self.make(BackupReason.RESTORE, name))

        try:
            put_in_place(source, self._files.database, keep, self._clock(), name)
        except InUse as error:
            raise Unavailable("store", "busy", key="error.backup.busy") from error
        return kept[0]


def copy_file(
    source: Path,
    target: Path,
    progress: Progress = ignore_progress,
    cancel: CancelToken | None = None,
) -> None:
    """A whole copy of a SQLite file as it is at the beginning. Errors: sqlite3.Error, Cancelled."""

    def step(_status: int, left: int, total: int) -> None:
        progress(total - left, total)
        if cancel is not None:
            cancel.check()

    with closing(sqlite3.connect(source, timeout=10)) as old, closing(sqlite3.connect(target)) as copy:
        old.execute("BEGIN")
        old.execute("SELECT count(*) FROM sqlite_master").fetchone()  # from here on the view stands still
        old.backup(copy, pages=PAGES_A_STEP, progress=step)
        old.rollback()
        copy.execute("PRAGMA journal_mode=DELETE")


def _manifest(copy: Path, now: datetime, reason: BackupReason, note: str) -> dict[str, Json]:
    with closing(_open_copy(copy)) as connection:
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        counts = _counts(connection)
        last: int = connection.execute("SELECT coalesce(max(pk), 0) FROM op").fetchone()[0]
    return {
        "format": FORMAT,
        "at": now.astimezone(UTC).isoformat(),
        "reason": reason.value,
        "note": note,
        "schema": version,
        "last_op": last,
        "counts": dict(counts),
        "bytes": copy.stat().st_size,
        "sha256": _hash(copy),
    }


def _counts(connection: sqlite3.Connection) -> dict[str, int]:
    there = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return {
        table: int(connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0])
        for table in COUNTED
        if table in there
    }


def _open_copy(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)


def _hash(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for block in _blocks(file.read):
            digest.update(block)
    return digest.hexdigest()


def _blocks(read: Callable[[int], bytes]) -> Iterator[bytes]:
    while block := read(HASHED_BYTES):
        yield block


def _database(place: Path) -> Path:
    return place / DATABASE if place.is_dir() else place


def _read(place: Path) -> Backup | None:
    """What a directory or file says about itself; None when it is no backup."""
    if place.is_file():
        found = _BEFORE.fullmatch(place.name)
        if found is None:
            return None
        at = datetime.strptime(found[2], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
        size = place.stat().st_size
        return Backup(
            name=place.name, path=place, at=at, reason=BackupReason.MIGRATION, bytes=size, note=f"m{found[1]}"
        )
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        data = parse_object((place / MANIFEST).read_text(encoding="utf-8"))
        counts = data["counts"]
        assert isinstance(counts, dict)
        return Backup(
            name=place.name,
            path=place,
            at=datetime.fromisoformat(str(data["at"])),
            reason=BackupReason(str(data["reason"])),
            bytes=int(str(data["bytes"])),
            note=str(data.get("note", "")),
            schema=int(str(data["schema"])),
            counts={str(name): int(number) for name, number in counts.items()},
            sha256=str(data["sha256"]),
            last_op=int(str(data.get("last_op", 0))),
        )
    return None
