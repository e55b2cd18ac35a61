"""The chats of the library with their sizes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QLabel, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from core.domain.ids import FolderPk
from core.domain.queries_chat import ChatRow
from ui.context import Context
from ui.widgets.plain_text import PlainLineEdit

PK = Qt.ItemDataRole.UserRole
FILTER_FROM = 12
"""From so many chats on a field narrows the list."""


class ChatList(QWidget):
    """`chosen(ChatRow)`."""

    chosen = Signal(object)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.rows: tuple[ChatRow, ...] = ()
        self.heading = QLabel()
        self.heading.setProperty("role", "small")
        self.narrow = PlainLineEdit()
        self.narrow.setClearButtonEnabled(True)
        self.narrow.textChanged.connect(lambda _text: self._hide_others())
        self.list = QListWidget()
        self.list.setProperty("role", "versions")
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentItemChanged.connect(lambda *_: self._on_current())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(4)
        head = QVBoxLayout()
        head.setContentsMargins(12, 0, 12, 4)
        head.addWidget(self.heading)
        head.addWidget(self.narrow)
        column.addLayout(head)
        column.addWidget(self.list, 1)
        self.setProperty("surface", "base")
        context.tr.changed.connect(self._say)
        self._say()

    @property
    def current(self) -> ChatRow | None:
        """The chat that is shown."""
        at = self.list.currentRow()
        return self.rows[at] if 0 <= at < len(self.rows) else None

    def row_of(self, folder: FolderPk) -> ChatRow | None:
        """The chat of a folder, when it is listed."""
        return next((row for row in self.rows if row.folder.pk == folder), None)

    def show_rows(self, rows: Sequence[ChatRow], wanted: FolderPk | None) -> None:
        """List chats; the wanted one is current, else the first."""
        self.rows = tuple(rows)
        with QSignalBlocker(self.list):
            self.list.clear()
            for row in self.rows:
                self.list.addItem(self._item(row))
        self.narrow.setVisible(len(self.rows) >= FILTER_FROM)
        self._say_heading()
        self._hide_others()
        self.go_to(wanted)

    def go_to(self, folder: FolderPk | None) -> None:
        """Make a chat current; the first one when it is not there."""
        pks = [row.folder.pk for row in self.rows]
        if pks:
            self.list.setCurrentRow(pks.index(folder) if folder in pks else 0)
        self._on_current()

    def _item(self, row: ChatRow) -> QListWidgetItem:
        tr, counts = self._context.tr, row.counts
        parts = [tr("chats.floors_count", count=row.shared + counts.floors)]
        parts.append(tr("chats.memories", count=row.memories))
        if counts.waiting:
            parts.append(tr("chats.waiting", count=counts.waiting))
        if row.parent_name:
            parts.append(tr("chats.branch_of", name=row.parent_name, count=row.shared))
        item = QListWidgetItem(f"{row.folder.name}\n{' · '.join(parts)}")
        item.setToolTip(row.folder.name)
        item.setData(PK, row.folder.pk)
        return item

    def _hide_others(self) -> None:
        words = self.narrow.text().casefold().split() if self.narrow.isVisibleTo(self) else []
        for at, row in enumerate(self.rows):
            name = row.folder.name.casefold()
            self.list.item(at).setHidden(not all(word in name for word in words))

    def _on_current(self) -> None:
        row = self.current
        if row is not None:
            self.chosen.emit(row)

    def _say_heading(self) -> None:
        self.heading.setText(self._context.tr("chats.count", count=len(self.rows)))

    def _say(self) -> None:
        tr = self._context.tr
        self.list.setAccessibleName(tr("page.chats"))
        self.narrow.setPlaceholderText(tr("chats.narrow"))
        self.narrow.setAccessibleName(tr("chats.narrow"))
        self._say_heading()
        for at, row in enumerate(self.rows):
            self.list.item(at).setText(self._item(row).text())
