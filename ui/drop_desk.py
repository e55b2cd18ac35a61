"""Where dropped files go: one document into the queue, one memory file to the import, more to the sorting sheet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from core.domain.api import Cancel, Report
from core.domain.document import FoundFiles
from core.domain.folder import DEFAULT_FOLDER
from core.domain.queries_documents import FindDocuments, QueueFiles
from core.domain.queries_drop import DropKind, SortedFile, SortFiles
from ui.context import Context
from ui.dialogs.sorting import SortingSheet
from ui.language import isolate
from ui.operations import Operations
from ui.tasks import Lane
from ui.views.transfer_words import problem_text

Found = tuple[FoundFiles, SortedFile | None]


class DropDesk(QObject):
    """`import_wanted(path)`: a single memory file; `queued`: something went into the queue."""

    import_wanted = Signal(object)
    queued = Signal()

    def __init__(
        self, context: Context, operations: Operations, folder: Callable[[], str], window: QWidget
    ) -> None:
        super().__init__(window)
        self._context, self._operations = context, operations
        self._folder, self._window = folder, window

    def take(self, paths: tuple[Path, ...], *, sheet: bool = False) -> None:
        """Look into files and directories. `sheet`: a single document gets the sheet too."""
        engine = self._context.engine

        def look(_progress: Report, cancel: Cancel) -> Found:
            found = engine.ask(FindDocuments(paths), cancel=cancel)
            single = len(found.files) == 1 and not found.left_out
            first = engine.ask(SortFiles(found.files), cancel=cancel)[0] if single else None
            return found, first

        self._context.tasks.run(
            Lane.READ,
            look,
            lambda answer: self._go(answer, paths, sheet=sheet),
            owner=self,
            failed=self._operations.show_error,
            label="task.looking",
        )

    def _go(self, answer: Found, paths: tuple[Path, ...], *, sheet: bool) -> None:
        found, single = answer
        tr = self._context.tr
        if not found.files:
            text = problem_text(found.left_out[0], tr) if found.left_out else ""
            name = isolate(paths[0].name)
            self._operations.said.emit(text or tr("drop.nothing", name=name), True)
        elif single is None or (sheet and single.sort is DropKind.DOCUMENTS):
            self._open_sheet(found)
        elif single.sort is DropKind.DOCUMENTS:
            self._queue(single)
        elif single.sort.imports:
            self.import_wanted.emit(single.path)
        elif single.problem is not None:
            self._operations.said.emit(problem_text(single.problem, tr), True)

    def _open_sheet(self, found: FoundFiles) -> None:
        dialog = SortingSheet(self._context, found, self._folder() or DEFAULT_FOLDER, self._window.window())
        dialog.started.connect(lambda _count: self.queued.emit())
        dialog.open()

    def _queue(self, file: SortedFile) -> None:
        engine, folder = self._context.engine, self._folder() or DEFAULT_FOLDER

        def work(_progress: Report, cancel: Cancel) -> int:
            return len(engine.ask(QueueFiles(paths=(file.path,), folder=folder), cancel=cancel).rows)

        def done(_count: int) -> None:
            self._operations.said.emit(
                self._context.tr("drop.queued", name=isolate(file.path.name), folder=isolate(folder)), False
            )
            self.queued.emit()

        self._context.tasks.run(
            Lane.WRITE, work, done, owner=self, failed=self._operations.show_error, label="task.queueing"
        )
