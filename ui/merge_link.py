"""What connects the merge desk with the window: the action, the pages that open it, and unmerging."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core.domain.commands_merge import UnmergeMemories
from core.domain.ids import MemoryPk
from core.domain.results import OpResult
from ui.context import Context
from ui.desk import Desk
from ui.models.merge_choice import DeskItem
from ui.operations import Operations

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
        pks = self._desk.selected()
        if pks:
            unmerge(self._context, self._operations, pks)


def unmerge(context: Context, operations: Operations, pks: tuple[MemoryPk, ...]) -> None:
    """Take memories out again, and say what stays because it was edited since."""

    def done(result: OpResult) -> None:
        if kept := result.counts.get("kept", 0):
            operations.said.emit(context.tr("merged.kept", count=kept), False)

    operations.run(UnmergeMemories(memories=pks), done)
