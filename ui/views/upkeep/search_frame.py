"""What the searches of the page share: heading, choices, progress with a way to stop, and the list or why it is empty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from core.domain.api import Cancel, EngineApi, Report
from core.domain.results import Changes
from ui.context import Context
from ui.operations import Operations
from ui.tasks import Lane, Task
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.folder_combo import FolderCombo
from ui.widgets.state_stack import StateStack

R = TypeVar("R")


class SearchTask(QWidget, Generic[R]):
    """A search that a person starts, over one folder or all, that can be stopped.

    Subclasses set `NAME`, put controls into `tools` and buttons into `bar`, and answer `asked`, `show_found`,
    `restate`. `open_memories(pks)`: show these in the list.
    """

    NAME = ""
    open_memories = Signal(object)

    def __init__(self, context: Context, operations: Operations, content: QWidget) -> None:
        super().__init__()
        self.context, self.operations = context, operations
        self.found: R | None = None
        self._task: Task[R] | None = None
        self.setProperty("surface", "base")
        self.title, self.said = QLabel(), QLabel()
        self.title.setProperty("role", "large")
        self.said.setProperty("role", "secondary")
        self.said.setWordWrap(True)
        self.folder = FolderCombo(context)
        self.across = QCheckBox()
        self.look_button, self.stop_button = QPushButton(), QPushButton()
        self.look_button.clicked.connect(self.look)
        self.stop_button.clicked.connect(self.stop)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setMaximumHeight(6)
        self.stack = StateStack(content)
        self.summary = QLabel()
        self._lay_out()
        self._show_running(False)
        context.tr.changed.connect(self.say_texts)
        context.theme.changed.connect(self.say_texts)
        context.bridge.changes.connect(self._on_changes)
        context.tasks.progressed.connect(self._on_progress)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self.title)
        head.addStretch(1)
        head.addWidget(self.across)
        head.addWidget(self.folder)
        head.addWidget(self.look_button)
        head.addWidget(self.stop_button)
        self._tools = QWidget()
        self.tools = FlowLayout(self._tools, gap=8)
        self.tools.setContentsMargins(0, 0, 0, 0)
        top = QVBoxLayout()
        top.setContentsMargins(16, 12, 16, 8)
        top.setSpacing(8)
        top.addLayout(head)
        top.addWidget(self.said)
        top.addWidget(self._tools)
        top.addWidget(self.progress)
        self.bar = QHBoxLayout()
        self.bar.setContentsMargins(16, 8, 16, 8)
        self.bar.setSpacing(8)
        self.bar.addWidget(self.summary, 1)
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

    def asked(self) -> Callable[[EngineApi, Report, Cancel], R]:
        """What to ask the engine, in the background: everything it needs is read now."""
        raise NotImplementedError

    def show_found(self, found: R) -> None:
        """Show what was found."""
        raise NotImplementedError

    def restate(self) -> None:
        """The texts of the subclass again."""

    # --- searching ---

    @property
    def running(self) -> bool:
        """Whether it is looking."""
        return self._task is not None

    def look(self) -> None:
        """Begin, or begin again."""
        engine, ask = self.context.engine, self.asked()

        def run(progress: Report, cancel: Cancel) -> R:
            return ask(engine, progress, cancel)

        self._show_running(True)
        self._task = self.context.tasks.run(
            Lane.READ,
            run,
            self._take,
            owner=self,
            query="look",
            failed=self._fail,
            label=f"upkeep.{self.NAME}",
        )

    def stop(self) -> None:
        """Stop looking; nothing was changed."""
        self.context.tasks.drop(self, "look")
        self._task = None
        self._show_running(False)
        if self.found is None:
            self._begin(self.context.tr("duplicates.cancelled"))

    def _take(self, found: R) -> None:
        self._task = None
        self.found = found
        self._show_running(False)
        self.stack.show_content()
        self.show_found(found)

    def _fail(self, error: Exception) -> None:
        tr = self.context.tr
        self._task = None
        self._show_running(False)
        if self.found is None:
            self.stack.show_notice(tr.error(error), tr("state.again"), self.look)
        else:
            self.stack.show_stale(tr("state.stale", reason=tr.error(error)), tr("state.again"), self.look)

    def _begin(self, text: str) -> None:
        self.stack.show_notice(text, self.context.tr(f"{self.NAME}.look"), self.look)

    def _show_running(self, running: bool) -> None:
        self.progress.setRange(0, 0)
        self.progress.setVisible(running)
        self.stop_button.setVisible(running)
        self.look_button.setVisible(not running and self.found is not None)

    def _on_progress(self, task: object) -> None:
        if self._task is not None and task is self._task:
            done, total = self._task.progress
            self.progress.setRange(0, total)
            self.progress.setValue(done)

    def _on_changes(self, changes: Changes) -> None:
        """What others changed makes the list old; what was done from here was taken out of it."""
        if self.found is not None and changes.foreign:
            tr = self.context.tr
            self.stack.show_stale(tr("duplicates.stale"), tr("duplicates.again"), self.look)

    def say_texts(self) -> None:
        """All texts again, in the present language."""
        tr = self.context.tr
        self.title.setText(tr(f"upkeep.{self.NAME}"))
        self.said.setText(tr(f"{self.NAME}.intro"))
        self.across.setText(tr("duplicates.across"))
        self.across.setToolTip(tr("duplicates.across.tip"))
        self.look_button.setText(tr("duplicates.again"))
        self.stop_button.setText(tr("duplicates.cancel"))
        self.restate()
        if self.found is not None:
            self.show_found(self.found)
        elif not self.running:
            self._begin(tr(f"{self.NAME}.begin"))
