"""Run A (pinned) against the present one: what came, went and moved, and the texts word by word."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.ids import MemoryPk
from core.domain.queries import MemoryRows
from core.domain.results import MemoryRow
from ui.context import Context
from ui.models.recall_compare import ListChange, Move, Shot, list_changes
from ui.models.recall_text import utf16_length
from ui.tasks import Lane
from ui.views.naming import name_of
from ui.widgets.diff_text import DiffText, Part, parts
from ui.widgets.state_stack import StateStack

PK = Qt.ItemDataRole.UserRole
MARKS = {Move.NEW: "+", Move.GONE: "−", Move.UP: "▲", Move.DOWN: "▼", Move.SAME: "="}
Compared = tuple[tuple[MemoryRow, ...], list[tuple[Part, str]]]


class ComparePanel(QWidget):
    """`chosen(pk)` when a memory of the list was clicked."""

    chosen = Signal(int)
    pin_wanted = Signal()

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self.pinned: Shot | None = None
        self._now: Shot | None = None
        tr, theme = ctx.tr, ctx.theme
        self.names = QLabel()
        self.names.setTextFormat(Qt.TextFormat.PlainText)
        self.names.setWordWrap(True)
        self.names.setProperty("role", "small")
        self.names.setContentsMargins(12, 8, 12, 8)
        self.table = QTableWidget(0, 4)
        self.table.setHorizontalHeaderLabels(
            ["", tr("recall_page.compare.memory"), tr("recall_page.compare.a"), tr("recall_page.compare.b")]
        )
        self.table.setAccessibleName(tr("recall_page.compare.list"))
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setShowGrid(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(theme.row_px)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        for column in (0, 2, 3):
            self.table.setColumnWidth(column, theme.px(36))
        self.text = DiffText(gone=theme.color("diff_gone"), new=theme.color("diff_new"), lines=0)
        self.text.setAccessibleName(tr("recall_page.compare.text"))
        self.text.setProperty("role", "reading")
        self.text.document().setDocumentMargin(8)
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.addWidget(self.table)
        split.addWidget(self.text)
        split.setStretchFactor(0, 1)
        split.setStretchFactor(1, 2)
        body = QWidget()
        column_box = QVBoxLayout(body)
        column_box.setContentsMargins(0, 0, 0, 0)
        column_box.setSpacing(0)
        column_box.addWidget(self.names)
        column_box.addWidget(split, 1)
        self.stack = StateStack(body)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.stack)
        self.table.itemSelectionChanged.connect(self._on_selection)
        theme.changed.connect(self._look)
        self._show()

    def pin(self, shot: Shot | None) -> None:
        """A from now on; None takes it away."""
        self.pinned = shot
        self._show()

    def show_now(self, shot: Shot) -> None:
        """B from now on."""
        self._now = shot
        if self.isVisible():
            self._show()

    def refresh(self) -> None:
        """The panel came into sight."""
        self._show()

    def _show(self) -> None:
        tr = self._ctx.tr
        before, after = self.pinned, self._now
        if before is None:
            self.stack.show_notice(
                tr("recall_page.compare.none"),
                tr("recall_page.pin") if after is not None else "",
                self.pin_wanted.emit,
            )
            return
        if after is None:
            self.stack.show_notice(tr("recall_page.compare.no_b"))
            return
        engine = self._ctx.engine
        pks = tuple(dict.fromkeys((*after.memories, *before.memories)))
        self.stack.show_loading(tr("state.loading"))

        def work(_progress: Report, cancel: Cancel) -> Compared:
            rows = engine.ask(MemoryRows(pks), cancel=cancel)
            cancel.check()
            return rows, parts(before.text, after.text)

        self._ctx.tasks.run(
            Lane.READ,
            work,
            lambda found: self._fill(before, after, found),
            owner=self,
            query="compare",
            failed=lambda error: self.stack.show_notice(tr.error(error), tr("state.again"), self._show),
        )

    def _fill(self, before: Shot, after: Shot, found: Compared) -> None:
        tr = self._ctx.tr
        rows = {row.pk: row for row in found[0]}
        changes = list_changes(before.memories, after.memories)
        moves = [change.move for change in changes]
        self.names.setText(
            tr(
                "recall_page.compare.names",
                a=before.name,
                b=after.name,
                new=moves.count(Move.NEW),
                gone=moves.count(Move.GONE),
                moved=moves.count(Move.UP) + moves.count(Move.DOWN),
                tokens=f"{after.tokens - before.tokens:+}",
            )
        )
        self.table.setRowCount(len(changes))
        for at, change in enumerate(changes):
            self._fill_row(at, change, rows)
        self.text.show_parts(found[1])
        self._go_to_first_difference(found[1])
        self.stack.show_content()

    def _go_to_first_difference(self, found: list[tuple[Part, str]]) -> None:
        if found and found[0][0] is Part.SAME and len(found) > 1:
            cursor = self.text.textCursor()
            cursor.setPosition(min(utf16_length(found[0][1]), self.text.document().characterCount() - 1))
            self.text.setTextCursor(cursor)
            bar = self.text.verticalScrollBar()
            bar.setValue(bar.value() + self.text.cursorRect().top() - self.text.viewport().height() // 3)

    def _fill_row(self, at: int, change: ListChange, rows: Mapping[MemoryPk, MemoryRow]) -> None:
        tr, theme = self._ctx.tr, self._ctx.theme
        row = rows.get(change.memory)
        title = name_of((row.title or row.snippet) if row is not None else "", tr)
        name = QTableWidgetItem(title)
        name.setData(PK, change.memory)
        name.setToolTip(title)
        if row is not None:
            name.setIcon(theme.type_icon(row.type))
        mark = QTableWidgetItem(MARKS[change.move])
        mark.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
        words = tr(f"recall_page.compare.{change.move.value}")
        mark.setToolTip(words)
        mark.setData(Qt.ItemDataRole.AccessibleTextRole, words)
        self.table.setItem(at, 0, mark)
        self.table.setItem(at, 1, name)
        for column, place in ((2, change.before), (3, change.after)):
            item = QTableWidgetItem("" if place is None else str(place))
            item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.table.setItem(at, column, item)

    def _on_selection(self) -> None:
        item = self.table.item(self.table.currentRow(), 1)
        if item is not None:
            self.chosen.emit(int(item.data(PK)))

    def _look(self) -> None:
        theme = self._ctx.theme
        self.text.set_colors(theme.color("diff_gone"), theme.color("diff_new"))
        if self.isVisible():
            self._show()
