"""Groups of memories that would be summed up together, regrouped by hand: dragged, or moved by keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragMoveEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem

from core.domain.ids import MemoryPk
from core.domain.results import MemoryRow
from core.domain.upkeep import CompressGroup, CompressPlan
from ui.context import Context
from ui.models.table_columns import text_beside_title, title_of
from ui.widgets.roomy_column import RoomyColumn

PK, PLACE, GROUP = (Qt.ItemDataRole.UserRole + at for at in range(3))
TITLE, FLOOR, IMPORTANCE = range(3)
MOST_GROUPS, MOST_APART = 200, 60
LEAST_MEMBERS = 2
TITLE_PX = 200
NUMBERS = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class GroupTree(QTreeWidget):
    """Sections (folder, type, level) hold groups with a tick, and what stays apart. `changed` after a person's work."""

    changed = Signal()
    open_memories = Signal(object)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._filling = False
        self.setColumnCount(3)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        header = self.header()
        RoomyColumn(self, header, TITLE, context.theme.px(TITLE_PX))
        for column in (FLOOR, IMPORTANCE):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.itemChanged.connect(lambda *_: self._on_changed())
        self.itemDoubleClicked.connect(lambda *_: self._open())

    # --- showing ---

    def show_plan(self, plan: CompressPlan, rows: Mapping[int, MemoryRow]) -> None:
        """Show the groups of a plan, at most MOST_GROUPS; the rest comes when these are done."""
        tr = self._context.tr
        self._filling = True
        self.clear()
        self.setHeaderLabels(
            [tr("compress.column.memory"), tr("compress.column.floor"), tr("column.importance")]
        )
        self.headerItem().setTextAlignment(IMPORTANCE, NUMBERS)
        self.setAccessibleName(tr("upkeep.compress"))
        sections: dict[tuple[object, ...], QTreeWidgetItem] = {}
        for group in plan.groups[:MOST_GROUPS]:
            section = self._section(sections, group)
            self._fill(self._group_item(section, group), group.memories, rows)
        for group in plan.apart:
            known = sections.get((group.folder, group.type, group.level))
            if known is not None:
                self._fill(self._apart_item(known), group.memories[:MOST_APART], rows)
        self.expandToDepth(0)
        self._name_all()
        self._filling = False

    def _section(
        self, sections: dict[tuple[object, ...], QTreeWidgetItem], group: CompressGroup
    ) -> QTreeWidgetItem:
        key = (group.folder, group.type, group.level)
        if key not in sections:
            tr, theme = self._context.tr, self._context.theme
            name = tr(
                "compress.section",
                type=theme.type_label(group.type, tr.code),
                folder=group.folder_name,
                level=group.level,
                next=group.level + 1,
            )
            item = QTreeWidgetItem([name])
            item.setFont(TITLE, theme.font(bold=True))
            item.setIcon(TITLE, theme.type_icon(group.type))
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            self.addTopLevelItem(item)
            item.setFirstColumnSpanned(True)
            sections[key] = item
        return sections[key]

    def _group_item(self, section: QTreeWidgetItem, group: CompressGroup) -> QTreeWidgetItem:
        item = QTreeWidgetItem()
        item.setData(TITLE, GROUP, group)
        item.setFlags(
            Qt.ItemFlag.ItemIsEnabled
            | Qt.ItemFlag.ItemIsSelectable
            | Qt.ItemFlag.ItemIsDropEnabled
            | Qt.ItemFlag.ItemIsUserCheckable
        )
        item.setCheckState(TITLE, Qt.CheckState.Checked)
        section.addChild(item)
        return item

    def _apart_item(self, section: QTreeWidgetItem) -> QTreeWidgetItem:
        item = QTreeWidgetItem()
        item.setFlags(
            Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDropEnabled
        )
        item.setForeground(TITLE, self._context.theme.color("secondary"))
        section.addChild(item)
        return item

    def _fill(
        self, parent: QTreeWidgetItem, memories: Sequence[MemoryPk], rows: Mapping[int, MemoryRow]
    ) -> None:
        theme = self._context.theme
        for pk in memories:
            row = rows.get(pk)
            if row is None:
                continue
            item = QTreeWidgetItem(
                [title_of(row), "" if row.seq is None else str(row.seq), f"{row.importance:g}"]
            )
            item.setTextAlignment(FLOOR, NUMBERS)
            item.setTextAlignment(IMPORTANCE, NUMBERS)
            item.setIcon(TITLE, theme.type_icon(row.type))
            item.setToolTip(
                TITLE, "\n".join(part for part in (title_of(row), text_beside_title(row)) if part)
            )
            item.setData(TITLE, PK, int(pk))
            item.setData(TITLE, PLACE, (row.seq or 0, row.created_at.timestamp(), int(pk)))
            item.setFlags(
                Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled
            )
            parent.addChild(item)

    def _name_all(self) -> None:
        """Say of each group what it holds."""
        tr, number = self._context.tr, 0
        for item in self.groups():
            count = item.childCount()
            if item.data(TITLE, GROUP) is None:
                item.setText(TITLE, tr("compress.apart", count=count))
                continue
            number += 1
            floors = [
                child.text(FLOOR) for at in range(count) if (child := item.child(at)) and child.text(FLOOR)
            ]
            span = tr("compress.floors", start=floors[0], end=floors[-1]) if floors else ""
            item.setText(TITLE, tr("compress.group", number=number, count=count, floors=span).strip())

    def groups(self) -> list[QTreeWidgetItem]:
        """The items of all groups, and of what stays apart."""
        found: list[QTreeWidgetItem] = []
        for row in range(self.topLevelItemCount()):
            section = self.topLevelItem(row)
            if section is not None:
                found += [
                    child for at in range(section.childCount()) if (child := section.child(at)) is not None
                ]
        return found

    # --- what was chosen ---

    def chosen(self) -> tuple[CompressGroup, ...]:
        """The ticked groups of at least two memories, as they are grouped now."""
        found: list[CompressGroup] = []
        for item in self.groups():
            group = item.data(TITLE, GROUP)
            if group is None or item.checkState(TITLE) != Qt.CheckState.Checked:
                continue
            members = tuple(
                MemoryPk(child.data(TITLE, PK))
                for at in range(item.childCount())
                if (child := item.child(at)) is not None
            )
            if len(members) >= LEAST_MEMBERS:
                found.append(CompressGroup(group.folder, group.folder_name, group.type, group.level, members))
        return tuple(found)

    # --- regrouping ---

    def move_selected(self, step: int) -> None:
        """Move the selected memories to the group before (-1) or after (1) theirs."""
        members = self._selected_members()
        if not members:
            return
        group = members[0].parent()
        section = group.parent() if group is not None else None
        if section is None or group is None:
            return
        at = section.indexOfChild(group) + step
        target = section.child(at) if 0 <= at < section.childCount() else None
        if target is not None:
            self._move(members, target)

    def take_apart(self) -> None:
        """Let the selected memories stay as they are."""
        members = self._selected_members()
        group = members[0].parent() if members else None
        section = group.parent() if group is not None else None
        if section is None:
            return
        last = section.child(section.childCount() - 1)
        if last is None or last.data(TITLE, GROUP) is not None:
            last = self._apart_item(section)
        self._move(members, last)

    def _selected_members(self) -> list[QTreeWidgetItem]:
        chosen = [item for item in self.selectedItems() if item.data(TITLE, PK) is not None]
        section = self._section_of(chosen[0]) if chosen else None
        return [item for item in chosen if self._section_of(item) is section]

    def _section_of(self, item: QTreeWidgetItem) -> QTreeWidgetItem | None:
        at: QTreeWidgetItem | None = item
        while at is not None and at.parent() is not None:
            at = at.parent()
        return at

    def _move(self, members: Sequence[QTreeWidgetItem], target: QTreeWidgetItem) -> None:
        self._filling = True
        for item in members:
            parent = item.parent()
            if parent is not None and parent is not target:
                parent.removeChild(item)
                target.addChild(item)
        children = sorted(target.takeChildren(), key=lambda child: tuple(child.data(TITLE, PLACE)))
        target.addChildren(children)
        target.setExpanded(True)
        self.clearSelection()
        for item in members:
            item.setSelected(True)
        self.setCurrentItem(members[0])
        self._name_all()
        self._filling = False
        self.changed.emit()

    def _target(self, item: QTreeWidgetItem | None) -> QTreeWidgetItem | None:
        """The group that an item stands for when something is dropped on it."""
        if item is None:
            return None
        group = item.parent() if item.data(TITLE, PK) is not None else item
        return group if group is not None and group.parent() is not None else None

    def _accepts(self, event: QDropEvent) -> QTreeWidgetItem | None:
        target = self._target(self.itemAt(event.position().toPoint()))
        members = self._selected_members()
        if target is None or not members or self._section_of(members[0]) is not target.parent():
            return None
        return target

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        super().dragMoveEvent(event)
        if event.source() is self and self._accepts(event) is not None:
            event.acceptProposedAction()
        else:
            event.ignore()

    def dropEvent(self, event: QDropEvent) -> None:
        target = self._accepts(event)
        if target is not None:
            event.setDropAction(Qt.DropAction.IgnoreAction)  # the rows are moved here, not by Qt
            event.accept()
            self._move(self._selected_members(), target)
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is not None and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.move_selected(step)
        elif event.key() == Qt.Key.Key_Delete:
            self.take_apart()
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._open()
        else:
            super().keyPressEvent(event)

    def _on_changed(self) -> None:
        if not self._filling:
            self.changed.emit()

    def _open(self) -> None:
        pks = tuple(MemoryPk(item.data(TITLE, PK)) for item in self._selected_members())
        if pks:
            self.open_memories.emit(pks)
