"""What the actions of the page Documents do: choose files, type a text, rename, export, open, delete."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QInputDialog, QLineEdit, QWidget

from core.domain.api import Cancel, Report
from core.domain.commands_documents import DeleteDocuments, RenameDocument
from core.domain.document import DocumentRow
from core.domain.folder import DEFAULT_FOLDER
from core.domain.ids import DocumentPk
from core.domain.memory import Memory
from core.domain.queries_documents import ExportDocuments
from core.domain.results import OpResult
from ui.context import Context
from ui.dialogs.new_text import NewTextDialog
from ui.operations import Operations
from ui.tasks import Lane
from ui.views.documents.sources import SourceOpener


class DocumentDoing:
    """Each does one thing with documents; what it did is said by the operations."""

    def __init__(self, ctx: Context, operations: Operations, page: QWidget) -> None:
        self._ctx, self._operations, self._page = ctx, operations, page
        self.sources = SourceOpener(ctx, operations.said.emit)
        self._renaming: QInputDialog | None = None

    def choose_files(self) -> tuple[Path, ...]:
        """Files that a person picks."""
        names, _ = QFileDialog.getOpenFileNames(
            self._page.window(), self._ctx.tr("action.documents.add_files"), str(Path.home())
        )
        return tuple(Path(name) for name in names)

    def choose_folder(self) -> tuple[Path, ...]:
        """A directory that a person picks."""
        name = QFileDialog.getExistingDirectory(
            self._page.window(), self._ctx.tr("action.documents.add_folder"), str(Path.home())
        )
        return (Path(name),) if name else ()

    def new_text(self, then: Callable[[DocumentPk], None]) -> None:
        """Type or paste a text; `then` shows the document that it became."""
        dialog = NewTextDialog(self._ctx, DEFAULT_FOLDER, self._page.window())

        def done(result: OpResult) -> None:
            if result.document is not None:
                then(result.document)
            if result.counts.get("same"):
                self._operations.said.emit(self._ctx.tr("documents.same"), False)

        dialog.on_done(done)
        dialog.open()

    def rename(self, row: DocumentRow | None) -> None:
        """Ask for another title."""
        if row is None:
            return
        tr = self._ctx.tr
        dialog = QInputDialog(self._page.window())
        dialog.setWindowTitle(tr("action.documents.rename"))
        dialog.setLabelText(tr("documents.rename.label"))
        dialog.setTextEchoMode(QLineEdit.EchoMode.Normal)
        dialog.setTextValue(row.title)
        dialog.textValueSelected.connect(
            lambda title: self._operations.run(RenameDocument(document=row.pk, title=title))
        )
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        self._renaming = dialog

    def delete(self, rows: tuple[DocumentRow, ...]) -> None:
        """Remove documents with their pieces; undo brings them back."""
        if rows:
            self._operations.run(DeleteDocuments(documents=tuple(row.pk for row in rows)))

    def open_source(self, row: DocumentRow | None, piece: Memory | None) -> None:
        """Open the file that a document came from."""
        if row is not None:
            self.sources.open(row, piece)

    def export(self, rows: tuple[DocumentRow, ...]) -> None:
        """Ask for a directory and write the texts there."""
        tr = self._ctx.tr
        if not rows:
            return
        name = QFileDialog.getExistingDirectory(
            self._page.window(), tr("action.documents.export"), str(Path.home())
        )
        if name:
            self.export_to(rows, Path(name))

    def export_to(self, rows: tuple[DocumentRow, ...], directory: Path) -> None:
        """Write the texts of documents to a directory."""
        engine, tr = self._ctx.engine, self._ctx.tr
        query = ExportDocuments(documents=tuple(row.pk for row in rows), directory=directory)

        def work(_progress: Report, cancel: Cancel) -> tuple[Path, ...]:
            return engine.ask(query, cancel=cancel)

        def said(paths: tuple[Path, ...]) -> None:
            text = tr("documents.exported", count=len(paths), path=str(directory))
            self._operations.said.emit(text, False)

        self._ctx.tasks.run(
            Lane.READ, work, said, owner=self._page, failed=self._operations.show_error, label="task.export"
        )
