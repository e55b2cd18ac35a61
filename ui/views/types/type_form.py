"""One type of memories as a form."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QGridLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from core.domain.ids import TypeId
from core.domain.schema import Compression, MemoryType
from core.domain.schema_data import default_schema
from ui.context import Context
from ui.views.types.color_field import ColorField
from ui.views.types.columns_table import ColumnsTable
from ui.views.types.labels_field import LabelsField
from ui.widgets.wheel import guard_wheel

FLAGS = ("always_inject", "latest_only", "force_update")
NUMBERS = ("threshold", "fan_in", "max_depth", "keep_recent")
MOST = 10_000
MORE_ICONS = (
    "mdi6.sword", "mdi6.home-outline", "mdi6.heart-outline", "mdi6.star-outline", "mdi6.flag-outline",
    "mdi6.gift-outline", "mdi6.key-outline", "mdi6.map-marker-outline", "mdi6.music-note-outline",
    "mdi6.paw-outline", "mdi6.school-outline", "mdi6.food-outline", "mdi6.lightbulb-outline",
    "mdi6.calendar-outline", "mdi6.tag-outline", "mdi6.circle-outline",
)  # fmt: skip


class TypeForm(QWidget):
    """`changed` after each edit; `value` is the type as it stands there."""

    changed = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._type: MemoryType | None = None
        self._showing = False
        self.id, self.table_name = QLineEdit(), QLineEdit()
        self.labels = LabelsField(context)
        self.icon = QComboBox()
        self.color, self.color_dark = ColorField(context), ColorField(context)
        self.key_column = QComboBox()
        self.flags = {name: QCheckBox() for name in FLAGS}
        self.columns = ColumnsTable(context)
        self.numbers = {name: QSpinBox() for name in NUMBERS}
        for spin in self.numbers.values():
            guard_wheel(spin)
        self.instruction = LabelsField(context)
        self._names: dict[str, QLabel] = {}
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for name, widget in (
            ("id", self.id),
            ("labels", self.labels),
            ("table", self.table_name),
            ("icon", self.icon),
            ("color", self.color),
            ("color_dark", self.color_dark),
            ("key", self.key_column),
        ):
            form.addRow(self._name(name), widget)
        for box in (self.icon, self.key_column):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        flags = QVBoxLayout()
        flags.setSpacing(4)
        for check in self.flags.values():
            flags.addWidget(check, 0, Qt.AlignmentFlag.AlignLeft)
        numbers = QGridLayout()
        numbers.setHorizontalSpacing(16)
        numbers.setVerticalSpacing(8)
        for at, (name, spin) in enumerate(self.numbers.items()):
            spin.setRange(0, MOST)
            numbers.addWidget(self._name(name), at // 2, at % 2 * 2)
            numbers.addWidget(spin, at // 2, at % 2 * 2 + 1)
        numbers.setColumnStretch(4, 1)
        numbers.addWidget(self._name("instruction"), 2, 0)
        numbers.addWidget(self.instruction, 2, 1, 1, 4)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 16)
        column.setSpacing(12)
        column.addLayout(form)
        column.addLayout(flags)
        column.addWidget(self._section("columns"))
        column.addWidget(self.columns)
        column.addWidget(self._section("compression"))
        column.addLayout(numbers)
        column.addStretch(1)

    def _name(self, name: str) -> QLabel:
        label = QLabel()
        label.setProperty("role", "secondary")
        self._names[f"types.{name}"] = label
        return label

    def _section(self, name: str) -> QLabel:
        label = QLabel()
        label.setProperty("role", "section")
        self._names[f"types.{name}"] = label
        return label

    def _connect(self) -> None:
        for edit in (self.id, self.table_name):
            edit.textEdited.connect(lambda _text: self._on_edit())
        for field in (self.labels, self.color, self.color_dark, self.columns, self.instruction):
            field.changed.connect(self._on_edit)
        for box in (self.icon, self.key_column):
            box.activated.connect(lambda _index: self._on_edit())
        for check in self.flags.values():
            check.toggled.connect(lambda _on: self._on_edit())
        for spin in self.numbers.values():
            spin.valueChanged.connect(lambda _value: self._on_edit())

    def _on_edit(self) -> None:
        if not self._showing:
            self._fill_keys(self.key_column.currentData())
            self.changed.emit()

    @property
    def value(self) -> MemoryType | None:
        """The type as it stands there."""
        old = self._type
        if old is None:
            return None
        key = self.key_column.currentData()
        return replace(
            old,
            id=TypeId(self.id.text().strip()),
            labels=self.labels.value,
            table_name=self.table_name.text().strip(),
            icon=str(self.icon.currentData()),
            color=self.color.value,
            color_dark=self.color_dark.value,
            key_column=None if key is None else str(key),
            columns=self.columns.value,
            compression=Compression(
                **{name: spin.value() for name, spin in self.numbers.items()},
                instruction=self.instruction.value,
            ),
            **{name: check.isChecked() for name, check in self.flags.items()},
        )

    def show_type(self, shown: MemoryType, *, new: bool) -> None:
        """Show a type. The id of one that is stored stays: memories name it."""
        self._showing = True
        self._type = shown
        self.id.setText(shown.id)
        self.id.setReadOnly(not new)
        self.labels.show_value(shown.labels)
        self.table_name.setText(shown.table_name)
        self._fill_icons(shown.icon)
        self.color.show_value(shown.color)
        self.color_dark.show_value(shown.color_dark)
        self.columns.show_value(shown.columns)
        self._fill_keys(shown.key_column)
        for name, check in self.flags.items():
            check.setChecked(bool(getattr(shown, name)))
        for name, spin in self.numbers.items():
            spin.setValue(int(getattr(shown.compression, name)))
        self.instruction.show_value(shown.compression.instruction)
        self._showing = False

    def _fill_icons(self, current: str) -> None:
        names = dict.fromkeys([*(item.icon for item in default_schema().types), *MORE_ICONS, current])
        self.icon.clear()
        for name in names:
            self.icon.addItem(self._context.theme.icon(name), name.partition(".")[2] or name, name)
        self.icon.setCurrentIndex(self.icon.findData(current))

    def _fill_keys(self, current: object) -> None:
        self.key_column.blockSignals(True)
        self.key_column.clear()
        self.key_column.addItem(self._context.tr("types.key.none"), None)
        names = dict.fromkeys(
            [*(column.name for column in self.columns.value), *([str(current)] if current else [])]
        )
        for name in names:
            self.key_column.addItem(name, name)
        self.key_column.setCurrentIndex(max(0, self.key_column.findData(current)))
        self.key_column.blockSignals(False)

    def say(self) -> None:
        """All texts anew."""
        tr = self._context.tr
        for key, label in self._names.items():
            label.setText(tr(key))
            label.setToolTip(tr(f"{key}.tip"))
        for name, check in self.flags.items():
            check.setText(tr(f"types.{name}"))
            check.setToolTip(tr(f"types.{name}.tip"))
        for name, spin in self.numbers.items():
            spin.setAccessibleName(tr(f"types.{name}"))
        self.id.setAccessibleName(tr("types.id"))
        self.table_name.setAccessibleName(tr("types.table"))
        self.icon.setAccessibleName(tr("types.icon"))
        self.key_column.setAccessibleName(tr("types.key"))
        self.labels.name(tr("types.labels"))
        self.instruction.name(tr("types.instruction"))
        self.color.name(tr("types.color"))
        self.color_dark.name(tr("types.color_dark"))
        self.columns.say()
