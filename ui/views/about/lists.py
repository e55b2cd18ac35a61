"""The four lists of the page Everything about: each row leads to a memory."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHeaderView,
    QLabel,
    QStackedLayout,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.domain.about import Condition, FoundRows, RelationGroup
from core.domain.enums import Status
from core.domain.ids import MemoryPk
from core.domain.results import EdgeView, MemoryRow
from core.domain.schema import ColumnRole, MemoryType, Schema
from ui.context import Context
from ui.views.naming import column_name, name_of, relation_name, shorten, status_name

PK = Qt.ItemDataRole.UserRole
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
TITLE_CHARS, VALUE_CHARS, TIP_CHARS = 160, 240, 1_200


class LinkList(QTreeWidget):
    """Rows of which each leads to a memory. `open_memory(pk)`: by a click or Enter."""

    open_memory = Signal(int)

    def __init__(self, context: Context, columns: int, stretched: int) -> None:
        super().__init__()
        self.context = context
        self.setColumnCount(columns)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(stretched, QHeaderView.ResizeMode.Stretch)
        self.itemClicked.connect(lambda item, _column: self._open(item))
        self.itemActivated.connect(lambda item, _column: self._open(item))

    def _open(self, item: QTreeWidgetItem) -> None:
        pk = item.data(0, PK)
        if isinstance(pk, int):
            self.open_memory.emit(pk)

    def row(self, texts: Sequence[str], pk: int | None, tip: str) -> QTreeWidgetItem:
        """A new item that leads to a memory."""
        item = QTreeWidgetItem(list(texts))
        item.setData(0, PK, pk)
        for column in range(len(texts)):
            item.setToolTip(column, tip)
        return item

    def _pale(self, item: QTreeWidgetItem) -> None:
        for column in range(self.columnCount()):
            item.setForeground(column, self.context.theme.color("secondary"))


class MemoryList(LinkList):
    """Memories with their floors."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, 2, 0)

    def show_rows(self, rows: Sequence[MemoryRow]) -> None:
        """List these."""
        tr, theme = self.context.tr, self.context.theme
        self.clear()
        items = []
        for row in rows:
            floor = "" if row.seq is None else tr("about.floor", floor=row.seq)
            told = [shorten(row.snippet, TIP_CHARS), row.folder_name]
            if row.status is not Status.ACTIVE:
                told.append(status_name(tr, row.status))
            title = shorten(name_of(row.title or row.snippet, tr), TITLE_CHARS)
            item = self.row((title, floor), row.pk, "\n".join(told))
            item.setIcon(0, theme.type_icon(row.type))
            item.setTextAlignment(1, RIGHT)
            item.setForeground(1, theme.color("secondary"))
            if row.status is not Status.ACTIVE:
                self._pale(item)
            items.append(item)
        self.addTopLevelItems(items)


class ConditionList(LinkList):
    """Changes of state: when, which column, before and after."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, 3, 2)

    def show_steps(self, steps: Sequence[Condition], kind: MemoryType | None, own: MemoryPk) -> None:
        """List these, oldest first; one that an event recorded leads to the event."""
        tr, theme = self.context.tr, self.context.theme
        self.clear()
        items = []
        for step in steps:
            when = tr.relative(step.at) if step.floor is None else tr("about.floor", floor=step.floor)
            empty = tr("about.empty")
            before, after = step.before or empty, step.after or empty
            change = f"{shorten(before, VALUE_CHARS)}  →  {shorten(after, VALUE_CHARS)}"
            tip = f"{before[:TIP_CHARS]}\n→ {after[:TIP_CHARS]}\n{tr.exact(step.at)}"
            item = self.row((when, self._column(step.column, kind), change), step.event or own, tip)
            item.setForeground(0, theme.color("secondary"))
            items.append(item)
        self.addTopLevelItems(items)
        if items:
            self.scrollToItem(items[-1])

    def _column(self, name: str, kind: MemoryType | None) -> str:
        tr = self.context.tr
        column = next((each for each in (kind.columns if kind else ()) if each.name == name), None)
        if column is not None:
            return column_name(column, tr)
        return tr(f"value.{name}") if name in (ColumnRole.TITLE, ColumnRole.BODY) else name


class RelationList(LinkList):
    """Relations by type; past ones pale, with their end."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, 2, 0)
        self.setRootIsDecorated(True)
        self.setIndentation(context.theme.px(16))

    def show_groups(self, groups: Sequence[RelationGroup], schema: Schema, own: MemoryPk) -> None:
        """List these, seen from one memory: each type and direction apart."""
        tr = self.context.tr
        self.clear()
        for group in groups:
            relation, listed = schema.relation(group.relation), (*group.live, *group.past)
            for outward in (True, False):
                views = [view for view in listed if (view.edge.source == own) is outward]
                if not views:
                    continue
                all_of_it = len(views) == len(listed)
                count = tr.number(group.total if all_of_it else len(views))
                head = self.row((relation_name(relation, views[0].edge, own, tr), count), None, "")
                head.setTextAlignment(1, RIGHT)
                head.setForeground(1, self.context.theme.color("secondary"))
                self.addTopLevelItem(head)
                head.addChildren([self._relation(view, own) for view in views])
                head.setExpanded(True)

    def _relation(self, view: EdgeView, own: MemoryPk) -> QTreeWidgetItem:
        tr, edge = self.context.tr, view.edge
        outward = edge.source == own
        title = view.target_title if outward else view.source_title
        kind = view.target_type if outward else view.source_type
        when = "" if edge.from_seq is None else tr("about.floor", floor=edge.from_seq)
        if not view.live:
            floor, time = edge.ended_seq, edge.invalid_from or edge.expired_at
            when = tr(
                "about.ended", when=tr("about.floor", floor=floor) if floor is not None else tr.relative(time)
            )
        shown = shorten(name_of(title, tr), TITLE_CHARS)
        item = self.row((shown, when), edge.target if outward else edge.source, title[:TIP_CHARS])
        item.setIcon(0, self.context.theme.type_icon(kind))
        item.setTextAlignment(1, RIGHT)
        item.setForeground(1, self.context.theme.color("secondary"))
        if not view.live:
            self._pale(item)
        return item


class Section(QWidget):
    """A heading with a count over a list, or a sentence why there is nothing."""

    def __init__(self, content: LinkList, left: int = 12) -> None:
        super().__init__()
        self.content = content
        self.heading, self._none = QLabel(), QLabel()
        self.heading.setProperty("role", "section")
        self._none.setProperty("role", "secondary")
        self._none.setWordWrap(True)
        self._none.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        holder = QWidget()
        self._stack = QStackedLayout(holder)
        self._stack.addWidget(content)
        self._stack.addWidget(self._none)
        column = QVBoxLayout(self)
        column.setContentsMargins(left, 8, 8, 4)
        column.setSpacing(4)
        column.addWidget(self.heading)
        column.addWidget(holder, 1)

    def say(self, name: str, count: str, none: str) -> None:
        """Heading, count and the sentence for an empty list."""
        self.heading.setText(f"{name}  {count}" if count else name)
        self.content.setAccessibleName(self.heading.text())
        self._none.setText(none)
        self._stack.setCurrentIndex(0 if self.content.topLevelItemCount() else 1)


def counted(context: Context, found: FoundRows) -> str:
    """How many there are, and how many of them are listed."""
    tr = context.tr
    if not found.total:
        return ""
    total = tr.number(found.total)
    if not found.exact:
        total = tr("about.around", count=total)
    if len(found.rows) < found.total:
        return tr("about.first", shown=tr.number(len(found.rows)), total=total)
    return total
