"""Lets memories be made of a chat's floors: which floors, with what, how far it is; the result is a proposal."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QProgressBar, QPushButton, QToolButton, QWidget

from core.domain.api import Cancel, Report
from core.domain.ids import FolderPk
from core.domain.proposal import BUILT_IN
from core.domain.queries_extract import (
    ExtractionPlan,
    ExtractionReport,
    ExtractionRun,
    ExtractionRuns,
    ForgetRun,
    PlanExtraction,
    Reach,
    ResumeExtraction,
    RunExtraction,
    RunState,
)
from ui.context import Context
from ui.operations import Operations
from ui.read_only import needs_writing
from ui.tasks import Lane, Task, single_shot
from ui.views.proposal.words import source_name
from ui.views.transfer_words import problem_text

PROGRESS_MS = 700
Span = Callable[[], tuple[int, int] | None]


class ExtractBar(QWidget):
    """`proposed(proposal)`: a proposal waits; `planned(floors)`: where segments begin; `settings_wanted()`, `prompts_wanted()`: from the menu."""

    proposed = Signal(int)
    planned = Signal(tuple)
    settings_wanted = Signal()
    prompts_wanted = Signal()

    def __init__(
        self, context: Context, operations: Operations, span: Span, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._context, self._operations, self._span = context, operations, span
        self.folder: FolderPk | None = None
        self.plan: ExtractionPlan | None = None
        self.halted: ExtractionRun | None = None
        self._task: Task[ExtractionReport] | None = None
        self.button = QToolButton()
        self.button.setProperty("button", "true")
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self.button)
        self.button.setMenu(self.menu)
        self.ways: dict[Reach, QAction] = {}
        for reach in Reach:
            action = self.ways[reach] = QAction(self)
            action.triggered.connect(lambda _on=False, way=reach: self.run(way))
            if reach is Reach.REBUILD:
                self.menu.addSeparator()
            self.menu.addAction(action)
        self.menu.addSeparator()
        self.settings_action = QAction(self)
        self.settings_action.triggered.connect(self.settings_wanted)
        self.menu.addAction(self.settings_action)
        self.prompts_action = QAction(self)
        self.prompts_action.triggered.connect(self.prompts_wanted)
        self.menu.addAction(self.prompts_action)
        self.menu.aboutToShow.connect(self._enable)
        self.said = QLabel()
        self.said.setProperty("role", "small")
        self.said.setWordWrap(True)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setMaximumSize(context.theme.px(120), 6)
        self.cancel_button = QPushButton()
        self.cancel_button.clicked.connect(self.cancel)
        self.resume_button = QPushButton()
        self.resume_button.clicked.connect(self.resume)
        self.drop_button = QPushButton()
        self.drop_button.setProperty("flat", True)
        self.drop_button.clicked.connect(self.drop)
        needs_writing(self._context, self.button, self.resume_button, self.drop_button)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 8)
        row.setSpacing(8)
        row.addWidget(self.button)
        row.addWidget(self.said, 1)
        for part in (self.progress, self.cancel_button, self.drop_button, self.resume_button):
            row.addWidget(part)
        self._look_again = single_shot(self, PROGRESS_MS, self._ask_progress)
        context.tr.changed.connect(self._say)
        context.theme.bind(self, self._look)
        self._say()

    def _look(self) -> None:
        self.button.setIcon(self._context.theme.icon("mdi6.creation-outline"))

    # --- what could be done ---

    def show_chat(self, folder: FolderPk) -> None:
        """Say what an extraction of this chat would read, and whether one was halted."""
        if folder != self.folder:
            self.plan, self.halted = None, None
        self.folder = folder
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[ExtractionPlan, tuple[ExtractionRun, ...]]:
            plan = engine.ask(PlanExtraction(folder=folder, reach=Reach.ALL), cancel=cancel)
            return plan, engine.ask(ExtractionRuns(), cancel=cancel)

        self._context.tasks.run(
            Lane.READ,
            ask,
            lambda found: self._take(folder, *found),
            owner=self,
            query="plan",
            failed=self._fail,
        )

    def _take(self, folder: FolderPk, plan: ExtractionPlan, runs: tuple[ExtractionRun, ...]) -> None:
        if folder != self.folder:
            return
        self.plan = plan
        self.planned.emit(plan.boundaries)
        own = [run for run in runs if run.folder == folder and run.state is not RunState.RUNNING]
        self.halted = own[0] if own else None
        self._say()

    def _fail(self, error: Exception) -> None:
        self.said.setText(self._context.tr.error(error))

    def _enable(self) -> None:
        """The ways that lead to something now."""
        waiting = self.plan is not None and bool(self.plan.batches)
        for reach, action in self.ways.items():
            if reach is Reach.RANGE:
                action.setEnabled(self._span() is not None)
            else:
                action.setEnabled(waiting or reach is Reach.REBUILD)
        self._say_ways()

    # --- doing it ---

    @property
    def running(self) -> bool:
        """Whether an extraction is going on."""
        return self._task is not None

    def run(self, reach: Reach) -> None:
        """Read floors and make a proposal."""
        span = self._span() if reach is Reach.RANGE else None
        if self.folder is None or self.running or (reach is Reach.RANGE and span is None):
            return
        first, last = span or (None, None)
        query = RunExtraction(folder=self.folder, reach=reach, start=first, end=last)
        self._start(lambda cancel: self._context.engine.ask(query, cancel=cancel))

    def resume(self) -> None:
        """Go on with what was halted."""
        if self.halted is not None and not self.running:
            run = self.halted.run
            self._start(lambda cancel: self._context.engine.ask(ResumeExtraction(run), cancel=cancel))

    def drop(self) -> None:
        """Give up what is left of a halted run; its proposal stays."""
        if self.halted is None:
            return
        engine, run = self._context.engine, self.halted.run
        self._context.tasks.run(
            Lane.WRITE,
            lambda _progress, cancel: engine.ask(ForgetRun(run), cancel=cancel),
            lambda _gone: self._again(),
            owner=self,
            failed=self._operations.show_error,
        )

    def cancel(self) -> None:
        """Stop; what is done stays."""
        if self._task is not None:
            self._task.cancel_flag.cancel()
            self.cancel_button.setEnabled(False)

    def _start(self, work: Callable[[Cancel], ExtractionReport]) -> None:
        self._task = self._context.tasks.run(
            Lane.NET,
            lambda _progress, cancel: work(cancel),
            self._done,
            owner=self,
            failed=self._failed,
            label="chats.extracting",
        )
        self._look_again.start()
        self._say()

    def _ask_progress(self) -> None:
        """How many batches are done, as the rows of the run say."""
        engine, folder = self._context.engine, self.folder

        def ask(_progress: Report, cancel: Cancel) -> ExtractionRun | None:
            runs = engine.ask(ExtractionRuns(), cancel=cancel)
            going = [run for run in runs if run.folder == folder and run.state is RunState.RUNNING]
            return going[0] if going else None

        self._context.tasks.run(Lane.READ, ask, self._show_progress, owner=self, query="progress")

    def _show_progress(self, run: ExtractionRun | None) -> None:
        if not self.running:
            return
        if run is not None and run.total:
            self.progress.setRange(0, run.total)
            self.progress.setValue(run.done)
            self.said.setText(self._context.tr("chats.extracting_of", done=run.done, total=run.total))
        self._look_again.start()

    def _done(self, report: ExtractionReport) -> None:
        self._task = None
        tr = self._context.tr
        if report.proposal is None:
            self._operations.said.emit(tr("chats.extract.nothing"), False)
        else:
            state = "chats.extract.done" if report.state is RunState.DONE else "chats.extract.halted"
            text = tr(
                state,
                count=report.parts,
                done=report.done,
                total=report.total,
                model=source_name(report.model, tr),
            )
            done = report.state is RunState.DONE
            why = next((problem_text(each, tr) for each in report.problems), "") if not done else ""
            self._operations.said.emit(
                f"{text}{tr('chats.extract.why', why=why)}" if why else text, bool(why)
            )
            if done or report.parts:
                self.proposed.emit(report.proposal)
        self._again()

    def _failed(self, error: Exception) -> None:
        self._task = None
        self._operations.show_error(error)
        self._again()

    def _again(self) -> None:
        self._say()
        if self.folder is not None:
            self.show_chat(self.folder)

    # --- words ---

    def _left(self, run: ExtractionRun) -> str:
        """How far a halted run came, and why it went no further."""
        tr = self._context.tr
        text = tr("chats.extract.left", done=run.done, total=run.total)
        return text if run.error is None else text + tr("chats.extract.why", why=problem_text(run.error, tr))

    def _say_ways(self) -> None:
        tr, span = self._context.tr, self._span()
        for reach, action in self.ways.items():
            action.setText(tr(f"chats.extract.{reach.value}"))
            action.setToolTip(tr(f"chats.extract.{reach.value}.tip"))
        if span is not None:
            self.ways[Reach.RANGE].setText(tr("chats.extract.range_of", first=span[0], last=span[1]))

    def _say(self) -> None:
        tr, plan = self._context.tr, self.plan
        self.button.setText(tr("chats.extract"))
        self.button.setToolTip(tr("chats.extract.tip"))
        self.button.setEnabled(not self.running and self.folder is not None)
        self.settings_action.setText(tr("chats.extract.settings"))
        self.prompts_action.setText(tr("chats.extract.prompts"))
        self.cancel_button.setText(tr("dialog.cancel"))
        self.resume_button.setText(tr("chats.extract.resume"))
        self.drop_button.setText(tr("chats.extract.drop"))
        for part, shown in (
            (self.progress, self.running),
            (self.cancel_button, self.running),
            (self.resume_button, self.halted is not None and not self.running),
            (self.drop_button, self.halted is not None and not self.running),
        ):
            part.setVisible(shown)
        if self.running:
            self.progress.setRange(0, 0)
            self.cancel_button.setEnabled(True)
            self.said.setText(tr("chats.extracting"))
        elif self.halted is not None:
            self.said.setText(self._left(self.halted))
        elif plan is None:
            self.said.setText("")
        else:
            key = "chats.extract.plan" if plan.batches else "chats.extract.none"
            if plan.batches and plan.model == BUILT_IN:
                key = "chats.extract.plan_builtin"
            self.said.setText(
                tr(
                    key,
                    count=len(plan.batches),
                    tokens=tr.number(plan.tokens),
                    model=source_name(plan.model, tr),
                )
            )
        self._say_ways()
