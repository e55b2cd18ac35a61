"""The time slider: the graph as it was at a floor, or on a day."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QToolButton, QWidget

from core.domain.graph import time_of
from ui.context import Context
from ui.graph.state import Moment
from ui.tasks import single_shot

STEPS = 400
"""Steps of the slider where time runs in dates; floors have one step each."""
TELL_MS = 40


class TimeBar(QWidget):
    """`changed(Moment or None)`: None = now, with what is past drawn faintly."""

    changed = Signal(object)

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._range: tuple[Moment, Moment] | None = None
        self._filling = False
        self.setProperty("role", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.name = QLabel()
        self.name.setProperty("role", "secondary")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.valueChanged.connect(self._on_value)
        self.said = QLabel()
        self.said.setMinimumWidth(ctx.theme.px(150))
        self.now = QToolButton()
        self.now.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = self.now.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.now.setSizePolicy(policy)
        self.now.clicked.connect(lambda: self.slider.setValue(self.slider.maximum()))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 12, 4)
        row.setSpacing(8)
        row.addWidget(self.name)
        row.addWidget(self.slider, 1)
        row.addWidget(self.said)
        row.addWidget(self.now)
        self.soon = single_shot(self, TELL_MS, lambda: self.changed.emit(self.moment))
        ctx.tr.changed.connect(self._say)
        self._say()
        self.hide()

    def show_range(self, span: tuple[Moment, Moment] | None, moment: Moment | None) -> None:
        """From when to when; None hides the slider. `moment` None = now."""
        self._filling = True
        self._range = span
        self.setVisible(span is not None)
        if span is not None:
            low, high = span
            last = high.value - low.value + 1 if low.floors else STEPS
            self.slider.setRange(0, last)
            self.slider.setPageStep(max(last // 20, 1))
            self.slider.setValue(last if moment is None else self._step_of(moment))
        self._filling = False
        self._say()

    @property
    def moment(self) -> Moment | None:
        """Where the slider stands; None at its end."""
        if self._range is None or self.slider.value() >= self.slider.maximum():
            return None
        low, high = self._range
        if low.floors:
            return Moment(low.value + self.slider.value(), floors=True)
        return Moment(low.value + (high.value - low.value) * self.slider.value() // STEPS, floors=False)

    def _step_of(self, moment: Moment) -> int:
        assert self._range is not None
        low, high = self._range
        if low.floors:
            return moment.value - low.value
        return round((moment.value - low.value) * STEPS / max(high.value - low.value, 1))

    def _on_value(self) -> None:
        self._say()
        if not self._filling:
            self.soon.start()

    def _say(self) -> None:
        tr, moment = self._ctx.tr, self.moment
        floors = self._range is not None and self._range[0].floors
        self.name.setText(tr("graph.time.floor" if floors else "graph.time.date"))
        self.slider.setAccessibleName(self.name.text())
        if moment is None:
            text = tr("graph.time.now")
        elif moment.floors:
            text = tr("graph.time.at_floor", floor=moment.value)
        else:
            text = time_of(moment.value).astimezone().strftime("%Y-%m-%d %H:%M")
        self.said.setText(text)
        self.slider.setAccessibleDescription(text)
        self.now.setText(tr("graph.time.now"))
        self.now.setToolTip(tr("graph.time.now.tip"))
        self.now.setVisible(moment is not None)
