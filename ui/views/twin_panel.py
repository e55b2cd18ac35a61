"""Shown when a new memory says nearly the same as one that is there: merge it in, or create it anyway."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from core.domain.ids import MemoryPk
from core.domain.results import MemoryRow, Neighbour, NoveltyReport
from ui.context import Context
from ui.views.merge.cells import plain_label
from ui.views.naming import name_of, shorten

MOST_SHOWN = 3


class TwinPanel(QFrame):
    """`merge_wanted` and `create_wanted`: what the person decided about the nearest memory (`twin`)."""

    merge_wanted = Signal()
    create_wanted = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.twin: Neighbour | None = None
        self.setProperty("role", "clash")
        self.text, self.others = plain_label(""), plain_label("", "secondary")
        self.merge_button, self.create_button = QPushButton(), QPushButton()
        self.merge_button.setProperty("primary", "true")
        self.merge_button.clicked.connect(self.merge_wanted)
        self.create_button.clicked.connect(self.create_wanted)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.merge_button)
        buttons.addWidget(self.create_button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 12)
        column.setSpacing(8)
        column.addWidget(self.text)
        column.addWidget(self.others)
        column.addLayout(buttons)
        self.hide()

    def show_report(self, report: NoveltyReport, rows: dict[MemoryPk, MemoryRow]) -> None:
        """Say how new the text is, and what is nearest."""
        tr = self._context.tr
        named = [(near, rows[near.pk]) for near in report.neighbours if near.pk in rows][:MOST_SHOWN]
        self.twin = named[0][0] if named else None
        if not named:
            self.hide()
            return
        titles = [shorten(name_of(row.title or row.snippet, tr)) for _, row in named]
        self.text.setText(tr("twin.said", title=titles[0], novelty=f"{report.novelty:.2f}"))
        near = [f"{title} ({each.cosine:.2f})" for title, (each, _) in zip(titles, named, strict=True)]
        self.others.setText(tr("twin.nearest", titles=" · ".join(near)))
        self.merge_button.setText(tr("twin.merge"))
        self.merge_button.setToolTip(tr("twin.merge.tip"))
        self.create_button.setText(tr("twin.create"))
        self.show()
        self.merge_button.setFocus()

    def forget(self) -> None:
        """Nothing is to be decided."""
        self.twin = None
        self.hide()
