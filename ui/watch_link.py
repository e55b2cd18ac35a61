"""Watched directories and the window: the dialog, and word of files that went."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core.domain.api import Cancel, Report
from core.domain.ids import DocumentPk
from core.domain.queries_watching import Gone
from core.domain.watching import GoneFile
from ui.context import Context
from ui.dialogs.watched_folders import open_watched_folders
from ui.operations import Operations
from ui.tasks import Lane, single_shot

LOOK_MS = 8000
"""How often it is asked whether a file went: that is no change of the library, so nothing else tells."""


class WatchLink(QObject):
    """Says once for each file of a watched directory that it went; its document stays."""

    def __init__(self, context: Context, operations: Operations, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._operations, self._window = context, operations, parent
        self._told: frozenset[DocumentPk] | None = None
        self._timer = single_shot(self, LOOK_MS, self.look)
        context.actions.on("library.watched", self._show)

    def _show(self) -> None:
        open_watched_folders(self._context, self._window.window())

    def start(self) -> None:
        """Begin to look."""
        self._timer.start()

    def close(self) -> None:
        """Look no more."""
        self._timer.stop()

    def look(self) -> None:
        """Ask for files that went."""
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[GoneFile, ...]:
            return engine.ask(Gone(), cancel=cancel)

        self._context.tasks.run(
            Lane.READ, ask, self._take, owner=self, query="gone", failed=lambda _error: self._timer.start()
        )

    def _take(self, gone: tuple[GoneFile, ...]) -> None:
        now = frozenset(each.document for each in gone)
        new = now - (self._told or frozenset())
        if new:
            self._operations.said.emit(self._context.tr("watch.told", count=len(new)), False)
        self._told = now
        self._timer.start()
