"""The page Documents and the rest of the window: drops, the queue's worker, ways to and from the page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from core.domain.document import DocumentRow
from core.domain.ids import DocumentPk
from ui.context import Context
from ui.drop_desk import DropDesk
from ui.operations import Operations
from ui.queue_worker import queue_worker
from ui.tasks import single_shot

if TYPE_CHECKING:
    from ui.views.documents.page import DocumentsPage

RESUME_MS = 1500
"""When a queue that was left is gone on with: the list and its counts come first."""
ADDS = ("documents.add_files", "documents.add_folder", "documents.new_text")


class DocumentsLink(QObject):
    """Owns what the page needs also while it is not shown.

    `import_wanted(path)`: a memory file is to be looked into; `dropped`: something came into the queue;
    `pieces_wanted(document, title)`: list the pieces of a document.
    """

    import_wanted = Signal(object)
    dropped = Signal()
    pieces_wanted = Signal(object, str)

    def __init__(
        self,
        context: Context,
        operations: Operations,
        folder: Callable[[], str],
        show_page: Callable[[], DocumentsPage],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._show_page = show_page
        self.worker = queue_worker(context)
        self.drops = DropDesk(context, operations, folder, parent)
        self.drops.import_wanted.connect(self.import_wanted)
        self.drops.queued.connect(self._on_queued)
        self._resume = single_shot(self, RESUME_MS, self.worker.look)
        for name in ADDS:
            context.actions.on(name, partial(self._show_and_do, context, name))

    def start(self) -> None:
        """Go on with the queue where it was left."""
        self._resume.start()

    def made(self, page: DocumentsPage) -> None:
        """The page was made: connect it."""
        page.files_wanted.connect(lambda paths: self.drops.take(paths, sheet=True))
        page.import_wanted.connect(self.import_wanted)
        page.memories_wanted.connect(self._on_memories)
        page.came.connect(self._show_page)

    def take(self, paths: tuple[Path, ...]) -> None:
        """Files were dropped on the window."""
        self.drops.take(paths)

    def show_document(self, document: DocumentPk) -> None:
        """Show a document on its page."""
        self._show_page().go_to(document)

    def close(self) -> None:
        """Stop working on the queue; what was not finished waits."""
        self._resume.stop()
        self.worker.close()

    def _on_queued(self) -> None:
        self._show_page()
        self.worker.look()
        self.dropped.emit()

    def _on_memories(self, row: DocumentRow) -> None:
        self.pieces_wanted.emit(row.pk, row.title)

    def _show_and_do(self, context: Context, name: str) -> None:
        """The page's own handler takes over as soon as the page is made."""
        self._show_page()
        context.actions.get(name).trigger()
