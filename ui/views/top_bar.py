"""The bar above the page: search, undo and redo, the library menu."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from ui.actions import Actions
from ui.language import Language
from ui.theme import Theme
from ui.widgets.search_field import SearchField

SEARCH_PX = 520
MODEL_PX = 200
NARROW_PX = 960


class TopBar(QWidget):
    """Holds the search field and the few buttons that are always in reach."""

    def __init__(self, actions: Actions, tr: Language, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._actions, self._tr, self._theme = actions, tr, theme
        self._name = self._model = ""
        self.setProperty("surface", "window")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.search = SearchField()
        self.search.setObjectName("search")
        self.library = QToolButton()
        self.library.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.library.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.library.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.library_menu = QMenu(self)
        self.library_menu.setToolTipsVisible(True)
        self.library.setMenu(self.library_menu)
        self.model = QToolButton()
        self.model.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.model.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.model.clicked.connect(actions.get("library.models").trigger)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 8, 12, 8)
        row.setSpacing(4)
        self._tools = [self._tool(name) for name in ("memory.new", "edit.undo", "edit.redo")]
        row.addWidget(self.search, 1)
        self._beside = [self._tool(name) for name in ("view.related", "search.save", "help.search")]
        for tool in self._beside:
            row.addWidget(tool)
        row.addSpacing(8)
        for tool in self._tools:
            row.addWidget(tool)
        row.addStretch(1)
        row.addWidget(self.library)
        row.addWidget(self.model)
        tr.changed.connect(self._say)
        theme.bind(self, self._say)

    def name_library(self, name: str, path: str) -> None:
        """Say which library is open."""
        self._name = name
        self.library.setToolTip(path)
        self._say()

    def name_model(self, name: str) -> None:
        """Say which model is in use."""
        self._model = name
        self._say()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Where the bar is narrow the first button is its icon alone, as the others are."""
        narrow = self.width() < self._theme.px(NARROW_PX)
        style = (
            Qt.ToolButtonStyle.ToolButtonIconOnly if narrow else Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        )
        self._tools[0].setToolButtonStyle(style)

    def _tool(self, action_id: str) -> QToolButton:
        button = QToolButton()
        button.setDefaultAction(self._actions.get(action_id))
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    def _say(self) -> None:
        theme = self._theme
        self.search.show_glass(theme.icon("mdi6.magnify", "secondary"), theme.icon_size)
        self.search.setMaximumWidth(theme.px(SEARCH_PX))
        self.search.setMinimumWidth(theme.px(160))
        self.search.setPlaceholderText(self._tr("search.placeholder"))
        self.search.setAccessibleName(self._tr("action.edit.search"))
        self.search.setToolTip(self._tr("search.tip"))
        for tool in (*self._tools, *self._beside):
            tool.setIconSize(theme.icon_size)
            tool.setMinimumSize(theme.px(28), theme.px(28))
        self._fit()
        self.library.setIconSize(theme.icon_size)
        self.library.setIcon(theme.icon("mdi6.database-outline"))
        self.library.setText(self._tr("library.button", name=self._name))
        self.library.setAccessibleName(self.library.text())
        self.model.setIconSize(theme.icon_size)
        self.model.setIcon(theme.icon("mdi6.brain"))
        self.model.setText(
            self.model.fontMetrics().elidedText(self._model, Qt.TextElideMode.ElideMiddle, theme.px(MODEL_PX))
        )
        self.model.setAccessibleName(self._model)
        self.model.setToolTip(self._tr("models.bar.tip", name=self._model))
