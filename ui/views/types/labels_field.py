"""A text in both languages; other languages that a file brought stay as they are."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from core.domain.schema import Labels
from core.domain.texts import LANGUAGES
from ui.context import Context


class LabelsField(QWidget):
    """`changed` while it is typed."""

    changed = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._rest: dict[str, str] = {}
        self.edits = {code: QLineEdit() for code in LANGUAGES}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for edit in self.edits.values():
            edit.textEdited.connect(lambda _text: self.changed.emit())
            row.addWidget(edit, 1)

    @property
    def value(self) -> dict[str, str]:
        """The texts by language, without empty ones."""
        found = dict(self._rest)
        found |= {code: text for code, edit in self.edits.items() if (text := edit.text().strip())}
        return found

    def show_value(self, labels: Labels) -> None:
        """Show texts."""
        self._rest = {code: text for code, text in labels.items() if code not in self.edits}
        for code, edit in self.edits.items():
            edit.setText(labels.get(code, ""))

    def name(self, text: str) -> None:
        """What the texts are."""
        for code, edit in self.edits.items():
            language = self._context.tr(f"setting.language.{code}")
            edit.setPlaceholderText(language)
            edit.setAccessibleName(f"{text} ({language})")
