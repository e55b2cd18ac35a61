"""The history: all changes by writer and sitting; one of them or a whole sitting can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
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
from core.domain.enums import Kind, OpRole
from core.domain.ids import OpId
from core.domain.queries_history import History, Ops, PreviewUndo
from core.domain.results import HistoryEntry, UndoConflict
from ui.context import Context
from ui.operations import Operations
from ui.read_only import needs_writing
from ui.tasks import Lane, single_shot
from ui.views.history_filter import HistoryFilter
from ui.views.op_groups import Sitting, sittings
from ui.views.op_view import OpView
from ui.views.op_words import op_label, writer
from ui.views.undo_left import UndoLeftDialog
from ui.widgets.roomy_column import RoomyColumn
from ui.widgets.state_stack import StateStack

PAGE_SIZE = 200
NAME_PX = 200
MOST_READ = 10_000
"""So many changes are read at most to reach one that is asked for."""
REFRESH_AFTER_MS = 300
OPS = Qt.ItemDataRole.UserRole
ENTRY = Qt.ItemDataRole.UserRole + 1
NAME, WHEN, SIZE = range(3)
NUMBERS = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class _Undone:
    """What undoing several ops did: changes taken back, rows that stay because they changed since."""

    ops: int
    left: tuple[UndoConflict, ...]


class HistoryPage(QWidget):
    """A tree of sittings with their changes, and what the chosen one did; older ones are loaded on demand.

    `open_memories(pks)`: go to memories.
    """

    open_memories = Signal(object)

    def __init__(self, ctx: Context, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx, self._operations = ctx, operations
        self._entries: list[HistoryEntry] = []
        self._wanted = PAGE_SIZE
        self._shown: HistoryEntry | None = None
        self._filling = False
        self._op_next: OpId | None = None
        self.setProperty("surface", "base")
        self.tree = QTreeWidget()
        self.tree.setColumnCount(3)
        self.tree.setUniformRowHeights(True)
        self.tree.setAllColumnsShowFocus(True)
        self.tree.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        RoomyColumn(self.tree, self.tree.header(), NAME, ctx.theme.px(NAME_PX))
        self.tree.header().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.tree.headerItem().setTextAlignment(SIZE, NUMBERS)
        self.tree.currentItemChanged.connect(lambda *_: self._on_current())
        self.filter = HistoryFilter(ctx)
        self.filter.changed.connect(self.refresh)
        self.view = OpView(ctx)
        self.view.open_memories.connect(self.open_memories)
        self.stack = StateStack(self.tree)
        self.said = QLabel()
        self.said.setProperty("role", "small")
        self.older = QPushButton()
        self.older.setProperty("flat", True)
        self.older.clicked.connect(self.load_older)
        self.undo_button = QPushButton()
        self.undo_button.clicked.connect(self.undo)
        needs_writing(self._ctx, self.undo_button)
        self._lay_out()
        self._timer = single_shot(self, REFRESH_AFTER_MS, self.refresh)
        self._stale = True
        ctx.bridge.changes.connect(lambda _changes: self._on_changes())
        ctx.tr.changed.connect(self._say_texts)
        ctx.theme.changed.connect(self._fill)
        ctx.theme.changed.connect(self.view.say)
        self._say_texts()

    def _lay_out(self) -> None:
        bar = QWidget()
        bar.setProperty("role", "bar")
        row = QHBoxLayout(bar)
        row.setContentsMargins(16, 8, 16, 8)
        row.addWidget(self.older)
        row.addWidget(self.said, 1)
        row.addWidget(self.undo_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self.stack)
        split.addWidget(self.view)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setSizes([3000, 2000])
        split.setChildrenCollapsible(False)
        column.addWidget(self.filter)
        column.addWidget(split, 1)
        column.addWidget(bar)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self.filter.refresh()
            self.refresh()

    def refresh(self) -> None:
        """Read the newest changes again; the current row stays."""
        self._stale = False
        engine, wanted = self._ctx.engine, self.filter.filter(self._wanted)
        self.stack.show_loading(self._ctx.tr("state.loading"))

        def ask(_progress: Report, cancel: Cancel) -> tuple[HistoryEntry, ...]:
            if wanted.narrow:
                return engine.ask(Ops(wanted), cancel=cancel)
            return engine.ask(History(wanted.limit), cancel=cancel)

        self._ctx.tasks.run(Lane.READ, ask, self._show, owner=self, query="history", failed=self._fail)

    def show_op(self, op: OpId) -> None:
        """Choose a change, however old; filters that would hide it are cleared."""
        self._op_next = op
        if self.filter.filter(1).narrow:
            self.filter.clear()
        self.refresh()

    def _reach(self, op: OpId) -> bool:
        """Read further back until a change is listed; whether it is, or there is no older one."""
        listed = {entry.op.id for entry in self._entries}
        if op in listed or len(self._entries) < self._wanted or self._wanted >= MOST_READ:
            return True
        newest = self._entries[0].op.id if self._entries else op
        self._wanted = min(MOST_READ, max(self._wanted + PAGE_SIZE, newest - op + PAGE_SIZE))
        self.refresh()
        return False

    def load_older(self) -> None:
        """Read further back."""
        self._wanted += PAGE_SIZE
        self.refresh()

    def undo(self) -> None:
        """Undo the current change, or all of the current sitting."""
        ops = self._current_ops()
        if len(ops) == 1:
            self._operations.undo_op(ops[0])
        elif ops:
            self._undo_all(ops)

    def _undo_all(self, ops: Sequence[OpId]) -> None:
        """Newest first; rows that were changed since stay as they are and are counted."""
        engine = self._ctx.engine

        def work(progress: Report, cancel: Cancel) -> _Undone:
            undone = 0
            left: dict[tuple[Kind, int], UndoConflict] = {}
            for done, op in enumerate(ops):
                cancel.check()
                progress(done, len(ops))
                preview = engine.ask(PreviewUndo(op), cancel=cancel)
                left |= {(each.kind, each.pk): each for each in preview.conflicts}
                if preview.restorable:
                    engine.undo(op, partly=True)
                    undone += 1
            return _Undone(undone, tuple(left.values()))

        def said(undone: _Undone) -> None:
            key = "history.undone_partly" if undone.left else "history.undone"
            self._operations.said.emit(self._ctx.tr(key, count=undone.ops, rows=len(undone.left)), False)
            if undone.left:
                dialog = UndoLeftDialog(self._ctx, undone.ops, undone.left, self.window())
                dialog.show_memories.connect(self.open_memories)
                dialog.open()

        self._ctx.tasks.run(
            Lane.WRITE, work, said, owner=self, failed=self._operations.show_error, label="history.undoing"
        )

    def _on_changes(self) -> None:
        """Read again, at once when the page is in sight, else when it comes."""
        self._stale = True
        if self.isVisible():
            self._timer.start()

    def _show(self, entries: tuple[HistoryEntry, ...]) -> None:
        self._entries = list(entries)
        if self._op_next is not None and not self._reach(self._op_next):
            return
        self._fill()

    def _fill(self) -> None:
        tr = self._ctx.tr
        current, closed = self._current_key(), self._closed()
        self._filling = True
        self.tree.clear()
        for sitting in sittings(self._entries):
            self._add_sitting(sitting, closed)
        self._select(current if self._op_next is None else self._op_next)
        self._op_next = None
        self._filling = False
        self._on_current()
        self.older.setVisible(len(self._entries) == self._wanted)
        if self._entries:
            self.stack.show_content()
        elif self.filter.filter(1).narrow:
            self.stack.show_notice(tr("history.none_here"), tr("history.clear_filter"), self.filter.clear)
        else:
            self.stack.show_notice(tr("history.none"))
        self._enable()

    def _add_sitting(self, sitting: Sitting, closed: set[int]) -> None:
        tr, theme = self._ctx.tr, self._ctx.theme
        newest, oldest = sitting.entries[0].op, sitting.entries[-1].op
        words = "history.drop" if sitting.is_drop else "history.sitting"
        name = tr(words, who=writer(newest, tr), count=len(sitting.entries))
        top = QTreeWidgetItem([name, tr.relative(newest.at), ""])
        top.setToolTip(WHEN, f"{tr.exact(oldest.at)} – {tr.exact(newest.at)}")
        top.setIcon(
            NAME,
            theme.icon(
                "mdi6.account-outline" if sitting.actor.kind == "person" else "mdi6.robot-outline",
                "secondary",
            ),
        )
        top.setData(NAME, OPS, [entry.op.id for entry in sitting.undoable])
        self.tree.addTopLevelItem(top)
        for entry in sitting.entries:
            top.addChild(self._entry_item(entry))
        top.setExpanded(oldest.id not in closed)

    def _entry_item(self, entry: HistoryEntry) -> QTreeWidgetItem:
        tr, op = self._ctx.tr, entry.op
        size = tr("history.rows", count=entry.memories) if entry.memories else ""
        item = QTreeWidgetItem([op_label(op, tr), tr.relative(op.at), size])
        item.setToolTip(WHEN, tr.exact(op.at))
        item.setTextAlignment(SIZE, NUMBERS)
        can = op.undoable and op.undone_by is None and op.role is not OpRole.UNDO
        item.setData(NAME, OPS, [op.id] if can else [])
        item.setData(NAME, ENTRY, entry)
        if op.undone_by is not None:
            item.setText(NAME, tr("history.is_undone", name=op_label(op, tr)))
            item.setForeground(NAME, self._ctx.theme.color("disabled"))
        elif not op.undoable:
            item.setToolTip(NAME, tr("history.for_good"))
        return item

    def _current_ops(self) -> list[OpId]:
        item = self.tree.currentItem()
        ops: list[OpId] = item.data(NAME, OPS) if item is not None else []
        return ops

    def _closed(self) -> set[int]:
        """Oldest ops of the sittings that are folded."""
        tops = [self.tree.topLevelItem(row) for row in range(self.tree.topLevelItemCount())]
        folded = [top for top in tops if top is not None and not top.isExpanded() and top.childCount()]
        return {ops[-1] for top in folded if (ops := top.data(NAME, OPS))}

    def _current_key(self) -> OpId | None:
        """The op of the current row."""
        item = self.tree.currentItem()
        entry: HistoryEntry | None = item.data(NAME, ENTRY) if item is not None else None
        return None if entry is None else entry.op.id

    def _select(self, op: OpId | None) -> None:
        if op is None:
            return
        for row in range(self.tree.topLevelItemCount()):
            top = self.tree.topLevelItem(row)
            for at in range(top.childCount() if top else 0):
                child = top.child(at) if top else None
                if child is not None and child.data(NAME, ENTRY).op.id == op:
                    self.tree.setCurrentItem(child)

    def _on_current(self) -> None:
        """Show what the chosen change did; a sitting shows nothing of its own."""
        if self._filling:
            return
        item = self.tree.currentItem()
        entry = item.data(NAME, ENTRY) if item is not None else None
        if entry != self._shown:
            self._shown = entry
            self.view.show_entry(entry)
        self._enable()

    def _enable(self) -> None:
        tr, ops = self._ctx.tr, self._current_ops()
        self.undo_button.setEnabled(bool(ops))
        self.undo_button.setText(
            tr("history.undo_these", count=len(ops)) if len(ops) > 1 else tr("history.undo")
        )
        chosen = self.tree.currentItem() is not None
        self.said.setText("" if ops or not chosen else tr("history.cannot"))
        self.undo_button.setToolTip("" if ops else tr("history.cannot" if chosen else "history.choose"))

    def _say_texts(self) -> None:
        tr = self._ctx.tr
        self.tree.setHeaderLabels([tr("history.change"), tr("history.when"), tr("history.size")])
        self.tree.setAccessibleName(tr("page.history"))
        self.older.setText(tr("history.older"))
        self.filter.say()
        self.view.say()
        if self._entries:
            self._fill()
        self._enable()

    def _fail(self, error: Exception) -> None:
        tr = self._ctx.tr
        if self._entries:
            self.stack.show_stale(tr("state.stale", reason=tr.error(error)), tr("state.again"), self.refresh)
        else:
            self.stack.show_notice(tr.error(error), tr("state.again"), self.refresh)
