"""The bar above the canvas: search, arrangement, colours, filters, and how many memories are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from core.domain.graph import Arrangement
from ui.context import Context
from ui.graph.coloring import Coloring
from ui.graph.state import Shown
from ui.widgets.chips import ChipEditor
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.search_field import SearchField
from ui.widgets.wheel import guard_wheel

ARRANGEMENTS = tuple(Arrangement)
COLORINGS = tuple(Coloring)
SEARCH_PX = 150


class FindField(SearchField):
    """A search line whose Enter goes to the next memory found."""

    next_wanted = Signal(bool)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if (
            event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}
            and not self.composing
            and not self._timer.isActive()
        ):
            self.next_wanted.emit(bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
            return
        super().keyPressEvent(event)


class FilterPanel(QFrame):
    """Sliders and tags that narrow the picture; opens below its button."""

    changed = Signal(object)

    def __init__(self, ctx: Context, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._ctx = ctx
        self._shown = Shown()
        self._filling = False
        self.setProperty("role", "card")
        self.importance = _spin(10.0, 1.0, 1)
        self.strength = _spin(1.0, 0.05, 2)
        self.past = QCheckBox()
        self.tags = ChipEditor()
        self.form = QFormLayout(self)
        self.form.setContentsMargins(12, 12, 12, 12)
        self.labels = [QLabel() for _ in range(3)]
        for name, widget in zip(self.labels, (self.importance, self.strength, self.tags), strict=True):
            self.form.addRow(name, widget)
        self.form.addRow(self.past)
        self.setMinimumWidth(ctx.theme.px(320))
        self.importance.valueChanged.connect(lambda _value: self._tell())
        self.strength.valueChanged.connect(lambda _value: self._tell())
        self.past.toggled.connect(lambda _on: self._tell())
        self.tags.changed.connect(self._tell)
        ctx.tr.changed.connect(self._say)
        self._say()

    def show_filter(self, shown: Shown) -> None:
        """Show what is set."""
        self._filling = True
        self._shown = shown
        self.importance.setValue(shown.importance_min)
        self.strength.setValue(shown.strength_min)
        self.past.setChecked(shown.past_edges)
        if self.tags.values() != shown.tags:
            self.tags.set_values(shown.tags)
        self._filling = False

    def open_below(self, button: QWidget) -> None:
        """Show under a button."""
        self.adjustSize()
        self.move(button.mapToGlobal(QPoint(0, button.height() + 2)))
        self.show()
        self.importance.setFocus()

    def _tell(self) -> None:
        if self._filling:
            return
        self.changed.emit(
            replace(
                self._shown,
                importance_min=self.importance.value(),
                strength_min=self.strength.value(),
                past_edges=self.past.isChecked(),
                tags=self.tags.values(),
            )
        )

    def _say(self) -> None:
        tr = self._ctx.tr
        for name, key in zip(self.labels, ("importance", "strength", "tags"), strict=True):
            name.setText(tr(f"graph.filter.{key}"))
        for widget, key in (
            (self.importance, "importance"),
            (self.strength, "strength"),
            (self.tags, "tags"),
        ):
            widget.setAccessibleName(tr(f"graph.filter.{key}"))
        self.tags.input.setAccessibleName(tr("graph.filter.tags"))
        self.past.setText(tr("graph.filter.past"))


def _spin(most: float, step: float, decimals: int) -> QDoubleSpinBox:
    spin = QDoubleSpinBox()
    spin.setRange(0.0, most)
    spin.setSingleStep(step)
    spin.setDecimals(decimals)
    guard_wheel(spin)
    return spin


class Tools(QWidget):
    """`searched(text)`, `next_wanted(back)`, `arranged(Arrangement)`, `colored(Coloring)`."""

    searched = Signal(str)
    next_wanted = Signal(bool)
    only_wanted = Signal(bool)
    arranged = Signal(object)
    colored = Signal(object)
    cleared = Signal()
    legend_wanted = Signal(bool)

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._counts = (0, 0)
        self._filling = False
        self.setProperty("surface", "base")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.search = FindField()
        self.search.searched.connect(self.searched)
        self.search.textChanged.connect(lambda _text: self._show_only())
        self.search.next_wanted.connect(self.next_wanted)
        self.only = self._button()
        self.only.setCheckable(True)
        self.only.toggled.connect(self.only_wanted)
        self.found = QLabel()
        self.found.setProperty("role", "small")
        self.arrangement = QComboBox()
        self.coloring = QComboBox()
        for combo in (self.arrangement, self.coloring):
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.arrangement.activated.connect(self._on_arrangement)
        self.coloring.activated.connect(self._on_coloring)
        self.legend = self._button()
        self.legend.setCheckable(True)
        self.legend.clicked.connect(self.legend_wanted)
        self.filters = self._button()
        self.panel = FilterPanel(ctx, self)
        self.filters.clicked.connect(lambda: self.panel.open_below(self.filters))
        self.clear = self._button()
        self.clear.clicked.connect(self.cleared)
        self.more = self._button()
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more_menu = QMenu(self)
        self.more_menu.setToolTipsVisible(True)
        self.more.setMenu(self.more_menu)
        self.count = QLabel()
        self.count.setProperty("role", "secondary")
        self._lay_out()
        ctx.theme.bind(self, self._say)
        ctx.tr.changed.connect(self._say)

    def _lay_out(self) -> None:
        holder = QWidget()
        flow = FlowLayout(holder)
        for widget in (
            self.legend,
            self.search,
            self.only,
            self.found,
            self.arrangement,
            self.coloring,
            self.filters,
            self.clear,
            self.more,
            self.count,
        ):
            flow.addWidget(widget)
        holder.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 6, 12, 6)
        row.addWidget(holder, 1)
        self.found.hide()
        self.only.hide()
        self.clear.hide()

    def _button(self) -> QToolButton:
        button = QToolButton()
        button.setProperty("chip", "true")
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    # --- what it shows ---

    def show_counts(self, shown: int, total: int) -> None:
        """How many memories of how many are in the picture."""
        self._counts = (shown, total)
        tr = self._ctx.tr
        text = tr("graph.count", shown=tr.number(shown), total=tr.number(total))
        self.count.setText(text)
        self.count.setAccessibleName(text)
        self.count.setMinimumHeight(self.filters.sizeHint().height())

    def show_found(self, text: str) -> None:
        """What the search found; "" = nothing is searched."""
        self.found.setText(text)
        self.found.setVisible(bool(text))
        self.found.setMinimumHeight(self.filters.sizeHint().height())

    def show_choice(self, arrangement: Arrangement, coloring: Coloring) -> None:
        """What is chosen."""
        self._filling = True
        self.arrangement.setCurrentIndex(ARRANGEMENTS.index(arrangement))
        self.coloring.setCurrentIndex(COLORINGS.index(coloring))
        self._filling = False

    def show_narrowed(self, narrowed: bool, panel_active: bool) -> None:
        """Whether something is left out: then it can be cleared."""
        self.clear.setVisible(narrowed)
        self.filters.setCheckable(True)
        self.filters.setChecked(panel_active)

    def show_legend(self, shown: bool) -> None:
        """Whether folders and legend are there."""
        self.legend.setChecked(shown)

    def fill_more(self, actions: Sequence[QAction]) -> None:
        """The menu of what is rarer."""
        self.more_menu.clear()
        self.more_menu.addActions(list(actions))

    def _show_only(self) -> None:
        """What a search finds can be all that is shown, when there is a search."""
        self.only.setVisible(bool(self.search.text()) or self.only.isChecked())

    def _on_arrangement(self, index: int) -> None:
        if not self._filling:
            self.arranged.emit(ARRANGEMENTS[index])

    def _on_coloring(self, index: int) -> None:
        if not self._filling:
            self.colored.emit(COLORINGS[index])

    def _say(self) -> None:
        tr, theme = self._ctx.tr, self._ctx.theme
        self.search.setPlaceholderText(tr("graph.search"))
        self.search.setAccessibleName(tr("graph.search"))
        self.search.setToolTip(tr("graph.search.tip"))
        self.search.setFixedWidth(theme.px(SEARCH_PX))
        _fill(self.arrangement, [tr(f"graph.arrange.{value.value}") for value in ARRANGEMENTS])
        _fill(self.coloring, [tr(f"graph.color.{value.value}") for value in COLORINGS])
        for combo, key in ((self.arrangement, "graph.arrangement"), (self.coloring, "graph.coloring")):
            combo.setAccessibleName(tr(key))
            combo.setToolTip(tr(key))
        for button, key, icon in (
            (self.legend, "graph.legend", "mdi6.dock-left"),
            (self.only, "graph.only", "mdi6.filter-outline"),
            (self.filters, "graph.filters", "mdi6.tune-variant"),
            (self.clear, "graph.clear", "mdi6.filter-remove-outline"),
            (self.more, "graph.more", "mdi6.dots-horizontal"),
        ):
            button.setText("" if button is self.legend else tr(key))
            button.setAccessibleName(tr(key))
            button.setToolTip(tr(f"{key}.tip"))
            button.setIcon(theme.icon(icon, "secondary"))
            button.setIconSize(theme.icon_size)
        self.show_counts(*self._counts)


def _fill(combo: QComboBox, texts: Sequence[str]) -> None:
    at = max(combo.currentIndex(), 0)
    combo.clear()
    combo.addItems(list(texts))
    combo.setCurrentIndex(at)
