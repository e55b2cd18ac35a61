"""The parts of a proposal in their groups, each with a tick."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem

from core.domain.proposal import PartView, ProposalView
from core.domain.schema import Schema
from ui.context import Context
from ui.views.proposal.words import (
    group_title,
    note_text,
    part_line,
    part_title,
    state_words,
    verb,
    verb_icon,
)
from ui.widgets.roomy_column import RoomyColumn

KEY = Qt.ItemDataRole.UserRole
LEAST_PX = 120
TITLE, VERB, STATE = range(3)


class PartsTree(QTreeWidget):
    """`ticked(keys, on)` when a person ticks; `current(key)` when another part is looked at ("" = a group)."""

    ticked = Signal(object, bool)
    current = Signal(str)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._filling = False
        self.setColumnCount(3)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        header = self.header()
        header.setStretchLastSection(False)
        RoomyColumn(self, header, TITLE, context.theme.px(LEAST_PX))
        for column in (VERB, STATE):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.itemChanged.connect(self._on_item)
        self.currentItemChanged.connect(lambda now, _before: self.current.emit(_key(now)))

    def show_parts(self, view: ProposalView, schema: Schema) -> None:
        """Show all parts; the current one stays."""
        tr, kept = self._context.tr, self.current_key
        self._filling = True
        self.clear()
        self.setHeaderLabels([tr("proposal.part"), tr("proposal.does"), tr("proposal.state")])
        self.setAccessibleName(tr("proposal.parts"))
        for title, parts in _groups(view, self._context):
            parent = self._group_item(title, parts) if title else self.invisibleRootItem()
            for part in parts:
                parent.addChild(self._part_item(part, schema))
        self.expandAll()
        self._filling = False
        self.choose(kept)

    def narrow(self, words: str) -> int:
        """Show only the parts whose line holds all the words; how many are shown. Groups without any are hidden."""
        wanted, shown = words.casefold().split(), 0
        for row in range(self.topLevelItemCount()):
            top = self.topLevelItem(row)
            if top is None:
                continue
            below = [child for at in range(top.childCount()) if (child := top.child(at)) is not None]
            lines = [top] if _key(top) else below
            here = 0
            for item in lines:
                text = " ".join(item.text(column) for column in range(3)).casefold()
                hide = not all(word in text for word in wanted)
                item.setHidden(hide)
                here += not hide
            if not _key(top):
                top.setHidden(not here)
            shown += here
        return shown

    def tick_shown(self, *, on: bool) -> None:
        """Tick all parts that are shown and wait, or take their ticks away."""
        state = Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
        changed = [
            item
            for item in self._items()
            if _checkable(item) and not item.isHidden() and item.checkState(TITLE) != state
        ]
        self._filling = True
        for item in changed:
            item.setCheckState(TITLE, state)
        self._filling = False
        if changed:
            self.ticked.emit(tuple(_key(item) for item in changed), on)

    def choose(self, key: str) -> None:
        """Look at a part; the first one when that is not there."""
        items = list(self._items())
        wanted = next((item for item in items if _key(item) == key), None)
        waiting = next((item for item in items if not item.isDisabled() and _checkable(item)), None)
        item = wanted or waiting or (items[0] if items else None)
        if item is not None:
            self.setCurrentItem(item)

    @property
    def current_key(self) -> str:
        """The part that is looked at; "" for a group or none."""
        return _key(self.currentItem())

    @property
    def current_group_keys(self) -> tuple[str, ...]:
        """All parts of the group that is looked at."""
        item = self.currentItem()
        if item is None:
            return ()
        top = item.parent() or item
        if not top.childCount():
            return ()
        return tuple(_key(top.child(at)) for at in range(top.childCount()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space ticks all that is selected."""
        chosen = [item for item in self.selectedItems() if _checkable(item)]
        if event.key() == Qt.Key.Key_Space and len(chosen) > 1:
            on = any(item.checkState(TITLE) != Qt.CheckState.Checked for item in chosen)
            for item in chosen:
                item.setCheckState(TITLE, Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
            return
        super().keyPressEvent(event)

    def _group_item(self, title: str, parts: list[PartView]) -> QTreeWidgetItem:
        tr = self._context.tr
        top = QTreeWidgetItem([title, "", tr("proposal.count", count=len(parts))])
        top.setFont(TITLE, self._context.theme.font(bold=True))
        if any(part.verdict is None for part in parts):
            top.setFlags(top.flags() | Qt.ItemFlag.ItemIsAutoTristate | Qt.ItemFlag.ItemIsUserCheckable)
            top.setCheckState(TITLE, Qt.CheckState.Unchecked)
        self.addTopLevelItem(top)
        return top

    def _part_item(self, view: PartView, schema: Schema) -> QTreeWidgetItem:
        tr, theme = self._context.tr, self._context.theme
        title = part_title(view, schema, tr)
        line = part_line(view, schema, tr)
        item = QTreeWidgetItem([line, verb(view, schema, tr), state_words(view, tr)])
        item.setData(TITLE, KEY, view.part.key)
        icon, color = verb_icon(view.part)
        item.setIcon(TITLE, theme.type_icon(view.type) if view.type is not None else theme.icon(icon, color))
        item.setIcon(VERB, theme.icon(icon, color))
        notes = [note_text(note, tr) for note in view.part.notes]
        item.setToolTip(TITLE, "\n".join([title, *notes]))
        if view.verdict is not None:
            for column in range(3):
                item.setForeground(column, theme.color("disabled"))
        else:
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            state = Qt.CheckState.Checked if view.part.ticked else Qt.CheckState.Unchecked
            item.setCheckState(TITLE, state)
        if view.obstacle is not None:
            item.setForeground(STATE, theme.color("warning"))
            item.setToolTip(STATE, tr(f"proposal.obstacle.{view.obstacle.value}"))
        return item

    def _on_item(self, item: QTreeWidgetItem, column: int) -> None:
        if self._filling or column != TITLE or not _key(item):
            return
        self.ticked.emit((_key(item),), item.checkState(TITLE) == Qt.CheckState.Checked)

    def _items(self) -> Iterable[QTreeWidgetItem]:
        for row in range(self.topLevelItemCount()):
            top = self.topLevelItem(row)
            if top is None:
                continue
            if _key(top):
                yield top
            yield from (child for at in range(top.childCount()) if (child := top.child(at)) is not None)


def _groups(view: ProposalView, context: Context) -> list[tuple[str, list[PartView]]]:
    """Parts by group in the order of the proposal; a single group without floors needs no heading."""
    known = {group.key: group for group in view.proposal.groups}
    grouped: dict[str, list[PartView]] = {}
    for part in view.parts:
        grouped.setdefault(part.part.group, []).append(part)
    only = known.get(next(iter(grouped), ""))
    if len(grouped) == 1 and (only is None or only.start is None):
        return [("", list(view.parts))]
    return [
        (group_title(known.get(key), number, context.tr), parts)
        for number, (key, parts) in enumerate(grouped.items(), 1)
    ]


def _key(item: QTreeWidgetItem | None) -> str:
    return "" if item is None else str(item.data(TITLE, KEY) or "")


def _checkable(item: QTreeWidgetItem) -> bool:
    return (
        bool(_key(item))
        and bool(item.flags() & Qt.ItemFlag.ItemIsUserCheckable)
        and (item.data(TITLE, Qt.ItemDataRole.CheckStateRole) is not None)
    )
