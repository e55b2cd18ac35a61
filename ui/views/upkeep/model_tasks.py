"""Synopsis, reflection, evolution, consolidation, and the graph of a chat anew: each gives a proposal to look at."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, EngineApi, Report
from core.domain.endpoints import BUILTIN, MANUAL, ModelTask, read_endpoints
from core.domain.enums import FolderKind
from core.domain.ids import FolderPk
from core.domain.proposal import ProposalKind, ProposalRow
from core.domain.queries_extract import (
    ExtractionPlan,
    PlanExtraction,
    PromptTask,
    Reach,
    RunExtraction,
    RunState,
    RunTask,
)
from core.domain.queries_proposals import Proposals
from core.settings import Settings
from ui.context import Context
from ui.language import Language
from ui.operations import Operations
from ui.read_only import needs_writing
from ui.tasks import Lane, Task, single_shot
from ui.views.proposal.words import ICONS, proposal_title, source_name
from ui.views.transfer_words import problem_text
from ui.widgets.folder_combo import FolderCombo
from ui.widgets.state_stack import StateStack

PK = Qt.ItemDataRole.UserRole
REFRESH_AFTER_MS = 400
TITLE, PARTS, WHEN = range(3)


def served_by(settings: Settings, task: ModelTask, tr: Language) -> str:
    """Who does a task: a model by its name, a person, or the program itself."""
    who = settings.text(f"models.task.{task.value}")
    if who == MANUAL:
        return tr("compress.by.manual")
    named = next(
        (each.name for each in read_endpoints(settings.get("models.endpoints")) if each.id == who), ""
    )
    return tr("compress.by.model", name=named) if named and who != BUILTIN else tr("compress.by.builtin")


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a run gave: a proposal, or why there is none (words)."""

    proposal: int | None
    why: str = ""


class ModelTaskPane(QWidget):
    """Asks for a proposal in the background and leads to it: `open_proposal(pk)`. Earlier ones that wait are listed."""

    NAME = ""
    KIND = ProposalKind.SYNOPSIS
    MODEL = ModelTask.SYNOPSIS
    open_proposal = Signal(int)

    def __init__(self, context: Context, operations: Operations) -> None:
        super().__init__()
        self.context, self.operations = context, operations
        self._task: Task[_Asked] | None = None
        self.setProperty("surface", "base")
        self.title, self.said, self.by, self.plan_label = (QLabel() for _ in range(4))
        self.title.setProperty("role", "large")
        for label in (self.said, self.by, self.plan_label):
            label.setProperty("role", "secondary")
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.plan_label.hide()
        self.folder = FolderCombo(context, all_folders=False, prefer=FolderKind.CHAT)
        self.run_button, self.cancel_button = QPushButton(), QPushButton()
        self.run_button.setProperty("primary", "true")
        self.list_title = QLabel()
        self.list_title.setProperty("role", "section")
        self.list = QTreeWidget()
        self.list.setColumnCount(3)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setProperty("rows", "list")
        self.list.setAllColumnsShowFocus(True)
        header = self.list.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(TITLE, QHeaderView.ResizeMode.Stretch)
        self.stack = StateStack(self.list)
        self._lay_out()
        self._again = single_shot(self, REFRESH_AFTER_MS, self.refresh)
        self.run_button.clicked.connect(self.run)
        self.cancel_button.clicked.connect(self.cancel)
        needs_writing(self.context, self.run_button)
        self.list.itemActivated.connect(self._open)
        self.folder.currentIndexChanged.connect(lambda _at: self.refresh())
        context.bridge.changes.connect(lambda _changes: self._again.start() if self.isVisible() else None)
        context.tr.changed.connect(self._say)
        self._say()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.title)
        head.addStretch(1)
        head.addWidget(self.folder)
        head.addWidget(self.cancel_button)
        head.addWidget(self.run_button)
        top = QVBoxLayout()
        top.setContentsMargins(16, 12, 16, 8)
        top.setSpacing(8)
        top.addLayout(head)
        for label in (self.said, self.by, self.plan_label):
            top.addWidget(label)
        top.addWidget(self.list_title)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.stack, 1)

    # --- what a subclass says ---

    def ask(self, engine: EngineApi, folder: FolderPk, cancel: Cancel) -> _Asked:
        """Ask for the proposal; runs in a worker."""
        raise NotImplementedError

    def describe(self, folder: FolderPk) -> None:
        """Say more about what a run would read."""

    def can_run(self) -> bool:
        """Whether there is anything to read."""
        return True

    # --- asking ---

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Read again which proposals wait, and who would do the task."""
        engine, folder = self.context.engine, self.folder.folder
        how = served_by(self.context.settings, self.MODEL, self.context.tr)
        self.by.setText(self.context.tr("compress.by", how=how))
        self._enable()
        if folder is None or not self.isVisible():
            return
        self.describe(folder)
        query = Proposals(kind=self.KIND, folder=folder)

        def ask(_progress: Report, cancel: Cancel) -> tuple[ProposalRow, ...]:
            return engine.ask(query, cancel=cancel)

        self.context.tasks.run(Lane.READ, ask, self._take, owner=self, query="proposals")

    def run(self) -> None:
        """Ask for a proposal; the window goes on meanwhile."""
        folder, engine = self.folder.folder, self.context.engine
        if folder is None or self._task is not None:
            return
        self._task = self.context.tasks.run(
            Lane.NET,
            lambda _progress, cancel: self.ask(engine, folder, cancel),
            self._on_asked,
            owner=self,
            failed=self._on_failed,
            label=f"task.{self.NAME}",
        )
        self.context.tasks.ended.connect(self._on_ended)
        self._enable()

    def cancel(self) -> None:
        """Stop; what is done by then is kept."""
        if self._task is not None:
            self._task.cancel()

    def _on_asked(self, asked: _Asked) -> None:
        self._task = None
        self._enable()
        self.refresh()
        if asked.proposal is not None:
            self.open_proposal.emit(asked.proposal)
        elif asked.why:
            self.stack.show_notice(asked.why)

    def _on_failed(self, error: Exception) -> None:
        self._task = None
        self._enable()
        self.operations.show_error(error)
        self.refresh()

    def _on_ended(self, task: object) -> None:
        """A cancelled run tells nobody else that it is over."""
        if task is self._task:
            self._task = None
            self._enable()

    # --- showing ---

    def _take(self, rows: tuple[ProposalRow, ...]) -> None:
        tr, theme = self.context.tr, self.context.theme
        self.list.clear()
        for row in rows:
            title = proposal_title(row.kind, row.args, tr)
            parts = tr("review.parts", waiting=row.waiting, count=row.parts)
            item = QTreeWidgetItem(
                [f"{title} · {source_name(row.source, tr)}", parts, tr.relative(row.created_at)]
            )
            item.setIcon(TITLE, theme.icon(ICONS[row.kind]))
            item.setToolTip(WHEN, tr.exact(row.created_at))
            item.setData(TITLE, PK, row.pk)
            self.list.addTopLevelItem(item)
        self.list_title.setVisible(bool(rows))
        if rows:
            self.stack.show_content()
        elif self.stack.shows != "notice" or not self.stack.notice.message.text():
            self.stack.show_notice(tr("model_task.none"))

    def _open(self, item: QTreeWidgetItem) -> None:
        self.open_proposal.emit(int(item.data(TITLE, PK)))

    def _enable(self) -> None:
        ready = self._task is None and self.folder.folder is not None
        self.run_button.setEnabled(ready and self.can_run())
        self.cancel_button.setVisible(self._task is not None)

    def _say(self) -> None:
        tr = self.context.tr
        self.title.setText(tr(f"upkeep.{self.NAME}"))
        self.said.setText(tr(f"{self.NAME}.said"))
        self.run_button.setText(tr(f"{self.NAME}.run"))
        self.cancel_button.setText(tr("dialog.cancel"))
        self.list_title.setText(tr("model_task.waiting"))
        self.list.setHeaderLabels([tr("proposal.part"), tr("proposal.state"), tr("history.when")])
        self.list.setAccessibleName(tr("model_task.waiting"))
        self._enable()


class FollowTask(ModelTaskPane):
    """A task that follows an extraction."""

    TASK = PromptTask.SYNOPSIS

    def ask(self, engine: EngineApi, folder: FolderPk, cancel: Cancel) -> _Asked:
        report = engine.ask(RunTask(folder=folder, task=self.TASK), cancel=cancel)
        why = self.context.tr(report.why, **report.args) if report.why else ""
        return _Asked(report.proposal, why)


class SynopsisTask(FollowTask):
    """The story so far as one memory that is always injected."""

    NAME, KIND, MODEL, TASK = "synopsis", ProposalKind.SYNOPSIS, ModelTask.SYNOPSIS, PromptTask.SYNOPSIS


class ReflectionTask(FollowTask):
    """What the newest events mean."""

    NAME, KIND, MODEL, TASK = "reflection", ProposalKind.REFLECTION, ModelTask.REFLECTION, PromptTask.REFLECT


class EvolutionTask(FollowTask):
    """What the newest memories change in their neighbours."""

    NAME, KIND, MODEL, TASK = "evolution", ProposalKind.EVOLUTION, ModelTask.CONSOLIDATE, PromptTask.EVOLVE


class RebuildGraphTask(ModelTaskPane):
    """The graph of a chat anew from its messages; the old one stays until the new one is accepted."""

    NAME, KIND, MODEL = "rebuild_graph", ProposalKind.EXTRACTION, ModelTask.EXTRACT
    batches = 0

    def can_run(self) -> bool:
        return self.batches > 0

    def ask(self, engine: EngineApi, folder: FolderPk, cancel: Cancel) -> _Asked:
        report = engine.ask(RunExtraction(folder=folder, reach=Reach.REBUILD), cancel=cancel)
        tr = self.context.tr
        if report.state is not RunState.DONE and not report.parts and report.problems:
            return _Asked(None, problem_text(report.problems[0], tr))
        return _Asked(report.proposal, "" if report.proposal else tr("rebuild_graph.nothing"))

    def describe(self, folder: FolderPk) -> None:
        engine, self.batches = self.context.engine, 0
        self._enable()

        def ask(_progress: Report, cancel: Cancel) -> ExtractionPlan:
            return engine.ask(PlanExtraction(folder=folder, reach=Reach.REBUILD), cancel=cancel)

        self.context.tasks.run(Lane.READ, ask, self._show_plan, owner=self, query="describe")

    def _show_plan(self, plan: ExtractionPlan) -> None:
        tr, batches = self.context.tr, len(plan.batches)
        self.batches = batches
        self.plan_label.show()
        if not batches:
            self.plan_label.setText(tr("rebuild_graph.no_floors"))
        else:
            self.plan_label.setText(
                tr(
                    "rebuild_graph.plan",
                    count=tr.number(batches),
                    start=plan.batches[0].start,
                    end=plan.batches[-1].end,
                    tokens=tr.number(plan.tokens),
                )
            )
        self._enable()
