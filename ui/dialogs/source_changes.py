"""What was changed in a folder since its file was taken in or written: each value before and after."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.ids import FolderPk, MemoryPk, OpId
from core.domain.queries import LibrarySchema
from core.domain.queries_write_back import SourceChangesOf
from core.domain.results import RowDiff
from core.domain.schema import Schema
from core.domain.source_file import SourceChange, SourceChanges
from ui.context import Context
from ui.language import isolate
from ui.read_only import needs_writing
from ui.tasks import Lane, single_shot
from ui.views.naming import name_of, shorten
from ui.views.op_view import changes_of, type_of, words_of
from ui.views.op_words import op_label
from ui.widgets.diff_text import DiffText
from ui.widgets.state_stack import StateStack

VALUE = Qt.ItemDataRole.UserRole
TITLE, PLACE, CHANGE, WHEN = range(4)
REFRESH_MS = 300
TITLE_CHARS = 80


@dataclass(frozen=True, slots=True)
class _Value:
    """One row of the list: what it is about, and the texts before and after."""

    memory: MemoryPk | None
    op: OpId
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class _Read:
    """The changes, with the schema for their words."""

    changes: SourceChanges | None
    schema: Schema


class SourceChangesDialog(QDialog):
    """`open_memory(pk)`, `open_op(op)`: go there; `write_wanted(folder)`: look at what would go back."""

    open_memory = Signal(int)
    open_op = Signal(int)
    write_wanted = Signal(int)

    def __init__(self, ctx: Context, folder: FolderPk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx, self._folder = ctx, folder
        tr, theme = ctx.tr, ctx.theme
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("source_changes.title"))
        self.setMinimumWidth(theme.wide(760))
        self.heading = QLabel()
        self.heading.setTextFormat(Qt.TextFormat.PlainText)
        self.heading.setWordWrap(True)
        self.list = QTreeWidget()
        self.list.setHeaderLabels(
            [tr(f"source_changes.{name}") for name in ("what", "place", "change", "when")]
        )
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setProperty("rows", "list")
        self.list.setAllColumnsShowFocus(True)
        self.list.setAccessibleName(tr("source_changes.title"))
        header = self.list.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        for column in (TITLE, CHANGE):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        self.list.currentItemChanged.connect(lambda now, _before: self._show_value(now))
        self.list.itemActivated.connect(lambda _item, _column: self._open())
        self.diff = DiffText(gone=theme.color("diff_gone"), new=theme.color("diff_new"), max_lines=12)
        self.diff.setAccessibleName(tr("source_changes.diff"))
        self.go, self.history, self.write = QPushButton(), QPushButton(), QPushButton()
        close = QPushButton(tr("dialog.close"))
        for button, key, act in (
            (self.go, "source_changes.go", self._open),
            (self.history, "source_changes.history", self._show_op),
            (self.write, "source.write_back", self._write),
        ):
            button.setText(tr(key))
            button.setToolTip(tr(f"{key}.tip"))
            button.clicked.connect(act)
        close.clicked.connect(self.close)
        needs_writing(ctx, self.write)
        self._lay_out(close)
        self._soon = single_shot(self, REFRESH_MS, self.refresh)
        ctx.bridge.changes.connect(self._on_changes)
        self.refresh()

    def _lay_out(self, close: QPushButton) -> None:
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self.list)
        split.addWidget(self.diff)
        split.setStretchFactor(0, 1)
        split.setChildrenCollapsible(False)
        split.setMinimumHeight(self._ctx.theme.tall(340))
        self.stack = StateStack(split)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.go)
        buttons.addWidget(self.history)
        buttons.addStretch(1)
        buttons.addWidget(self.write)
        buttons.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addWidget(self.heading)
        column.addWidget(self.stack, 1)
        column.addLayout(buttons)

    def _on_changes(self, _changes: object) -> None:
        self._soon.start()

    def refresh(self) -> None:
        """Read it again; the current row stays."""
        engine, folder, tr = self._ctx.engine, self._folder, self._ctx.tr
        self.stack.show_loading(tr("state.loading"))

        def ask(_progress: Report, cancel: Cancel) -> _Read:
            changes = engine.ask(SourceChangesOf(folder), cancel=cancel)
            return _Read(changes, engine.ask(LibrarySchema(), cancel=cancel))

        self._ctx.tasks.run(
            Lane.READ,
            ask,
            self._take,
            owner=self,
            query="changes",
            failed=lambda error: self.stack.show_notice(tr.error(error), tr("state.again"), self.refresh),
        )

    def _take(self, read: _Read) -> None:
        tr, changes = self._ctx.tr, read.changes
        at = self.list.currentIndex().row()
        self.list.clear()
        self.diff.set_text("")
        self.write.setVisible(changes is not None and changes.source.writable)
        if changes is not None:
            since = tr("source_changes.written" if changes.source.written else "source_changes.from",
                       file=isolate(changes.source.file), when=tr.relative(changes.source.since))  # fmt: skip
            more = changes.total - len(changes.rows)
            self.heading.setText(f"{since} {tr('source_changes.more', count=more)}" if more > 0 else since)
            for change in changes.rows:
                self.list.addTopLevelItems(self._items(change, read.schema))
        if self.list.topLevelItemCount():
            self.stack.show_content()
            place = min(max(at, 0), self.list.topLevelItemCount() - 1)
            self.list.setCurrentIndex(self.list.model().index(place, 0))
        else:
            self.stack.show_notice(tr("source_changes.none"))
        self._enable()

    def _items(self, change: SourceChange, schema: Schema) -> list[QTreeWidgetItem]:
        """One for each value that changed; a new or removed row is one."""
        row, op, tr = change.row, change.op, self._ctx.tr
        kind = type_of(row, schema)
        items = []
        if row.action != "changed":
            text = str(row.after.get("value") or row.before.get("value") or row.title)
            new = row.action == "created"
            value = _Value(row.memory, op.id, "" if new else text, text if new else "")
            place = tr(f"source_changes.{row.action}", kind=tr(f"kind.{row.kind.value}"))
            items.append(self._item(change, place, value))
            return items
        for each in changes_of(row):
            name, before, after = words_of(tr, row.kind, kind, schema, each)
            if before != after:
                items.append(self._item(change, name, _Value(row.memory, op.id, before, after)))
        return items

    def _item(self, change: SourceChange, place: str, value: _Value) -> QTreeWidgetItem:
        row, op, tr = change.row, change.op, self._ctx.tr
        title = shorten(name_of(_one_line(row), tr), TITLE_CHARS)
        item = QTreeWidgetItem([title, place, shorten(op_label(op, tr), TITLE_CHARS), tr.relative(op.at)])
        item.setData(0, VALUE, value)
        item.setToolTip(TITLE, row.title)
        item.setToolTip(CHANGE, op_label(op, tr))
        item.setToolTip(WHEN, tr.exact(op.at))
        item.setForeground(WHEN, self._ctx.theme.color("secondary"))
        return item

    # --- the chosen row ---

    @property
    def chosen(self) -> _Value | None:
        """What is chosen in the list."""
        item = self.list.currentItem()
        value = item.data(0, VALUE) if item is not None else None
        return value if isinstance(value, _Value) else None

    def _show_value(self, item: QTreeWidgetItem | None) -> None:
        value = item.data(0, VALUE) if item is not None else None
        if isinstance(value, _Value):
            self.diff.show_difference(value.before, value.after)
        self._enable()

    def _enable(self) -> None:
        chosen = self.chosen
        self.go.setEnabled(chosen is not None and chosen.memory is not None)
        self.history.setEnabled(chosen is not None)

    def _open(self) -> None:
        if (chosen := self.chosen) is not None and chosen.memory is not None:
            self.open_memory.emit(int(chosen.memory))
            self.close()

    def _show_op(self) -> None:
        if (chosen := self.chosen) is not None:
            self.open_op.emit(int(chosen.op))
            self.close()

    def _write(self) -> None:
        self.close()
        self.write_wanted.emit(int(self._folder))


def _one_line(row: RowDiff) -> str:
    return " ".join(row.title.split())
