"""The strip above the list that says which file a folder came from, and how much of it is not there yet."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from core.domain.api import Cancel, Report
from core.domain.ids import FolderPk
from core.domain.queries_write_back import SourceOf
from core.domain.source_file import FolderSource
from ui.context import Context
from ui.language import isolate
from ui.tasks import Lane


class SourceStrip(QWidget):
    """`write_wanted(folder)`: look at what would go back, and write it. `changes_wanted(folder)`: list the changes."""

    write_wanted = Signal(int)
    changes_wanted = Signal(int)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._folder: FolderPk | None = None
        self._source: FolderSource | None = None
        self.setProperty("role", "strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.text = QLabel()
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setWordWrap(True)
        self.button = QPushButton()
        self.button.clicked.connect(self._write)
        self.changes = QPushButton()
        self.changes.clicked.connect(self._show_changes)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 8, 4)
        row.setSpacing(8)
        row.addWidget(self.text, 1)
        row.addWidget(self.changes)
        row.addWidget(self.button)
        context.tr.changed.connect(self._say)
        self.hide()

    def show_folder(self, folder: FolderPk | None) -> None:
        """Ask about a folder; the strip is there only when it came from a file."""
        if folder != self._folder:
            self.hide()
            self._source = None
        self._folder = folder
        if folder is None:
            self._context.tasks.drop(self, "source")
            return
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> FolderSource | None:
            return engine.ask(SourceOf(folder), cancel=cancel)

        self._context.tasks.run(
            Lane.READ, ask, self._take, owner=self, query="source", failed=lambda _error: self.hide()
        )

    def refresh(self) -> None:
        """Something was changed: count again."""
        self.show_folder(self._folder)

    def _take(self, source: FolderSource | None) -> None:
        self._source = source
        self.setVisible(source is not None)
        self._say()

    def _say(self) -> None:
        tr, source = self._context.tr, self._source
        if source is None:
            return
        key = "source.written" if source.written else "source.from"
        text = tr(key, file=isolate(source.file), count=source.changes)
        self.text.setText(text)
        self.text.setToolTip(f"{source.path or source.file}\n{tr.exact(source.since)}")
        self.setAccessibleName(text)
        self.button.setText(tr("source.write_back"))
        self.button.setToolTip(tr("source.write_back.tip"))
        self.button.setVisible(source.writable)
        self.changes.setText(tr("source.changes"))
        self.changes.setToolTip(tr("source.changes.tip"))
        self.changes.setVisible(source.changes > 0)

    def _show_changes(self) -> None:
        if self._folder is not None:
            self.changes_wanted.emit(int(self._folder))

    def _write(self) -> None:
        if self._folder is not None:
            self.write_wanted.emit(int(self._folder))
