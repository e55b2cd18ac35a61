"""Asks for the name of a new folder."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QWidget

from core.domain.commands import Command
from core.domain.commands_folders import CreateFolder
from ui.context import Context
from ui.dialogs.base import CommandDialog
from ui.widgets.plain_text import PlainLineEdit


class NewFolderDialog(CommandDialog):
    """One field; `before` is what the name begins with (the folder above)."""

    def __init__(self, ctx: Context, before: str, parent: QWidget | None = None) -> None:
        super().__init__(ctx, parent, ctx.tr("new_folder.title"), ctx.tr("new_folder.do"))
        note = QLabel(ctx.tr("new_folder.note"))
        note.setWordWrap(True)
        note.setProperty("role", "secondary")
        self.name = PlainLineEdit()
        self.name.setText(before)
        self.name.setAccessibleName(ctx.tr("new_folder.title"))
        self.name.textChanged.connect(self.check)
        self.body.addWidget(self.name)
        self.body.addWidget(note)
        self.name.setFocus()
        self.check()

    def ready(self) -> bool:
        text = self.name.text().strip()
        return bool(text.strip("/ "))

    def command(self) -> Command:
        return CreateFolder(self.name.text())
