"""Chips: short values in a row, to read or to edit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QEvent, QObject, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import (
    QApplication,
    QCompleter,
    QFrame,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from ui.widgets.flow_layout import FlowLayout
from ui.widgets.plain_text import PlainLineEdit

SEPARATORS = re.compile(r"[,，、;；\n\r\t]+")
INPUT_MIN_PX = 96
CHIP_MAX_PX = 320

Clean = Callable[[Iterable[str]], tuple[str, ...]]


def split_values(text: str) -> list[str]:
    """The values of a typed or pasted list: cut at commas of either script, semicolons and breaks."""
    return [part.strip() for part in SEPARATORS.split(text) if part.strip()]


def unique(values: Iterable[str]) -> tuple[str, ...]:
    """Stripped values without blanks, each once."""
    return tuple(dict.fromkeys(value for item in values if (value := item.strip())))


class Chip(QFrame):
    """One value; with `removable` it has a cross and can be removed with Delete or Backspace."""

    removed = Signal(str)
    stepped = Signal(int)

    def __init__(
        self, value: str, parent: QWidget | None = None, *, removable: bool = False, remove_text: str = ""
    ) -> None:
        super().__init__(parent)
        self.value = value
        self.setProperty("role", "chip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(value)
        self.setToolTip(value)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 2, 2 if removable else 8, 2)
        row.setSpacing(2)
        label = QLabel()
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setText(self.fontMetrics().elidedText(value, Qt.TextElideMode.ElideRight, CHIP_MAX_PX))
        row.addWidget(label)
        if removable:
            self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
            cross = QToolButton()
            cross.setText("\u00d7")
            cross.setAutoRaise(True)
            cross.setFixedSize(24, 24)
            cross.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            cross.setAccessibleName(f"{remove_text} {value}".strip())
            cross.setToolTip(remove_text)
            cross.clicked.connect(lambda: self.removed.emit(self.value))
            row.addWidget(cross)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Delete | Qt.Key.Key_Backspace:
                self.removed.emit(self.value)
            case Qt.Key.Key_Left:
                self.stepped.emit(-1)
            case Qt.Key.Key_Right:
                self.stepped.emit(1)
            case _:
                super().keyPressEvent(event)


class ChipRow(QWidget):
    """Values to read; a click on one is `clicked`."""

    clicked = Signal(str)

    def __init__(self, values: Sequence[str] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._flow = FlowLayout(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        for value in values:
            self._flow.addWidget(Chip(value, self))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        child = self.childAt(event.position().toPoint())
        while child is not None and not isinstance(child, Chip):
            child = child.parentWidget()
        if isinstance(child, Chip):
            self.clicked.emit(child.value)
        super().mouseReleaseEvent(event)


class ChipEditor(QFrame):
    """Values as chips with an input after them.

    Enter, a comma of either script or leaving the field turns typed text into a chip; pasting a
    list makes several. Left and Backspace at the start of the input step into the chips.
    `clean` is the rule for the stored form (tags.clean_general_tags and its like).
    """

    changed = Signal()
    _separated = Signal()

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        clean: Clean = unique,
        placeholder: str = "",
        remove_text: str = "",
        name: str = "",
    ) -> None:
        super().__init__(parent)
        self._clean = clean
        self._remove_text = remove_text
        self._values: tuple[str, ...] = ()
        self._chips: list[Chip] = []
        self._words: QStringListModel | None = None
        self.setProperty("role", "chips")
        self._flow = FlowLayout(self, stretch_last=True)
        self._flow.setContentsMargins(4, 3, 4, 3)
        self.input = PlainLineEdit(self)
        self.input.setFrame(False)
        self.input.setMinimumWidth(INPUT_MIN_PX)
        self.input.setPlaceholderText(placeholder)
        self.input.setAccessibleName(name)
        self.input.installEventFilter(self)
        self.input.textEdited.connect(self._on_typed)
        self.input.left.connect(self.commit)
        self._separated.connect(self.commit, Qt.ConnectionType.QueuedConnection)
        self._flow.addWidget(self.input)
        self.setFocusProxy(self.input)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def set_values(self, values: Iterable[str]) -> None:
        """Show these values; what was being typed is dropped."""
        self.input.clear()
        self._show(tuple(values))

    def values(self) -> tuple[str, ...]:
        """The values with what is being typed, in stored form."""
        pending = split_values(self.input.text())
        return self._clean((*self._values, *pending)) if pending else self._values

    def set_suggestions(self, words: Sequence[str]) -> None:
        """Words that completion offers."""
        if self._words is None:
            self._words = QStringListModel(self)
            completer = QCompleter(self._words, self)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.activated.connect(lambda _text: self.commit(), Qt.ConnectionType.QueuedConnection)
            self.input.setCompleter(completer)
        self._words.setStringList(list(words))

    def commit(self) -> None:
        """Turn what is typed into chips."""
        if self.input.text().strip():
            values = self.values()
            self.input.clear()
            self._show(values)
            self.changed.emit()
        elif self.input.text():
            self.input.clear()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.input and event.type() in {QEvent.Type.FocusIn, QEvent.Type.FocusOut}:
            self.setProperty("focused", event.type() == QEvent.Type.FocusIn)
            self.style().polish(self)
        if watched is self.input and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._on_key(event)
        return super().eventFilter(watched, event)

    def _on_key(self, event: QKeyEvent) -> bool:
        if event.matches(QKeySequence.StandardKey.Paste):
            return self._paste()
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.input.text().strip():
            self.commit()
            return True
        at_start = self.input.cursorPosition() == 0 and not self.input.hasSelectedText()
        if event.key() in {Qt.Key.Key_Left, Qt.Key.Key_Backspace} and at_start and self._chips:
            self._chips[-1].setFocus(Qt.FocusReason.OtherFocusReason)
            return True
        return False

    def _paste(self) -> bool:
        pasted = split_values(QApplication.clipboard().text())
        if len(pasted) < 2:
            return False
        values = self._clean((*self.values(), *pasted))
        self.input.clear()
        self._show(values)
        self.changed.emit()
        return True

    def _on_typed(self, text: str) -> None:
        if SEPARATORS.search(text):
            self._separated.emit()  # later: completion must see the typed text, not the emptied input
        self.changed.emit()

    def _show(self, values: tuple[str, ...]) -> None:
        self._values = values
        for chip in self._chips:
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = []
        for index, value in enumerate(values):
            chip = Chip(value, self, removable=True, remove_text=self._remove_text)
            chip.removed.connect(self._remove)
            chip.stepped.connect(lambda step, at=index: self._step(at + step))
            self._flow.insert_widget(index, chip)
            self._chips.append(chip)
            chip.show()
        self.updateGeometry()

    def _remove(self, value: str) -> None:
        at = self._values.index(value)
        self._show(tuple(item for item in self._values if item != value))
        self._step(at - 1 if at == len(self._values) else at)
        self.changed.emit()

    def _step(self, index: int) -> None:
        """Give the focus to the chip at a place, or to the input past the end."""
        target: QWidget = self._chips[index] if 0 <= index < len(self._chips) else self.input
        target.setFocus(Qt.FocusReason.OtherFocusReason)
