"""Asks for the name of a saved search, and shows what it will be."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from core.domain.api import Cancel, Report
from core.domain.commands import Command
from core.domain.commands_search import RenameSavedSearch, SaveSearch
from core.domain.queries import MemoryFilter
from core.domain.queries_search import SearchText
from core.domain.saved_search import SavedSearch
from ui.context import Context
from ui.dialogs.base import CommandDialog
from ui.tasks import Lane
from ui.widgets.plain_text import PlainLineEdit


class _NameDialog(CommandDialog):
    """One field for the name, and the search below it."""

    def __init__(self, ctx: Context, name: str, title: str, button: str, parent: QWidget | None) -> None:
        super().__init__(ctx, parent, title, button)
        self.name = PlainLineEdit()
        self.name.setText(name)
        self.name.selectAll()
        self.name.setAccessibleName(ctx.tr("saved.name"))
        self.name.setPlaceholderText(ctx.tr("saved.name"))
        self.name.textChanged.connect(self.check)
        self.text = QLabel()
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setWordWrap(True)
        self.text.setProperty("role", "secondary")
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.body.addWidget(self.name)
        self.body.addWidget(self.text)
        self.name.setFocus()
        self.check()

    def ready(self) -> bool:
        return bool(self.name.text().strip())


class SaveSearchDialog(_NameDialog):
    """Keeps what the list shows under a name."""

    def __init__(self, ctx: Context, where: MemoryFilter, name: str, parent: QWidget | None = None) -> None:
        super().__init__(ctx, name, ctx.tr("saved.save.title"), ctx.tr("saved.save.do"), parent)
        self._where = where
        engine = ctx.engine

        def ask(_progress: Report, cancel: Cancel) -> str:
            return engine.ask(SearchText(where), cancel=cancel)

        ctx.tasks.run(Lane.READ, ask, self.text.setText, owner=self, failed=self.fail)

    def command(self) -> Command:
        return SaveSearch(self.name.text(), self._where)


class RenameSearchDialog(_NameDialog):
    """Gives a saved search another name."""

    def __init__(self, ctx: Context, search: SavedSearch, parent: QWidget | None = None) -> None:
        super().__init__(ctx, search.name, ctx.tr("saved.rename.title"), ctx.tr("saved.rename.do"), parent)
        self._search = search
        self.text.setText(search.text)

    def command(self) -> Command:
        return RenameSavedSearch(self._search.pk, self.name.text())
