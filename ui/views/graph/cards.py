"""Cards that open on the canvas: a relation to change, a relation to make, a group to name."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtCore import QDateTime, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDateTimeEdit,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.domain.commands import UNSET, Command
from core.domain.commands_graph import AddEdge, EditEdge, EndEdges, GroupMemories, RemoveEdges
from core.domain.edge import DEFAULT_RELATION, DEFAULT_STRENGTH
from core.domain.ids import MemoryPk, RelationId
from core.domain.results import EdgeView
from core.domain.schema import Schema
from ui.context import Context
from ui.dialogs.relation import ends_label, floor_of, floor_spin, relation_combo, strength_spin
from ui.language import isolate
from ui.read_only import needs_writing
from ui.widgets.plain_text import PlainLineEdit

FORMAT = "yyyy-MM-dd HH:mm"


class Card(QFrame):
    """A small window that closes when something else is clicked. `done(Command)`: run it."""

    done = Signal(object)

    def __init__(self, ctx: Context, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.ctx = ctx
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("role", "card")
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(12, 12, 12, 12)
        self.column.setSpacing(8)
        self.setMinimumWidth(ctx.theme.px(300))

    def open_at(self, place: QPoint) -> None:
        """Show beside a place of the screen, inside it."""
        self.adjustSize()
        room = self.screen().availableGeometry()
        x = min(max(place.x() + 8, room.left()), room.right() - self.width())
        y = min(max(place.y() + 8, room.top()), room.bottom() - self.height())
        self.move(x, y)
        self.show()

    def finish(self, command: Command | None) -> None:
        """Close, and run the command."""
        self.close()
        if command is not None:
            self.done.emit(command)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.accept()
            return
        super().keyPressEvent(event)

    def accept(self) -> None:
        """What Enter does."""
        self.close()


class MomentEdit(QWidget):
    """A time that may be open. `value` None = open."""

    def __init__(self, ctx: Context, name: str, value: datetime | None) -> None:
        super().__init__()
        self._value = value
        self.known = QCheckBox()
        self.known.setAccessibleName(ctx.tr("graph.edge.known", name=name))
        self.known.setToolTip(ctx.tr("graph.edge.known", name=name))
        self.edit = QDateTimeEdit()
        self.edit.setDisplayFormat(FORMAT)
        self.edit.setCalendarPopup(True)
        self.edit.setAccessibleName(name)
        shown = value or datetime.now(UTC)
        self.edit.setDateTime(QDateTime.fromSecsSinceEpoch(int(shown.timestamp())))
        self._shown = self.edit.dateTime()
        self.known.setChecked(value is not None)
        self.edit.setEnabled(value is not None)
        self.known.toggled.connect(self.edit.setEnabled)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.known)
        row.addWidget(self.edit, 1)

    def value(self) -> datetime | None:
        """The time; one that was not touched comes back exactly."""
        if not self.known.isChecked():
            return None
        if self._value is not None and self.edit.dateTime() == self._shown:
            return self._value
        return datetime.fromtimestamp(self.edit.dateTime().toSecsSinceEpoch(), UTC)


class EdgeCard(Card):
    """A relation: what it is, how strong, from when until when; end it, turn it round, remove it."""

    def __init__(self, ctx: Context, view: EdgeView, schema: Schema, parent: QWidget) -> None:
        super().__init__(ctx, parent)
        self._edge, tr = view.edge, ctx.tr
        self.column.addWidget(ends_label(ctx, view))
        self.relation = relation_combo(ctx, schema, view.edge.relation)
        self.strength = strength_spin(ctx, view.edge.strength)
        self._strength_shown = self.strength.value()
        self.valid_from = MomentEdit(ctx, tr("graph.edge.from"), view.edge.valid_from)
        self.valid_until = MomentEdit(ctx, tr("graph.edge.until"), view.edge.invalid_from)
        self.floor = floor_spin(ctx, view.edge.from_seq)
        self.floor.setAccessibleName(tr("relation.from_floor"))
        self.ended = floor_spin(ctx, view.edge.ended_seq)
        self.ended.setAccessibleName(tr("relation.ended_floor"))
        form = QFormLayout()
        form.addRow(tr("relations.relation"), self.relation)
        form.addRow(tr("relation.strength"), self.strength)
        form.addRow(tr("graph.edge.from"), self.valid_from)
        form.addRow(tr("graph.edge.until"), self.valid_until)
        form.addRow(tr("relation.from_floor"), self.floor)
        form.addRow(tr("relation.ended_floor"), self.ended)
        self.column.addLayout(form)
        self._add_buttons(live=view.live)

    def _add_buttons(self, *, live: bool) -> None:
        tr, edge = self.ctx.tr, self._edge.pk
        self.end = QPushButton(tr("relations.end"))
        self.end.setEnabled(live)
        self.end.setToolTip(tr("graph.edge.end.tip"))
        self.reverse = QPushButton(tr("relations.reverse"))
        self.remove = QPushButton(tr("relations.remove"))
        self.remove.setProperty("danger", "true")
        self.save = QPushButton(tr("dialog.save"))
        self.save.setProperty("primary", "true")
        self.end.clicked.connect(lambda: self.finish(EndEdges(edges=(edge,))))
        self.reverse.clicked.connect(lambda: self.finish(EditEdge(edge=edge, reverse=True)))
        self.remove.clicked.connect(lambda: self.finish(RemoveEdges((edge,))))
        self.save.clicked.connect(self.accept)
        needs_writing(self.ctx, self.end, self.reverse, self.remove, self.save)
        row = QHBoxLayout()
        row.setSpacing(4)
        for button in (self.end, self.reverse, self.remove):
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.save)
        self.column.addLayout(row)

    def accept(self) -> None:
        """Save what was changed."""
        edge = self._edge
        relation = RelationId(str(self.relation.currentData()))
        begins, ends = self.valid_from.value(), self.valid_until.value()
        floor, ended = floor_of(self.floor), floor_of(self.ended)
        command = EditEdge(
            edge=edge.pk,
            relation=relation if relation != edge.relation else UNSET,
            strength=self.strength.value() if self.strength.value() != self._strength_shown else UNSET,
            valid_from=begins if begins != edge.valid_from else UNSET,
            invalid_from=ends if ends != edge.invalid_from else UNSET,
            from_seq=floor if floor != edge.from_seq else UNSET,
            ended_seq=ended if ended != edge.ended_seq else UNSET,
        )
        self.finish(None if command == EditEdge(edge=edge.pk) else command)


class RelationCard(Card):
    """A relation that was drawn from one memory to another: its type and strength."""

    def __init__(
        self,
        ctx: Context,
        schema: Schema,
        ends: tuple[MemoryPk, MemoryPk],
        titles: tuple[str, str],
        parent: QWidget,
    ) -> None:
        super().__init__(ctx, parent)
        self._ends, tr = ends, ctx.tr
        heading = QLabel(f"{isolate(titles[0])} → {isolate(titles[1])}")
        heading.setWordWrap(True)
        self.relation = relation_combo(ctx, schema, DEFAULT_RELATION)
        self.strength = strength_spin(ctx, DEFAULT_STRENGTH)
        form = QFormLayout()
        form.addRow(tr("relations.relation"), self.relation)
        form.addRow(tr("relation.strength"), self.strength)
        self.add = QPushButton(tr("relations.add"))
        self.add.setProperty("primary", "true")
        self.add.clicked.connect(self.accept)
        needs_writing(ctx, self.add)
        self.column.addWidget(heading)
        self.column.addLayout(form)
        self.column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignRight)
        self.relation.setFocus()

    def accept(self) -> None:
        """Make the relation."""
        source, target = self._ends
        self.finish(
            AddEdge(
                source=source,
                target=target,
                relation=RelationId(str(self.relation.currentData())),
                strength=self.strength.value(),
            )
        )


class GroupCard(Card):
    """The name of a group: memories of it get it as a tag."""

    def __init__(self, ctx: Context, memories: tuple[MemoryPk, ...], parent: QWidget) -> None:
        super().__init__(ctx, parent)
        self._memories = memories
        heading = QLabel(ctx.tr("graph.group.ask", count=len(memories)))
        heading.setWordWrap(True)
        self.name = PlainLineEdit()
        self.name.setAccessibleName(ctx.tr("graph.group.name"))
        self.name.setPlaceholderText(ctx.tr("graph.group.name"))
        self.make = QPushButton(ctx.tr("graph.group.make"))
        self.make.setProperty("primary", "true")
        self.make.setEnabled(False)
        self.name.textChanged.connect(lambda text: self.make.setEnabled(bool(text.strip())))
        self.make.clicked.connect(self.accept)
        needs_writing(ctx, self.make)
        for widget in (heading, self.name, self.make):
            self.column.addWidget(widget)
        self.name.setFocus()

    def accept(self) -> None:
        """Group them."""
        if self.name.text().strip():
            self.finish(GroupMemories(memories=self._memories, name=self.name.text().strip()))
