"""Turning the wheel over a form scrolls the form; it never changes a number under the pointer."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QAbstractSpinBox, QLineEdit, QWidget

SPIN_LEFT_PX = 6


class _WheelGuard(QObject):
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return False


def guard_wheel(widget: QWidget) -> None:
    """Make a combo box, spin box or slider take the wheel only when it has the focus.

    The number of a spin box gets the room at its left that the style sheet's padding gives other fields
    (Qt leaves it out where the buttons are styled).
    """
    widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    widget.installEventFilter(_WheelGuard(widget))
    if isinstance(widget, QAbstractSpinBox):
        line = widget.findChild(QLineEdit)
        if line is not None:
            line.setTextMargins(SPIN_LEFT_PX, 0, 0, 0)
