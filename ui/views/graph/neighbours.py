"""The neighbours of the current memory as a list: the canvas for those who read it line by line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QBrush, QKeyEvent
from PySide6.QtWidgets import QFrame, QLabel, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from ui.context import Context
from ui.language import isolate

NODE, EDGE = int(Qt.ItemDataRole.UserRole), int(Qt.ItemDataRole.UserRole) + 1


@dataclass(frozen=True, slots=True)
class Beside:
    """One neighbour: the memory, the relation, its direction and words."""

    memory: int
    edge: int
    title: str
    type: str
    relation: str
    outgoing: bool
    live: bool
    strength: float


class Neighbours(QWidget):
    """`chosen(pk)`: go to that memory; `edge_wanted(edge pk)`: show the relation."""

    chosen = Signal(object)
    edge_wanted = Signal(object)

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self.heading = QLabel()
        self.heading.setProperty("role", "section")
        self.heading.setWordWrap(True)
        self.list = _Lines()
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.itemActivated.connect(lambda item: self.chosen.emit(item.data(NODE)))
        self.list.relation_wanted.connect(self.edge_wanted)
        ctx.theme.bind(self, self._look)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 8, 4)
        column.setSpacing(2)
        column.addWidget(self.heading)
        column.addWidget(self.list, 1)

    def _look(self) -> None:
        self.list.setIconSize(self._ctx.theme.icon_size)

    def show_neighbours(self, title: str, around: Sequence[Beside], total: int = 0) -> None:
        """The memories around one, the nearest of `total`; title "" = none is current."""
        tr, theme = self._ctx.tr, self._ctx.theme
        total = max(total, len(around))
        self.setVisible(bool(title))
        self.heading.setText(tr("graph.beside", title=isolate(title), count=total, number=tr.number(total)))
        self.list.clear()
        self.list.setAccessibleName(self.heading.text())
        for each in around:
            arrow = "→" if each.outgoing else "←"
            item = QListWidgetItem(
                theme.type_icon(each.type), f"{each.relation} {arrow} {isolate(each.title)}"
            )
            key = "graph.beside.line" if each.live else "graph.beside.past"
            item.setToolTip(
                tr(key, relation=each.relation, title=isolate(each.title), strength=f"{each.strength:.2f}")
            )
            item.setData(NODE, each.memory)
            item.setData(EDGE, each.edge)
            if not each.live:
                item.setForeground(QBrush(theme.color("disabled")))
            self.list.addItem(item)
        if total > len(around):
            more = QListWidgetItem(
                tr("graph.beside.more", count=total - len(around), number=tr.number(total - len(around)))
            )
            more.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addItem(more)


class _Lines(QListWidget):
    """Space shows the relation of a line, Enter goes to its memory."""

    relation_wanted = Signal(object)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if event.key() == Qt.Key.Key_Space and item is not None:
            self.relation_wanted.emit(item.data(EDGE))
            return
        super().keyPressEvent(event)
