"""The strip above a memory that says what it was merged into, or what was merged into it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from core.domain.api import Cancel, Report
from core.domain.ids import MemoryPk
from core.domain.queries_merge import MergedMemory, MergesOf
from ui.context import Context
from ui.read_only import needs_writing
from ui.tasks import Lane
from ui.views.naming import name_of, shorten

MOST_TITLES = 4


class MergedStrip(QWidget):
    """`open_memory(pk)`: the survivor is to be shown; `unmerge_wanted(pks)`: take these out."""

    open_memory = Signal(int)
    unmerge_wanted = Signal(object)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._pk: MemoryPk | None = None
        self._found: tuple[MergedMemory, ...] = ()
        self.setProperty("role", "strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.text = QLabel()
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setWordWrap(True)
        self.open_button, self.unmerge_button = QPushButton(), QPushButton()
        self.open_button.clicked.connect(self._open)
        self.unmerge_button.clicked.connect(self._unmerge)
        needs_writing(self._context, self.unmerge_button)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 8, 6)
        row.setSpacing(8)
        row.addWidget(self.text, 1)
        row.addWidget(self.open_button)
        row.addWidget(self.unmerge_button)
        self.hide()

    def show_memory(self, pk: MemoryPk | None) -> None:
        """Ask about a memory; the strip is there only when there is something to say."""
        if pk != self._pk:
            self.hide()
        self._pk = pk
        if pk is None:
            self._context.tasks.drop(self, "merges")
            return
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[MergedMemory, ...]:
            return engine.ask(MergesOf(pk), cancel=cancel)

        self._context.tasks.run(
            Lane.READ, ask, self._show, owner=self, query="merges", failed=lambda _error: self.hide()
        )

    @property
    def _lost(self) -> bool:
        """Whether the memory that is shown was merged away itself."""
        return bool(self._found) and self._found[0].row.pk == self._pk

    def _show(self, found: tuple[MergedMemory, ...]) -> None:
        self._found = found
        self.setVisible(bool(found))
        if not found:
            return
        tr = self._context.tr
        if self._lost:
            text = tr("merged.into", title=shorten(name_of(found[0].into_title, tr)))
        else:
            titles = ", ".join(shorten(name_of(each.row.title, tr), 30) for each in found[:MOST_TITLES])
            more = " …" if len(found) > MOST_TITLES else ""
            text = tr("merged.from", count=len(found), titles=f"{titles}{more}")
        self.text.setText(text)
        self.text.setAccessibleName(text)
        self.open_button.setText(tr("merged.open"))
        self.open_button.setVisible(self._lost)
        self.unmerge_button.setText(tr("merged.unmerge"))
        self.unmerge_button.setToolTip(tr("merged.unmerge.tip"))

    def _open(self) -> None:
        if self._found:
            self.open_memory.emit(int(self._found[0].into))

    def _unmerge(self) -> None:
        taken = self._found[:1] if self._lost else self._found
        if taken:
            self.unmerge_wanted.emit(tuple(each.row.pk for each in taken))
