"""Files that hover over or are dropped on a widget."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QDropEvent


def dropped_files(data: QMimeData) -> tuple[Path, ...]:
    """The files and directories of this computer that a drag carries; () for anything else."""
    return tuple(Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile())


def leave_files(event: QDropEvent) -> bool:
    """Leave files to the window, which looks into them; a text field would write down their names."""
    if not dropped_files(event.mimeData()):
        return False
    event.ignore()
    return True
