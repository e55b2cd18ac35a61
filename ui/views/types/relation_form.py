"""One type of relations as a form."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from core.domain.ids import RelationId
from core.domain.schema import RelationType
from ui.context import Context
from ui.views.types.color_field import ColorField
from ui.views.types.labels_field import LabelsField


class RelationForm(QWidget):
    """`changed` after each edit; `value` is the relation type as it stands there."""

    changed = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._relation: RelationType | None = None
        self._showing = False
        self.id = QLineEdit()
        self.labels, self.inverse = LabelsField(context), LabelsField(context)
        self.color = ColorField(context)
        self.inhibits = QCheckBox()
        self._names: dict[str, QLabel] = {}
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        for name, widget in (
            ("id", self.id),
            ("labels", self.labels),
            ("inverse", self.inverse),
            ("color_edge", self.color),
        ):
            label = QLabel()
            label.setProperty("role", "secondary")
            self._names[f"types.{name}"] = label
            form.addRow(label, widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 16)
        column.setSpacing(12)
        column.addLayout(form)
        column.addWidget(self.inhibits, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)
        self.id.textEdited.connect(lambda _text: self._on_edit())
        for field in (self.labels, self.inverse, self.color):
            field.changed.connect(self._on_edit)
        self.inhibits.toggled.connect(lambda _on: self._on_edit())

    def _on_edit(self) -> None:
        if not self._showing:
            self.changed.emit()

    @property
    def value(self) -> RelationType | None:
        """The relation type as it stands there."""
        if self._relation is None:
            return None
        return replace(
            self._relation,
            id=RelationId(self.id.text().strip()),
            labels=self.labels.value,
            inverse=self.inverse.value,
            inhibits=self.inhibits.isChecked(),
            color=self.color.value,
        )

    def show_relation(self, shown: RelationType, *, new: bool) -> None:
        """Show a relation type. The id of one that is stored stays."""
        self._showing = True
        self._relation = shown
        self.id.setText(shown.id)
        self.id.setReadOnly(not new)
        self.labels.show_value(shown.labels)
        self.inverse.show_value(shown.inverse)
        self.color.show_value(shown.color)
        self.inhibits.setChecked(shown.inhibits)
        self._showing = False

    def say(self) -> None:
        """All texts anew."""
        tr = self._context.tr
        for key, label in self._names.items():
            label.setText(tr(key))
            label.setToolTip(tr(f"{key}.tip"))
        self.inhibits.setText(tr("types.inhibits"))
        self.inhibits.setToolTip(tr("types.inhibits.tip"))
        self.id.setAccessibleName(tr("types.id"))
        self.labels.name(tr("types.labels"))
        self.inverse.name(tr("types.inverse"))
        self.color.name(tr("types.color_edge"))
