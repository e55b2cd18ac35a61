"""The bulk bar: what can be done with the selected memories, shown when more than one is selected."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolButton, QWidget

from ui.context import Context
from ui.widgets.flow_layout import FlowLayout

OUTSIDE = (
    "memory.move",
    "memory.copy",
    "memory.type",
    "memory.layer",
    "memory.importance",
    "memory.tags",
    "memory.visibility",
    "memory.lock",
    "memory.unlock",
    "memory.merge",
    "memory.replace",
    "memory.select_related",
    "memory.export",
    "memory.promote",
    "memory.archive",
    "memory.restore",
    "memory.trash",
)
ROWS = 2
BUTTON_PX = 28
GAP_PX = 2
INSIDE = ("memory.untrash", "memory.delete")


class BulkBar(QWidget):
    """One button for each action that works on many memories."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._in_trash: bool | None = None
        self.setProperty("surface", "bulk")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.count = QLabel()
        self.count.setProperty("role", "bulk")
        self.buttons: list[QToolButton] = []
        self._flow = FlowLayout(self, gap=GAP_PX)
        self._flow.setContentsMargins(12, 6, 8, 6)
        self._flow.addWidget(self.count)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        context.tr.changed.connect(self._say)
        context.tr.changed.connect(self._fit)
        self._selected = 0
        self.hide()

    def show_selection(self, count: int, *, in_trash: bool) -> None:
        """Say how many are selected; hide when fewer than two are."""
        if in_trash is not self._in_trash:
            self._in_trash = in_trash
            self._fill(INSIDE if in_trash else OUTSIDE)
        self._selected = count
        self._say()
        self.setVisible(count > 1)

    def _say(self) -> None:
        tr = self._context.tr
        text = tr("bulk.selected", count=tr.number(self._selected))
        self.count.setText(text)
        self.count.setAccessibleName(text)
        self.count.setMinimumHeight(self._context.theme.px(26))

    def _fill(self, ids: tuple[str, ...]) -> None:
        for old in self.buttons:
            self._flow.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.buttons = []
        for action in self._context.actions.working(ids):
            button = QToolButton()
            button.setDefaultAction(action)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.setIconSize(self._context.theme.icon_size)
            if action.menu() is not None:
                button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
            self.buttons.append(button)
            self._flow.addWidget(button)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Buttons with their names as long as they need two rows at most, else icons with tooltips."""
        metrics, icon = self.fontMetrics(), self._context.theme.icon_size.width()
        names = sum(
            metrics.horizontalAdvance(button.defaultAction().iconText()) + icon + BUTTON_PX
            for button in self.buttons
        )
        style = (
            Qt.ToolButtonStyle.ToolButtonTextBesideIcon
            if names <= ROWS * self.width()
            else Qt.ToolButtonStyle.ToolButtonIconOnly
        )
        for button in self.buttons:
            button.setToolButtonStyle(style)
            button.setAccessibleName(button.defaultAction().text())
