"""The settings dialog. What is changed holds at once; it has nothing to confirm."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ui.context import Context
from ui.views.settings.general import SettingsForm, general_settings
from ui.views.settings.models_page import ModelsPage

GENERAL, MODELS = range(2)
PAGES = ("general", "models")
RAIL_PX = 160


class SettingsDialog(QDialog):
    """A list of pages on the left, the page on the right. `models_changed`: who serves which task."""

    models_changed = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None, page: int = GENERAL) -> None:
        super().__init__(parent)
        self._context = context
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.resize(context.theme.wide(880), 2 * context.theme.tall(330))
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._inside: QWidget | None = None
        self._build(page)
        context.tr.changed.connect(self._again)

    def _again(self) -> None:
        self._build(self.pages.currentRow())

    def _build(self, page: int) -> None:
        tr, theme = self._context.tr, self._context.theme
        self.setWindowTitle(tr("settings.title"))
        if self._inside is not None:
            self._inside.hide()
            self._inside.deleteLater()
        self._inside = QWidget()
        self._column.addWidget(self._inside)
        self.pages = QListWidget()
        self.pages.setProperty("role", "choices")
        self.pages.setAccessibleName(tr("settings.title"))
        self.pages.setFixedWidth(theme.px(RAIL_PX))
        self.pages.addItems([tr(f"settings.page.{name}") for name in PAGES])
        self.said = QLabel()
        self.said.setTextFormat(Qt.TextFormat.PlainText)
        self.said.setProperty("role", "danger")
        self.said.setWordWrap(True)
        self.said.hide()
        self.general = SettingsForm(self._context, general_settings(), self._fail)
        self.models = ModelsPage(self._context)
        self.models.changed.connect(self.models_changed)
        self.stack = QStackedWidget()
        for each in (self.general, self.models):
            self.stack.addWidget(_scrolled(each))
        self.pages.currentRowChanged.connect(self.stack.setCurrentIndex)
        self.pages.setCurrentRow(page)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close = buttons.button(QDialogButtonBox.StandardButton.Close)
        close.setText(tr("dialog.close"))
        close.setAutoDefault(False)
        buttons.rejected.connect(self.reject)
        right = QVBoxLayout()
        right.setContentsMargins(0, 0, 16, 16)
        right.setSpacing(8)
        right.addWidget(self.stack, 1)
        right.addWidget(self.said)
        right.addWidget(buttons)
        row = QHBoxLayout(self._inside)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.pages)
        row.addLayout(right, 1)

    def show_page(self, page: int) -> None:
        """Go to a page."""
        self.pages.setCurrentRow(page)

    def reject(self) -> None:
        """Close, unless an endpoint was typed and not saved: then say so once."""
        if self.models.unsaved and not self.said.isVisible():
            self.show_page(MODELS)
            self.said.setText(self._context.tr("settings.unsaved"))
            self.said.show()
            return
        super().reject()

    def _fail(self, error: Exception) -> None:
        self.said.setText(self._context.tr.error(error))
        self.said.show()


def _scrolled(page: QWidget) -> QScrollArea:
    holder = QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(24, 20, 24, 16)
    column.addWidget(page)
    column.addStretch(1)
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setWidget(holder)
    return area
