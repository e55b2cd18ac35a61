"""Importance 0..10: a slider for the hand, a number for the eye."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QSlider, QWidget

from core.domain.memory import DEFAULT_IMPORTANCE, IMPORTANCE_RANGE
from ui.widgets.wheel import guard_wheel

STEPS = 10
"""Slider steps per point."""


class ImportanceEditor(QWidget):
    """Keeps a value exactly as it was until a hand moves it."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None, *, name: str = "") -> None:
        super().__init__(parent)
        low, high = IMPORTANCE_RANGE
        self._value = DEFAULT_IMPORTANCE
        self._showing = False
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(int(low * STEPS), int(high * STEPS))
        self.slider.setSingleStep(STEPS)
        self.slider.setPageStep(2 * STEPS)
        self.slider.setAccessibleName(name)
        self.spin = QDoubleSpinBox()
        self.spin.setRange(low, high)
        self.spin.setDecimals(1)
        guard_wheel(self.spin)
        self.spin.setSingleStep(1.0)
        self.spin.setAccessibleName(name)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.slider, 1)
        row.addWidget(self.spin)
        self.setFocusProxy(self.slider)
        self.slider.valueChanged.connect(lambda value: self._moved(value / STEPS))
        self.spin.valueChanged.connect(self._moved)
        self.set_value(DEFAULT_IMPORTANCE)

    def set_value(self, value: float) -> None:
        """Show a value."""
        self._value = value
        self._showing = True
        self.slider.setValue(round(value * STEPS))
        self.spin.setValue(value)
        self._showing = False

    def value(self) -> float:
        """The value; one that was not moved comes back as it was set."""
        return self._value

    def _moved(self, value: float) -> None:
        if not self._showing:
            self.set_value(round(value, 1))
            self.changed.emit()
