"""The list of types or relation types, with the tools that add, copy, order and remove."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.domain.schema import MemoryType
from ui.context import Context
from ui.views.naming import label, type_name
from ui.views.types.edits import RELATIONS, TYPES, Item, Key, TypeEdits

ID = Qt.ItemDataRole.UserRole
DOT = " •"
"""Behind the name of what has unsaved edits."""
_TABS = {TYPES: "types.memories", RELATIONS: "types.relations"}
_TOOLS = (
    ("add", "mdi6.plus"),
    ("copy", "mdi6.content-copy"),
    ("remove", "mdi6.trash-can-outline"),
    ("up", "mdi6.arrow-up"),
    ("down", "mdi6.arrow-down"),
    ("more", "mdi6.dots-vertical"),
)


class TypeList(QWidget):
    """`kind_chosen`: the other tab; `current`: another row, not while the list is filled."""

    kind_chosen = Signal()
    current = Signal()

    def __init__(self, ctx: Context, edits: TypeEdits, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx, self._edits = ctx, edits
        self._filling = False
        self.kinds = QTabBar()
        for _ in _TABS:
            self.kinds.addTab("")
        self.list = QListWidget()
        self.tools = {name: QToolButton() for name, _icon in _TOOLS}
        self.tools["more"].setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        bar = QWidget()
        bar.setProperty("role", "bar")
        row = QHBoxLayout(bar)
        row.setContentsMargins(8, 4, 8, 4)
        row.setSpacing(2)
        for name, button in self.tools.items():
            if name == "more":
                row.addStretch(1)
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.kinds)
        column.addWidget(self.list, 1)
        column.addWidget(bar)
        self.kinds.currentChanged.connect(lambda _index: self.kind_chosen.emit())
        self.list.currentItemChanged.connect(lambda *_: None if self._filling else self.current.emit())

    @property
    def kind(self) -> int:
        """Types or relations."""
        return self.kinds.currentIndex()

    @property
    def key(self) -> Key | None:
        """What the current row stands for."""
        return self._key(self.list.currentRow())

    def fill(self, items: Sequence[tuple[Key, Item]], wanted: Key | None) -> None:
        """Show these; the wanted one is current, else the first."""
        self._filling = True
        self.list.clear()
        for key, item in items:
            row = QListWidgetItem()
            row.setData(ID, key[1])
            self.list.addItem(row)
            self._say_row(row, item)
        at = next((row for row, (key, _item) in enumerate(items) if key == wanted), 0)
        self.list.setCurrentRow(at if items else -1)
        self._filling = False
        self.say_tabs()

    def rename(self, item: Item) -> None:
        """The current row as it is typed now."""
        row = self.list.currentItem()
        if row is not None:
            self._say_row(row, item)
            self.say_tabs()

    def _say_row(self, row: QListWidgetItem, item: Item) -> None:
        tr, theme = self._ctx.tr, self._ctx.theme
        of_memories = isinstance(item, MemoryType)
        name = type_name(item, tr) if isinstance(item, MemoryType) else label(item.labels, tr.code, item.id)
        edited = self._edits.get((self.kind, str(row.data(ID)))) is not None
        row.setText(name + DOT if edited else name)
        row.setToolTip(f"{item.id}\n{tr('types.unsaved')}" if edited else item.id)
        row.setIcon(theme.type_icon(item.id) if of_memories else theme.icon("mdi6.arrow-right"))

    def say_tabs(self) -> None:
        """The tabs, with a dot where something is unsaved."""
        for kind, key in _TABS.items():
            name = self._ctx.tr(key)
            self.kinds.setTabText(kind, name + DOT if self._edits.any(kind) else name)

    def _key(self, row: int) -> Key | None:
        there = 0 <= row < self.list.count()
        return (self.kind, str(self.list.item(row).data(ID))) if there else None

    def say(self) -> None:
        """All texts and icons anew."""
        tr, theme = self._ctx.tr, self._ctx.theme
        self.list.setAccessibleName(tr("page.types"))
        self.say_tabs()
        for name, icon in _TOOLS:
            button = self.tools[name]
            button.setIcon(theme.icon(icon))
            button.setIconSize(theme.icon_size)
            button.setToolTip(tr(f"types.do.{name}"))
            button.setAccessibleName(tr(f"types.do.{name}"))

    def enable(self, *, there: bool, new: bool, used: int, built_in: bool) -> None:
        """Which tools can be used for the current one, and why one cannot be removed."""
        tr, at = self._ctx.tr, self.list.currentRow()
        orders = not self._edits.new()
        self.tools["copy"].setEnabled(there)
        self.tools["remove"].setEnabled(there and (new or (not used and not built_in)))
        why = "types.why.built_in" if built_in else "types.why.used" if used else "types.do.remove"
        self.tools["remove"].setToolTip(tr(why, count=used))
        self.tools["up"].setEnabled(at > 0 and orders)
        self.tools["down"].setEnabled(0 <= at < self.list.count() - 1 and orders)
