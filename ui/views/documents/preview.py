"""Pieces and the text that they were cut from, side by side: each leads to the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QLabel, QListView, QSplitter, QVBoxLayout, QWidget

from core.domain.document import PATH_JOINT, DocumentPiece
from core.domain.folder import Document
from core.domain.memory import Memory
from ui.context import Context
from ui.widgets.pieces_text import PiecesText, Span

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
_HEADINGS, _PAGE = "headings", "page"


@dataclass(frozen=True, slots=True)
class ShownPiece:
    """A piece as the list shows it; `place` says where it stands (page, headings)."""

    title: str
    chars: int
    start: int
    end: int
    page: int = 0
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CutText:
    """A text and its pieces, in the order of the text."""

    text: str
    pieces: tuple[ShownPiece, ...]


def cut_of(text: str, pieces: Sequence[DocumentPiece]) -> CutText:
    """Pieces as they would be stored."""
    shown = [
        ShownPiece(piece.title, len(piece.body), piece.start, piece.end, piece.page, piece.path)
        for piece in pieces
    ]
    return CutText(text, tuple(sorted(shown, key=lambda piece: piece.start)))


def stored_cut(document: Document, pieces: Sequence[Memory]) -> tuple[CutText, tuple[Memory, ...]]:
    """Pieces of the library, and their memories in the same order.

    A document that came without its text shows its pieces one after the other.
    """
    if not document.text:
        return _joined(pieces)
    placed = sorted(pieces, key=lambda piece: (piece.span_start or 0, piece.pk))
    return CutText(document.text, tuple(_stored(piece) for piece in placed)), tuple(placed)


def _stored(piece: Memory) -> ShownPiece:
    path, page = piece.extra.get(_HEADINGS), piece.extra.get(_PAGE)
    return ShownPiece(
        piece.title,
        len(piece.body),
        piece.span_start or 0,
        piece.span_end or 0,
        page if isinstance(page, int) else 0,
        tuple(str(each) for each in path) if isinstance(path, list) else (),
    )


def _joined(pieces: Sequence[Memory]) -> tuple[CutText, tuple[Memory, ...]]:
    text, shown = "", []
    for piece in pieces:
        shown.append(ShownPiece(piece.title, len(piece.body), len(text), len(text) + len(piece.body)))
        text += piece.body + "\n\n"
    return CutText(text, tuple(shown)), tuple(pieces)


class _Pieces(QAbstractListModel):
    """Number, title and size of each piece."""

    def __init__(self, ctx: Context, parent: QWidget) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self.pieces: tuple[ShownPiece, ...] = ()

    def show(self, pieces: tuple[ShownPiece, ...]) -> None:
        """Show these pieces."""
        self.beginResetModel()
        self.pieces = pieces
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.pieces)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        piece, tr = self.pieces[index.row()], self._ctx.tr
        if role == Qt.ItemDataRole.DisplayRole:
            title = piece.title or tr("pieces.untitled")
            return tr("pieces.row", number=index.row() + 1, title=title, chars=tr.number(piece.chars))
        if role == Qt.ItemDataRole.ToolTipRole:
            return place_words(piece, self._ctx)
        return None


def place_words(piece: ShownPiece, ctx: Context) -> str:
    """Where a piece stands: page, headings, characters."""
    tr = ctx.tr
    parts = [tr("pieces.page", page=piece.page)] if piece.page else []
    if piece.path:
        parts.append(PATH_JOINT.join(piece.path))
    parts.append(tr("pieces.span", start=tr.number(piece.start + 1), end=tr.number(piece.end)))
    return " · ".join(parts)


class PiecesPreview(QWidget):
    """`chosen(number)`: another piece is the current one; `opened(number)`: a double click on a piece."""

    chosen = Signal(int)
    opened = Signal(int)

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._cut = CutText("", ())
        self.text = PiecesText(ctx.theme)
        self.model = _Pieces(ctx, self)
        self.list = QListView()
        self.list.setModel(self.model)
        self.list.setUniformItemSizes(True)
        self.list.setProperty("role", "pieces")
        self.said = QLabel()
        self.said.setProperty("role", "small")
        self.said.setWordWrap(True)
        self.said.setContentsMargins(12, 4, 12, 4)
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.addWidget(self.text)
        split.addWidget(self.list)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(split, 1)
        column.addWidget(self.said)
        self.text.clicked.connect(self.choose)
        self.list.selectionModel().currentChanged.connect(lambda now, _old: self._on_row(now.row()))
        self.list.activated.connect(lambda index: self.opened.emit(index.row()))
        ctx.tr.changed.connect(self._say)
        self._say()

    @property
    def cut(self) -> CutText:
        """What is shown."""
        return self._cut

    @property
    def current(self) -> int:
        """The current piece, -1 = none."""
        return self.list.currentIndex().row()

    def show_cut(self, cut: CutText, current: int = -1) -> None:
        """Show a text and its pieces."""
        self._cut = cut
        self.model.show(cut.pieces)
        spans = [Span(piece.start, piece.end) for piece in cut.pieces]
        self.text.show_text(cut.text, spans, current)
        if 0 <= current < len(spans):
            self.list.setCurrentIndex(self.model.index(current))
        self._say()

    def choose(self, number: int) -> None:
        """Make a piece the current one."""
        self.list.setCurrentIndex(self.model.index(number))

    def _on_row(self, number: int) -> None:
        if number >= 0:
            self.text.show_piece(number)
            self._say()
            self.chosen.emit(number)

    def _say(self) -> None:
        tr, pieces = self._ctx.tr, self._cut.pieces
        self.text.setAccessibleName(tr("pieces.text"))
        self.list.setAccessibleName(tr("pieces.list"))
        parts = []
        if pieces:
            sizes = [piece.chars for piece in pieces]
            parts.append(
                tr("pieces.sizes", count=len(pieces), least=tr.number(min(sizes)), most=tr.number(max(sizes)))
            )
        if 0 <= self.current < len(pieces):
            parts.append(place_words(pieces[self.current], self._ctx))
        if self.text.is_part:
            parts.append(tr("pieces.part"))
        self.said.setText("   ".join(parts))
        self.said.setVisible(bool(parts))
