"""The library's SQL store: readers, units of work, undo, history and the indexer's queue."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from core.domain.access import ReadOnly
from core.domain.api import Cancel
from core.domain.enums import ActorKind, Kind, OpRole
from core.domain.errors import Conflict, UserError
from core.domain.ids import DocumentPk, FolderPk, MemoryPk, OpId
from core.domain.memory import Memory
from core.domain.queries_drop import DocumentVersion
from core.domain.queries_history import OpFilter
from core.domain.results import (
    Actor,
    Changes,
    HistoryEntry,
    OpInfo,
    Problem,
    RowDiff,
    RowVersion,
    UndoConflict,
    UndoPreview,
    UndoState,
)
from core.domain.schema import Schema
from core.ports.clock import Clock, system_clock
from core.ports.progress import Progress, ignore_progress
from core.ports.store import OpDraft, UnitOfWork
from core.store import history, journal, op_diff, op_filter, since_diff
from core.store.check import check_file
from core.store.database import Database
from core.store.drafts import SqlDrafts
from core.store.erase import scrub
from core.store.jobs import SqlJobs
from core.store.library import LibraryFiles
from core.store.manual_requests import SqlManualRequests
from core.store.migrate import check_readable, migrate
from core.store.proposals import SqlProposals
from core.store.reader import SqlReader
from core.store.rollback import abandoned_ops, roll_back
from core.store.undo_apply import apply_plan
from core.store.undo_plan import UndoPlan, UndoPlanner
from core.store.unit_of_work import SqlUnitOfWork
from core.store.usage import SqlUsage

if TYPE_CHECKING:
    from core.store.graph_store import SqlGraphStore
    from core.store.health_store import SqlHealth
    from core.store.index_queue import SqlIndexQueue
    from core.store.recall_store import SqlRecallStore
    from core.store.search_store import SqlSearchStore
    from core.store.upkeep_store import SqlUpkeepStore

T = TypeVar("T")


class SqlStore:
    """One opened library file. All calls may come from any thread. With `read_only` none of them writes."""

    def __init__(
        self,
        files: LibraryFiles,
        schema: Schema,
        clock: Clock = system_clock,
        read_only: ReadOnly | None = None,
    ) -> None:
        self.files = files
        self._clock = clock
        if read_only is None:
            files.root.mkdir(parents=True, exist_ok=True)
        else:
            check_readable(files.database)
        self._database = Database(files.database, read_only)
        try:
            if read_only is None:
                migrate(self._database, schema, clock(), files.backups)
        except BaseException:
            self._database.dispose()
            raise
        self.usage = SqlUsage(self._database, clock)
        self.drafts = SqlDrafts(self._database, clock)
        self.jobs = SqlJobs(self._database, clock, files.root)
        self.proposals = SqlProposals(self._database, clock)
        self.manual = SqlManualRequests(self._database, clock)

    @cached_property
    def queue(self) -> SqlIndexQueue:
        """Outbox and vectors, for the index. Loads numpy."""
        from core.store.index_queue import SqlIndexQueue

        return SqlIndexQueue(self._database)

    @cached_property
    def health(self) -> SqlHealth:
        """What check-up and Health page need. Loads numpy."""
        from core.store.health_store import SqlHealth

        return SqlHealth(self._database, self._clock)

    @cached_property
    def recall(self) -> SqlRecallStore:
        """What recall reads and keeps. Loads numpy."""
        from core.store.recall_store import SqlRecallStore

        return SqlRecallStore(self._database)

    @cached_property
    def graph(self) -> SqlGraphStore:
        """The graph in bulk. Loads numpy, which a command that never looks at a graph does without."""
        from core.store.graph_store import SqlGraphStore

        return SqlGraphStore(self._database, self._clock)

    @cached_property
    def search(self) -> SqlSearchStore:
        """What the search field reads."""
        from core.store.search_store import SqlSearchStore

        return SqlSearchStore(self._database)

    @cached_property
    def upkeep(self) -> SqlUpkeepStore:
        """Memories in columns for plans. Loads numpy."""
        from core.store.upkeep_store import SqlUpkeepStore

        return SqlUpkeepStore(self._database)

    @contextmanager
    def read(self, cancel: Cancel | None = None) -> Iterator[SqlReader]:
        """A reader with a consistent view, until it is cancelled."""
        with self._database.reading(cancel) as connection:
            yield SqlReader(connection)

    def write(
        self,
        draft: OpDraft,
        work: Callable[[UnitOfWork], T],
        progress: Progress = ignore_progress,
        cancel: Cancel | None = None,
    ) -> tuple[T, Changes | None]:
        """Run `work` as one op. The op is rolled back as a whole when it raises."""
        return self._write(draft, work, progress, cancel)

    def _write(
        self,
        draft: OpDraft,
        work: Callable[[SqlUnitOfWork], T],
        progress: Progress,
        cancel: Cancel | None,
    ) -> tuple[T, Changes | None]:
        unit = SqlUnitOfWork(self._database, draft, self._clock(), progress, cancel)
        try:
            result = work(unit)
            info = unit.complete()
        except BaseException:
            unit.abandon()
            if unit.committed_chunks:
                roll_back(self._database, unit.op)
            raise
        return result, None if info is None else _changes(info, unit)

    def roll_back_abandoned(self) -> int:
        """Take back ops that a crash left open (the lock holder does this at start). Returns how many."""
        with self._database.reading() as connection:
            ops = abandoned_ops(connection)
        for op in ops:
            roll_back(self._database, op)
        return len(ops)

    def check(self) -> list[Problem]:
        """What is wrong with the file itself: structure, references, full text. Cost: reads all of it."""
        with self._database.reading() as connection:
            return check_file(connection)

    def scrub(self) -> None:
        """Make nothing of erased text readable in the file: index segments and the write-ahead log."""
        with self._database.writing() as connection:
            scrub(connection)
        with self._database.engine.connect() as connection:
            raw = connection.connection.dbapi_connection
            if raw is not None:
                raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")

    # --- undo ----------------------------------------------------------------------------

    def undo_state(self, actor: Actor) -> UndoState:
        """What undo and redo would take now."""
        with self._database.reading() as connection:
            return UndoState(history.next_undo(connection, actor), history.next_redo(connection, actor))

    def preview_undo(self, actor: Actor, op: OpId | None) -> UndoPreview:
        """What undoing would do. Nothing is written. Errors: UserError when there is nothing to undo."""
        target = self._target(actor, op)
        unit = SqlUnitOfWork(self._database, OpDraft("", actor), self._clock())
        try:
            plan = _plan(unit, target.id)
            return UndoPreview(target, plan.restorable, _conflicts(unit, plan))
        finally:
            unit.abandon()

    def undo(
        self,
        actor: Actor,
        op: OpId | None,
        *,
        partly: bool = False,
        redo: bool = False,
        progress: Progress = ignore_progress,
        cancel: Cancel | None = None,
    ) -> tuple[OpInfo, int, tuple[UndoConflict, ...], Changes]:
        """Undo an op (or, with `redo`, an undo). Errors: see core.domain.api.EngineApi.undo."""
        target = self._redo_target(actor) if redo else self._target(actor, op)
        draft = OpDraft(
            target.label,
            actor,
            role=OpRole.REDO if redo else OpRole.UNDO,
            of=target.id,
            args=dict(target.args),
        )

        def work(unit: SqlUnitOfWork) -> tuple[int, tuple[UndoConflict, ...]]:
            plan = _plan(unit, target.id)
            conflicts = _conflicts(unit, plan)
            if conflicts and not partly:
                raise Conflict(
                    "conflict.undo",
                    [item.pk for item in conflicts],
                    details="\n".join(map(_conflict_line, conflicts)),
                    restorable=plan.restorable,
                    total=plan.restorable + len(conflicts),
                )
            if not plan.restorable:
                raise UserError("error.undo.nothing_left")
            unit.mark_undone(target.id)
            apply_plan(unit, plan)
            return plan.restorable, conflicts

        (restored, conflicts), changes = self._write(draft, work, progress, cancel)
        if changes is None:
            raise UserError("error.undo.nothing")
        return target, restored, conflicts, changes

    def _target(self, actor: Actor, op: OpId | None) -> OpInfo:
        with self._database.reading() as connection:
            found = history.next_undo(connection, actor) if op is None else history.read_op(connection, op)
        if found is None:
            raise UserError("error.undo.nothing" if op is None else "error.undo.unknown", op=op)
        if not found.undoable:
            raise UserError("error.undo.final", label=found.label)
        if found.undone_by is not None:
            raise UserError("error.undo.already", label=found.label)
        return found

    def _redo_target(self, actor: Actor) -> OpInfo:
        with self._database.reading() as connection:
            found = history.next_redo(connection, actor)
        if found is None:
            raise UserError("error.redo.nothing")
        return found

    # --- history -------------------------------------------------------------------------

    def history(self, limit: int, before: OpId | None) -> list[HistoryEntry]:
        """Ops, newest first."""
        with self._database.reading() as connection:
            return history.list_ops(connection, limit, before)

    def ops(self, wanted: OpFilter) -> list[HistoryEntry]:
        """Ops under a filter, newest first."""
        with self._database.reading() as connection:
            return op_filter.list_ops(connection, wanted)

    def writers(self) -> list[tuple[ActorKind, str]]:
        """Who has written."""
        with self._database.reading() as connection:
            return op_filter.writers(connection)

    def op_diff(self, op: OpId, limit: int) -> list[RowDiff]:
        """What an op did, row by row. Errors: NotFound."""
        with self._database.reading() as connection:
            return op_diff.of_op(connection, op, limit)

    def changed_since(
        self, folders: Collection[FolderPk], after: OpId, skip: Collection[OpId], limit: int
    ) -> tuple[list[tuple[RowDiff, tuple[OpId, ...]]], int]:
        """See core.ports.store.Store."""
        with self._database.reading() as connection:
            return since_diff.since(connection, folders, after, skip, limit)

    def versions(self, memory: MemoryPk) -> list[RowVersion]:
        """What changed on a memory, newest first."""
        with self._database.reading() as connection:
            return history.versions_of(connection, memory)

    def document_versions(self, document: DocumentPk) -> list[DocumentVersion]:
        """See core.ports.store.Store."""
        with self._database.reading() as connection:
            return history.document_versions(connection, document)

    def last_op(self) -> OpId:
        """Highest op id."""
        with self._database.reading() as connection:
            return history.last_op(connection)

    def changes_after(self, op: OpId) -> list[Changes]:
        """Ops of others since one, with what they touched."""
        with self._database.reading() as connection:
            return [
                _foreign(info, journal.read(connection, info.id))
                for info in history.ops_after(connection, op)
            ]

    def close(self) -> None:
        """End all connections."""
        self._database.dispose()


def _plan(unit: SqlUnitOfWork, op: OpId) -> UndoPlan:
    return UndoPlanner(unit, journal.fold(journal.read(unit.connection, op)), op).plan()


def _conflict_line(conflict: UndoConflict) -> str:
    """A row in conflict: its title, or what and which it is, and the columns that changed since."""
    name = conflict.title or f"{conflict.kind.value} {conflict.pk}"
    return f"{name} ({', '.join(conflict.columns)})" if conflict.columns else name


def _conflicts(unit: SqlUnitOfWork, plan: UndoPlan) -> tuple[UndoConflict, ...]:
    memories = [MemoryPk(pk) for kind, pk in plan.conflicts if kind is Kind.MEMORY]
    titles = {memory.pk: memory.named for memory in unit.records(Memory, memories)}
    return tuple(
        UndoConflict(kind, pk, columns, titles.get(MemoryPk(pk), "") if kind is Kind.MEMORY else "")
        for (kind, pk), columns in plan.conflicts.items()
    )


def _changes(info: OpInfo, unit: SqlUnitOfWork) -> Changes:
    touched = {kind: frozenset(pks) for kind, pks in unit.touched.items() if pks}
    return Changes(info, touched, frozenset(MemoryPk(pk) for pk in unit.memories))


def _foreign(info: OpInfo, entries: list[journal.Entry]) -> Changes:
    touched: dict[Kind, set[int]] = {}
    memories: set[MemoryPk] = set()
    for entry in entries:
        touched.setdefault(entry.kind, set()).add(entry.pk)
        memories.update(MemoryPk(pk) for pk in (entry.memory, entry.other) if pk is not None)
    return Changes(
        info, {kind: frozenset(pks) for kind, pks in touched.items()}, frozenset(memories), foreign=True
    )
