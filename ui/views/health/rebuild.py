"""Vectors made anew: what it costs, how far it is, and the figures by which a person decides."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.health import Fault, RebuildEstimate, RebuildJob, RebuildScope, RebuildState
from core.domain.ids import FolderPk
from core.domain.queries import Folders
from core.domain.queries_health import (
    AcceptRebuild,
    CurrentRebuild,
    DropRebuild,
    EstimateRebuild,
    Remake,
    RunRebuild,
)
from core.domain.queries_index import RebuildIndex
from core.domain.results import FolderNode
from ui.context import Context
from ui.operations import Operations
from ui.read_only import needs_writing
from ui.tasks import Lane, Task
from ui.views.health.parts import Card, scrolled
from ui.views.moments import duration

LOOK_MS = 500
SCOPES = (RebuildScope.STALE, RebuildScope.FOLDER, RebuildScope.ALL)


class RebuildTab(QWidget):
    """One rebuild at a time. `changed`: vectors, index or word search are others now."""

    changed = Signal()

    def __init__(self, context: Context, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._operations = context, operations
        self.estimate: RebuildEstimate | None = None
        self.job: RebuildJob | None = None
        self._task: Task[RebuildJob] | None = None
        self.vectors, self.others = Card(), Card()
        self.about = QLabel()
        self.about.setWordWrap(True)
        self.scopes = QButtonGroup(self)
        self.buttons = {scope: QRadioButton() for scope in SCOPES}
        self.folder = QComboBox()
        self.folder.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.cost = QLabel()
        self.cost.setWordWrap(True)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setMaximumHeight(context.theme.px(6))
        self.state = QLabel()
        self.state.setWordWrap(True)
        self.figures = QLabel()
        self.figures.setWordWrap(True)
        names = ("estimate", "start", "pause", "go_on", "accept", "drop")
        self.do = {name: QPushButton() for name in names}
        self.index_button, self.search_button, self.count_button = QPushButton(), QPushButton(), QPushButton()
        self.index_text, self.search_text, self.count_text = QLabel(), QLabel(), QLabel()
        self._clock = QTimer(self)
        self._clock.setInterval(LOOK_MS)
        self._clock.timeout.connect(self._look)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        column = self.vectors.column
        column.addWidget(self.about)
        for scope in SCOPES:
            self.scopes.addButton(self.buttons[scope])
            row = QHBoxLayout()
            row.addWidget(self.buttons[scope])
            if scope is RebuildScope.FOLDER:
                row.addWidget(self.folder)
            row.addStretch(1)
            column.addLayout(row)
        self.buttons[RebuildScope.STALE].setChecked(True)
        for widget in (self.cost, self.progress, self.state, self.figures):
            column.addWidget(widget)
        self.do["start"].setProperty("primary", "true")
        self.do["accept"].setProperty("primary", "true")
        row = QHBoxLayout()
        row.setSpacing(8)
        for name in ("start", "accept", "go_on", "pause", "drop", "estimate"):
            row.addWidget(self.do[name])
        row.addStretch(1)
        column.addLayout(row)
        for button, text in (
            (self.index_button, self.index_text),
            (self.search_button, self.search_text),
            (self.count_button, self.count_text),
        ):
            line = QHBoxLayout()
            line.setSpacing(16)
            text.setWordWrap(True)
            text.setProperty("role", "secondary")
            line.addWidget(text, 1)
            line.addWidget(button)
            self.others.column.addLayout(line)
        inside = QWidget()
        whole = QVBoxLayout(inside)
        whole.setContentsMargins(16, 16, 16, 16)
        whole.setSpacing(16)
        whole.addWidget(self.vectors)
        whole.addWidget(self.others)
        whole.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(inside))

    def _connect(self) -> None:
        self.do["estimate"].clicked.connect(self.ask_cost)
        self.do["start"].clicked.connect(lambda: self.run(self.scope))
        self.do["go_on"].clicked.connect(lambda: self.run(None))
        self.do["pause"].clicked.connect(self.pause)
        self.do["accept"].clicked.connect(self.accept)
        self.do["drop"].clicked.connect(self.drop)
        self.scopes.buttonClicked.connect(lambda _button: self._other_choice())
        self.folder.activated.connect(lambda _index: self._other_choice())
        self.index_button.clicked.connect(self.rebuild_index)
        self.search_button.clicked.connect(lambda: self._remake(Fault.FULL_TEXT))
        self.count_button.clicked.connect(lambda: self._remake(Fault.COUNTERS))
        needs_writing(
            self._context,
            *(self.do[each] for each in ("start", "go_on", "accept", "drop")),
            self.index_button,
            self.search_button,
            self.count_button,
        )

    # --- asking --------------------------------------------------------------------------

    @property
    def scope(self) -> RebuildScope:
        """What is chosen."""
        return next(scope for scope, button in self.buttons.items() if button.isChecked())

    @property
    def _chosen_folder(self) -> FolderPk | None:
        data = self.folder.currentData()
        return FolderPk(data) if data is not None and self.scope is RebuildScope.FOLDER else None

    def refresh(self) -> None:
        """Read folders and the rebuild there is."""
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[tuple[FolderNode, ...], RebuildJob | None]:
            return engine.ask(Folders(), cancel=cancel), engine.ask(CurrentRebuild(), cancel=cancel)

        self._context.tasks.run(
            Lane.READ, ask, self._show, owner=self, query="rebuild", failed=self._operations.show_error
        )

    def _show(self, found: tuple[tuple[FolderNode, ...], RebuildJob | None]) -> None:
        nodes, self.job = found
        chosen = self.folder.currentData()
        self.folder.clear()
        for node in nodes:
            self.folder.addItem(node.folder.name, int(node.folder.pk))
        self.folder.setCurrentIndex(max(0, self.folder.findData(chosen)))
        self.say()

    def _other_choice(self) -> None:
        self.estimate = None
        self.say()

    def ask_cost(self) -> None:
        """Count texts, and measure the speed on a few."""
        engine, query = self._context.engine, EstimateRebuild(self.scope, self._chosen_folder)

        def ask(_progress: Report, cancel: Cancel) -> RebuildEstimate:
            return engine.ask(query, cancel=cancel)

        self._context.tasks.run(
            Lane.NET, ask, self._take_estimate, owner=self, query="estimate", label="health.rebuild.estimating",
            failed=self._operations.show_error,
        )  # fmt: skip

    def _take_estimate(self, estimate: RebuildEstimate) -> None:
        self.estimate = estimate
        self.say()

    # --- doing ---------------------------------------------------------------------------

    def run(self, scope: RebuildScope | None) -> None:
        """Begin, or go on with what there is."""
        engine, folder = self._context.engine, self._chosen_folder if scope is not None else None

        def work(_progress: Report, cancel: Cancel) -> RebuildJob:
            return engine.ask(RunRebuild(scope, folder), cancel=cancel)

        self._task = self._context.tasks.run(
            Lane.NET, work, self._done, owner=self, label="health.rebuild.running", failed=self._failed
        )
        self._clock.start()
        self.say()

    def pause(self) -> None:
        """Stop after the batch at hand; what is made is kept."""
        if self._task is not None:
            self._task.cancel()
        self._task = None

    def _look(self) -> None:
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> RebuildJob | None:
            return engine.ask(CurrentRebuild(), cancel=cancel)

        def take(job: RebuildJob | None) -> None:
            self.job = job
            if self._task is None and (job is None or job.state is not RebuildState.RUNNING):
                self._clock.stop()
            self.say()

        self._context.tasks.run(
            Lane.READ, ask, take, owner=self, query="look", failed=lambda _error: self._clock.stop()
        )

    def _done(self, job: RebuildJob) -> None:
        self._task = None
        self.estimate = None
        tr = self._context.tr
        if job.scope is RebuildScope.STALE:
            self._operations.said.emit(tr("health.rebuild.stale_done"), False)
            self.changed.emit()
        self._clock.stop()
        self.refresh()

    def _failed(self, error: Exception) -> None:
        self._task = None
        self._clock.stop()
        self._operations.show_error(error)
        self.refresh()

    def accept(self) -> None:
        """The new vectors come into use."""
        engine, tr = self._context.engine, self._context.tr

        def done(count: int) -> None:
            self._operations.said.emit(tr("health.rebuild.accepted", count=tr.number(count)), False)
            self.refresh()
            self.changed.emit()

        self._context.tasks.run(
            Lane.NET,
            lambda _progress, cancel: engine.ask(AcceptRebuild(), cancel=cancel),
            done,
            owner=self,
            label="health.rebuild.accepting",
            failed=self._operations.show_error,
        )

    def drop(self) -> None:
        """Give it up; the old vectors stay."""
        engine = self._context.engine
        self.pause()
        self._context.tasks.run(
            Lane.NET,
            lambda _progress, cancel: engine.ask(DropRebuild(), cancel=cancel),
            lambda _dropped: self.refresh(),
            owner=self,
            failed=self._operations.show_error,
        )

    def rebuild_index(self) -> None:
        """The index anew from the stored vectors."""
        engine, tr = self._context.engine, self._context.tr

        def done(count: int) -> None:
            self._operations.said.emit(tr("health.rebuilt", count=tr.number(count)), False)
            self.changed.emit()

        self._context.tasks.run(
            Lane.NET,
            lambda _progress, cancel: engine.ask(RebuildIndex(), cancel=cancel),
            done,
            owner=self,
            query="index",
            label="task.rebuild",
            failed=self._operations.show_error,
        )

    def _remake(self, fault: Fault) -> None:
        engine, tr = self._context.engine, self._context.tr

        def done(count: int) -> None:
            self._operations.said.emit(tr("health.remade", count=tr.number(count)), False)
            self.changed.emit()

        self._context.tasks.run(
            Lane.NET,
            lambda _progress, cancel: engine.ask(Remake((fault,)), cancel=cancel),
            done,
            owner=self,
            label="health.remaking",
            failed=self._operations.show_error,
        )

    # --- showing -------------------------------------------------------------------------

    def say(self) -> None:
        """All texts anew."""
        tr, job = self._context.tr, self.job
        self.vectors.name(tr("health.rebuild.vectors"))
        self.others.name(tr("health.rebuild.others"))
        self.about.setText(tr("health.rebuild.about"))
        for scope, radio in self.buttons.items():
            radio.setText(tr(f"health.rebuild.scope.{scope.value}"))
            radio.setEnabled(job is None and self._task is None)
        self.folder.setEnabled(job is None and self.scope is RebuildScope.FOLDER)
        self.folder.setAccessibleName(tr("health.rebuild.scope.folder"))
        for name, button in self.do.items():
            button.setText(tr(f"health.rebuild.{name}"))
        for name, button, label in (
            ("index", self.index_button, self.index_text),
            ("search", self.search_button, self.search_text),
            ("count", self.count_button, self.count_text),
        ):
            button.setText(tr(f"health.rebuild.{name}.do"))
            label.setText(tr(f"health.rebuild.{name}.about"))
        self._say_cost()
        self._say_job()

    def _say_cost(self) -> None:
        tr, found = self._context.tr, self.estimate
        self.cost.setVisible(found is not None and self.job is None)
        if found is None:
            return
        if not found.texts:
            self.cost.setText(tr("health.rebuild.nothing"))
            return
        parts = [
            tr(
                "health.rebuild.cost",
                count=found.texts,
                texts=tr.number(found.texts),
                tokens=tr.number(found.tokens),
                time=duration(found.seconds, tr),
                model=found.model,
            )
        ]
        if found.scope is not RebuildScope.STALE:
            key = "health.rebuild.cases" if found.cases else "health.rebuild.no_cases"
            parts.append(tr(key, count=found.cases))
        self.cost.setText(" ".join(parts))

    def _say_job(self) -> None:
        tr, job = self._context.tr, self.job
        running = self._task is not None or (job is not None and job.state is RebuildState.RUNNING)
        ready = job is not None and job.state is RebuildState.READY and not running
        paused = job is not None and job.state is RebuildState.PAUSED and not running
        shown = {
            "estimate": job is None and not running,
            "start": job is None and not running,
            "pause": running,
            "go_on": paused,
            "accept": ready,
            "drop": job is not None,
        }
        for name, button in self.do.items():
            button.setVisible(shown[name])
        nothing = self.estimate is not None and not self.estimate.texts
        self.do["start"].setEnabled(not nothing)
        self.progress.setVisible(job is not None)
        self.state.setVisible(job is not None)
        self.figures.setVisible(bool(job is not None and job.new))
        if job is None:
            return
        self.progress.setRange(0, max(1, job.total))
        self.progress.setValue(job.done)
        key = "running" if running else job.state.value
        done, total = tr.number(job.done), tr.number(job.total)
        text = tr(f"health.rebuild.state.{key}", done=done, total=total)
        if job.failed:
            text += " " + tr("health.rebuild.failed", count=job.failed)
        if job.error:
            text += " " + tr("health.rebuild.error", reason=job.error)
        self.state.setText(text)
        if job.new:
            self.figures.setText(self._compared(job.old, job.new))
        elif ready:
            self.figures.setText(tr("health.rebuild.no_cases"))

    def _compared(self, old: Mapping[str, float], new: Mapping[str, float]) -> str:
        tr = self._context.tr
        lines = [tr("health.rebuild.compare")]
        for name, value in new.items():
            before = old.get(name, 0.0)
            lines.append(
                tr(
                    "health.rebuild.figure",
                    name=name.replace("_", "@"),
                    old=f"{before:.2f}",
                    new=f"{value:.2f}",
                )
            )
        return "\n".join(lines)
