"""Shown above a memory that was just made: how new its text is, and which memories are nearest."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from core.domain.ids import MemoryPk
from core.domain.results import MemoryRow, NoveltyReport
from ui.context import Context
from ui.views.naming import name_of, shorten

MOST_SHOWN = 3
ICON_GAP_PX = 16
TITLE_CHARS = 120


class NoveltyStrip(QWidget):
    """`open_memory(pk)`: one of the nearest is to be shown. It goes away with the memory, or when it is closed."""

    open_memory = Signal(int)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._pk: MemoryPk | None = None
        self.setProperty("role", "strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.text = QLabel()
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setWordWrap(True)
        self.close_button = QToolButton()
        self.close_button.setAutoRaise(True)
        self.close_button.clicked.connect(self.hide)
        self._rows = QVBoxLayout()
        self._rows.setSpacing(0)
        self.nearest: list[NearRow] = []
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.text, 1)
        head.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 6, 8, 8)
        column.setSpacing(4)
        column.addLayout(head)
        column.addLayout(self._rows)
        context.theme.bind(self, self._look)
        self.hide()

    def _look(self) -> None:
        tr, theme = self._context.tr, self._context.theme
        self.close_button.setIcon(theme.icon("mdi6.close", "secondary"))
        self.close_button.setToolTip(tr("dialog.close"))
        self.close_button.setAccessibleName(tr("dialog.close"))

    def show_report(self, pk: MemoryPk, report: NoveltyReport, rows: dict[MemoryPk, MemoryRow]) -> None:
        """Say how new the text of a memory was when it was made."""
        tr = self._context.tr
        self._pk = pk
        named = [(near, rows[near.pk]) for near in report.neighbours if near.pk in rows][:MOST_SHOWN]
        key = "novelty.said" if named else "novelty.alone"
        self.text.setText(tr(key, novelty=f"{report.novelty:.2f}"))
        self.text.setToolTip(tr("novelty.tip", cutoff=f"{report.cutoff:.2f}"))
        self.setAccessibleName(self.text.text())
        for old in self.nearest:
            self._rows.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.nearest = []
        for near, row in named:
            title = name_of(row.title or row.snippet, tr)
            button = NearRow(f"{near.cosine:.2f}  {shorten(title, TITLE_CHARS)}")
            button.setIcon(self._context.theme.type_icon(row.type))
            button.setIconSize(self._context.theme.icon_size)
            button.setToolTip(f"{title}\n{tr('novelty.near.tip', cosine=f'{near.cosine:.2f}')}")
            button.clicked.connect(lambda _checked=False, near=near.pk: self.open_memory.emit(int(near)))
            self._rows.addWidget(button)
            self.nearest.append(button)
        self.show()

    def show_memory(self, pk: MemoryPk | None) -> None:
        """Another memory is shown: nothing is to be said of it."""
        if pk != self._pk:
            self._pk = None
            self.hide()


class NearRow(QToolButton):
    """One of the nearest memories on a line, cut at its end where it is too long."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._whole = text
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = (
            self.width() - self.iconSize().width() - 2 * self.fontMetrics().averageCharWidth() - ICON_GAP_PX
        )
        self.setText(self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, room))
