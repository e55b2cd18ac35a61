"""Temporary memos: what is kept for a while, kept longer, and removed (spec/BOOKU §3)."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.commands_upkeep import KeepMemo, RemoveMemos
from core.domain.enums import Kind
from core.domain.folder import DEFAULT_FOLDER
from core.domain.queries_upkeep import MemoRows
from core.domain.results import Changes
from core.domain.upkeep import LifeUnit, MemoRow
from ui.context import Context
from ui.operations import Operations
from ui.read_only import needs_writing
from ui.tasks import Lane, single_shot
from ui.views.naming import shorten
from ui.widgets.folder_combo import FolderCombo
from ui.widgets.plain_text import PlainLineEdit
from ui.widgets.roomy_column import RoomyColumn
from ui.widgets.state_stack import StateStack
from ui.widgets.wheel import guard_wheel

PK = Qt.ItemDataRole.UserRole
TEXT, LEFT, FOLDER, STREAM = range(4)
DEFAULT_HOURS, LEAST_HOURS, MOST_HOURS = 2.0, 0.1, 24.0 * 366
TICK_MS, REFRESH_AFTER_MS = 30_000, 300
LEAST_TEXT_PX = 240


class MemosTask(QWidget):
    """A line to write a memo, and the memos with what is left of them."""

    def __init__(self, context: Context, operations: Operations) -> None:
        super().__init__()
        self._context, self._operations = context, operations
        self._rows: tuple[MemoRow, ...] = ()
        self.setProperty("surface", "base")
        self.title, self.said = QLabel(), QLabel()
        self.title.setProperty("role", "large")
        self.said.setProperty("role", "secondary")
        self.said.setWordWrap(True)
        self.text, self.stream = PlainLineEdit(), PlainLineEdit()
        self.text.setMinimumWidth(context.theme.px(LEAST_TEXT_PX))
        self.folder = FolderCombo(context, all_folders=False)
        self.hours = QDoubleSpinBox()
        self.hours.setRange(LEAST_HOURS, MOST_HOURS)
        self.hours.setDecimals(1)
        self.hours.setValue(DEFAULT_HOURS)
        guard_wheel(self.hours)
        self.add_button, self.refresh_button, self.remove_button = (QPushButton() for _ in range(3))
        self.add_button.setProperty("primary", "true")
        self.expired = QCheckBox()
        self.list = QTreeWidget()
        self.list.setColumnCount(4)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setProperty("rows", "list")
        self.list.setAllColumnsShowFocus(True)
        self.list.setAlternatingRowColors(True)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        header = self.list.header()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        RoomyColumn(self.list, header, TEXT, context.theme.px(LEAST_TEXT_PX))
        self.stack = StateStack(self.list)
        self._lay_out()
        self._connect()
        self._say()

    def _lay_out(self) -> None:
        form = QHBoxLayout()
        form.setSpacing(8)
        form.addWidget(self.text, 3)
        form.addWidget(self.hours)
        form.addWidget(self.folder)
        form.addWidget(self.stream, 1)
        form.addWidget(self.add_button)
        top = QVBoxLayout()
        top.setContentsMargins(16, 12, 16, 8)
        top.setSpacing(8)
        for label in (self.title, self.said):
            top.addWidget(label)
        top.addLayout(form)
        row = QHBoxLayout()
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(8)
        row.addWidget(self.expired)
        row.addStretch(1)
        row.addWidget(self.refresh_button)
        row.addWidget(self.remove_button)
        bar = QWidget()
        bar.setProperty("role", "bar")
        bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        bar.setLayout(row)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.stack, 1)
        column.addWidget(bar)

    def _connect(self) -> None:
        self._again = single_shot(self, REFRESH_AFTER_MS, self.refresh)
        self._clock = QTimer(self)
        self._clock.setInterval(TICK_MS)
        self._clock.timeout.connect(lambda: self.refresh() if self.isVisible() else None)
        self._clock.start()
        self.text.textChanged.connect(lambda _text: self._enable())
        self.text.returnPressed.connect(self.add)
        self.add_button.clicked.connect(self.add)
        self.refresh_button.clicked.connect(self.keep_longer)
        self.remove_button.clicked.connect(self.remove)
        needs_writing(self._context, self.add_button, self.refresh_button, self.remove_button)
        self.expired.toggled.connect(lambda _on: self.refresh())
        self.list.itemSelectionChanged.connect(self._enable)
        self._context.bridge.changes.connect(self._on_changes)
        self._context.tr.changed.connect(self._say)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete and self.list.hasFocus():
            self.remove()
            return
        super().keyPressEvent(event)

    # --- showing ---

    def refresh(self) -> None:
        """Read the memos again."""
        engine, query = self._context.engine, MemoRows(expired=self.expired.isChecked())

        def ask(_progress: Report, cancel: Cancel) -> tuple[MemoRow, ...]:
            return engine.ask(query, cancel=cancel)

        self._context.tasks.run(Lane.READ, ask, self._take, owner=self, query="memos", failed=self._fail)

    def _take(self, rows: tuple[MemoRow, ...]) -> None:
        tr, kept = self._context.tr, set(self._selected())
        self._rows = rows
        self.list.clear()
        for row in rows:
            memo = row.memo
            item = QTreeWidgetItem(
                [shorten(memo.content, 300), self._left(row), row.folder_name, memo.stream_id]
            )
            item.setData(TEXT, PK, memo.pk)
            item.setToolTip(TEXT, memo.content)
            item.setToolTip(LEFT, tr.exact(memo.expires_at))
            if row.unit is LifeUnit.OVER:
                for column in range(4):
                    item.setForeground(column, self._context.theme.color("disabled"))
            self.list.addTopLevelItem(item)
            item.setSelected(memo.pk in kept)
        if rows:
            self.stack.show_content()
        else:
            self.stack.show_notice(tr("memos.none"), tr("memos.write"), self.text.setFocus)
        self._enable()

    def _left(self, row: MemoRow) -> str:
        return self._context.tr(f"memos.left.{row.unit.value}", count=row.left)

    def _selected(self) -> list[int]:
        return [item.data(TEXT, PK) for item in self.list.selectedItems()]

    def _on_changes(self, changes: Changes) -> None:
        if Kind.MEMO in changes.touched and self.isVisible():
            self._again.start()

    def _fail(self, error: Exception) -> None:
        tr = self._context.tr
        self.stack.show_notice(tr.error(error), tr("state.again"), self.refresh)

    # --- changing ---

    def add(self) -> None:
        """Keep what is typed; a memo of that text in that stream lives on instead."""
        folder = self.folder.folder
        if folder is None or not self.text.text().strip():
            return
        command = KeepMemo(
            folder=folder,
            content=self.text.text(),
            hours=self.hours.value(),
            stream_id=self.stream.text(),
        )
        self._operations.run(command, lambda _result: self._added())

    def _added(self) -> None:
        self.text.clear()
        self.refresh()

    def keep_longer(self) -> None:
        """Let the selected memos live so many hours from now."""
        chosen = set(self._selected())
        for row in self._rows:
            memo = row.memo
            if memo.pk in chosen and row.unit is not LifeUnit.OVER:
                self._operations.run(
                    KeepMemo(
                        folder=memo.folder,
                        content=memo.content,
                        hours=self.hours.value(),
                        stream_id=memo.stream_id,
                    )
                )

    def remove(self) -> None:
        """End the selected memos now."""
        chosen = tuple(self._selected())
        if chosen:
            self._operations.run(RemoveMemos(memos=chosen))

    def _enable(self) -> None:
        chosen = set(self._selected())
        alive: Sequence[MemoRow] = [row for row in self._rows if row.unit is not LifeUnit.OVER]
        can_add = bool(self.text.text().strip()) and self.folder.count() > 0
        self.add_button.setEnabled(can_add)
        self.add_button.setToolTip("" if can_add else self._context.tr("memos.add.why"))
        self.refresh_button.setEnabled(any(row.memo.pk in chosen for row in alive))
        self.remove_button.setEnabled(bool(chosen))

    def _say(self) -> None:
        tr = self._context.tr
        self.title.setText(tr("upkeep.memos"))
        self.said.setText(tr("memos.said"))
        for field, key in ((self.text, "memos.text"), (self.stream, "memos.stream")):
            field.setPlaceholderText(tr(key))
            field.setAccessibleName(tr(key))
        self.stream.setToolTip(tr("memos.stream.tip"))
        self.hours.setSuffix(tr("memos.hours"))
        self.hours.setAccessibleName(tr("memos.hours.name"))
        self.add_button.setText(tr("memos.add"))
        self.refresh_button.setText(tr("memos.refresh"))
        self.refresh_button.setToolTip(tr("memos.refresh.tip"))
        self.remove_button.setText(tr("memos.remove"))
        self.remove_button.setToolTip(tr("memos.remove.tip"))
        self.expired.setText(tr("memos.expired"))
        self.list.setAccessibleName(tr("upkeep.memos"))
        self.list.setHeaderLabels(
            [tr("memos.column.text"), tr("memos.column.left"), tr("column.folder"), tr("memos.column.stream")]
        )
        if self._rows:
            self._take(self._rows)
        default = next((node for node in self.folder.nodes if node.folder.name == DEFAULT_FOLDER), None)
        if default is not None and self.folder.folder is None:
            self.folder.choose(default.folder.pk)
        self._enable()
