"""Above the canvas: what stands out, and how far the focus reaches; each with a way back."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSpinBox, QVBoxLayout, QWidget

from ui.context import Context
from ui.views.graph.seeing import MOST_HOPS
from ui.widgets.wheel import guard_wheel


class _Line(QWidget):
    """A text with something to choose and a button."""

    ended = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.text = QLabel()
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setMinimumWidth(1)
        self.end = QPushButton()
        self.end.clicked.connect(self.ended)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(12, 4, 8, 4)
        self.row.addWidget(self.text, 1)
        self.row.addWidget(self.end)
        self.hide()


class Strip(QWidget):
    """`unlit`: nothing is to stand out any more; `hops_chosen(n)`; `unfocused`: all is to be shown again."""

    unlit = Signal()
    hops_chosen = Signal(int)
    unfocused = Signal()

    def __init__(self, ctx: Context) -> None:
        super().__init__()
        self._ctx = ctx
        self.light, self.focus = _Line(), _Line()
        self.hops = QSpinBox()
        self.hops.setRange(1, MOST_HOPS)
        guard_wheel(self.hops)
        self.hops.valueChanged.connect(self.hops_chosen)
        self.focus.row.insertWidget(1, self.hops)
        self.light.ended.connect(self.unlit)
        self.focus.ended.connect(self.unfocused)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.light)
        column.addWidget(self.focus)
        ctx.tr.changed.connect(self._say)
        self._say()

    def show_light(self, name: str) -> None:
        """What stands out; "" = nothing does."""
        self.light.text.setText(name)
        self.light.setVisible(bool(name))

    def show_focus(self, title: str, hops: int) -> None:
        """Around what is looked, and how far; "" = all is shown."""
        self.focus.text.setText(self._ctx.tr("graph.focus.around", title=title) if title else "")
        self.hops.blockSignals(True)
        self.hops.setValue(hops)
        self.hops.blockSignals(False)
        self._say_hops()
        self.focus.setVisible(bool(title))

    def _say(self) -> None:
        tr = self._ctx.tr
        self.light.end.setText(tr("graph.highlight.end"))
        self.focus.end.setText(tr("graph.focus.end"))
        self.hops.setAccessibleName(tr("graph.hops"))
        self.hops.setToolTip(tr("graph.hops.tip"))
        self._say_hops()

    def _say_hops(self) -> None:
        """The number with its noun, as the language orders them."""
        whole = self._ctx.tr("graph.hops.value", count=self.hops.value())
        before, _, after = whole.partition(str(self.hops.value()))
        self.hops.setPrefix(before)
        self.hops.setSuffix(after)
