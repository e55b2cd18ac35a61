"""What connects the merge desk with the window: the action, the pages that open it, and unmerging."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core.domain.api import Cancel, Report
from core.domain.commands_merge import UnmergeMemories
from core.domain.ids import MemoryPk
from core.domain.queries_merge import MergesOf
from core.domain.results import OpResult
from ui.context import Context
from ui.desk import Desk
from ui.models.merge_choice import DeskItem
from ui.operations import Operations
from ui.tasks import Lane

if TYPE_CHECKING:
    from ui.views.merge.desk import MergeDesk


class MergeLink(QObject):
    """Opens the desk over the window for whoever asks through `Operations.open_merge_desk`."""

    def __init__(self, context: Context, operations: Operations, desk: Desk, window: QWidget) -> None:
        super().__init__(window)
        self._context, self._operations, self._desk, self._window = context, operations, desk, window
        context.actions.on("memory.merge", self._merge_selected)
        context.actions.on("memory.unmerge", self._unmerge_selected)
        operations.merge_wanted.connect(self.open)

    def open(self, items: Sequence[DeskItem]) -> MergeDesk:
        """The desk with a queue; its modules are loaded when it is first opened."""
        from ui.views.merge.desk import MergeDesk

        desk = MergeDesk(self._context, self._operations, items, self._window.window())
        desk.handled.connect(self._operations.merge_handled)
        desk.open()
        return desk

    def _merge_selected(self) -> None:
        pks = self._desk.selected()
        if len(pks) > 1:
            self._operations.open_merge_desk(pks)

    def _unmerge_selected(self) -> None:
        """Take the selected out of what they were merged into, and out of them what was merged into them."""
        pks, engine = self._desk.selected(), self._context.engine
        if not pks:
            return

        def ask(_progress: Report, cancel: Cancel) -> tuple[MemoryPk, ...]:
            taken: dict[MemoryPk, None] = {}
            for pk in pks:
                merges = [each.row.pk for each in engine.ask(MergesOf(pk), cancel=cancel)]
                taken.update(dict.fromkeys([pk] if pk in merges else merges))
            return tuple(taken) or pks

        def go(taken: tuple[MemoryPk, ...]) -> None:
            unmerge(self._context, self._operations, taken)

        self._context.tasks.run(Lane.READ, ask, go, owner=self, failed=self._operations.show_error)


def unmerge(context: Context, operations: Operations, pks: tuple[MemoryPk, ...]) -> None:
    """Take memories out again, and say what stays because it was edited since."""

    def done(result: OpResult) -> None:
        if kept := result.counts.get("kept", 0):
            operations.said.emit(context.tr("merged.kept", count=kept), False)

    operations.run(UnmergeMemories(memories=pks), done)
