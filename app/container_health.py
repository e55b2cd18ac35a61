"""Health of one opened library: check-up, making anew, backups, rebuild, log and bundle, joined for its engine."""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from app import paths
from core.domain import queries as q
from core.domain import queries_health as qh
from core.domain import queries_index as qi
from core.domain import queries_recall as qr
from core.domain.commands import Command
from core.domain.errors import CuratorError
from core.domain.health import (
    Backup,
    BackupReason,
    EndpointState,
    Fault,
    RebuildJob,
)
from core.domain.results import Changes, VerifyReport
from core.ports.clock import system_clock
from core.services.backup_rules import due, reason_before, to_remove

if TYPE_CHECKING:
    from app.opened import Opened
    from core.domain.api import Cancel
    from core.ports.copies import Copies
    from core.ports.embedder import Embedder
    from core.ports.progress import CancelToken
    from core.services.health import HealthService
    from core.services.rebuild import Rebuilder
    from core.settings import Settings

FIRST_LOOK_S, LOOK_S = 90.0, 1800.0
"""When the program looks whether a scheduled backup is due."""

_log = logging.getLogger(__name__)


class LibraryHealth:
    """Everything about a library's health that needs more than its store."""

    def __init__(self, library: Opened, settings: Settings) -> None:
        self._library, self._settings = library, settings
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    # --- backups -------------------------------------------------------------------------

    @cached_property
    def backups(self) -> Copies:
        """The library's backups."""
        from app.library_place import copies_of

        return copies_of(self._library.files.root, self._settings)

    def make(self, reason: BackupReason, note: str = "", cancel: CancelToken | None = None) -> Backup:
        """Make a backup, and let go of automatic ones beyond the number kept."""
        began = time.monotonic()
        made = self.backups.make(reason, note, cancel=cancel)
        _log.info("backup (%s) of %d bytes in %.1f s", reason.value, made.bytes, time.monotonic() - began)
        for old in to_remove(self.backups.all(), self._settings.number("backup.keep")):
            self.backups.delete(old.name)
        return made

    def before(self, command: Command, cancel: Cancel | None) -> None:
        """Back the library up before a big change, unless it stands as in the newest backup."""
        if not self._settings.get("backup.before_big"):
            return
        store = self._library.store
        with store.read() as reader:
            reason = reason_before(reader, command)
        if reason is None:
            return
        newest = next(iter(self.backups.all()), None)
        if newest is None or newest.last_op != store.last_op() or not newest.sha256:
            self.make(reason, command.LABEL, cast("CancelToken | None", cancel))

    def keep_backed_up(self) -> None:
        """From now on a thread makes the scheduled backups while the library is open."""
        if self._thread is None and self._library.read_only is None:
            self._thread = threading.Thread(target=self._look, name="backup-clock", daemon=True)
            self._thread.start()

    def _look(self) -> None:
        wait = FIRST_LOOK_S
        while not self._stop.wait(wait):
            wait = LOOK_S
            try:
                self.make_scheduled(system_clock())
            except CuratorError as error:
                _log.warning("no scheduled backup: %s", type(error).__name__)

    def make_scheduled(self, now: datetime) -> Backup | None:
        """A backup when one is due and something was changed since the newest."""
        newest = next(iter(self.backups.all()), None)
        if not due(None if newest is None else newest.at, now, self._settings.number("backup.every_days")):
            return None
        if newest is not None and newest.last_op == self._library.store.last_op():
            return None
        with self._library.store.read() as reader:
            if not reader.counts(journal=False).memories:
                return None
        return self.make(BackupReason.SCHEDULED)

    def close(self) -> None:
        """End the thread."""
        self._stop.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()

    # --- health --------------------------------------------------------------------------

    @cached_property
    def service(self) -> HealthService:
        """Check-up and state."""
        from core.services.health import HealthService, Surroundings

        around = Surroundings(
            index=self._compare_index,
            settings=self._settings_problems,
            endpoints=self._endpoints,
            backups=self.backups.all,
            index_bytes=lambda: _bytes_below(self._library.files.index),
            model=self._model,
        )
        return HealthService(self._library.store, self._library.store.health, around, system_clock)

    def _model(self) -> tuple[str, str, int] | None:
        if self._settings.text("embedder") == "none":
            return None
        identity = self._library.embedder.identity
        return identity.model, identity.key, identity.dims

    def _settings_problems(self) -> Sequence[str]:
        return (*self._settings.refused, *(("settings.json",) if self._settings.damaged else ()))

    def _endpoints(self) -> Sequence[EndpointState]:
        """The embedder and the index, with what does not answer."""
        model = self._model()
        words = tuple(EndpointState("model", *each) for each in self._library.models.in_use())
        if model is None:
            return (EndpointState("embedder_off", ""), *words)
        drainer = self._library.drainer
        problem = None if drainer is None else drainer.state.problem
        bad = {} if problem is None else {problem.port: problem.reason}
        return (
            EndpointState("embedder", model[0], bad.get("embedder", "")),
            EndpointState("index", "chroma", bad.get("index", "")),
            *words,
        )

    def _compare_index(self, sample: int, cancel: CancelToken | None) -> VerifyReport | str:
        library = self._library
        if self._settings.text("embedder") == "none" or not library.files.index.exists():
            return "none"
        from core.services.index_check import verify

        with library.index_lock() as free:
            if not free:
                return "elsewhere"
            return verify(library.indexer, sample, cancel)

    def remake(self, faults: Sequence[Fault], cancel: CancelToken | None) -> int:
        """Make anew what follows from the rows. Errors: LibraryInUse when another program keeps the index."""
        from app.library_place import take_lock

        library = self._library
        lock = None if library.keeps_lock else take_lock(library.files.root)
        try:
            written = self.service.remake(faults, lambda: library.indexer, self._settings.mend, cancel)
        finally:
            if lock is not None:
                library.release_index()
                lock.release()
        if Fault.NO_VECTOR in faults and library.drainer is not None:
            library.drainer.changed()
        _log.info("made anew: %s; %d rows", ", ".join(fault.value for fault in faults), written)
        return written

    # --- rebuild -------------------------------------------------------------------------

    @cached_property
    def rebuilder(self) -> Rebuilder:
        """Vectors made anew beside those in use. Errors: Unavailable without an embedder."""
        from core.services.rebuild import Rebuilder

        store = self._library.store
        return Rebuilder(
            store.health, store.queue, store.jobs, self._library.embedder, self._cases, self._trial
        )

    def _cases(self) -> int:
        return len(self._library.engine.ask(qr.RecallCases()))

    def _trial(self, embedder: Embedder, cancel: CancelToken | None) -> Mapping[str, float]:
        from core.services.evaluate import evaluate

        return evaluate(self._library.recall_with(embedder), None, cancel).figures

    def _current(self) -> RebuildJob | None:
        return None if self._model() is None else self.rebuilder.current()

    def _run_rebuild(self, query: qh.RunRebuild, cancel: CancelToken | None) -> RebuildJob:
        job = self.rebuilder.run(query.scope, query.folder, cancel)
        if self._library.drainer is not None:
            self._library.drainer.changed()
        return job

    def _accept(self) -> int:
        count = self.rebuilder.accept()
        self._library.forget_vectors()
        _log.info("%d vectors taken into use", count)
        return count

    # --- answers -------------------------------------------------------------------------

    def answers(self) -> Mapping[type[q.Query[Any]], Callable[[Any, Cancel | None], Any]]:
        """For the engine: what each query is answered by."""
        store = self._library.store

        def token(cancel: Cancel | None) -> CancelToken | None:
            return cast("CancelToken | None", cancel)

        return {
            qh.CheckUp: lambda query, cancel: self.service.check_up(query.sample, token(cancel)),
            qh.Remake: lambda query, cancel: self.remake(query.faults, token(cancel)),
            qh.Health: lambda query, _cancel: self.service.state(sizes=query.sizes),
            qh.FolderFigures: lambda query, _cancel: store.health.card(query.folder, self._key()),
            qh.PlotNumbers: lambda query, _cancel: store.health.plots(query.folder),
            qh.Backups: lambda _query, _cancel: tuple(self.backups.all()),
            qh.MakeBackup: lambda query, cancel: self.make(query.reason, query.note, token(cancel)),
            qh.VerifyBackup: lambda query, _cancel: self.backups.verify(query.name),
            qh.DeleteBackup: lambda query, _cancel: self._delete(query.name),
            qh.EstimateRebuild: lambda query, cancel: self.rebuilder.estimate(
                query.scope, query.folder, token(cancel)
            ),
            qh.CurrentRebuild: lambda _query, _cancel: self._current(),
            qh.RunRebuild: lambda query, cancel: self._run_rebuild(query, token(cancel)),
            qh.AcceptRebuild: lambda _query, _cancel: self._accept(),
            qh.DropRebuild: lambda _query, _cancel: self.rebuilder.drop(),
            qh.Log: self._read_log,
            qh.MakeBundle: lambda query, cancel: self._bundle(query.path, token(cancel)),
        }

    def _key(self) -> str | None:
        model = self._model()
        return None if model is None else model[1]

    def _delete(self, name: str) -> bool:
        self.backups.delete(name)
        return True

    def _read_log(self, query: qh.Log, _cancel: Cancel | None) -> Any:
        from app import logbook

        return tuple(logbook.read(paths.log_dir(), query.level, query.words, query.limit))

    def _bundle(self, path: Path, cancel: CancelToken | None) -> Path:
        from app import bundle

        return bundle.write(
            path,
            state=self.service.state(sizes=True),
            card=self._library.store.health.card(None, self._key()),
            report=self.service.check_up(qi.Verify().sample, cancel),
            backups=tuple(self.backups.all()),
            settings=self._settings,
            log_dir=paths.log_dir(),
        )


def log_changes(changes: Changes) -> None:
    """One line for each change: its kind and its sizes, no names and no texts."""
    rows = sum(map(len, changes.touched.values()))
    _log.info(
        "change %d %s by %s: %d rows", changes.op.id, changes.op.label, changes.op.actor.kind.value, rows
    )


def restore(root: Path, name: str, settings: Settings) -> Backup | None:
    """Put a backup in place of a library that nobody has open; answers the backup of how it was.

    Errors: LibraryInUse, NotFound, BadFile, Invalid.
    """
    from app.library_place import copies_of, index_dir, take_lock

    lock = take_lock(root)
    try:
        present = copies_of(root, settings).restore(name)
        shutil.rmtree(
            index_dir(root), ignore_errors=True
        )  # a cache of another state: made anew from the vectors
    finally:
        lock.release()
    return present


def _bytes_below(place: Path) -> int:
    try:
        return sum(each.stat().st_size for each in place.rglob("*") if each.is_file())
    except OSError:
        return 0
