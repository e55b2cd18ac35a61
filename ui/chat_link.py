"""From a memory to the floor of the chat that it came from."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from core.domain.api import Cancel, Report
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import Memory
from core.domain.queries import Memories
from core.domain.queries_chat import FloorNumbers
from ui.context import Context
from ui.operations import Operations
from ui.tasks import Lane

Show = Callable[[FolderPk, int], None]


class ChatLink(QObject):
    """Leads the action `memory.in_chat` to the page Chats, or says why there is no floor to show."""

    def __init__(
        self,
        context: Context,
        operations: Operations,
        current: Callable[[], MemoryPk | None],
        show: Show,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._context, self._operations, self._current, self._show = context, operations, current, show
        context.actions.on("memory.in_chat", lambda: self.follow(self._current()))

    def follow(self, memory: MemoryPk | None) -> None:
        """Show the first floor that a memory came from."""
        if memory is None:
            return
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[FolderPk, int] | None:
            found = engine.ask(Memories((memory,)), cancel=cancel)
            floor = first_floor(found[0]) if found else None
            if floor is None or floor not in set(engine.ask(FloorNumbers(found[0].folder), cancel=cancel)):
                return None
            return found[0].folder, floor

        self._context.tasks.run(Lane.READ, ask, self._go, owner=self, query="floor of memory")

    def _go(self, place: tuple[FolderPk, int] | None) -> None:
        if place is None:
            self._operations.said.emit(self._context.tr("chats.no_floor_of_memory"), False)
        else:
            self._show(*place)


def first_floor(memory: Memory) -> int | None:
    """The first floor that a memory came from; None when it came from none."""
    floors = (memory.seq_start, memory.seq, memory.seq_end)
    return next((floor for floor in floors if floor is not None), None)
