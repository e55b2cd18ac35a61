"""Which model serves which task, who makes the vectors, and what was used so far."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core import model_settings
from core.domain.api import Cancel, Report
from core.domain.endpoints import BUILTIN, MANUAL, EndpointKind, ModelTask
from core.domain.errors import UserError
from core.domain.model_answers import EmbedderSwitch, UsageRow
from core.domain.queries_models import ModelUsage, PlanEmbedderSwitch, SwitchEmbedder
from ui.context import Context
from ui.tasks import Lane, Task
from ui.views.moments import duration
from ui.widgets.wheel import guard_wheel

FIELD_PX = 280


class TasksForm(QWidget):
    """A choice for each task. `chosen`: somebody serves a task now who did not before."""

    chosen = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.choices: dict[ModelTask, QComboBox] = {}
        self._plan: EmbedderSwitch | None = None
        self._task: Task[EmbedderSwitch] | None = None
        tr = context.tr
        form = QFormLayout()
        form.setHorizontalSpacing(24)
        form.setVerticalSpacing(8)
        for task in ModelTask:
            choice = self.choices[task] = self._combo(form, tr(f"models.task.{task.value}"))
            choice.setToolTip(tr(f"models.task.{task.value}.hint"))
            choice.activated.connect(lambda _index, each=task: self._choose(each))
        self.embedder = self._combo(form, tr("setting.embedder"))
        self.embedder.setToolTip(tr("setting.embedder.hint"))
        self.embedder.activated.connect(lambda _index: self._plan_switch())
        self.said = QLabel()
        self.said.setTextFormat(Qt.TextFormat.PlainText)
        self.said.setWordWrap(True)
        self.start = QPushButton(tr("models.switch.start"))
        self.start.setAutoDefault(False)
        self.start.clicked.connect(self._switch)
        self.keep = QPushButton(tr("models.switch.keep"))
        self.keep.setAutoDefault(False)
        self.keep.clicked.connect(self._keep_old)
        self.pause = QPushButton(tr("models.switch.pause"))
        self.pause.setAutoDefault(False)
        self.pause.clicked.connect(self._pause)
        self.pause.hide()
        context.tasks.progressed.connect(self._on_progress)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button in (self.start, self.keep, self.pause):
            buttons.addWidget(button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(form)
        column.addWidget(self.said)
        column.addLayout(buttons)
        self._offer(None)
        self.fill()

    def _combo(self, form: QFormLayout, text: str) -> QComboBox:
        choice = QComboBox()
        choice.setAccessibleName(text)
        choice.setMaximumWidth(self._context.theme.px(FIELD_PX))
        choice.setMinimumWidth(self._context.theme.px(FIELD_PX))
        guard_wheel(choice)
        label = QLabel(text)
        label.setBuddy(choice)
        form.addRow(label, choice)
        return choice

    def fill(self) -> None:
        """Offer what there is now."""
        tr, settings = self._context.tr, self._context.settings
        for task, choice in self.choices.items():
            choice.clear()
            choice.addItem(tr("models.who.builtin"), BUILTIN)
            choice.addItem(tr("models.who.manual"), MANUAL)
            for each in model_settings.endpoints(settings, EndpointKind.CHAT):
                choice.addItem(_named(each.name, each.model), each.id)
            choice.setCurrentIndex(max(0, choice.findData(model_settings.served_by(settings, task))))
        self.embedder.clear()
        self.embedder.addItem(tr("setting.embedder.builtin"), "builtin")
        for each in model_settings.endpoints(settings, EndpointKind.EMBEDDING):
            self.embedder.addItem(_named(each.name, each.model), each.id)
        self.embedder.addItem(tr("setting.embedder.none"), "none")
        self._show_embedder()

    def _show_embedder(self) -> None:
        settings = self._context.settings
        chosen = model_settings.chosen_embedder(settings)
        now = "none" if settings.text("embedder") == "none" else (chosen.id if chosen else "builtin")
        self.embedder.setCurrentIndex(max(0, self.embedder.findData(now)))

    def _choose(self, task: ModelTask) -> None:
        try:
            model_settings.choose(self._context.settings, task, str(self.choices[task].currentData()))
        except UserError as error:
            self._say(self._context.tr.error(error), "danger")
        self.chosen.emit()

    # --- another embedder ------------------------------------------------------------------

    def _plan_switch(self) -> None:
        query, engine = PlanEmbedderSwitch(str(self.embedder.currentData())), self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> EmbedderSwitch:
            return engine.ask(query, cancel=cancel)

        self._context.tasks.run(Lane.NET, ask, self._offer, owner=self, query="switch", failed=self._failed)

    def _offer(self, plan: EmbedderSwitch | None) -> None:
        """Say what the change takes, and ask; without anything to make it is done at once."""
        tr = self._context.tr
        self._plan = plan
        asks = plan is not None and bool(plan.to_embed)
        self.start.setVisible(asks)
        self.keep.setVisible(asks)
        if plan is None:
            self._say("")
        elif asks:
            name = plan.old or tr("models.switch.nobody")
            cost = [tr("models.switch.cost", tokens=tr.number(plan.tokens), time=duration(plan.seconds, tr))]
            if plan.cost:
                cost.append(tr("models.switch.price", cost=f"{plan.cost:.4f}".rstrip("0").rstrip(".")))
            self._say(" ".join((
                tr(
                    "models.switch.plan", old=name, old_dims=plan.old_dims, old_vectors=tr.number(plan.old_vectors),
                    new=plan.new, new_dims=plan.new_dims, count=tr.number(plan.to_embed),
                ),
                *cost,
            )))  # fmt: skip
        else:
            self._switch()

    def _switch(self) -> None:
        to, engine, tr = str(self.embedder.currentData()), self._context.engine, self._context.tr
        self.start.hide()
        self.keep.hide()
        self.pause.show()
        self._say(tr("models.switch.running"))

        def ask(progress: Report, cancel: Cancel) -> EmbedderSwitch:
            return engine.ask(SwitchEmbedder(to, progress), cancel=cancel)

        def done(switch: EmbedderSwitch) -> None:
            self._ended()
            self._show_embedder()
            key = "models.switch.weights" if switch.other_weights else "models.switch.done"
            self._say(tr(key if switch.complete else "models.switch.again"), "secondary")
            self.chosen.emit()

        self._task = self._context.tasks.run(
            Lane.NET, ask, done, owner=self, query="switch", failed=self._failed, label="task.models.switch"
        )

    def _on_progress(self, task: Task[object]) -> None:
        if task is self._task and task.progress[1]:
            tr, (done, total) = self._context.tr, task.progress
            counted = tr("models.switch.progress", done=tr.number(done), total=tr.number(total))
            self._say(f"{counted} {tr('models.switch.running')}")

    def _pause(self) -> None:
        """Stop after the batch at hand; what is made is kept, and the old vectors stay in use."""
        if self._task is not None:
            self._task.cancel()
        self._ended()
        self._show_embedder()
        self._say(self._context.tr("models.switch.paused"))

    def _ended(self) -> None:
        self._task = None
        self.pause.hide()

    def _keep_old(self) -> None:
        self._show_embedder()
        self._offer(None)

    def _failed(self, error: Exception) -> None:
        self._ended()
        self._show_embedder()
        self._offer(None)
        self._say(self._context.tr.error(error), "danger")

    def _say(self, text: str, role: str = "secondary") -> None:
        self.said.setProperty("role", role)
        self.said.style().polish(self.said)
        self.said.setText(text)
        self.said.setVisible(bool(text))


class UsageTable(QWidget):
    """Calls, tokens and cost by endpoint and task."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(24)
        self._grid.setVerticalSpacing(4)
        self.cells: list[list[str]] = []

    def refresh(self) -> None:
        """Ask again what was used."""
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[UsageRow, ...]:
            return engine.ask(ModelUsage(), cancel=cancel)

        self._context.tasks.run(Lane.READ, ask, self._show, owner=self, query="usage")

    def _show(self, rows: Sequence[UsageRow]) -> None:
        tr = self._context.tr
        while (item := self._grid.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        names = {each.id: each.name for each in model_settings.endpoints(self._context.settings)}
        head = [tr(f"models.usage.{name}") for name in ("endpoint", "task", "calls", "in", "out", "cost")]
        self.cells = [
            [
                names.get(row.endpoint, tr("models.usage.gone")),
                tr(f"models.task.{row.task}"),
                tr.number(row.usage.calls),
                ("~" if row.usage.counted else "") + tr.number(row.usage.tokens_in),
                ("~" if row.usage.counted else "") + tr.number(row.usage.tokens_out),
                f"{row.usage.cost:.4f}".rstrip("0").rstrip(".") if row.usage.cost else "-",
            ]
            for row in rows
        ]
        if not rows:
            none = QLabel(tr("models.usage.none"))
            none.setProperty("role", "secondary")
            self._grid.addWidget(none, 0, 0)
            return
        for line, cells in enumerate([head, *self.cells]):
            for column, text in enumerate(cells):
                label = QLabel(text)
                label.setTextFormat(Qt.TextFormat.PlainText)
                label.setProperty("role", "section" if line == 0 else "")
                if column > 1:
                    label.setAlignment(Qt.AlignmentFlag.AlignRight)
                self._grid.addWidget(label, line, column)
        self._grid.setColumnStretch(6, 1)


def _named(name: str, model: str) -> str:
    return f"{name} · {model}" if model and model != name else name
