"""How often a memory was recalled, when, and for which messages."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.memory import Memory
from core.domain.queries_recall import RecallHistoryOf
from core.domain.recall import RecallRun
from ui.context import Context
from ui.tasks import Lane
from ui.views.naming import shorten
from ui.views.recall.runs import caller_name
from ui.views.recall.words import recipe_name
from ui.widgets.state_stack import StateStack

LIMIT = 100
PK = Qt.ItemDataRole.UserRole


class RecallHistory(QWidget):
    """`recall_wanted(pk)`: recall with its text; `why_wanted(pk)`: why is it not recalled."""

    recall_wanted = Signal(int)
    why_wanted = Signal(int)

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._memory: Memory | None = None
        tr, theme = ctx.tr, ctx.theme
        self.times = QLabel()
        self.times.setWordWrap(True)
        self.older = QLabel(tr("recall_history.older"))
        self.older.setWordWrap(True)
        self.older.setProperty("role", "small")
        self.list = QListWidget()
        self.list.setAccessibleName(tr("recall_history.runs"))
        self.list.setWordWrap(True)
        self.list.setProperty("role", "versions")
        self.stack = StateStack(self.list)
        self.recall_button = QPushButton(tr("action.memory.recall"))
        self.recall_button.setToolTip(tr("action.memory.recall.tip"))
        self.why_button = QPushButton(tr("recall_page.why_not"))
        self.why_button.setToolTip(tr("action.memory.why_not.tip"))
        self.why_button.setAccessibleName(tr("action.memory.why_not"))
        self.recall_button.clicked.connect(lambda: self._send(self.recall_wanted))
        self.why_button.clicked.connect(lambda: self._send(self.why_wanted))
        head = QVBoxLayout()
        head.setContentsMargins(16, 12, 16, 8)
        head.setSpacing(4)
        head.addWidget(self.times)
        head.addWidget(self.older)
        bar = QWidget()
        bar.setProperty("role", "bar")
        row = QHBoxLayout(bar)
        row.setContentsMargins(16, 8, 16, 8)
        row.addWidget(self.why_button)
        row.addStretch(1)
        row.addWidget(self.recall_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.stack, 1)
        column.addWidget(bar)
        self.setProperty("surface", "base")
        theme.bind(self, self._look)

    def _look(self) -> None:
        theme = self._ctx.theme
        self.recall_button.setIcon(theme.icon("mdi6.text-search"))
        self.why_button.setIcon(theme.icon("mdi6.help-circle-outline"))

    def show_memory(self, memory: Memory) -> None:
        """Read in which runs a memory was recalled."""
        self._memory = memory
        tr, engine, pk = self._ctx.tr, self._ctx.engine, memory.pk
        self.recall_button.setEnabled(memory.deleted_at is None)
        self.stack.show_loading(tr("state.loading"))

        def ask(_progress: Report, cancel: Cancel) -> tuple[RecallRun, ...]:
            return engine.ask(RecallHistoryOf(pk, LIMIT), cancel=cancel)

        self._ctx.tasks.run(
            Lane.READ,
            ask,
            lambda runs: self._show(memory, runs),
            owner=self,
            query="recalls",
            failed=lambda error: self.stack.show_notice(
                tr.error(error), tr("state.again"), lambda: self.show_memory(memory)
            ),
        )

    def _show(self, memory: Memory, runs: tuple[RecallRun, ...]) -> None:
        tr = self._ctx.tr
        count = max(memory.activation_count, len(runs))
        last = memory.last_activated_at or (runs[0].at if runs else None)
        self.times.setText(
            tr("recall_history.times", count=count, when=tr.relative(last))
            if count
            else tr("recall_history.never")
        )
        self.times.setToolTip(tr.exact(last))
        self.older.setVisible(count > len(runs) and len(runs) < LIMIT)
        self.list.clear()
        for run in runs:
            self.list.addItem(self._item(memory, run))
        if runs:
            self.stack.show_content()
        else:
            self.stack.show_notice(tr("recall_page.runs.none"))

    def _item(self, memory: Memory, run: RecallRun) -> QListWidgetItem:
        tr = self._ctx.tr
        place = run.selected.index(memory.pk) + 1 if memory.pk in run.selected else 0
        parts = [tr.relative(run.at), caller_name(self._ctx, run), recipe_name(tr, run.recipe)]
        if place:
            parts.append(tr("recall_history.place", place=place, count=len(run.selected)))
        item = QListWidgetItem(f"{shorten(run.message, 160)}\n{' · '.join(parts)}")
        item.setToolTip(f"{tr.exact(run.at)}\n{run.message[:1000]}")
        item.setData(PK, run.pk)
        return item

    def _send(self, signal: object) -> None:
        if self._memory is not None and hasattr(signal, "emit"):
            signal.emit(self._memory.pk)
