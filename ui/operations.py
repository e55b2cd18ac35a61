"""Changes as a person makes them: run a command, undo, redo; say what happened or what stood against it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from core.domain.api import Cancel, Report
from core.domain.commands import Command
from core.domain.errors import Conflict, WaitsForReply
from core.domain.ids import MemoryPk, OpId
from core.domain.queries_history import PreviewUndo, UndoStateNow
from core.domain.results import Changes, OpResult, UndoPreview, UndoResult, UndoState
from ui.actions import Actions
from ui.context import Context
from ui.models.merge_choice import DeskItem
from ui.tasks import Lane, Task
from ui.views.op_words import op_label, op_name, writer


class Operations(QObject):
    """Runs commands in the write lane.

    `said(text, is_error)`: a message for the person. `undo_refused(UndoPreview)`: rows were changed
    since; ask what to do. `undo_state(UndoState)`: what undo and redo would do now.
    """

    said = Signal(str, bool)
    undo_refused = Signal(object)
    undo_state = Signal(object)
    merge_wanted = Signal(object)
    """Entries (ui.models.merge_choice.DeskItem) for the merge desk; the window opens it."""
    merge_handled = Signal(object)
    """Memories that were merged or told apart on the desk."""

    def __init__(self, context: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._tr = context.tr
        self._state = UndoState(None, None)
        context.bridge.changes.connect(self._on_changes)
        context.tasks.error.connect(self.show_error)
        context.tr.changed.connect(self._show_state)

    @property
    def actions(self) -> Actions:
        """The window's actions."""
        return self._context.actions

    def run(
        self,
        command: Command,
        done: Callable[[OpResult], None] | None = None,
        *,
        failed: Callable[[Exception], None] | None = None,
    ) -> Task[OpResult]:
        """Make one change; its name is said when it is done. The task, for who wants to know of a cancel."""
        engine = self._context.engine

        def work(progress: Report, cancel: Cancel) -> OpResult:
            return engine.run(command, progress=progress, cancel=cancel)

        def finish(result: OpResult) -> None:
            if result.op is None:
                self.said.emit(self._tr("change.nothing"), False)
            if done is not None:
                done(result)

        return self._context.tasks.run(
            Lane.WRITE, work, finish, owner=self, failed=failed or self.show_error, label="task.change"
        )

    def undo(self) -> None:
        """Take back this person's newest change."""
        self.undo_op(None)

    def undo_op(self, op: OpId | None, *, partly: bool = False) -> None:
        """Take back a change; with `partly` the rows that were changed since stay as they are."""
        engine = self._context.engine

        def work(progress: Report, cancel: Cancel) -> UndoResult:
            return engine.undo(op, partly=partly, progress=progress, cancel=cancel)

        self._context.tasks.run(
            Lane.WRITE,
            work,
            lambda result: self._say_undone("change.undone", result),
            owner=self,
            failed=lambda error: self._undo_failed(op, error),
            label="task.undo",
        )

    def redo(self) -> None:
        """Make the newest undone change again."""
        engine = self._context.engine

        def work(progress: Report, cancel: Cancel) -> UndoResult:
            return engine.redo(progress=progress, cancel=cancel)

        self._context.tasks.run(
            Lane.WRITE,
            work,
            lambda result: self._say_undone("change.redone", result),
            owner=self,
            failed=self.show_error,
            label="task.redo",
        )

    def open_merge_desk(self, asked: Sequence[MemoryPk] | Sequence[DeskItem]) -> None:
        """Open the merge desk: over one group of memories (the first is kept), or over a queue of entries."""
        entries = [each for each in asked if isinstance(each, DeskItem)]
        pks = tuple(each for each in asked if not isinstance(each, DeskItem))
        if len(pks) > 1:
            entries.append(DeskItem(pks))
        if entries:
            self.merge_wanted.emit(entries)

    def show_error(self, error: Exception) -> None:
        """Say an error in words; that a request waits for the person is none."""
        self.said.emit(self._tr.error(error), not isinstance(error, WaitsForReply))

    def refresh_undo(self) -> None:
        """Ask what undo and redo would do."""
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> UndoState:
            return engine.ask(UndoStateNow(), cancel=cancel)

        self._context.tasks.run(Lane.READ, ask, self._take_state, owner=self, query="undo state")

    def _undo_failed(self, op: OpId | None, error: Exception) -> None:
        if not isinstance(error, Conflict):
            self.show_error(error)
            return
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> UndoPreview:
            return engine.ask(PreviewUndo(op), cancel=cancel)

        self._context.tasks.run(Lane.READ, ask, self.undo_refused.emit, owner=self)

    def _say_undone(self, key: str, result: UndoResult) -> None:
        self.said.emit(self._tr(key, name=op_name(result.of, self._tr)), False)

    def _on_changes(self, changes: Changes) -> None:
        self.refresh_undo()
        if changes.foreign:
            name = op_label(changes.op, self._tr)
            self.said.emit(self._tr("change.foreign", who=writer(changes.op, self._tr), name=name), False)

    def _take_state(self, state: UndoState) -> None:
        self._state = state if self._context.read_only is None else UndoState(None, None)
        self._show_state()

    def _show_state(self) -> None:
        undo, redo = self._state.undo, self._state.redo
        self.actions.update(
            undo="yes" if undo else "",
            redo="yes" if redo else "",
            undo_label=op_name(undo, self._tr) if undo else "",
            redo_label=op_name(redo, self._tr) if redo else "",
        )
        self.undo_state.emit(self._state)
