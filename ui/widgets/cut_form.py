"""How documents are cut: by structure or as Booku does, sizes and overlap."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSpinBox, QWidget

from core.domain.document import CutSettings, Cutting
from ui.language import Language
from ui.widgets.wheel import guard_wheel

LEAST_CHARS, MOST_CHARS = 50, 3000
STEP = 50


class CutForm(QWidget):
    """One line of fields; `changed` when the settings are others than before."""

    changed = Signal()

    def __init__(self, tr: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tr = tr
        self.cutting = QComboBox()
        for cutting in Cutting:
            self.cutting.addItem(tr(f"cut.{cutting.value}"), cutting)
            self.cutting.setItemData(self.cutting.count() - 1, tr(f"cut.{cutting.value}.tip"), 3)
        self.cutting.setAccessibleName(tr("cut.way"))
        self.chars, self.overlap = QSpinBox(), QSpinBox()
        self.chars.setRange(LEAST_CHARS, MOST_CHARS)
        self.overlap.setRange(0, MOST_CHARS // 2)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.cutting)
        for name, field in (("size", self.chars), ("overlap", self.overlap)):
            guard_wheel(field)
            field.setSingleStep(STEP if name == "size" else STEP // 5)
            label = QLabel(tr(f"cut.{name}"))
            label.setBuddy(field)
            field.setAccessibleName(tr(f"cut.{name}"))
            field.setToolTip(tr(f"cut.{name}.tip"))
            row.addSpacing(8)
            row.addWidget(label)
            row.addWidget(field)
        row.addStretch(1)
        self.set_settings(CutSettings())
        self.cutting.activated.connect(lambda _index: self._on_cutting())
        self.chars.valueChanged.connect(lambda _value: self._on_size())
        self.overlap.valueChanged.connect(lambda _value: self.changed.emit())

    @property
    def settings(self) -> CutSettings:
        """What the fields say; a cutting's own sizes stay unnamed."""
        own = CutSettings(cutting=Cutting(self.cutting.currentData()))
        size, overlap = self.chars.value(), self.overlap.value()
        return CutSettings(
            cutting=own.cutting,
            max_chars=None if size == own.limit else size,
            overlap_chars=None if overlap == own.overlap else overlap,
        )

    def set_settings(self, settings: CutSettings) -> None:
        """Show these settings without telling."""
        for field in (self.cutting, self.chars, self.overlap):
            field.blockSignals(True)
        self.cutting.setCurrentIndex(self.cutting.findData(settings.cutting))
        self.chars.setValue(settings.limit)
        self.overlap.setMaximum(self.chars.value() // 2)
        self.overlap.setValue(settings.overlap)
        for field in (self.cutting, self.chars, self.overlap):
            field.blockSignals(False)

    def _on_cutting(self) -> None:
        self.set_settings(CutSettings(cutting=Cutting(self.cutting.currentData())))
        self.changed.emit()

    def _on_size(self) -> None:
        self.overlap.setMaximum(self.chars.value() // 2)
        self.changed.emit()
