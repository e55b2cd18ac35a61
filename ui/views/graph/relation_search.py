"""A relation by keyboard: find the other memory by typing, choose type, direction and strength."""

from __future__ import annotations

from PySide6.QtWidgets import QFormLayout, QWidget

from core.domain.commands import Command
from core.domain.commands_graph import AddEdge
from core.domain.edge import DEFAULT_RELATION, DEFAULT_STRENGTH
from core.domain.ids import MemoryPk, RelationId
from core.domain.schema import Schema
from ui.context import Context
from ui.dialogs.base import CommandDialog
from ui.dialogs.relation import relation_combo, strength_spin
from ui.widgets.memory_picker import MemoryPicker


class RelationSearch(CommandDialog):
    """From the current memory to the one that is found."""

    def __init__(self, ctx: Context, schema: Schema, source: MemoryPk, parent: QWidget | None = None) -> None:
        super().__init__(ctx, parent, ctx.tr("relation.add.title"), ctx.tr("relations.add"), width=480)
        self._source = source
        self.picker = MemoryPicker(ctx, frozenset({source}))
        self.picker.changed.connect(self.check)
        self.picker.activated.connect(self.apply)
        self.relation = relation_combo(ctx, schema, DEFAULT_RELATION)
        self.strength = strength_spin(ctx, DEFAULT_STRENGTH)
        form = QFormLayout()
        form.addRow(ctx.tr("relations.relation"), self.relation)
        form.addRow(ctx.tr("relation.strength"), self.strength)
        self.body.addWidget(self.picker, 1)
        self.body.addLayout(form)
        self.check()
        self.picker.setFocus()

    def ready(self) -> bool:
        return self.picker.picked is not None

    def command(self) -> Command | None:
        target = self.picker.picked
        if target is None:
            return None
        return AddEdge(
            source=self._source,
            target=target,
            relation=RelationId(str(self.relation.currentData())),
            strength=self.strength.value(),
        )
