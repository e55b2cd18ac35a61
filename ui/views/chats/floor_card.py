"""Beside the floors: the whole text of what is selected, and the memories that came from it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.folder import Message
from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries import MemoryRows
from core.domain.queries_chat import FloorsOf
from core.domain.results import MemoryRow
from ui.context import Context
from ui.models.chat_floors import ChatFloors
from ui.models.table_columns import title_of
from ui.read_only import needs_writing
from ui.tasks import Lane
from ui.views.chats.floor_delegate import speaker
from ui.widgets.fold import Fold
from ui.widgets.plain_text import PlainTextEdit

PK = Qt.ItemDataRole.UserRole
MOST_FLOORS = 200
"""So many floors are shown whole at once."""
MOST_MEMORIES = 500


class FloorCard(QWidget):
    """`open_memories(pks)`; `new_wanted(text, first floor, last floor)`: make a memory of that text;
    `open_proposal(proposal)`: what waits for a decision about these floors.
    """

    open_memories = Signal(tuple)
    new_wanted = Signal(str, int, int)
    open_proposal = Signal(int)

    def __init__(self, context: Context, floors: ChatFloors, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._floors = context, floors
        self.span: tuple[int, int] | None = None
        self.messages: tuple[Message, ...] = ()
        self._rows: tuple[MemoryRow, ...] = ()
        tr = context.tr
        self.title = QLabel()
        self.title.setProperty("role", "heading")
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.title.setWordWrap(True)
        self.text = PlainTextEdit(read_only=True)
        self.text.setProperty("role", "reading")
        self.thinking = Fold(context.theme, tr("chats.thinking"))
        self.thinking_text = PlainTextEdit(read_only=True, lines=3, max_lines=10)
        self.thinking.column.addWidget(self.thinking_text)
        self.others = Fold(context.theme, tr("chats.alternatives"))
        self.others_text = PlainTextEdit(read_only=True, lines=3, max_lines=10)
        self.others.column.addWidget(self.others_text)
        self.made = QLabel()
        self.made.setProperty("role", "small")
        self.made.setWordWrap(True)
        self.proposal_button = QPushButton()
        self.proposal_button.setProperty("flat", True)
        self.proposal_button.clicked.connect(self._open_proposal)
        self.list = QListWidget()
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemActivated.connect(lambda item: self.open_memories.emit((item.data(PK),)))
        self.open_button = QPushButton()
        self.open_button.clicked.connect(self._open_all)
        self.new_button = QPushButton()
        self.new_button.clicked.connect(self._make_memory)
        needs_writing(self._context, self.new_button)
        self._lay_out()
        floors.marked.connect(self._show_memories)
        tr.changed.connect(self._say)
        context.theme.changed.connect(self._show_icons)
        self._say()
        self.show_span(None)

    def _lay_out(self) -> None:
        upper = QWidget()
        up = QVBoxLayout(upper)
        up.setContentsMargins(16, 12, 16, 8)
        up.setSpacing(6)
        for part in (self.title, self.text, self.thinking, self.others):
            up.addWidget(part, 1 if part is self.text else 0)
        lower = QWidget()
        low = QVBoxLayout(lower)
        low.setContentsMargins(0, 8, 0, 0)
        low.setSpacing(4)
        head = QHBoxLayout()
        head.setContentsMargins(16, 0, 16, 0)
        head.addWidget(self.made, 1)
        head.addWidget(self.proposal_button)
        low.addLayout(head)
        low.addWidget(self.list, 1)
        bar = QWidget()
        bar.setProperty("role", "bar")
        row = QHBoxLayout(bar)
        row.setContentsMargins(16, 8, 16, 8)
        row.addWidget(self.new_button)
        row.addStretch(1)
        row.addWidget(self.open_button)
        low.addWidget(bar)
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.addWidget(upper)
        self.splitter.addWidget(lower)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.splitter)
        self.setProperty("surface", "base")

    def show_span(self, span: tuple[int, int] | None) -> None:
        """Show floors, first and last; None when nothing is selected."""
        self.span = span
        folder = self._floors.folder
        if span is None or folder is None:
            self._show_messages(())
            return
        engine, query = self._context.engine, FloorsOf(FolderPk(folder), span[0], span[1] + 1)

        def ask(_progress: Report, cancel: Cancel) -> tuple[Message, ...]:
            return engine.ask(query, cancel=cancel)

        self._context.tasks.run(Lane.READ, ask, self._show_messages, owner=self, query="floor")

    def _show_messages(self, messages: tuple[Message, ...]) -> None:
        self.messages = messages
        self._say_title()
        shown = messages[:MOST_FLOORS]
        if len(messages) == 1:
            self.text.set_text(messages[0].text)
        else:
            said = [f"#{each.seq} {speaker(self._context, each)}\n{each.text}" for each in shown]
            self.text.set_text("\n\n".join(said))
        self.text.setPlaceholderText("" if messages else self._context.tr("chats.choose_floor"))
        self._show_folds(messages[0] if len(messages) == 1 else None)
        self.new_button.setEnabled(bool(messages))
        self._show_memories()

    def _show_folds(self, message: Message | None) -> None:
        thinking = message.extra.get("thinking") if message is not None else None
        self.thinking.setVisible(isinstance(thinking, str))
        self.thinking_text.set_text(thinking if isinstance(thinking, str) else "")
        swipes = message.extra.get("swipes") if message is not None else None
        texts = [each for each in swipes if isinstance(each, str)] if isinstance(swipes, list) else []
        others = [each for each in texts if message is not None and each.strip() != message.text.strip()]
        self.others.setVisible(bool(others))
        self.others.note.setText(self._context.tr("chats.alternatives_count", count=len(others)))
        self.others_text.set_text("\n\n— — —\n\n".join(others))

    # --- memories ---

    def _show_memories(self) -> None:
        pks = () if self.span is None else self._floors.memories_of(*self.span)
        if not pks:
            self._take_rows(())
            return
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[MemoryRow, ...]:
            return engine.ask(MemoryRows(pks[:MOST_MEMORIES]), cancel=cancel)

        self._context.tasks.run(Lane.READ, ask, self._take_rows, owner=self, query="memories")

    def _take_rows(self, rows: Sequence[MemoryRow]) -> None:
        self._rows = tuple(rows)
        theme = self._context.theme
        self.list.clear()
        for row in rows:
            item = QListWidgetItem(theme.type_icon(row.type), title_of(row))
            item.setToolTip(row.snippet)
            item.setData(PK, row.pk)
            self.list.addItem(item)
        self._say_made()

    def _show_icons(self) -> None:
        """Icons in the colours of the present scheme."""
        for at, row in enumerate(self._rows):
            self.list.item(at).setIcon(self._context.theme.type_icon(row.type))

    def _open_all(self) -> None:
        current = self.list.selectedItems()
        chosen = [item.data(PK) for item in current] or [row.pk for row in self._rows]
        self.open_memories.emit(tuple(MemoryPk(pk) for pk in chosen))

    def _open_proposal(self) -> None:
        proposed = () if self.span is None else self._floors.proposed_of(*self.span)
        if proposed:
            self.open_proposal.emit(proposed[0].proposal)

    def _make_memory(self) -> None:
        if self.messages:
            text = self.text.textCursor().selection().toPlainText() or self.text.text()
            self.new_wanted.emit(text, self.messages[0].seq, self.messages[-1].seq)

    # --- words ---

    def _say_title(self) -> None:
        tr = self._context.tr
        if not self.messages:
            self.title.setText("")
        elif len(self.messages) == 1:
            only = self.messages[0]
            parts = [f"#{only.seq}", speaker(self._context, only)]
            if only.sent_at is not None:
                parts.append(tr.exact(only.sent_at))
            self.title.setText("  ·  ".join(parts))
        else:
            first, last = self.messages[0].seq, self.messages[-1].seq
            text = tr("chats.span", first=first, last=last, count=len(self.messages))
            if len(self.messages) > MOST_FLOORS:
                text += "  ·  " + tr("chats.span_cut", count=MOST_FLOORS)
            self.title.setText(text)
        self.title.setVisible(bool(self.messages))

    def _say_made(self) -> None:
        tr, count = self._context.tr, len(self._rows)
        key = "chats.made_here" if count else "chats.made_here.none"
        self.made.setText(tr(key, count=count) if self.span is not None else "")
        self.open_button.setEnabled(bool(count))
        self.open_button.setToolTip("" if count else self.made.text())
        proposed = () if self.span is None else self._floors.proposed_of(*self.span)
        self.proposal_button.setVisible(bool(proposed))
        self.proposal_button.setText(tr("chats.proposed_here", count=sum(each.waiting for each in proposed)))

    def _say(self) -> None:
        tr = self._context.tr
        self.text.setAccessibleName(tr("chats.text"))
        self.list.setAccessibleName(tr("chats.made"))
        self.thinking.rename(tr("chats.thinking"))
        self.others.rename(tr("chats.alternatives"))
        self.open_button.setText(tr("chats.open"))
        self.new_button.setText(tr("chats.new_memory"))
        self.new_button.setToolTip(tr("chats.new_memory.tip"))
        self._say_title()
        self._say_made()
