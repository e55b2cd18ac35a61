"""What all dialogs share: buttons, one command, an error that stays in sight."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.commands import Command
from core.domain.results import OpResult
from ui.context import Context
from ui.read_only import needs_writing
from ui.tasks import Lane, Task
from ui.widgets.growing import Growing


class CommandDialog(QDialog):
    """A window-modal dialog whose main button runs one command in the background.

    Subclasses fill `body` and override `command`; `check` enables the main button. While the
    command runs the dialog shows progress and Cancel stops it; when it fails the dialog stays and
    says why, with everything typed kept.
    """

    WRITES: ClassVar[bool] = True
    """Whether the main button changes the library; it is off where that is only read."""

    def __init__(
        self, ctx: Context, parent: QWidget | None, title: str, button: str, *, width: int = 440
    ) -> None:
        super().__init__(parent)
        self.ctx = ctx
        self._task: Task[OpResult] | None = None
        self._then: Callable[[OpResult], None] | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setWindowTitle(title)
        self.setMinimumWidth(ctx.theme.wide(width))
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        self.body = QVBoxLayout()
        self.body.setSpacing(8)
        column.addLayout(self.body, 1)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setMaximumHeight(6)
        self.progress.hide()
        column.addWidget(self.progress)
        self.said = QLabel()
        self.said.setTextFormat(Qt.TextFormat.PlainText)
        self.said.setWordWrap(True)
        self.said.hide()
        column.addWidget(self.said)
        self.buttons = QDialogButtonBox()
        self.main_button: QPushButton = self.buttons.addButton(button, QDialogButtonBox.ButtonRole.AcceptRole)
        self.main_button.setDefault(True)
        if self.WRITES:
            needs_writing(ctx, self.main_button)
        self.cancel_button: QPushButton = self.buttons.addButton(
            ctx.tr("dialog.cancel"), QDialogButtonBox.ButtonRole.RejectRole
        )
        self.cancel_button.setAutoDefault(False)
        self.buttons.accepted.connect(self.apply)
        self.buttons.rejected.connect(self.reject)
        column.addWidget(self.buttons)
        Growing(self)

    def command(self) -> Command | None:
        """What the main button does; None = nothing to do."""
        raise NotImplementedError

    def ready(self) -> bool:
        """Whether the main button can be pressed."""
        return True

    def check(self) -> None:
        """Enable the main button as `ready` says."""
        self.main_button.setEnabled(self._task is None and self.ready())

    def on_done(self, then: Callable[[OpResult], None]) -> None:
        """Call this after the command was run."""
        self._then = then

    def apply(self) -> None:
        """Do what the main button says."""
        command = self.command()
        if command is None:
            self.accept()
        else:
            self.run_command(command)

    def run_command(self, command: Command) -> None:
        """Run a command in the background; close when it is done, stay and say why when it fails."""
        engine = self.ctx.engine

        def run(progress: Report, cancel: Cancel) -> OpResult:
            return engine.run(command, progress=progress, cancel=cancel)

        self.said.hide()
        self.progress.setRange(0, 0)
        self.progress.show()
        self._task = self.ctx.tasks.run(
            Lane.WRITE, run, self._on_run, owner=self, failed=self.fail, label=command.LABEL
        )
        self.ctx.tasks.progressed.connect(self._on_progress)
        self.check()

    def reject(self) -> None:
        if self._task is not None:
            self._task.cancel()
        super().reject()

    def say(self, text: str, role: str = "secondary") -> None:
        """A line above the buttons; "" hides it."""
        self.said.setProperty("role", role)
        self.said.style().polish(self.said)
        self.said.setText(text)
        self.said.setVisible(bool(text))

    def fail(self, error: Exception) -> None:
        """Say an error and let the person try again."""
        self._task = None
        self.progress.hide()
        self.say(self.ctx.tr.error(error), "danger")
        self.check()

    def _on_run(self, result: OpResult) -> None:
        self._task = None
        self.accept()
        if self._then is not None:
            self._then(result)

    def _on_progress(self, task: object) -> None:
        if task is self._task and self._task is not None:
            done, total = self._task.progress
            self.progress.setRange(0, total)
            self.progress.setValue(done)
