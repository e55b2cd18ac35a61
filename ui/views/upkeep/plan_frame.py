"""What all plans of the page share: heading, filters, the plan or why there is none, and the bar with Apply."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from core.domain.api import Cancel, EngineApi
from core.domain.commands import Command
from core.domain.ids import MemoryPk
from core.domain.results import Changes, OpResult
from ui.context import Context
from ui.operations import Operations
from ui.read_only import needs_writing
from ui.tasks import Lane, Task, single_shot
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.folder_combo import FolderCombo
from ui.widgets.state_stack import StateStack

P = TypeVar("P")
R = TypeVar("R")
REFRESH_AFTER_MS = 400


class PlanTask(QWidget, Generic[P]):
    """A plan that is asked for in the background and applied as one op.

    Subclasses set `NAME` (texts `upkeep.<name>...`), put controls into `tools`, and answer `asked`, `show_plan`,
    `command` and `summary`. `open_memories(pks)`: show these in the list.
    """

    NAME = ""
    open_memories = Signal(object)

    def __init__(self, context: Context, operations: Operations, content: QWidget) -> None:
        super().__init__()
        self.context, self.operations = context, operations
        self.plan: P | None = None
        self._stale, self._applying = True, False
        self._running: object = None
        self.setProperty("surface", "base")
        self.folder = FolderCombo(context)
        self.title = QLabel()
        self.title.setProperty("role", "large")
        self.said = _words("secondary")
        self.warning = _words("warning")
        self.warning.hide()
        self.stack = StateStack(content)
        self.summary_label = _words("")
        self.apply_button = QPushButton()
        self.apply_button.setProperty("primary", "true")
        self.apply_button.clicked.connect(self.apply)
        needs_writing(self.context, self.apply_button)
        self._lay_out()
        self._again = single_shot(self, REFRESH_AFTER_MS, self.refresh)
        self._set_free = single_shot(self, 0, self._free)
        self.folder.picked.connect(self.refresh)
        context.bridge.changes.connect(self._on_changes)
        context.tasks.ended.connect(self._on_ended)
        context.tr.changed.connect(self.say_texts)
        context.theme.changed.connect(self.say_texts)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self.title)
        head.addStretch(1)
        head.addWidget(self.folder)
        self._tools = QWidget()
        self.tools = FlowLayout(self._tools, gap=8)
        self.tools.setContentsMargins(0, 0, 0, 0)
        top = QVBoxLayout()
        top.setContentsMargins(16, 12, 16, 8)
        top.setSpacing(8)
        top.addLayout(head)
        top.addWidget(self.said)
        top.addWidget(self.warning)
        top.addWidget(self._tools)
        self.bar = QHBoxLayout()
        self.bar.setContentsMargins(16, 8, 16, 8)
        self.bar.setSpacing(8)
        self.bar.addWidget(self.summary_label, 1)
        self.bar.addWidget(self.apply_button)
        bottom = QWidget()
        bottom.setProperty("role", "bar")
        bottom.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        bottom.setLayout(self.bar)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.stack, 1)
        column.addWidget(bottom)

    # --- for subclasses ---

    def asked(self) -> Callable[[EngineApi, Cancel], P]:
        """What to ask the engine, in the background: everything it needs is read now."""
        raise NotImplementedError

    def show_plan(self, plan: P) -> None:
        """Show a new plan; call `show_empty` when there is nothing in it."""
        raise NotImplementedError

    def command(self) -> Command | None:
        """What Apply does; None = nothing is chosen."""
        raise NotImplementedError

    def can_apply(self) -> bool:
        """Whether there is something to apply."""
        return self.command() is not None

    def summary(self) -> str:
        """What Apply would change, in one line."""
        raise NotImplementedError

    def applied(self, result: OpResult) -> None:
        """The change was made."""

    # --- asking ---

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self.refresh()

    def refresh(self) -> None:
        """Ask for the plan again."""
        self._stale = False
        engine, ask, tr = self.context.engine, self.asked(), self.context.tr
        self.stack.show_loading(tr("state.loading"))
        self.context.tasks.run(
            Lane.READ,
            lambda _progress, cancel: ask(engine, cancel),
            self._take,
            owner=self,
            query="plan",
            failed=self._fail,
        )

    def _take(self, plan: P) -> None:
        self.plan = plan
        self.stack.show_content()
        self.show_plan(plan)
        self.show_summary()

    def show_empty(self, text: str, button: str = "", act: Callable[[], None] | None = None) -> None:
        """Say why there is nothing to do."""
        self.stack.show_notice(text, button, act)

    def _fail(self, error: Exception) -> None:
        tr = self.context.tr
        if self.plan is None:
            self.stack.show_notice(tr.error(error), tr("state.again"), self.refresh)
        else:
            self.stack.show_stale(tr("state.stale", reason=tr.error(error)), tr("state.again"), self.refresh)

    def _on_changes(self, _changes: Changes) -> None:
        self._stale = True
        if self.isVisible() and not self._applying:
            self._again.start()

    # --- applying ---

    def apply(self) -> None:
        """Do what the plan says, as one op."""
        command = self.command()
        if command is None or self._applying:
            return
        self.watch(self.operations.run(command, self._on_applied, failed=self._on_refused))

    def watch(self, task: Task[R]) -> None:
        """Nothing else is applied until this has ended, or was cancelled."""
        self._applying, self._running = True, task
        self.show_summary()

    def _on_ended(self, task: Task[object]) -> None:
        if task is self._running:
            self._running = None
            self._set_free.start()

    def _free(self) -> None:
        """A task that was cancelled or given up tells nobody else that it is over."""
        if self._applying and self._running is None:
            self._applying = False
            self.refresh()
            self.show_summary()

    def _on_applied(self, result: OpResult) -> None:
        self._applying = False
        self.applied(result)
        self.refresh()

    def _on_refused(self, error: Exception) -> None:
        self._applying = False
        self.operations.show_error(error)
        self.refresh()

    def show_summary(self) -> None:
        """Say what Apply would do, and whether it can."""
        text = self.summary()
        self.summary_label.setText(text)
        self.summary_label.setAccessibleName(text)
        self.apply_button.setEnabled(not self._applying and self.can_apply())

    def warn(self, text: str) -> None:
        """A line that stands out below the numbers; "" takes it away."""
        self.warning.setText(text)
        self.warning.setVisible(bool(text))

    def say_texts(self) -> None:
        """All texts again, in the present language."""
        tr = self.context.tr
        self.title.setText(tr(f"upkeep.{self.NAME}"))
        self.apply_button.setText(tr("plan.apply"))
        if self.plan is not None:
            self.show_plan(self.plan)
            self.show_summary()

    def take(self, memories: tuple[MemoryPk, ...]) -> None:
        """Work on a selection of another page."""


def _words(role: str) -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    if role:
        label.setProperty("role", role)
    return label
