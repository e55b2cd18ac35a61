"""What is left on the clipboard when the program ends."""

from __future__ import annotations

from typing import cast

import shiboken6
from PySide6.QtCore import QMimeData
from PySide6.QtGui import QClipboard, QGuiApplication

MODES = (QClipboard.Mode.Clipboard, QClipboard.Mode.Selection)


def leave_plain() -> None:
    """Before the program ends: what it put onto the clipboard stays as plain text that does without Python.

    Qt lets go of clipboard data after Python has ended; an object that Python made is a memory fault then.
    """
    clipboard = QGuiApplication.clipboard()
    for mode in MODES:
        data = cast("QMimeData | None", clipboard.mimeData(mode))  # None where there is nothing
        if data is not None and shiboken6.createdByPython(data):
            clipboard.setText(data.text(), mode)
