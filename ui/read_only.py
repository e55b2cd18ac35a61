"""A library that is only read: controls that would write are off and say why, and the strip above the page."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QHelpEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton, QToolTip, QWidget

from core.domain.access import ReadOnly
from ui.context import Context
from ui.language import Language


def why_not(tr: Language, why: ReadOnly) -> str:
    """The reason in one line, for tooltips."""
    return tr(f"why.read_only.{why.value}")


def needs_writing(context: Context, *controls: QWidget) -> None:
    """Keep these controls off as long as the library is only read, whatever their view says; their tooltip says why."""
    if context.read_only is not None:
        for control in controls:
            _Off(context, context.read_only, control)


def entries_need_writing(context: Context, menu: QMenu, *entries: QAction) -> None:
    """The same for entries of a menu."""
    if context.read_only is not None:
        menu.setToolTipsVisible(True)
        for entry in entries:
            entry.setEnabled(False)
            entry.setToolTip(why_not(context.tr, context.read_only))


class _Off(QObject):
    """Holds one control off."""

    def __init__(self, context: Context, why: ReadOnly, control: QWidget) -> None:
        super().__init__(control)
        self._tr, self._why = context.tr, why
        control.setEnabled(False)
        control.setAccessibleDescription(why_not(self._tr, why))
        control.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind is QEvent.Type.EnabledChange and isinstance(watched, QWidget) and watched.isEnabled():
            watched.setEnabled(False)
        elif kind is QEvent.Type.ToolTip and isinstance(watched, QWidget):
            place = cast("QHelpEvent", event).globalPos()
            QToolTip.showText(place, why_not(self._tr, self._why), watched)
            return True
        return super().eventFilter(watched, event)


class ReadOnlyStrip(QWidget):
    """Says that and why the library is only read. `write_wanted`: try to open it for writing."""

    write_wanted = Signal()

    def __init__(self, context: Context, why: ReadOnly, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._why = context, why
        self.setProperty("role", "strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._icon, self.label = QLabel(), QLabel()
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setWordWrap(True)
        self.try_button = QPushButton()
        self.try_button.setVisible(why is not ReadOnly.NEWER)
        self.try_button.clicked.connect(self.write_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 4, 8, 4)
        row.setSpacing(8)
        row.addWidget(self._icon)
        row.addWidget(self.label, 1)
        row.addWidget(self.try_button)
        context.theme.bind(self, self._show)
        context.tr.changed.connect(self._show)

    def _show(self) -> None:
        tr, theme = self._context.tr, self._context.theme
        self._icon.setPixmap(theme.icon("mdi6.eye-outline", "accent").pixmap(theme.icon_size))
        self.label.setText(tr(f"read_only.{self._why.value}"))
        self.setAccessibleName(self.label.text())
        self.try_button.setText(tr("read_only.try"))
        self.try_button.setToolTip(tr("read_only.try.tip"))
