"""A line for a folder's name that completes the names of the library's folders."""

from __future__ import annotations

from PySide6.QtCore import QStringListModel, Qt
from PySide6.QtWidgets import QCompleter, QWidget

from core.domain.api import Cancel, Report
from core.domain.queries import Folders
from ui.context import Context
from ui.tasks import Lane
from ui.widgets.plain_text import PlainLineEdit


class FolderField(PlainLineEdit):
    """Any name may be typed: a folder that is not there is made."""

    def __init__(self, ctx: Context, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = QStringListModel(self)
        completer = QCompleter(self._names, self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.setCompleter(completer)
        self.setAccessibleName(ctx.tr("new_text.folder"))
        self.setText(text)
        engine = ctx.engine

        def ask(_progress: Report, cancel: Cancel) -> list[str]:
            return [node.folder.name for node in engine.ask(Folders(), cancel=cancel)]

        ctx.tasks.run(Lane.READ, ask, self._names.setStringList, owner=self, query="folders", failed=_ignore)


def _ignore(_error: Exception) -> None:
    """Without the names the field only does not complete."""
