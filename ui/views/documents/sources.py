"""The file that a document came from, opened with the system's program for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from core.domain.document import PATH_JOINT, DocumentRow
from core.domain.memory import Memory
from ui.context import Context
from ui.language import isolate
from ui.tasks import Lane

Say = Callable[[str, bool], None]
"""(text, is it an error)."""


def source_path(row: DocumentRow) -> Path | None:
    """The path of a document's file, None for a typed text."""
    return Path(row.path) if row.path else None


class SourceOpener:
    """Opens files; a test may put another `launch` in its place."""

    def __init__(self, ctx: Context, said: Say) -> None:
        self._ctx, self._said = ctx, said
        self.launch = QDesktopServices.openUrl

    def open(self, row: DocumentRow, piece: Memory | None) -> None:
        """Open a document's file, and say where in it the piece stands."""
        tr, path = self._ctx.tr, source_path(row)
        if path is None:
            self._said(tr("documents.source.typed", title=isolate(row.title)), True)
            return

        def look(_progress: object, _cancel: object) -> bool:
            return path.is_file()

        def show(there: bool) -> None:
            if not there:
                self._said(tr("documents.source.missing", path=isolate(str(path))), True)
            elif not self.launch(QUrl.fromLocalFile(str(path))):
                self._said(tr("documents.source.no_program", name=isolate(path.name)), True)
            else:
                self._said(self._place(path, piece), False)

        self._ctx.tasks.run(Lane.READ, look, show, owner=self._ctx.bridge, query="source")

    def _place(self, path: Path, piece: Memory | None) -> str:
        tr, name = self._ctx.tr, isolate(path.name)
        page = piece.extra.get("page") if piece is not None else None
        headings = piece.extra.get("headings") if piece is not None else None
        if isinstance(page, int) and page:
            return tr("documents.source.page", name=name, page=page)
        if isinstance(headings, list) and headings:
            where = isolate(PATH_JOINT.join(str(each) for each in headings))
            return tr("documents.source.heading", name=name, heading=where)
        return tr("documents.source.opened", name=name)
