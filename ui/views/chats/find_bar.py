"""Looks for a text among the floors of a chat and goes from one to the next; a number goes to that floor."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from core.domain.api import Cancel, Report
from core.domain.ids import FolderPk
from core.domain.queries_chat import FindFloors
from ui.context import Context
from ui.tasks import Lane
from ui.widgets.search_field import SearchField

NUMBER_SIGN = "#"


class FindBar(QWidget):
    """`asked(floor)`: show that floor; `left_down()`: on to the list."""

    asked = Signal(int)
    left_down = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._folder: FolderPk | None = None
        self._words = ""
        self.found: Sequence[int] = ()
        self._at = 0
        self.field = SearchField()
        self.said = QLabel()
        self.said.setProperty("role", "small")
        self.back, self.on = QToolButton(), QToolButton()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.field, 1)
        row.addWidget(self.said)
        row.addWidget(self.back)
        row.addWidget(self.on)
        self.field.searched.connect(self.search)
        self.field.left_down.connect(self.left_down)
        self.back.clicked.connect(lambda: self._step(-1))
        self.on.clicked.connect(lambda: self._step(1))
        for keys, step in (("F3", 1), ("Shift+F3", -1)):
            QShortcut(QKeySequence(keys), self.window()).activated.connect(lambda by=step: self._step(by))
        context.tr.changed.connect(self._say)
        context.theme.bind(self, self._look)
        self._say()

    def _look(self) -> None:
        theme = self._context.theme
        self.back.setIcon(theme.icon("mdi6.chevron-up"))
        self.on.setIcon(theme.icon("mdi6.chevron-down"))

    def show_chat(self, folder: FolderPk) -> None:
        """Look in another chat."""
        if folder != self._folder:
            self._folder = folder
            self.search(self.field.text())

    def search(self, words: str) -> None:
        """Look for words, or go to the floor `#n`."""
        self._words = words.strip()
        number = self._words.removeprefix(NUMBER_SIGN).strip()
        if self._words.startswith(NUMBER_SIGN) and number.isdecimal():
            self._take(())
            self.asked.emit(int(number))
            return
        if not self._words or self._folder is None:
            self._take(())
            return
        engine, query = self._context.engine, FindFloors(self._folder, self._words)

        def ask(_progress: Report, cancel: Cancel) -> Sequence[int]:
            return engine.ask(query, cancel=cancel)

        self._context.tasks.run(Lane.READ, ask, self._take_new, owner=self, query="find")

    def _take_new(self, found: Sequence[int]) -> None:
        self._take(found)
        if found:
            self.asked.emit(found[0])

    def _take(self, found: Sequence[int]) -> None:
        self.found, self._at = found, 0
        self._say()

    def _step(self, by: int) -> None:
        if self.found:
            self._at = (self._at + by) % len(self.found)
            self.asked.emit(self.found[self._at])
            self._say()

    def _say(self) -> None:
        tr, many = self._context.tr, len(self.found)
        self.field.setPlaceholderText(tr("chats.find"))
        self.field.setAccessibleName(tr("chats.find"))
        for button, key in ((self.back, "chats.find_back"), (self.on, "chats.find_on")):
            button.setToolTip(tr(key))
            button.setAccessibleName(tr(key))
            button.setEnabled(many > 1)
        if many:
            self.said.setText(tr("chats.found", at=self._at + 1, count=many))
        else:
            searching = bool(self._words) and not self._words.startswith(NUMBER_SIGN)
            self.said.setText(tr("chats.not_found") if searching else "")
