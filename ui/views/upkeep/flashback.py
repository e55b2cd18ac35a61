"""Flashback: draw a memory that comes back by chance, and see why just this one (spec/BOOKU §6)."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.commands import RestoreMemories
from core.domain.enums import Status
from core.domain.ids import MemoryPk
from core.domain.queries import Memories
from core.domain.queries_booku import CountUse
from core.domain.queries_upkeep import DrawFlashback
from core.domain.upkeep import Flashback, FlashbackCandidate, FlashbackLayer
from ui.context import Context
from ui.operations import Operations
from ui.read_only import needs_writing
from ui.tasks import Lane
from ui.views.naming import name_of
from ui.widgets.folder_combo import FolderCombo
from ui.widgets.plain_text import PlainTextEdit
from ui.widgets.state_stack import StateStack
from ui.widgets.wheel import guard_wheel

PK = Qt.ItemDataRole.UserRole
TITLE, RECALLED, CHANCE = range(3)
PERCENT = 100
NUMBERS = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
TEXT_LINES = 8


class FlashbackTask(QWidget):
    """What was drawn here is not drawn again until the window is closed. `open_memories(pks)`: show in the list."""

    open_memories = Signal(object)

    def __init__(self, context: Context, operations: Operations) -> None:
        super().__init__()
        self._context, self._operations = context, operations
        self.found: Flashback | None = None
        self._drawn: list[MemoryPk] = []
        self._body = ""
        self.setProperty("surface", "base")
        self.title, self.said, self.name, self.why = (QLabel() for _ in range(4))
        self.title.setProperty("role", "large")
        self.said.setProperty("role", "secondary")
        self.name.setProperty("role", "title")
        self.why.setProperty("role", "secondary")
        for label in (self.said, self.name, self.why):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.folder, self.layer = FolderCombo(context), QComboBox()
        guard_wheel(self.layer)
        self.draw_button, self.open_button, self.restore_button, self.touch_button = (
            QPushButton() for _ in range(4)
        )
        self.draw_button.setProperty("primary", "true")
        self.text = PlainTextEdit(lines=1, max_lines=TEXT_LINES, read_only=True)
        self.candidates = QTreeWidget()
        self.candidates.setColumnCount(3)
        self.candidates.setRootIsDecorated(False)
        self.candidates.setUniformRowHeights(True)
        self.candidates.setProperty("rows", "list")
        self.candidates.setAllColumnsShowFocus(True)
        header = self.candidates.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(TITLE, QHeaderView.ResizeMode.Stretch)
        self.candidates_title = QLabel()
        self.candidates_title.setProperty("role", "section")
        self._lay_out()
        self.draw_button.clicked.connect(self.draw)
        self.open_button.clicked.connect(self._open)
        self.restore_button.clicked.connect(self._restore)
        self.touch_button.clicked.connect(self._touch)
        needs_writing(self._context, self.restore_button, self.touch_button)
        self.candidates.itemActivated.connect(self._open_candidate)
        context.tr.changed.connect(self._say)
        context.theme.changed.connect(self._say)
        self._say()
        self.stack.show_notice(context.tr("flashback.start"))

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.title)
        head.addStretch(1)
        for widget in (self.layer, self.folder, self.draw_button):
            head.addWidget(widget)
        top = QVBoxLayout()
        top.setContentsMargins(16, 12, 16, 8)
        top.setSpacing(8)
        top.addLayout(head)
        top.addWidget(self.said)
        actions = QHBoxLayout()
        actions.setSpacing(8)
        for button in (self.open_button, self.restore_button, self.touch_button):
            actions.addWidget(button)
        actions.addStretch(1)
        result = QWidget()
        result.setProperty("surface", "base")
        inner = QVBoxLayout(result)
        inner.setContentsMargins(16, 12, 16, 0)
        inner.setSpacing(8)
        for part in (self.name, self.text, self.why):
            inner.addWidget(part)
        inner.addLayout(actions)
        inner.addWidget(self.candidates_title)
        inner.addWidget(self.candidates, 1)
        self.stack = StateStack(result)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.stack, 1)

    # --- drawing ---

    def draw(self) -> None:
        """Draw one; nothing is touched by that."""
        layer = self.layer.currentData()
        query = DrawFlashback(
            folder=self.folder.folder,
            with_subfolders=True,
            layer=None if layer is None else FlashbackLayer(layer),
            skip=tuple(self._drawn),
        )
        engine, tr = self._context.engine, self._context.tr
        self.stack.show_loading(tr("state.loading"))

        def ask(_progress: Report, cancel: Cancel) -> tuple[Flashback, str]:
            found = engine.ask(query, cancel=cancel)
            if found.drawn is None:
                return found, ""
            return found, engine.ask(Memories((found.drawn.row.pk,)), cancel=cancel)[0].body

        self._context.tasks.run(Lane.READ, ask, self._take, owner=self, query="draw", failed=self._fail)

    def _take(self, result: tuple[Flashback, str]) -> None:
        self.found, self._body = result
        if self.found.drawn is not None:
            self._drawn.append(self.found.drawn.row.pk)
        self._show()

    def _show(self) -> None:
        tr, found = self._context.tr, self.found
        if found is None:
            return
        if found.drawn is None:
            if found.skipped:
                self.stack.show_notice(tr("flashback.none_left"), tr("flashback.anew"), self._draw_anew)
            else:
                self.stack.show_notice(tr(f"flashback.none.{found.layer.value}"))
            return
        self.stack.show_content()
        row = found.drawn.row
        self.name.setText(name_of(row.title or row.snippet, tr))
        self.text.set_text(self._body)
        self.text.setVisible(bool(self._body))
        self.why.setText(self._reason(found, found.drawn))
        self.restore_button.setVisible(row.status is not Status.ACTIVE)
        self.touch_button.setEnabled(True)
        self._show_candidates(found)

    def _reason(self, found: Flashback, drawn: FlashbackCandidate) -> str:
        tr = self._context.tr
        chosen = self.layer.currentData() is not None
        share = round(PERCENT * found.archived_share)
        layer = tr(f"flashback.layer.{found.layer.value}")
        first = (
            tr("flashback.why.chosen", layer=layer)
            if chosen
            else tr("flashback.why.layer", layer=layer, share=share, draw=f"{found.layer_draw:.2f}")
        )
        second = tr(
            "flashback.why.memory",
            candidates=len(found.candidates),
            count=drawn.row.activation_count,
            weight=f"{drawn.weight:.3g}",
            chance=f"{PERCENT * drawn.chance:.1f}",
            draw=f"{found.memory_draw:.2f}",
        )
        skipped = tr("flashback.why.skipped", count=found.skipped) if found.skipped else ""
        return " ".join(part for part in (first, second, skipped) if part)

    def _show_candidates(self, found: Flashback) -> None:
        tr, theme = self._context.tr, self._context.theme
        self.candidates.clear()
        self.candidates_title.setText(tr("flashback.candidates", count=len(found.candidates)))
        for each in sorted(found.candidates, key=lambda one: -one.chance):
            row = each.row
            item = QTreeWidgetItem(
                [
                    name_of(row.title or row.snippet, tr),
                    str(row.activation_count),
                    f"{PERCENT * each.chance:.1f} %",
                ]
            )
            item.setIcon(TITLE, theme.type_icon(row.type))
            item.setData(TITLE, PK, row.pk)
            item.setToolTip(TITLE, row.snippet)
            for column in (RECALLED, CHANCE):
                item.setTextAlignment(column, NUMBERS)
            self.candidates.addTopLevelItem(item)
            if found.drawn is not None and row.pk == found.drawn.row.pk:
                for column in range(3):
                    item.setFont(column, theme.font(bold=True))
                self.candidates.setCurrentItem(item)

    def _draw_anew(self) -> None:
        """All may come back again."""
        self._drawn.clear()
        self.draw()

    def _fail(self, error: Exception) -> None:
        tr = self._context.tr
        self.stack.show_notice(tr.error(error), tr("state.again"), self.draw)

    # --- what can be done with it ---

    def _pk(self) -> MemoryPk | None:
        return None if self.found is None or self.found.drawn is None else self.found.drawn.row.pk

    def _open(self) -> None:
        pk = self._pk()
        if pk is not None:
            self.open_memories.emit((pk,))

    def _open_candidate(self, item: QTreeWidgetItem) -> None:
        self.open_memories.emit((MemoryPk(item.data(TITLE, PK)),))

    def _restore(self) -> None:
        pk = self._pk()
        if pk is not None:
            self._operations.run(RestoreMemories(memories=(pk,)), lambda _result: self.restore_button.hide())

    def _touch(self) -> None:
        """Count it as recalled once more: no change to be undone, like a recall itself."""
        pk, engine, tr = self._pk(), self._context.engine, self._context.tr
        if pk is None:
            return
        self.touch_button.setEnabled(False)

        def work(_progress: Report, cancel: Cancel) -> int:
            return engine.ask(CountUse((pk,)), cancel=cancel)

        def done(_count: int) -> None:
            self._operations.said.emit(tr("flashback.touched"), False)

        self._context.tasks.run(Lane.WRITE, work, done, owner=self, failed=self._operations.show_error)

    def _say(self) -> None:
        tr, theme = self._context.tr, self._context.theme
        self.title.setText(tr("upkeep.flashback"))
        self.said.setText(tr("flashback.said"))
        self.draw_button.setText(tr("flashback.draw"))
        self.draw_button.setIcon(theme.icon("mdi6.dice-5-outline", "on_accent"))
        self.open_button.setText(tr("plan.open"))
        self.restore_button.setText(tr("flashback.restore"))
        self.restore_button.setToolTip(tr("flashback.restore.tip"))
        self.touch_button.setText(tr("flashback.touch"))
        self.touch_button.setToolTip(tr("flashback.touch.tip"))
        self.text.setAccessibleName(tr("flashback.text"))
        chosen = self.layer.currentData()
        self.layer.clear()
        self.layer.addItem(tr("flashback.layer.any"), None)
        for layer in FlashbackLayer:
            self.layer.addItem(tr(f"flashback.layer.{layer.value}"), layer.value)
        self.layer.setCurrentIndex(max(self.layer.findData(chosen), 0))
        self.layer.setAccessibleName(tr("column.layer"))
        self.candidates.setHeaderLabels(
            [tr("plan.column.title"), tr("plan.column.recalled"), tr("flashback.chance")]
        )
        self.candidates.setAccessibleName(tr("flashback.chance"))
        self._show()
