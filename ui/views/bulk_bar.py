"""The bulk bar: what can be done with the selected memories, shown when more than one is selected."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

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
    "memory.replace",
    "memory.archive",
    "memory.restore",
    "memory.trash",
)
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
        self._holder = QWidget()
        self._flow = FlowLayout(self._holder)
        self._holder.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 8, 6)
        row.setSpacing(12)
        row.addWidget(self.count, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._holder, 1)
        context.tr.changed.connect(self._say)
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
        while (item := self._flow.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for action in self._context.actions.working(ids):
            button = QToolButton()
            button.setDefaultAction(action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.setIconSize(self._context.theme.icon_size)
            menu = action.menu()
            if menu is not None:
                button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
            self._flow.addWidget(button)
