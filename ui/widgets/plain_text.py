"""Text fields that hold plain text only: what goes in and out is exactly the data."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QFocusEvent, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QSizePolicy, QTextEdit, QWidget

from ui.widgets.dropped import leave_files

PARAGRAPH_SEPARATOR = "\u2029"
LINE_SEPARATOR = "\u2028"
MARGIN = 2
"""Between the frame and the text, in px."""


def plain(raw: str) -> str:
    """Qt's raw document text as plain text: its paragraph marks become line breaks.

    Other characters stay as they are: a no-break space of the data is still one.
    """
    return raw.replace(PARAGRAPH_SEPARATOR, "\n")


class PlainTextEdit(QTextEdit):
    """Many lines of plain text.

    Copying gives text with line breaks and nothing else (no HTML, no Qt separators); pasting rich
    text inserts its plain text. Each paragraph has the base direction of its first strong letter.
    Tab leaves the field. With `lines`, the field grows from that many lines up to `max_lines`.
    `one_line`: wrapped on screen, but Enter and pasted line breaks make no new line.
    """

    edited = Signal()

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        lines: int = 0,
        max_lines: int = 0,
        read_only: bool = False,
        one_line: bool = False,
    ) -> None:
        super().__init__(parent)
        self._original = ""
        self._lines = lines
        self._max_lines = max_lines
        self._one_line = one_line
        self.setReadOnly(read_only)
        self.setAcceptRichText(False)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(MARGIN)
        if read_only:
            self.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
        if lines:
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            layout = self.document().documentLayout()
            layout.documentSizeChanged.connect(lambda _size: self._fit())
            self._fit()
        self.textChanged.connect(self.edited)

    def set_text(self, text: str) -> None:
        """Show a text; it counts as not modified."""
        self._original = text
        self.setPlainText(text)
        self.document().setModified(False)
        self._fit()

    def text(self) -> str:
        """The text, character for character; untouched text comes back exactly as it was set."""
        if not self.document().isModified():
            return self._original
        return plain(self.document().toRawText())

    def sizeHint(self) -> QSize:
        if not self._lines:
            return super().sizeHint()
        return QSize(super().sizeHint().width(), self._height())

    def minimumSizeHint(self) -> QSize:
        if not self._lines:
            return super().minimumSizeHint()
        return QSize(80, self._height())

    def createMimeDataFromSelection(self) -> QMimeData:
        data = QMimeData()
        data.setText(plain(self.textCursor().selectedText()))
        return data

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if not leave_files(event):
            super().dragEnterEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText()

    def insertFromMimeData(self, source: QMimeData) -> None:
        text = source.text().replace("\r\n", "\n").replace("\r", "\n")
        text = text.replace(PARAGRAPH_SEPARATOR, "\n").replace(LINE_SEPARATOR, "\n")
        if self._one_line:
            text = " ".join(text.split("\n"))
        self.textCursor().insertText(text)
        self.ensureCursorVisible()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._one_line and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.focusNextChild()
            return
        if event.matches(QKeySequence.StandardKey.InsertLineSeparator):
            self.textCursor().insertText("\n")
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self._fit()

    def _height(self) -> int:
        """Height in px for the text, between `lines` and `max_lines` lines."""
        line = self.fontMetrics().lineSpacing()
        margin = 2 * self.document().documentMargin()
        wanted = max(self.document().size().height(), self._lines * line + margin)
        if self._max_lines:
            wanted = min(wanted, self._max_lines * line + margin)
        around = self.contentsMargins()
        return ceil(wanted) + around.top() + around.bottom()

    def _fit(self) -> None:
        if getattr(self, "_lines", 0):
            height = self._height()
            if self.minimumHeight() != height or self.maximumHeight() != height:
                self.setFixedHeight(height)


class PlainLineEdit(QLineEdit):
    """One line of plain text: line breaks that are pasted become blanks."""

    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.textChanged.connect(self._one_line)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.left.emit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if not leave_files(event):
            super().dragEnterEvent(event)

    def _one_line(self, text: str) -> None:
        breaks = ("\r\n", "\n", "\r", PARAGRAPH_SEPARATOR, LINE_SEPARATOR)
        if any(mark in text for mark in breaks):
            for mark in breaks:
                text = text.replace(mark, " ")
            place = self.cursorPosition()
            self.setText(text)
            self.setCursorPosition(min(place, len(text)))


def copy_text(text: str) -> None:
    """Put plain text on the clipboard, in an object of Qt's own (see ui.clipboard)."""
    QApplication.clipboard().setText(text)
