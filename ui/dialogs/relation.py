"""Add, edit and end relations."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtCore import QDateTime
from PySide6.QtWidgets import (
    QComboBox,
    QDateTimeEdit,
    QDoubleSpinBox,
    QFormLayout,
    QLabel,
    QRadioButton,
    QSpinBox,
    QWidget,
)

from core.domain.commands import UNSET, Command
from core.domain.commands_graph import AddEdge, EditEdge, EndEdges
from core.domain.edge import DEFAULT_RELATION, DEFAULT_STRENGTH
from core.domain.ids import RelationId
from core.domain.results import EdgeView, MemoryDetail
from core.domain.schema import Schema
from ui.context import Context
from ui.dialogs.base import CommandDialog
from ui.language import isolate
from ui.views.naming import label, name_of, shorten
from ui.widgets.memory_picker import MemoryPicker
from ui.widgets.wheel import guard_wheel

MAX_FLOOR = 10_000_000
UNKNOWN_FLOOR = -1


class AddRelation(CommandDialog):
    """Find the other memory by typing, choose the relation, its direction and strength."""

    def __init__(
        self, ctx: Context, detail: MemoryDetail, schema: Schema, parent: QWidget | None = None
    ) -> None:
        super().__init__(ctx, parent, ctx.tr("relation.add.title"), ctx.tr("relations.add"), width=480)
        self._detail = detail
        tr = ctx.tr
        self.picker = MemoryPicker(ctx, frozenset({detail.memory.pk}))
        self.picker.changed.connect(self.check)
        self.picker.activated.connect(self.apply)
        self.relation = relation_combo(ctx, schema, DEFAULT_RELATION)
        self.direction = QComboBox()
        me = isolate(shorten(name_of(detail.memory.named, tr), 24))
        self.direction.addItem(tr("relation.outgoing", title=me))
        self.direction.addItem(tr("relation.incoming", title=me))
        self.strength = strength_spin(ctx, DEFAULT_STRENGTH)
        self.floor = floor_spin(ctx, detail.memory.seq)
        form = QFormLayout()
        form.addRow(tr("relations.relation"), self.relation)
        form.addRow(tr("relation.direction"), self.direction)
        form.addRow(tr("relation.strength"), self.strength)
        form.addRow(tr("relation.from_floor"), self.floor)
        self.body.addWidget(self.picker, 1)
        self.body.addLayout(form)
        self.check()
        self.picker.setFocus()

    def ready(self) -> bool:
        return self.picker.picked is not None

    def command(self) -> Command | None:
        other = self.picker.picked
        if other is None:
            return None
        me = self._detail.memory.pk
        outgoing = self.direction.currentIndex() == 0
        return AddEdge(
            source=me if outgoing else other,
            target=other if outgoing else me,
            relation=RelationId(str(self.relation.currentData())),
            strength=self.strength.value(),
            from_seq=floor_of(self.floor),
        )


class EditRelation(CommandDialog):
    """Another relation type, strength or floors. Only what was changed is written."""

    def __init__(self, ctx: Context, view: EdgeView, schema: Schema, parent: QWidget | None = None) -> None:
        super().__init__(ctx, parent, ctx.tr("relation.edit.title"), ctx.tr("dialog.save"))
        self._edge, tr = view.edge, ctx.tr
        self.relation = relation_combo(ctx, schema, view.edge.relation)
        self.strength = strength_spin(ctx, view.edge.strength)
        self.floor = floor_spin(ctx, view.edge.from_seq)
        self.ended = floor_spin(ctx, view.edge.ended_seq)
        self._strength_shown = self.strength.value()
        self.body.addWidget(ends_label(ctx, view))
        form = QFormLayout()
        form.addRow(tr("relations.relation"), self.relation)
        form.addRow(tr("relation.strength"), self.strength)
        form.addRow(tr("relation.from_floor"), self.floor)
        if not view.live:
            form.addRow(tr("relation.ended_floor"), self.ended)
        self.body.addLayout(form)

    def command(self) -> Command | None:
        edge = self._edge
        relation = RelationId(str(self.relation.currentData()))
        floor, ended = floor_of(self.floor), floor_of(self.ended)
        command = EditEdge(
            edge=edge.pk,
            relation=relation if relation != edge.relation else UNSET,
            strength=self.strength.value() if self.strength.value() != self._strength_shown else UNSET,
            from_seq=floor if floor != edge.from_seq else UNSET,
            ended_seq=ended if ended != edge.ended_seq else UNSET,
        )
        return None if command == EditEdge(edge=edge.pk) else command


class EndRelation(CommandDialog):
    """A relation that holds no more: since now, since a floor, or since a date."""

    def __init__(self, ctx: Context, view: EdgeView, parent: QWidget | None = None) -> None:
        super().__init__(ctx, parent, ctx.tr("relation.end.title"), ctx.tr("relations.end"))
        self._edge, tr = view.edge, ctx.tr
        self.now = QRadioButton(tr("relation.end.now"))
        self.at_floor = QRadioButton(tr("relation.end.floor"))
        self.at_date = QRadioButton(tr("relation.end.date"))
        self.now.setChecked(True)
        self.floor = QSpinBox()
        self.floor.setRange(0, MAX_FLOOR)
        guard_wheel(self.floor)
        self.floor.setAccessibleName(tr("relation.end.floor"))
        self.date = QDateTimeEdit(QDateTime.currentDateTime())
        self.date.setDisplayFormat("yyyy-MM-dd HH:mm")
        self.date.setCalendarPopup(True)
        self.date.setAccessibleName(tr("relation.end.date"))
        self.floor.valueChanged.connect(lambda _value: self.at_floor.setChecked(True))
        self.date.dateTimeChanged.connect(lambda _value: self.at_date.setChecked(True))
        self.body.addWidget(ends_label(ctx, view))
        form = QFormLayout()
        form.addRow(self.now)
        form.addRow(self.at_floor, self.floor)
        form.addRow(self.at_date, self.date)
        self.body.addLayout(form)
        note = QLabel(tr("relation.end.note"))
        note.setWordWrap(True)
        note.setProperty("role", "small")
        self.body.addWidget(note)

    def command(self) -> Command | None:
        edges = (self._edge.pk,)
        if self.at_floor.isChecked():
            return EndEdges(edges=edges, seq=self.floor.value())
        if self.at_date.isChecked():
            at = datetime.fromtimestamp(self.date.dateTime().toSecsSinceEpoch(), UTC)
            return EndEdges(edges=edges, at=at)
        return EndEdges(edges=edges)


def relation_combo(ctx: Context, schema: Schema, current: RelationId) -> QComboBox:
    """All relation types, with an unknown current one too."""
    combo = QComboBox()
    combo.setAccessibleName(ctx.tr("relations.relation"))
    for relation in schema.relations:
        combo.addItem(label(relation.labels, ctx.tr.code, relation.id), relation.id)
    if combo.findData(current) < 0:
        combo.addItem(current, current)
    combo.setCurrentIndex(combo.findData(current))
    return combo


def strength_spin(ctx: Context, value: float) -> QDoubleSpinBox:
    """Strength 0..1."""
    spin = QDoubleSpinBox()
    spin.setRange(0.0, 1.0)
    spin.setSingleStep(0.05)
    guard_wheel(spin)
    spin.setDecimals(2)
    spin.setValue(value)
    spin.setAccessibleName(ctx.tr("relation.strength"))
    return spin


def floor_spin(ctx: Context, value: int | None) -> QSpinBox:
    """A floor; below 0 it reads "unknown"."""
    spin = QSpinBox()
    spin.setRange(UNKNOWN_FLOOR, MAX_FLOOR)
    guard_wheel(spin)
    spin.setSpecialValueText(ctx.tr("relation.floor_unknown"))
    spin.setValue(UNKNOWN_FLOOR if value is None else value)
    return spin


def floor_of(spin: QSpinBox) -> int | None:
    """What a floor_spin says."""
    return None if spin.value() == UNKNOWN_FLOOR else spin.value()


def ends_label(ctx: Context, view: EdgeView) -> QLabel:
    """Both ends of a relation in one line."""
    source = isolate(shorten(name_of(view.source_title, ctx.tr), 40))
    target = isolate(shorten(name_of(view.target_title, ctx.tr), 40))
    ends = QLabel(f"{source} → {target}")
    ends.setWordWrap(True)
    return ends
