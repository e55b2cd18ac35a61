"""Recall tests: saved expectations, all run at once; green or red, with figures beside the run before."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.commands_recall import RemoveRecallCases
from core.domain.enums import Kind
from core.domain.queries_recall import Evaluate, RecallCases
from core.domain.recall import CaseOutcome, Evaluation, RecallCase
from core.domain.results import Changes
from ui.context import Context
from ui.operations import Operations
from ui.read_only import needs_writing
from ui.tasks import Lane
from ui.views.naming import shorten
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.state_stack import StateStack

STATE, NAME, RANKS = range(3)
PERCENT = 100
SAME = 1e-9


class CasesPanel(QWidget):
    """`ask_case(RecallCase)`: put it into the request. `save_wanted`: save the ticked memories as a test."""

    ask_case = Signal(object)
    save_wanted = Signal()

    def __init__(self, ctx: Context, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx, self._operations = ctx, operations
        self._cases: tuple[RecallCase, ...] = ()
        self._outcomes: dict[int, CaseOutcome] = {}
        self.evaluation: Evaluation | None = None
        tr, theme = ctx.tr, ctx.theme
        self.run_button = QPushButton(theme.icon("mdi6.play-outline"), tr("recall_page.cases.run"))
        self.run_button.setToolTip(tr("action.recall.run_cases.tip"))
        self.save_button = QPushButton(tr("recall_page.cases.save"))
        self.save_button.setToolTip(tr("action.recall.save_case.tip"))
        self.open_button = QPushButton(tr("recall_page.cases.open"))
        self.open_button.setToolTip(tr("recall_page.cases.open.tip"))
        self.remove_button = QPushButton(tr("recall_page.cases.remove"))
        self.summary = QLabel()
        self.summary.setTextFormat(Qt.TextFormat.PlainText)
        self.summary.setWordWrap(True)
        self._figures = QWidget()
        self._flow = FlowLayout(self._figures, gap=6)
        self.figures: list[QLabel] = []
        self.table = self._make_table()
        self.stack = StateStack(self.table)
        self._lay_out()
        self.run_button.clicked.connect(self.run)
        self.save_button.clicked.connect(self.save_wanted)
        self.open_button.clicked.connect(self._open)
        self.remove_button.clicked.connect(self._remove)
        needs_writing(self._ctx, self.save_button, self.remove_button)
        self.table.itemSelectionChanged.connect(self._enable)
        self.table.itemActivated.connect(lambda _item: self._open())
        ctx.bridge.changes.connect(self._on_changes)
        self._enable()

    def _make_table(self) -> QTableWidget:
        tr, theme = self._ctx.tr, self._ctx.theme
        table = QTableWidget(0, 3)
        table.setHorizontalHeaderLabels(
            [tr("recall_page.cases.state"), tr("recall_page.cases.name"), tr("recall_page.cases.ranks")]
        )
        table.setAccessibleName(tr("recall_page.tab.cases"))
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setShowGrid(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(theme.row_px)
        table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        table.horizontalHeader().setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        table.setColumnWidth(STATE, theme.px(92))
        table.setColumnWidth(RANKS, theme.px(84))
        return table

    def _lay_out(self) -> None:
        head = QWidget()
        head.setProperty("role", "toolbar")
        head.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        box = QVBoxLayout(head)
        box.setContentsMargins(12, 8, 12, 8)
        box.setSpacing(6)
        row = QHBoxLayout()
        row.addWidget(self.summary, 1)
        row.addWidget(self.run_button)
        box.addLayout(row)
        box.addWidget(self._figures)
        foot = QWidget()
        foot.setProperty("role", "bar")
        foot.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        low = QHBoxLayout(foot)
        low.setContentsMargins(12, 6, 12, 6)
        low.setSpacing(6)
        low.addWidget(self.save_button)
        low.addStretch(1)
        low.addWidget(self.open_button)
        low.addWidget(self.remove_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(head)
        column.addWidget(self.stack, 1)
        column.addWidget(foot)

    # --- what is there ---

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Read the saved expectations again; what was found by the last run stays beside them."""
        engine, tr = self._ctx.engine, self._ctx.tr
        self.stack.show_loading(tr("state.loading"))

        def ask(_progress: Report, cancel: Cancel) -> tuple[RecallCase, ...]:
            return engine.ask(RecallCases(), cancel=cancel)

        self._ctx.tasks.run(Lane.READ, ask, self._show, owner=self, query="cases", failed=self._fail)

    def run(self) -> None:
        """Run all of them, as previews."""
        engine = self._ctx.engine
        self.run_button.setEnabled(False)
        self.summary.setText(self._ctx.tr("recall_page.cases.running"))

        def ask(_progress: Report, cancel: Cancel) -> Evaluation:
            return engine.ask(Evaluate(), cancel=cancel)

        self._ctx.tasks.run(
            Lane.READ,
            ask,
            self._take,
            owner=self,
            query="evaluate",
            failed=self._run_failed,
            label="recall_page.cases.running",
        )

    def _take(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self._outcomes = {outcome.case.pk: outcome for outcome in evaluation.outcomes}
        self._show(tuple(outcome.case for outcome in evaluation.outcomes))

    def _run_failed(self, error: Exception) -> None:
        self._operations.show_error(error)
        self._show_figures()
        self._enable()

    def _show(self, cases: tuple[RecallCase, ...]) -> None:
        tr = self._ctx.tr
        self._cases = cases
        self.table.setRowCount(len(cases))
        for at, case in enumerate(cases):
            self._fill_row(at, case)
        if cases:
            self.stack.show_content()
        else:
            self.stack.show_notice(tr("recall_page.cases.none"))
        self._show_figures()
        self._enable()

    def _fill_row(self, at: int, case: RecallCase) -> None:
        tr, theme = self._ctx.tr, self._ctx.theme
        outcome = self._outcomes.get(case.pk)
        state = _state(outcome)
        mark = QTableWidgetItem(tr(f"recall_page.cases.{state}"))
        icons = {"passed": ("mdi6.check-circle", "ok"), "failed": ("mdi6.close-circle", "danger")}
        mark.setIcon(theme.icon(*icons.get(state, ("mdi6.circle-outline", "secondary"))))
        if outcome is not None and outcome.before is not None and outcome.before is not outcome.passed:
            mark.setText(tr(f"recall_page.cases.{state}.changed"))
            mark.setToolTip(tr(f"recall_page.cases.{state}.changed.tip"))
        name = QTableWidgetItem(shorten(case.name or case.message, 160))
        name.setToolTip(f"{case.name}\n{case.message[:600]}")
        found = [] if outcome is None else [tr.number(rank) if rank else "–" for rank in outcome.ranks]
        ranks = QTableWidgetItem(
            ", ".join(found) if found else tr("recall_page.cases.expected", count=len(case.expected))
        )
        ranks.setToolTip(tr("recall_page.cases.ranks.tip"))
        for column, item in ((STATE, mark), (NAME, name), (RANKS, ranks)):
            self.table.setItem(at, column, item)

    def _show_figures(self) -> None:
        tr, evaluation = self._ctx.tr, self.evaluation
        for label in self.figures:
            self._flow.removeWidget(label)
            label.hide()
            label.deleteLater()
        self.figures = []
        self._figures.setVisible(evaluation is not None and bool(evaluation.outcomes))
        if evaluation is None or not evaluation.outcomes:
            self.summary.setText(tr("recall_page.cases.count", count=len(self._cases)))
            return
        self.summary.setText(
            tr("recall_page.cases.total", passed=evaluation.passed, count=len(evaluation.outcomes))
        )
        for name, value in evaluation.figures.items():
            before = evaluation.previous.get(name)
            label = QLabel(figure_text(self._ctx, name, value, before))
            label.setProperty("role", "badge")
            if before is not None and abs(value - before) > SAME:
                label.setProperty("tone", "ok" if value > before else "danger")
            if evaluation.previous_at is not None:
                label.setToolTip(tr("recall_page.cases.before", when=tr.exact(evaluation.previous_at)))
            self._flow.addWidget(label)
            label.show()
            self.figures.append(label)

    # --- using them ---

    def offer_saving(self, ticked: int) -> None:
        """How many memories are ticked as expected."""
        tr = self._ctx.tr
        self.save_button.setEnabled(ticked > 0)
        self.save_button.setText(
            tr("recall_page.cases.save_count", count=ticked) if ticked else tr("recall_page.cases.save")
        )

    def _current(self) -> list[RecallCase]:
        rows = sorted({index.row() for index in self.table.selectedIndexes()})
        return [self._cases[row] for row in rows if row < len(self._cases)]

    def _open(self) -> None:
        chosen = self._current()
        if chosen:
            self.ask_case.emit(chosen[0])

    def _remove(self) -> None:
        chosen = tuple(case.pk for case in self._current())
        if chosen:
            self._operations.run(RemoveRecallCases(chosen))

    def _enable(self) -> None:
        chosen = self._current()
        self.run_button.setEnabled(bool(self._cases))
        self.open_button.setEnabled(len(chosen) == 1)
        self.remove_button.setEnabled(bool(chosen))

    def _on_changes(self, changes: Changes) -> None:
        if Kind.RECALL_CASE in changes.touched and self.isVisible():
            self.refresh()

    def _fail(self, error: Exception) -> None:
        tr = self._ctx.tr
        self.stack.show_notice(tr.error(error), tr("state.again"), self.refresh)


def figure_text(ctx: Context, name: str, value: float, before: float | None) -> str:
    """A figure in words with what it was before: "recall@5 80 % (was 60 %)"."""
    tr = ctx.tr
    shown, was = _figure(name, value), "" if before is None else _figure(name, before)
    if not was or was == shown:
        return tr("recall_page.cases.figure", name=name if name != "mrr" else "MRR", value=shown)
    return tr("recall_page.cases.figure_was", name=name if name != "mrr" else "MRR", value=shown, before=was)


def _figure(name: str, value: float) -> str:
    return f"{value:.2f}" if name == "mrr" else f"{value * PERCENT:.0f} %"


def _state(outcome: CaseOutcome | None) -> str:
    if outcome is None:
        return "not_run"
    return "passed" if outcome.passed else "failed"
