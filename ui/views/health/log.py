"""What the program logged: filter, copy, and the bundle for a report."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.health import LogLine
from core.domain.queries_health import Log, MakeBundle
from ui.context import Context
from ui.operations import Operations
from ui.path_choice import PathChoice
from ui.tasks import Lane, single_shot
from ui.widgets.plain_text import copy_text
from ui.widgets.state_stack import StateStack

LEVELS = ("INFO", "WARNING", "ERROR")
TONES = {"WARNING": "warning", "ERROR": "danger", "CRITICAL": "danger"}
FILTER_AFTER_MS = 200
BUNDLE = "memory-curator-report.zip"


class LogTab(QWidget):
    """A table of lines, newest first. `bundled(path)` when a bundle was written."""

    bundled = Signal(object)

    def __init__(
        self,
        context: Context,
        operations: Operations,
        paths: PathChoice | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._context, self._operations = context, operations
        self._paths = paths or PathChoice()
        self.lines: tuple[LogLine, ...] = ()
        self.level = QComboBox()
        for name in LEVELS:
            self.level.addItem("", name)
        self.level.activated.connect(lambda _index: self.refresh())
        self.words = QLineEdit()
        self.words.setClearButtonEnabled(True)
        self._soon = single_shot(self, FILTER_AFTER_MS, self.refresh)
        self.words.textChanged.connect(lambda _text: self._soon.start())
        self.copy_button, self.bundle_button = QPushButton(), QPushButton()
        self.copy_button.clicked.connect(self.copy)
        self.bundle_button.clicked.connect(self.ask_bundle)
        self.note = QLabel()
        self.note.setProperty("role", "small")
        self.note.setWordWrap(True)
        self.table = self._make_table()
        self.stack = StateStack(self.table)
        self._lay_out()

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(0, 4)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(self._context.theme.row_px)
        header = table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
        return table

    def _lay_out(self) -> None:
        bar = QWidget()
        bar.setProperty("role", "toolbar")
        bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(bar)
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(8)
        row.addWidget(self.level)
        row.addWidget(self.words, 1)
        row.addWidget(self.copy_button)
        row.addWidget(self.bundle_button)
        foot = QWidget()
        foot.setProperty("role", "bar")
        low = QHBoxLayout(foot)
        low.setContentsMargins(16, 8, 16, 8)
        low.addWidget(self.note, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(self.stack, 1)
        column.addWidget(foot)

    def refresh(self) -> None:
        """Read what passes the filter."""
        engine, query = self._context.engine, Log(str(self.level.currentData()), self.words.text())

        def ask(_progress: Report, cancel: Cancel) -> tuple[LogLine, ...]:
            return engine.ask(query, cancel=cancel)

        self._context.tasks.run(
            Lane.READ, ask, self._show, owner=self, query="log", failed=self._operations.show_error
        )

    def _show(self, lines: tuple[LogLine, ...]) -> None:
        self.lines = lines
        self.say()

    def say(self) -> None:
        """All texts anew."""
        tr, theme = self._context.tr, self._context.theme
        for at, name in enumerate(LEVELS):
            self.level.setItemText(at, tr(f"health.log.{name.lower()}"))
        self.level.setAccessibleName(tr("health.log.level"))
        self.words.setPlaceholderText(tr("health.log.words"))
        self.words.setAccessibleName(tr("health.log.words"))
        self.copy_button.setText(tr("health.log.copy"))
        self.bundle_button.setText(tr("health.bundle"))
        self.bundle_button.setToolTip(tr("health.bundle.tip"))
        self.note.setText(tr("health.bundle.holds"))
        self.table.setAccessibleName(tr("health.tab.log"))
        self.table.setHorizontalHeaderLabels(
            [tr(f"health.log.{name}") for name in ("when", "level", "source", "text")]
        )
        self.table.setRowCount(len(self.lines))
        for at, line in enumerate(self.lines):
            when = QTableWidgetItem(tr.relative(line.at))
            when.setToolTip(tr.exact(line.at))
            level = QTableWidgetItem(tr(f"health.log.one.{line.level.lower()}"))
            if line.level in TONES:
                level.setForeground(theme.color(TONES[line.level]))
            text = QTableWidgetItem(line.text)
            text.setToolTip(line.text)
            for column, item in enumerate((when, level, QTableWidgetItem(line.source), text)):
                self.table.setItem(at, column, item)
        self.copy_button.setEnabled(bool(self.lines))
        if self.lines:
            self.stack.show_content()
        elif self.words.text() or self.level.currentIndex():
            self.stack.show_notice(tr("health.log.none_here"), tr("health.log.all"), self._show_all)
        else:
            self.stack.show_notice(tr("health.log.none"))

    def _show_all(self) -> None:
        self.level.setCurrentIndex(0)
        self.words.clear()
        self.refresh()

    def copy(self) -> None:
        """The chosen lines, or all that are shown, as text."""
        rows = sorted({index.row() for index in self.table.selectedIndexes()})
        chosen = [self.lines[row] for row in rows] or list(self.lines)
        copy_text("\n".join(f"{e.at.isoformat()} {e.level} {e.source} {e.text}" for e in chosen))
        tr = self._context.tr
        self._operations.said.emit(tr("health.log.copied", count=len(chosen)), False)

    def ask_bundle(self) -> None:
        """Ask where the bundle goes, and write it."""
        tr = self._context.tr
        path = self._paths.save_file(
            self, tr("health.bundle"), Path.home() / BUNDLE, tr("health.bundle.kind")
        )
        if path is not None:
            self.write_bundle(path)

    def write_bundle(self, path: Path) -> None:
        """Write it there, in the background."""
        engine, tr = self._context.engine, self._context.tr

        def work(_progress: Report, cancel: Cancel) -> Path:
            return engine.ask(MakeBundle(path), cancel=cancel)

        def done(written: Path) -> None:
            self._operations.said.emit(tr("health.bundle.written", path=str(written)), False)
            self.bundled.emit(written)

        self._context.tasks.run(
            Lane.NET, work, done, owner=self, label="health.bundle", failed=self._operations.show_error
        )
