"""What a part was made from: the floors of its group, or the memories that it sums up."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from core.domain.api import Cancel, Report
from core.domain.folder import Message
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import Memory
from core.domain.proposal import CreatePart, PartView, ProposalView
from core.domain.queries import Memories
from core.domain.queries_chat import FloorsOf
from core.domain.queries_upkeep import LostDetails
from core.domain.upkeep import Lost
from ui.context import Context
from ui.tasks import Lane
from ui.widgets.plain_text import PlainTextEdit
from ui.widgets.state_stack import StateStack

MOST_FLOORS = 400


@dataclass(frozen=True, slots=True)
class _Sums:
    memories: tuple[Memory, ...]
    lost: tuple[Lost, ...]


class SourcePane(QWidget):
    """Shows texts that cannot be changed here. What a summary lost is underlined in them."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._key: object = None
        self.setProperty("surface", "base")
        self.heading = QLabel()
        self.heading.setProperty("role", "section")
        self.hint = QLabel()
        self.hint.setProperty("role", "small")
        self.hint.setWordWrap(True)
        self.text = PlainTextEdit(read_only=True)
        self.stack = StateStack(self.text)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 8, 16, 8)
        column.setSpacing(4)
        column.addWidget(self.heading)
        column.addWidget(self.hint)
        column.addWidget(self.stack, 1)

    def show_source(self, view: ProposalView, part: PartView | None) -> bool:
        """Show where a part comes from; False when nothing is known of that."""
        found = None if part is None else part.part
        if isinstance(found, CreatePart) and found.sums:
            self._show_sums(found)
            return True
        group = next((each for each in view.proposal.groups if found and each.key == found.group), None)
        if group is None or group.start is None or view.proposal.folder is None:
            return False
        end = group.start if group.end is None else group.end
        self._show_floors(view.proposal.folder, group.start, end, found)
        return True

    # --- floors ---

    def _show_floors(self, folder: FolderPk, start: int, end: int, part: object) -> None:
        tr, engine = self._context.tr, self._context.engine
        key = "proposal.floors" if end != start else "proposal.from_floor"
        self.heading.setText(tr(key, start=start, end=end))
        self.hint.setVisible(False)
        floor = getattr(part, "seq", None)
        if self._key == (folder, start, end):
            self._go_to(floor)
            return
        self._key = (folder, start, end)
        query = FloorsOf(folder, start, min(end, start + MOST_FLOORS) + 1)
        self.stack.show_loading(tr("state.loading"))

        def ask(_progress: Report, cancel: Cancel) -> tuple[Message, ...]:
            return engine.ask(query, cancel=cancel)

        self._context.tasks.run(
            Lane.READ,
            ask,
            lambda floors: self._take_floors(floors, floor),
            owner=self,
            query="source",
            failed=self._fail,
        )

    def _take_floors(self, floors: tuple[Message, ...], floor: int | None) -> None:
        tr = self._context.tr
        self.text.setAccessibleName(self.heading.text())
        if not floors:
            self.stack.show_notice(tr("proposal.floors.none"))
            return
        self.stack.show_content()
        self.text.set_text("")
        cursor, bold = QTextCursor(self.text.document()), QTextCharFormat()
        bold.setFontWeight(600)
        for number, message in enumerate(floors):
            name = message.name or tr(f"role.{message.role.value}")
            cursor.insertText(
                ("\n\n" if number else "") + tr("proposal.floor", floor=message.seq, name=name), bold
            )
            cursor.insertText(f"\n{message.text}", QTextCharFormat())
        self._go_to(floor)

    def _go_to(self, floor: int | None) -> None:
        self.text.moveCursor(QTextCursor.MoveOperation.Start)
        if floor is not None:
            found = self.text.document().find(f"#{floor} ")
            if not found.isNull():
                self.text.moveCursor(QTextCursor.MoveOperation.End)
                found.clearSelection()
                self.text.setTextCursor(found)
                self.text.ensureCursorVisible()

    # --- what is summed up ---

    def _show_sums(self, part: CreatePart) -> None:
        tr, engine = self._context.tr, self._context.engine
        pks = tuple(MemoryPk(end) for end in part.sums if isinstance(end, int))
        self.heading.setText(tr("proposal.sums", count=len(pks)))
        self._key = None
        said = "\n".join((part.title, part.body, *(str(value) for value in part.fields.values())))
        self.stack.show_loading(tr("state.loading"))

        def ask(_progress: Report, cancel: Cancel) -> _Sums:
            lost = engine.ask(LostDetails(memories=pks, summary=said), cancel=cancel)
            return _Sums(engine.ask(Memories(pks), cancel=cancel), lost)

        self._context.tasks.run(
            Lane.READ, ask, self._take_sums, owner=self, query="source", failed=self._fail
        )

    def _take_sums(self, sums: _Sums) -> None:
        tr, theme = self._context.tr, self._context.theme
        self.stack.show_content()
        self.text.set_text("")
        self.text.setAccessibleName(self.heading.text())
        plain, bold, gone = QTextCharFormat(), QTextCharFormat(), QTextCharFormat()
        bold.setFontWeight(600)
        gone.setFontUnderline(True)
        gone.setUnderlineColor(theme.color("danger"))
        gone.setBackground(theme.color("diff_gone"))
        cursor, count = QTextCursor(self.text.document()), 0
        for number, memory in enumerate(sums.memories):
            cursor.insertText(("\n\n" if number else "") + memory.named, bold)
            cursor.insertText("\n", plain)
            spans = [each for each in sums.lost if each.memory == memory.pk]
            at = 0
            for span in spans:
                cursor.insertText(memory.body[at : span.start], plain)
                cursor.insertText(memory.body[span.start : span.end], gone)
                at, count = span.end, count + 1
            cursor.insertText(memory.body[at:], plain)
        self.text.moveCursor(QTextCursor.MoveOperation.Start)
        self.hint.setText(tr("proposal.lost", count=count) if count else tr("proposal.lost.none"))
        self.hint.setVisible(True)

    def _fail(self, error: Exception) -> None:
        self._key = None
        self.stack.show_notice(self._context.tr.error(error))
        self.hint.setVisible(False)
