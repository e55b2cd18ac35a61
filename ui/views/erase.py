"""The one question that is asked: memories are to be erased for ever."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QLabel, QWidget

from core.domain.commands import Command, DeletePermanently, EmptyTrash
from core.domain.ids import MemoryPk
from ui.context import Context
from ui.dialogs.base import CommandDialog


class EraseDialog(CommandDialog):
    """Asks once before memories are erased. `memories` None = all that lies in the trash."""

    def __init__(
        self, ctx: Context, memories: Sequence[MemoryPk] | None, parent: QWidget | None = None
    ) -> None:
        kind = "trash" if memories is None else "memories"
        count = ctx.actions.situation.trash if memories is None else len(memories)
        super().__init__(ctx, parent, ctx.tr(f"erase.{kind}.title"), ctx.tr("erase.do", count=count))
        self._memories = None if memories is None else tuple(memories)
        text = QLabel(ctx.tr(f"erase.{kind}", count=count))
        text.setWordWrap(True)
        self.body.addWidget(text)
        self.main_button.setDefault(False)
        self.main_button.setProperty("danger", "true")
        self.main_button.style().polish(self.main_button)
        self.cancel_button.setDefault(True)
        self.cancel_button.setFocus()

    def command(self) -> Command:
        return EmptyTrash() if self._memories is None else DeletePermanently(memories=self._memories)
