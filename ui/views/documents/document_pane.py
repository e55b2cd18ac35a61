"""One document: its pieces drawn in its text, its versions, and what can be done with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QTabWidget, QToolButton, QVBoxLayout, QWidget

from core.domain.api import Cancel, Report
from core.domain.document import DocumentRow
from core.domain.errors import NotFound
from core.domain.folder import Document
from core.domain.ids import DocumentPk, MemoryPk
from core.domain.memory import Memory
from core.domain.queries_documents import DocumentOf, PiecesOf
from core.domain.results import Problem
from ui.context import Context
from ui.tasks import Lane
from ui.views.documents.preview import CutText, PiecesPreview, stored_cut
from ui.views.documents.versions import DocumentVersionsView
from ui.views.transfer_words import problem_text
from ui.widgets.state_stack import StateStack

ACTIONS = (
    "documents.memories",
    "documents.cut",
    "documents.open_source",
    "documents.export",
    "documents.rename",
    "documents.delete",
)
PIECES, VERSIONS = range(2)
WITH_WORDS = ("documents.memories", "documents.cut")


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A document as it was read, with its pieces in the order of the text."""

    document: Document
    cut: CutText
    memories: tuple[Memory, ...]


class DocumentPane(QWidget):
    """`open_memory(pk)`: show a piece as the memory that it is."""

    open_memory = Signal(object)

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._row: DocumentRow | None = None
        self._loaded: _Loaded | None = None
        self._piece_next: MemoryPk | None = None
        self.setProperty("surface", "base")
        self.title, self.place = QLabel(), QLabel()
        self.title.setProperty("role", "large")
        self.title.setWordWrap(True)
        self.place.setProperty("role", "small")
        self.place.setWordWrap(True)
        self.odd = QLabel()
        self.odd.setTextFormat(Qt.TextFormat.PlainText)
        self.odd.setProperty("role", "warning")
        self.odd.setWordWrap(True)
        self.odd.hide()
        self.preview = PiecesPreview(ctx)
        self.versions = DocumentVersionsView(ctx)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.preview, "")
        self.tabs.addTab(self.versions, "")
        self.tabs.currentChanged.connect(lambda _at: self._load_versions())
        self.preview.opened.connect(self._open_piece)
        self._lay_out()
        ctx.tr.changed.connect(self._say)
        self._say()
        self.show_document(None)

    def _lay_out(self) -> None:
        head = QVBoxLayout()
        head.setContentsMargins(16, 12, 16, 4)
        head.setSpacing(2)
        head.addWidget(self.title)
        head.addWidget(self.place)
        head.addWidget(self.odd)
        tools = QHBoxLayout()
        tools.setContentsMargins(0, 4, 0, 0)
        tools.setSpacing(4)
        for name in ACTIONS:
            tools.addWidget(self._tool(self._ctx.actions.get(name)))
        tools.addStretch(1)
        head.addLayout(tools)
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.tabs, 1)
        self.stack = StateStack(inner)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.stack)

    def _tool(self, action: QAction) -> QToolButton:
        button = QToolButton()
        button.setDefaultAction(action)
        button.setIconSize(self._ctx.theme.icon_size)
        if action.objectName() in WITH_WORDS:
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        return button

    @property
    def document(self) -> DocumentRow | None:
        """What is shown."""
        return self._row

    @property
    def piece(self) -> Memory | None:
        """The current piece."""
        at = self.preview.current
        if self._loaded is None or not 0 <= at < len(self._loaded.memories):
            return None
        return self._loaded.memories[at]

    def show_document(self, row: DocumentRow | None) -> None:
        """Show a document; the one that is shown already stays where it is."""
        same = row is not None and self._row is not None and row.pk == self._row.pk
        before, self._row = self._row, row
        if row is None:
            self._loaded = None
            self._ctx.tasks.drop(self, "document")
            self.stack.show_notice(self._ctx.tr("documents.choose"))
            return
        self._say()
        if same and before is not None and _looks(before) == _looks(row) and self._loaded is not None:
            return
        self._load(row.pk)
        self._load_versions()

    def show_piece(self, memory: MemoryPk) -> None:
        """Let a piece of the document stand out, as soon as it is read."""
        self._piece_next = memory
        self._go_to_piece()

    def _load(self, pk: DocumentPk) -> None:
        engine = self._ctx.engine
        self.stack.show_loading(self._ctx.tr("state.loading"))

        def ask(_progress: Report, cancel: Cancel) -> _Loaded:
            document = engine.ask(DocumentOf(pk), cancel=cancel)
            cut, memories = stored_cut(document, engine.ask(PiecesOf(pk), cancel=cancel))
            return _Loaded(document, cut, memories)

        self._ctx.tasks.run(Lane.READ, ask, self._show, owner=self, query="document", failed=self._fail)

    def _show(self, loaded: _Loaded) -> None:
        same = self._loaded is not None and self._loaded.document.pk == loaded.document.pk
        at = self.preview.current if same else -1
        self._loaded = loaded
        self.preview.show_cut(loaded.cut, at)
        self.stack.show_content()
        self._say()
        self._go_to_piece()

    def _go_to_piece(self) -> None:
        if self._piece_next is None or self._loaded is None:
            return
        at = next((at for at, piece in enumerate(self._loaded.memories) if piece.pk == self._piece_next), -1)
        if at >= 0:
            self._piece_next = None
            self.tabs.setCurrentIndex(PIECES)
            self.preview.choose(at)

    def _load_versions(self) -> None:
        if self._row is not None and self.tabs.currentIndex() == VERSIONS:
            self.versions.show_document(self._row.pk)

    def _open_piece(self, number: int) -> None:
        if self._loaded is not None and 0 <= number < len(self._loaded.memories):
            self.open_memory.emit(self._loaded.memories[number].pk)

    def _say(self) -> None:
        tr, row = self._ctx.tr, self._row
        self.tabs.setTabText(PIECES, tr("documents.pieces"))
        self.tabs.setTabText(VERSIONS, tr("documents.versions"))
        if row is None:
            return
        self.title.setText(row.title)
        parts = [row.folder_name, tr("documents.count", count=row.pieces)]
        if row.waiting:
            parts.append(tr("documents.waiting", count=row.waiting))
        if row.version > 1:
            parts.append(tr("documents.version_short", version=row.version))
        encoding = row.details.get("encoding")
        if isinstance(encoding, str) and encoding not in {"utf-8", ""}:
            parts.append(encoding)
        pages = row.details.get("pages")
        if isinstance(pages, int) and pages:
            read = row.details.get("text_pages")
            some = isinstance(read, int) and 0 < read < pages
            parts.append(tr("documents.pages_of" if some else "documents.pages", read=read, count=pages))
        parts.append(row.path or tr("documents.typed"))
        self.place.setText(" · ".join(parts))
        self.place.setToolTip(row.path)
        odd = "\n".join(problem_text(each, tr) for each in noted(row))
        self.odd.setText(odd)
        self.odd.setVisible(bool(odd))

    def _fail(self, error: Exception) -> None:
        if isinstance(error, NotFound):
            self.show_document(None)
            return
        self.stack.show_notice(self._ctx.tr.error(error))


def noted(row: DocumentRow) -> list[Problem]:
    """What was odd about the document's file when it was read."""
    kept = row.details.get("problems")
    found: list[Problem] = []
    for each in kept if isinstance(kept, list | tuple) else ():
        args = dict(each) if isinstance(each, Mapping) else {}
        if isinstance(key := args.pop("key", None), str):
            found.append(Problem(key, args))
    return found


def _looks(row: DocumentRow) -> tuple[object, ...]:
    """By which a change of pieces or text is known."""
    return (row.version, row.pieces, row.content_hash, row.characters)
