"""What a memory is, beside the pointer: title, type, place, numbers, the start of its text."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout

from core.domain.api import Cancel, Report
from core.domain.ids import MemoryPk
from core.domain.queries import MemoryRows
from core.domain.results import MemoryRow
from ui.context import Context
from ui.graph.canvas import Canvas
from ui.tasks import Lane, single_shot
from ui.views.naming import name_of, shorten

AFTER_MS = 350
AWAY_PX = 18
SNIPPET_CHARS = 180


class HoverCard(QFrame):
    """Lies over the canvas and takes no mouse events."""

    def __init__(self, ctx: Context, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._ctx, self._canvas = ctx, canvas
        self._pk: int | None = None
        self.setProperty("role", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.title, self.facts, self.text = QLabel(), QLabel(), QLabel()
        self.title.setProperty("role", "large")
        self.facts.setProperty("role", "small")
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(2)
        for part in (self.title, self.facts, self.text):
            part.setTextFormat(Qt.TextFormat.PlainText)
            part.setWordWrap(True)
            column.addWidget(part)
        self._soon = single_shot(self, AFTER_MS, self._ask)
        canvas.hovered.connect(self._on_hover)
        canvas.moved.connect(self.hide)
        self.hide()

    def _on_hover(self, pk: int | None) -> None:
        self._pk = pk
        self.hide()
        if pk is None:
            self._soon.stop()
        else:
            self._soon.start()

    def _ask(self) -> None:
        pk, engine = self._pk, self._ctx.engine
        if pk is None:
            return

        def ask(_progress: Report, cancel: Cancel) -> tuple[MemoryRow, ...]:
            return engine.ask(MemoryRows((MemoryPk(pk),)), cancel=cancel)

        self._ctx.tasks.run(Lane.READ, ask, self._show, owner=self, query="hover")

    def _show(self, rows: tuple[MemoryRow, ...]) -> None:
        scene = self._canvas.scene
        if not rows or rows[0].pk != self._pk or scene is None:
            return
        row, tr, theme = rows[0], self._ctx.tr, self._ctx.theme
        self.title.setText(shorten(name_of(row.title, tr), 80))
        facts = [
            theme.type_label(row.type, tr.code),
            row.folder_name,
            tr(f"layer.{row.layer.value}"),
            tr("graph.card.importance", value=tr.number(float(row.importance))),
            tr("graph.card.recalls", count=row.activation_count),
        ]
        if row.seq is not None:
            facts.append(tr("graph.time.at_floor", floor=row.seq))
        self.facts.setText(" · ".join(facts))
        self.text.setText(shorten(row.snippet, SNIPPET_CHARS))
        self.text.setVisible(bool(row.snippet) and row.snippet != row.title)
        self.setFixedWidth(theme.px(300))
        self.adjustSize()
        self._place(self._canvas.over.hover)

    def _place(self, node: int) -> None:
        scene = self._canvas.scene
        if scene is None or not 0 <= node < len(scene):
            return
        at = self._canvas.place_of(node).toPoint() + QPoint(AWAY_PX, AWAY_PX)
        if at.x() + self.width() > self._canvas.width() - 8:
            at.setX(at.x() - self.width() - 2 * AWAY_PX)
        if at.y() + self.height() > self._canvas.height() - 8:
            at.setY(at.y() - self.height() - 2 * AWAY_PX)
        self.move(max(at.x(), 8), max(at.y(), 8))
        self.show()
        self.raise_()
