"""A prompt tried on one input: the model's reply, and what it would become. Nothing is kept."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from core.domain.api import Cancel, Report
from core.domain.proposal import ChangePart, CreatePart, Part
from core.domain.proposal_json import part_kind
from core.domain.queries_extract import PromptTask, PromptTrial, TryPrompt
from ui.context import Context
from ui.tasks import Lane
from ui.theme import ROW_PX
from ui.widgets.plain_text import PlainTextEdit

SAMPLE_LINES, REPLY_ROWS = 2, 5
Wanted = Callable[[], tuple[PromptTask, str, str] | None]
"""Task, language and text of the prompt that is shown."""


class PromptTrialPane(QWidget):
    """A field, a button and, after a reply, what came of it."""

    def __init__(self, ctx: Context, wanted: Wanted, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx, self._wanted = ctx, wanted
        tr = ctx.tr
        self.sample = PlainTextEdit(lines=SAMPLE_LINES, max_lines=SAMPLE_LINES)
        self.sample.setAccessibleName(tr("prompts.trial.sample"))
        self.sample.setPlaceholderText(tr("prompts.trial.sample"))
        self.button = QPushButton(tr("prompts.trial.button"))
        self.said = QLabel()
        self.said.setWordWrap(True)
        self.said.setProperty("role", "small")
        self.said.setTextFormat(Qt.TextFormat.PlainText)
        self.reply = PlainTextEdit(read_only=True)
        self.reply.setAccessibleName(tr("prompts.trial.reply"))
        self.reply.setFixedHeight(ctx.theme.tall(ROW_PX * REPLY_ROWS))
        self.reply.hide()
        self.said.hide()
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.sample, 1)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(row)
        column.addWidget(self.said)
        column.addWidget(self.reply)
        self.sample.edited.connect(self._enable)
        self.button.clicked.connect(self.ask)
        self._enable()

    def _enable(self) -> None:
        self.button.setEnabled(bool(self.sample.text().strip()))

    def clear(self) -> None:
        """Another prompt is shown: what an earlier one gave goes."""
        self.reply.hide()
        self.said.hide()

    def ask(self) -> None:
        """Ask the task's model once."""
        wanted = self._wanted()
        if wanted is None:
            return
        engine = self._ctx.engine
        query = TryPrompt(task=wanted[0], language=wanted[1], text=wanted[2], sample=self.sample.text())

        def work(_progress: Report, cancel: Cancel) -> PromptTrial:
            return engine.ask(query, cancel=cancel)

        self.button.setEnabled(False)
        self._say(self._ctx.tr("prompts.trial.asking"))
        self._ctx.tasks.run(Lane.NET, work, self._show, owner=self, failed=self._fail)

    def _say(self, text: str) -> None:
        self.said.setText(text)
        self.said.show()

    def _show(self, trial: PromptTrial) -> None:
        tr = self._ctx.tr
        lines = [tr("prompts.trial.done", model=trial.model, count=len(trial.parts))]
        lines += [self._line(part) for part in trial.parts]
        lines += [tr(problem.key, **dict(problem.args)) for problem in trial.problems]
        self._say("\n".join(lines))
        self.reply.set_text(trial.reply)
        self.reply.show()
        self._enable()

    def _line(self, part: Part) -> str:
        kind = self._ctx.tr(f"cli.proposals.{part_kind(part)}")
        match part:
            case CreatePart():
                return f"{kind}: {part.title or part.body}"
            case ChangePart():
                changed = [part.title or "", part.body or "", *map(str, part.fields.values())]
                return f"{kind}: {', '.join(filter(None, changed))}"
            case _:
                return kind

    def _fail(self, error: Exception) -> None:
        self._say(self._ctx.tr.error(error))
        self._enable()
