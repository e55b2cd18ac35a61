"""Asks for files and directories with the system's dialogs."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget


class PathChoice:
    """None = the person thought better of it."""

    def file(self, parent: QWidget, title: str, start: Path) -> Path | None:
        """A file that exists."""
        name, _ = QFileDialog.getOpenFileName(parent, title, str(start))
        return Path(name) if name else None

    def directory(self, parent: QWidget, title: str, start: Path) -> Path | None:
        """A directory that exists."""
        name = QFileDialog.getExistingDirectory(parent, title, str(start))
        return Path(name) if name else None

    def new_directory(self, parent: QWidget, title: str, suggested: Path) -> Path | None:
        """A name for a directory that may not exist yet."""
        suggested.parent.mkdir(parents=True, exist_ok=True)
        name, _ = QFileDialog.getSaveFileName(
            parent, title, str(suggested), options=QFileDialog.Option.ShowDirsOnly
        )
        return Path(name) if name else None

    def save_file(self, parent: QWidget, title: str, suggested: Path, kind: str) -> Path | None:
        """A name for a file; the dialog asks before one that exists is replaced. `kind`: "PNG (*.png)"."""
        name, _ = QFileDialog.getSaveFileName(parent, title, str(suggested), kind)
        if not name:
            return None
        path = Path(name)
        return path if path.suffix else path.with_suffix(suggested.suffix)
