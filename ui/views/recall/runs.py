"""Runs that were handed out by any door: the list, the exact text of each, and the last one of this folder."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.ids import FolderPk
from core.domain.queries_recall import LastInjection, RecallRuns
from core.domain.recall import RecallRun
from ui.context import Context
from ui.models.recall_compare import Shot
from ui.tasks import Lane
from ui.views.naming import shorten
from ui.views.recall.words import recipe_name
from ui.widgets.plain_text import PlainTextEdit, copy_text
from ui.widgets.state_stack import StateStack

LIMIT = 200
WHEN, MESSAGE, SIZE = range(3)


def caller_name(ctx: Context, run: RecallRun) -> str:
    """By which door a run was handed out."""
    key = f"recall_page.caller.{run.caller or 'unknown'}"
    return ctx.tr(key) if ctx.tr.has(key) else run.caller


def shot_of(ctx: Context, run: RecallRun) -> Shot:
    """A past run as it is compared."""
    name = ctx.tr("recall_page.run_name", when=ctx.tr.exact(run.at), message=shorten(run.message, 32))
    return Shot(name, run.selected, run.injection, run.tokens)


class RunsPanel(QWidget):
    """`ask_again(RecallRun)`: put its message into the request; `pinned(RecallRun)`: make it A."""

    ask_again = Signal(object)
    pinned = Signal(object)

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._folder: FolderPk | None = None
        self._runs: tuple[RecallRun, ...] = ()
        self.shown: RecallRun | None = None
        tr, theme = ctx.tr, ctx.theme
        self.only_folder = QCheckBox(tr("recall_page.runs.only_folder"))
        self.only_folder.setChecked(True)
        self.last_button = QPushButton(theme.icon("mdi6.history"), tr("recall_page.last"))
        self.last_button.setToolTip(tr("action.recall.last.tip"))
        self.table = self._make_table()
        self.said = QLabel()
        self.said.setTextFormat(Qt.TextFormat.PlainText)
        self.said.setWordWrap(True)
        self.said.setProperty("role", "small")
        self.text = PlainTextEdit(read_only=True)
        self.text.setProperty("role", "reading")
        self.text.setAccessibleName(tr("recall_page.runs.text"))
        self.copy_button = QPushButton(tr("recall_page.copy"))
        self.pin_button = QPushButton(tr("recall_page.pin"))
        self.again_button = QPushButton(tr("recall_page.runs.again"))
        self.again_button.setToolTip(tr("recall_page.runs.again.tip"))
        self._lay_out()
        self.only_folder.toggled.connect(lambda _on: self.refresh())
        self.last_button.clicked.connect(self.show_last)
        self.table.itemSelectionChanged.connect(self._on_row)
        self.copy_button.clicked.connect(lambda: copy_text(self.text.text()))
        self.pin_button.clicked.connect(lambda: self.pinned.emit(self.shown))
        self.again_button.clicked.connect(lambda: self.ask_again.emit(self.shown))
        self.show_run(None)

    def _make_table(self) -> QTableWidget:
        tr, theme = self._ctx.tr, self._ctx.theme
        table = QTableWidget(0, 3)
        table.setHorizontalHeaderLabels(
            [tr("recall_page.runs.when"), tr("recall_page.message"), tr("recall_page.runs.size")]
        )
        table.setAccessibleName(tr("recall_page.runs"))
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setShowGrid(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(theme.row_px)
        table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        table.horizontalHeader().setSectionResizeMode(MESSAGE, QHeaderView.ResizeMode.Stretch)
        table.setColumnWidth(WHEN, theme.px(96))
        table.setColumnWidth(SIZE, theme.px(64))
        return table

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(12, 6, 12, 6)
        head.addWidget(self.only_folder, 1)
        head.addWidget(self.last_button)
        lower = QWidget()
        low = QVBoxLayout(lower)
        low.setContentsMargins(12, 8, 12, 8)
        low.setSpacing(6)
        low.addWidget(self.said)
        low.addWidget(self.text, 1)
        buttons = QHBoxLayout()
        buttons.addWidget(self.again_button)
        buttons.addStretch(1)
        buttons.addWidget(self.pin_button)
        buttons.addWidget(self.copy_button)
        low.addLayout(buttons)
        self.stack = StateStack(self.table)
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.addWidget(self.stack)
        split.addWidget(lower)
        split.setStretchFactor(0, 1)
        split.setStretchFactor(1, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(split, 1)

    # --- what is listed ---

    def show_folder(self, folder: FolderPk | None) -> None:
        """The folder of the request is another one."""
        if folder != self._folder:
            self._folder = folder
            if self.isVisible():
                self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Read the runs again."""
        engine, tr = self._ctx.engine, self._ctx.tr
        folder = self._folder if self.only_folder.isChecked() else None
        self.stack.show_loading(tr("state.loading"))

        def ask(_progress: Report, cancel: Cancel) -> tuple[RecallRun, ...]:
            return engine.ask(RecallRuns(folder, LIMIT), cancel=cancel)

        self._ctx.tasks.run(Lane.READ, ask, self._show, owner=self, query="runs", failed=self._fail)

    def show_last(self) -> None:
        """Exactly what was last handed out for this folder."""
        engine, folder = self._ctx.engine, self._folder

        def ask(_progress: Report, cancel: Cancel) -> RecallRun | None:
            return engine.ask(LastInjection(folder), cancel=cancel)

        self._ctx.tasks.run(Lane.READ, ask, self._show_last, owner=self, query="last", failed=self._fail)

    def _show_last(self, run: RecallRun | None) -> None:
        self.table.clearSelection()
        self.show_run(run)
        if run is None:
            self.said.setText(self._ctx.tr("recall_page.last.none"))

    def _show(self, runs: tuple[RecallRun, ...]) -> None:
        tr = self._ctx.tr
        self._runs = runs
        kept = self.shown.pk if self.shown is not None else 0
        self.table.blockSignals(True)
        self.table.setRowCount(len(runs))
        for at, run in enumerate(runs):
            self._fill_row(at, run)
            if run.pk == kept:
                self.table.selectRow(at)
        self.table.blockSignals(False)
        if runs:
            self.stack.show_content()
        elif self.only_folder.isChecked() and self._folder is not None:
            self.stack.show_notice(
                tr("recall_page.runs.none_here"),
                tr("recall_page.runs.all"),
                lambda: self.only_folder.setChecked(False),
            )
        else:
            self.stack.show_notice(tr("recall_page.runs.none"))

    def _fill_row(self, at: int, run: RecallRun) -> None:
        tr = self._ctx.tr
        when = QTableWidgetItem(tr.relative(run.at))
        when.setToolTip(f"{tr.exact(run.at)}\n{self._described(run)}")
        message = QTableWidgetItem(shorten(run.message, 200))
        message.setToolTip(run.message[:1000])
        size = QTableWidgetItem(tr.number(run.tokens))
        size.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        size.setToolTip(
            tr("recall_page.runs.tokens.tip", count=len(run.selected), tokens=tr.number(run.tokens))
        )
        for column, item in ((WHEN, when), (MESSAGE, message), (SIZE, size)):
            self.table.setItem(at, column, item)

    def _on_row(self) -> None:
        rows = self.table.selectionModel().selectedRows()
        if rows and rows[0].row() < len(self._runs):
            self.show_run(self._runs[rows[0].row()])

    def show_run(self, run: RecallRun | None) -> None:
        """Show the exact text of a run."""
        self.shown = run
        tr = self._ctx.tr
        self.text.set_text(run.injection if run is not None else "")
        self.said.setText(self._described(run) if run is not None else tr("recall_page.runs.choose"))
        for button in (self.copy_button, self.pin_button, self.again_button):
            button.setEnabled(run is not None)

    def _described(self, run: RecallRun) -> str:
        tr = self._ctx.tr
        return tr(
            "recall_page.runs.described",
            when=tr.exact(run.at),
            caller=caller_name(self._ctx, run),
            recipe=recipe_name(tr, run.recipe),
            count=len(run.selected),
            tokens=tr.number(run.tokens),
        )

    def _fail(self, error: Exception) -> None:
        tr = self._ctx.tr
        if self._runs:
            self.stack.show_stale(tr("state.stale", reason=tr.error(error)), tr("state.again"), self.refresh)
        else:
            self.stack.show_notice(tr.error(error), tr("state.again"), self.refresh)
