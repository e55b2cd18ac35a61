"""Files dropped anywhere on the window: a hint while they hover over it, then their paths."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QVBoxLayout, QWidget

from ui.language import Language
from ui.tasks import single_shot
from ui.theme import Theme
from ui.widgets.dropped import dropped_files

ICON_PX = 40
_HOVER = (QEvent.Type.DragEnter, QEvent.Type.DragMove)


class DropHint(QFrame):
    """Covers the window while files hover over it, and says what happens to them."""

    def __init__(self, tr: Language, theme: Theme, area: QWidget) -> None:
        super().__init__(area)
        self._tr, self._theme, self._area = tr, theme, area
        self.setProperty("role", "drop")
        self._icon, self.label = QLabel(), QLabel()
        self.label.setProperty("role", "large")
        self.label.setWordWrap(True)
        self._more = QLabel()
        self._more.setProperty("role", "secondary")
        self._more.setWordWrap(True)
        column = QVBoxLayout(self)
        column.addStretch(1)
        for part in (self._icon, self.label, self._more):
            part.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(part)
        column.addStretch(1)
        self.hide()

    def cover(self, refusal: str = "") -> None:
        """Show it over all of the area; `refusal`: why nothing can be taken in."""
        size = self._theme.px(ICON_PX)
        icon, color = ("mdi6.cancel", "danger") if refusal else ("mdi6.tray-arrow-down", "accent")
        self._icon.setPixmap(self._theme.icon(icon, color).pixmap(size, size))
        self.label.setText(refusal or self._tr("drop.here"))
        self._more.setText("" if refusal else self._tr("drop.what"))
        self.setGeometry(self._area.rect())
        self.raise_()
        self.show()


class FileDrops(QObject):
    """`dropped(paths)` when files were let go over the window; nothing while a dialog is open."""

    dropped = Signal(object)

    def __init__(self, window: QWidget, area: QWidget, tr: Language, theme: Theme) -> None:
        super().__init__(window)
        self.hint = DropHint(tr, theme, area)
        self.refusal: Callable[[], str] = str
        """Why nothing can be taken in now; "" = it can."""
        self._files: tuple[Path, ...] = ()
        self._soon = single_shot(self, 0, lambda: self.dropped.emit(self._files))
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind is QEvent.Type.DragLeave:
            self.hint.hide()
        elif isinstance(event, QDropEvent) and (kind in _HOVER or kind is QEvent.Type.Drop):
            return self._take(event, let_go=kind is QEvent.Type.Drop)
        return super().eventFilter(watched, event)

    def _take(self, event: QDropEvent, *, let_go: bool) -> bool:
        files = dropped_files(event.mimeData())
        if not files or QApplication.activeModalWidget() is not None:
            return False
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        if not let_go:
            if not self.hint.isVisible():
                self.hint.cover(self.refusal())
            return True
        self.hint.hide()
        self._files = files
        self._soon.start()  # in the next turn: the program they come from goes on
        return True
