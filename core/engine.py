"""The engine: the one door through which windows and programs ask for and change a library."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from core.domain import queries_history as qy
from core.domain.access import ReadOnly
from core.domain.api import Cancel, Drafts, Report, Unsubscribe
from core.domain.commands import Command
from core.domain.errors import ReadOnlyLibrary
from core.domain.ids import OpId
from core.domain.queries import Query
from core.domain.results import Actor, Changes, OpResult, UndoResult
from core.ports.progress import ignore_progress
from core.ports.store import OpDraft, Store, UnitOfWork
from core.services.outcome import Outcome
from core.services.queries import QUERIES

T = TypeVar("T")

Answer = Callable[[Any, "Cancel | None"], Any]
"""Answers a query that needs more than the store (a file, the index, a model)."""

Closer = Callable[[], None]

Before = Callable[[Command, "Cancel | None"], None]
"""Called before a command is run (a backup before a big one); its errors keep the command from running."""


class Engine:
    """One opened library (core.domain.api.EngineApi).

    `answers` are the queries that need adapters, `closers` end what was opened for this engine, in
    order, `before` comes before each command; all come from app/library.py. With `read_only` nothing is
    written, and whatever would write is refused before it begins.
    """

    def __init__(
        self,
        store: Store,
        actor: Actor,
        answers: Mapping[type[Query[Any]], Answer] | None = None,
        closers: Sequence[Closer] = (),
        before: Before | None = None,
        read_only: ReadOnly | None = None,
    ) -> None:
        self._store = store
        self._actor = actor
        self._answers = {**(answers or {}), **self._own_answers()}
        self._closers = tuple(closers)
        self._before = before
        self._read_only = read_only
        self._listeners: list[Callable[[Changes], None]] = []
        self._lock = threading.Lock()
        self._seen = store.last_op()
        self._own_ops: set[OpId] = set()
        self._closed = False

    @property
    def actor(self) -> Actor:
        """Who writes through this engine."""
        return self._actor

    @property
    def read_only(self) -> ReadOnly | None:
        """Why nothing can be written; None = it can."""
        return self._read_only

    def _check_writable(self) -> None:
        if self._read_only is not None:
            raise ReadOnlyLibrary(self._read_only)

    @property
    def drafts(self) -> Drafts:
        """Unsaved texts."""
        return self._store.drafts

    # --- commands ------------------------------------------------------------------------

    def run(
        self, command: Command, *, progress: Report | None = None, cancel: Cancel | None = None
    ) -> OpResult:
        """Make one change as one op; see EngineApi."""
        # All families of services: who only reads starts without them.
        from core.services.handlers import HANDLERS

        self._check_writable()
        handler = HANDLERS[type(command)]
        draft = OpDraft(command.LABEL, self._actor, undoable=command.UNDOABLE)
        if self._before is not None:
            self._before(command, cancel)

        def work(unit: UnitOfWork) -> Outcome:
            return handler(unit, command)

        outcome, changes = self._store.write(draft, work, progress or ignore_progress, cancel)
        if command.ERASES and changes is not None:
            self._store.scrub()
        self._publish_own(changes)
        return OpResult(
            op=None if changes is None else changes.op,
            changed=outcome.changed,
            created=outcome.created,
            created_folder=outcome.created_folder,
            created_edge=outcome.created_edge,
            created_memo=outcome.created_memo,
            document=outcome.document,
            counts=outcome.counts,
        )

    def undo(
        self,
        op: OpId | None = None,
        *,
        partly: bool = False,
        progress: Report | None = None,
        cancel: Cancel | None = None,
    ) -> UndoResult:
        """Undo an op; see EngineApi."""
        return self._undo(op, partly=partly, redo=False, progress=progress, cancel=cancel)

    def redo(self, *, progress: Report | None = None, cancel: Cancel | None = None) -> UndoResult:
        """Undo this actor's newest undo; see EngineApi."""
        return self._undo(None, partly=False, redo=True, progress=progress, cancel=cancel)

    def _undo(
        self, op: OpId | None, *, partly: bool, redo: bool, progress: Report | None, cancel: Cancel | None
    ) -> UndoResult:
        self._check_writable()
        target, restored, conflicts, changes = self._store.undo(
            self._actor, op, partly=partly, redo=redo, progress=progress or ignore_progress, cancel=cancel
        )
        self._publish_own(changes)
        return UndoResult(op=changes.op, of=target, restored=restored, conflicts=conflicts)

    # --- queries -------------------------------------------------------------------------

    def ask(self, query: Query[T], *, cancel: Cancel | None = None) -> T:
        """Answer a query; see EngineApi."""
        if cancel is not None:
            cancel.check()
        if query.writes:
            self._check_writable()
        answer = self._answers.get(type(query))
        if answer is not None:
            return cast("T", answer(query, cancel))
        with self._store.read(cancel) as reader:
            return cast("T", QUERIES[type(query)](reader, query))

    def _own_answers(self) -> dict[type[Query[Any]], Answer]:
        store, actor = self._store, self._actor
        return {
            qy.History: lambda query, _: tuple(store.history(query.limit, query.before)),
            qy.Ops: lambda query, _: tuple(store.ops(query.filter)),
            qy.Writers: lambda _query, _: tuple(store.writers()),
            qy.OpDiff: lambda query, _: tuple(store.op_diff(query.op, query.limit)),
            qy.VersionsOf: lambda query, _: tuple(store.versions(query.pk)),
            qy.PreviewUndo: lambda query, _: store.preview_undo(actor, query.op),
            qy.UndoStateNow: lambda _query, _: store.undo_state(actor),
            qy.LastOpId: lambda _query, _: store.last_op(),
        }

    # --- events --------------------------------------------------------------------------

    def subscribe(self, listener: Callable[[Changes], None]) -> Unsubscribe:
        """Hear of every commit, in the thread that committed."""
        with self._lock:
            self._listeners.append(listener)

        def unsubscribe() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return unsubscribe

    def poll(self) -> bool:
        """Look for ops of other programs; listeners hear of them as foreign."""
        with self._lock:
            seen, own = self._seen, set(self._own_ops)
        foreign = [changes for changes in self._store.changes_after(seen) if changes.op.id not in own]
        newest = max((changes.op.id for changes in foreign), default=seen)
        with self._lock:
            self._seen = max(self._seen, newest, *own, OpId(0))
            self._own_ops -= own
        for changes in foreign:
            self._publish(changes)
        return bool(foreign)

    def _publish_own(self, changes: Changes | None) -> None:
        if changes is not None:
            with self._lock:
                self._own_ops.add(changes.op.id)
            self._publish(changes)

    def _publish(self, changes: Changes) -> None:
        with self._lock:
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener(changes)

    def close(self) -> None:
        """End what was opened for this engine, then the store. Closing twice does nothing."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        for closer in self._closers:
            closer()
        self._store.close()
