"""The page Chats: chats at the left, floors in the middle, a floor and its memories at the right."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSplitter, QVBoxLayout, QWidget

from core.domain.api import Cancel, Report
from core.domain.commands import CreateMemory, NewMemory
from core.domain.commands_chat import MoveChatPointer
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.queries_chat import ChatRow, Chats
from core.domain.results import Changes, OpResult
from ui.context import Context
from ui.dialogs.folder_settings import FolderSettingsDialog
from ui.dialogs.prompts import PromptsDialog
from ui.models.chat_floors import ChatFloors
from ui.operations import Operations
from ui.read_only import needs_writing
from ui.tasks import Lane, single_shot
from ui.views.chats.chat_list import ChatList
from ui.views.chats.extract_bar import ExtractBar
from ui.views.chats.find_bar import FindBar
from ui.views.chats.floor_card import FloorCard
from ui.views.chats.floor_list import FloorList
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.state_stack import StateStack

REFRESH_AFTER_MS = 300
WIDTHS = (260, 560, 380)
NEW_TYPE = TypeId("event")
SETTING_SPLITTER = "ui.chats_splitter"


class ChatsPage(QWidget):
    """Reads a chat and says up to where it is processed. `open_memories(pks)`: show these on the page Memories;
    `open_proposal(proposal)`: show it on the page Review.
    """

    open_memories = Signal(object)
    open_proposal = Signal(int)

    def __init__(self, context: Context, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._operations = context, operations
        self._chat: ChatRow | None = None
        self._go_to: int | None = None
        self._wanted: FolderPk | None = None
        self._stale = True
        self.chats = ChatList(context)
        self.floors = ChatFloors(context, self)
        self.list = FloorList(context, self.floors)
        self.card = FloorCard(context, self.floors)
        self.finder = FindBar(context)
        self.extract = ExtractBar(context, operations, self.list.selected_floors)
        self.said = QLabel()
        self.said.setProperty("role", "small")
        self.changed_button = QPushButton()
        self.changed_button.setProperty("flat", True)
        self.pointer_button = QPushButton()
        self.floors_stack = StateStack(self.list)
        self._lay_out()
        self._connect()
        self._say()

    def _lay_out(self) -> None:
        middle = QWidget()
        middle.setProperty("surface", "base")
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        top = QHBoxLayout()
        top.setContentsMargins(12, 8, 12, 8)
        top.addWidget(self.finder)
        column.addLayout(top)
        column.addWidget(self.extract)
        column.addWidget(self.floors_stack, 1)
        bar = QWidget()
        bar.setProperty("role", "bar")
        row = FlowLayout(bar, gap=8, tail=2)
        row.setContentsMargins(12, 8, 12, 8)
        row.addWidget(self.said)
        row.addWidget(self.changed_button)
        row.addWidget(self.pointer_button)
        column.addWidget(bar)
        self.splitter = QSplitter()
        for part, stretch in ((self.chats, 0), (middle, 3), (self.card, 2)):
            self.splitter.addWidget(part)
            self.splitter.setStretchFactor(self.splitter.count() - 1, stretch)
            self.splitter.setCollapsible(self.splitter.count() - 1, False)
        saved = self._context.settings.text(SETTING_SPLITTER)
        if not (saved and self.splitter.restoreState(QByteArray.fromBase64(saved.encode("ascii")))):
            self.splitter.setSizes([self._context.theme.px(width) for width in WIDTHS])
        self.stack = StateStack(self.splitter)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.stack)

    def _connect(self) -> None:
        context = self._context
        self._timer = single_shot(self, REFRESH_AFTER_MS, self.refresh)
        context.bridge.changes.connect(self._on_changes)
        context.tr.changed.connect(self._say)
        self.chats.chosen.connect(self._show_chat)
        self.floors.listed.connect(self._on_floors)
        self.floors.failed.connect(self._fail_floors)
        self.list.chosen.connect(self._on_chosen)
        self.list.pointer_moved.connect(self._move_pointer)
        self.card.open_memories.connect(self.open_memories)
        self.card.open_proposal.connect(self.open_proposal)
        self.extract.planned.connect(self.list.set_boundaries)
        self.card.new_wanted.connect(self._make_memory)
        self.changed_button.clicked.connect(lambda: self.open_memories.emit(self.floors.marks.changed))
        self.pointer_button.clicked.connect(self._pointer_here)
        needs_writing(self._context, self.pointer_button)
        self.extract.proposed.connect(self.open_proposal)
        self.extract.settings_wanted.connect(self._ask_settings)
        self.extract.prompts_wanted.connect(lambda: PromptsDialog(context, self.window()).open())
        self.finder.asked.connect(self.list.go_to)
        self.finder.left_down.connect(self.list.setFocus)

    def save_state(self) -> None:
        """Keep what a person arranged."""
        state = bytes(self.splitter.saveState().toBase64().data()).decode("ascii")
        self._context.settings.set(SETTING_SPLITTER, state)

    # --- which chats ---

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self.refresh()

    def refresh(self) -> None:
        """Read the chats again; the current one and its place stay."""
        self._stale = False
        engine = self._context.engine
        self.stack.show_loading(self._context.tr("state.loading"))

        def ask(_progress: Report, cancel: Cancel) -> tuple[ChatRow, ...]:
            return engine.ask(Chats(), cancel=cancel)

        self._context.tasks.run(Lane.READ, ask, self._take, owner=self, query="chats", failed=self._fail)

    def go_to(self, folder: FolderPk, floor: int | None = None) -> None:
        """Show a chat, and of it a floor."""
        self._go_to, self._wanted = floor, folder
        if self.chats.row_of(folder) is not None:
            self.chats.go_to(folder)
        elif not self._stale:
            self.refresh()

    def _take(self, rows: tuple[ChatRow, ...]) -> None:
        if not rows:
            self._chat = None
            actions = self._context.actions
            tr = self._context.tr
            self.stack.show_notice(
                tr("chats.none"), tr("chats.import"), actions.get("library.import").trigger
            )
            return
        self.stack.show_content()
        self.chats.show_rows(rows, self._wanted)

    def _fail(self, error: Exception) -> None:
        tr = self._context.tr
        if self.chats.rows:
            self.stack.show_stale(tr("state.stale", reason=tr.error(error)), tr("state.again"), self.refresh)
        else:
            self.stack.show_notice(tr.error(error), tr("state.again"), self.refresh)

    def _on_changes(self, _changes: Changes) -> None:
        self._stale = True
        if self.isVisible():
            self._timer.start()

    # --- one chat ---

    def _show_chat(self, row: ChatRow) -> None:
        other = self._chat is None or self._chat.folder.pk != row.folder.pk
        self._chat, self._wanted = row, row.folder.pk
        self.list.set_pointer(row.folder.last_processed_seq)
        self.finder.show_chat(row.folder.pk)
        self.extract.show_chat(row.folder.pk)
        if other:
            self.card.show_span(None)
            self.floors_stack.show_loading(self._context.tr("state.loading"))
        self.floors.show_chat(row.folder.pk)
        self._say()

    def _on_floors(self) -> None:
        tr = self._context.tr
        if not len(self.floors.numbers):
            self.floors_stack.show_notice(tr("chats.no_floors"))
        else:
            self.floors_stack.show_content()
            self._go_on()
        self._say()

    def _go_on(self) -> None:
        """To the floor that was asked for; a chat that was not looked at yet begins at its pointer."""
        if self._go_to is not None:
            self.list.go_to(self._go_to)
        elif self.list.selected_floors() is None:
            last = self.floors.floor_at(len(self.floors.numbers) - 1)
            self.list.go_to(min(max(self.list.pointer, 0), last))
        else:
            self._on_chosen()
        self._go_to = None

    def _fail_floors(self, error: Exception) -> None:
        tr = self._context.tr
        self.floors_stack.show_notice(tr.error(error), tr("state.again"), self.floors.refresh)

    def _on_chosen(self) -> None:
        self.card.show_span(self.list.selected_floors())
        self._say()

    # --- what can be done ---

    def _pointer_here(self) -> None:
        span = self.list.selected_floors()
        if span is not None:
            self._move_pointer(span[1])

    def _move_pointer(self, floor: int) -> None:
        if self._chat is None:
            return
        was = self.list.pointer
        self._show_pointer(floor)

        def failed(error: Exception) -> None:
            self._show_pointer(was)
            self._operations.show_error(error)

        self._operations.run(MoveChatPointer(self._chat.folder.pk, floor), failed=failed)

    def _show_pointer(self, floor: int) -> None:
        self.list.set_pointer(floor)
        self._say()

    def _ask_settings(self) -> None:
        if self._chat is not None:
            FolderSettingsDialog(self._context, self._chat.folder.pk, self.window()).open()

    def _make_memory(self, text: str, first: int, last: int) -> None:
        if self._chat is None:
            return
        new = NewMemory(
            folder=self._chat.folder.pk, type=NEW_TYPE, body=text, seq=last, seq_start=first, seq_end=last
        )
        self._operations.run(CreateMemory(new), self._open_created)

    def _open_created(self, result: OpResult) -> None:
        self.open_memories.emit(tuple(MemoryPk(pk) for pk in result.created))

    # --- words ---

    def _say(self) -> None:
        tr, chat = self._context.tr, self._chat
        self.pointer_button.setText(tr("chats.pointer_here"))
        self.pointer_button.setToolTip(tr("chats.pointer_here.tip"))
        span = self.list.selected_floors()
        self.pointer_button.setEnabled(span is not None and span[1] != self.list.pointer)
        changed = len(self.floors.marks.changed)
        self.changed_button.setText(tr("chats.changed", count=changed))
        self.changed_button.setToolTip(tr("chats.changed.tip"))
        self.changed_button.setVisible(bool(changed))
        if chat is None:
            self.said.setText("")
        elif self.list.pointer < 0:
            self.said.setText(tr("chats.pointer_none", count=chat.counts.waiting))
        else:
            self.said.setText(tr("chats.pointer", floor=self.list.pointer, count=chat.counts.waiting))
        self.said.setToolTip(self.said.text())
