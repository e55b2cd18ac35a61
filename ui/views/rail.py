"""The rail: one button with its full label for each page."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeySequence, QShortcut
from PySide6.QtWidgets import QButtonGroup, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from ui.language import Language
from ui.pages import Page
from ui.theme import Theme

LEAST_PX = 96
GAP_PX = 8
KEYS = 9


class Rail(QWidget):
    """`chosen(page id)`. Ctrl+1 ... go to the pages."""

    chosen = Signal(str)

    def __init__(
        self, pages: Sequence[Page], tr: Language, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._pages = tuple(page for page in pages if page.on_rail)
        self._tr, self._theme = tr, theme
        self.setProperty("surface", "window")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP_PX, GAP_PX, GAP_PX, GAP_PX)
        column.setSpacing(4)
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QToolButton] = {}
        self._counts: dict[str, int] = {}
        for number, page in enumerate(self._pages, 1):
            button = QToolButton()
            button.setProperty("rail", "true")
            button.setCheckable(True)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.clicked.connect(lambda _checked=False, name=page.id: self.chosen.emit(name))
            if number <= KEYS:
                key = QShortcut(QKeySequence(f"Ctrl+{number}"), self)
                key.activated.connect(button.click)
            self._group.addButton(button)
            self._buttons[page.id] = button
            column.addWidget(button)
        column.addStretch(1)
        tr.changed.connect(self._say)
        theme.bind(self, self._say)

    def show_page(self, page_id: str) -> None:
        """Mark the page that is shown; none when it is not on the rail."""
        button = self._buttons.get(page_id)
        if button is not None:
            button.setChecked(True)
            return
        self._group.setExclusive(False)
        for other in self._buttons.values():
            other.setChecked(False)
        self._group.setExclusive(True)

    def show_count(self, page_id: str, count: int) -> None:
        """Say beside a page's label how much waits there; 0 says nothing."""
        if self._counts.get(page_id, 0) != count:
            self._counts[page_id] = count
            self._say()

    def _say(self) -> None:
        for number, page in enumerate(self._pages, 1):
            button = self._buttons[page.id]
            count = self._counts.get(page.id, 0)
            name = self._tr(page.text_key)
            button.setText(self._tr("rail.count", name=name, count=count) if count else name)
            button.setToolTip(self._tr("rail.tip", name=self._tr(page.text_key), key=f"Ctrl+{number}"))
            button.setIcon(self._theme.icon(page.icon))
            button.setIconSize(self._theme.icon_size)
        self._fit()

    def _fit(self) -> None:
        """As wide as the longest label, also when it is the bold one of the page shown."""
        plain, bold = QFontMetrics(self._theme.font()), QFontMetrics(self._theme.font(bold=True))
        widest = max(
            (
                button.sizeHint().width()
                + bold.horizontalAdvance(button.text())
                - plain.horizontalAdvance(button.text())
                for button in self._buttons.values()
            ),
            default=0,
        )
        self.setFixedWidth(max(widest + 2 * GAP_PX, self._theme.px(LEAST_PX)))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._fit()
