"""The Tab key goes through what is made anew where it stands, not where Qt puts new widgets."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QScrollArea, QWidget


def put_page(area: QScrollArea, page: QWidget) -> None:
    """Show a new page in a scroll area; Tab reaches its parts right after the area, in the order they were made."""
    area.setWidget(page)
    window, before = page.window(), cast("QWidget", area)
    for part in page.findChildren(QWidget):
        inside = isinstance(part.parent(), QComboBox | QAbstractSpinBox)
        if part.focusPolicy() & Qt.FocusPolicy.TabFocus and part.window() == window and not inside:
            QWidget.setTabOrder(before, part)
            before = part
