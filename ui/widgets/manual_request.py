"""A request to the manual model: copy it, ask whatever model you like, paste the reply."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from core.domain.api import Cancel, Report
from core.domain.model_answers import ManualRequest
from core.domain.queries import Query
from core.domain.queries_models import AnswerManual, GiveUpManual
from ui.context import Context
from ui.read_only import needs_writing
from ui.tasks import Lane
from ui.widgets.plain_text import copy_text


class ManualRequestPanel(QWidget):
    """One request. `handed_in(number)`: its reply is kept, the work can go on. `given_up(number)`: it is gone.

    What was pasted stays while the same request is shown.
    """

    handed_in = Signal(int)
    given_up = Signal(int)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.request: ManualRequest | None = None
        self.title, self.about, self.said = QLabel(), QLabel(), QLabel()
        self.title.setProperty("role", "large")
        self.about.setProperty("role", "secondary")
        self.said.setProperty("role", "danger")
        for label in (self.title, self.about, self.said):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.asks, self.replies = QLabel(), QLabel()
        self.text, self.reply = QPlainTextEdit(), QPlainTextEdit()
        self.text.setReadOnly(True)
        self.reply.textChanged.connect(self._check)
        self.copy = self._button(self.copy_request)
        self.give_up = self._button(self._give_up)
        self.hand_in = self._button(self._hand_in)
        self.hand_in.setProperty("primary", "true")
        needs_writing(context, self.give_up)
        needs_writing(context, self.hand_in)
        self.foot = QHBoxLayout()
        self._lay_out()
        context.tr.changed.connect(self._say)
        self._say()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self.asks)
        head.addStretch(1)
        head.addWidget(self.copy)
        self.foot.setSpacing(8)
        self.foot.addWidget(self.give_up)
        self.foot.addStretch(1)
        self.foot.addWidget(self.hand_in)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(8)
        column.addWidget(self.title)
        column.addWidget(self.about)
        column.addLayout(head)
        column.addWidget(self.text, 1)
        column.addWidget(self.replies)
        column.addWidget(self.reply, 1)
        column.addWidget(self.said)
        column.addLayout(self.foot)

    def show_request(self, request: ManualRequest) -> None:
        """Show a request; the one that is shown already keeps what was pasted."""
        same = self.request is not None and self.request.number == request.number
        self.request = request
        if not same:
            self.text.setPlainText(request.text)
            self.reply.clear()
            self.said.hide()
        for part in (self.replies, self.reply):
            part.setVisible(not request.answered)
        self._say()

    def say(self, text: str) -> None:
        """A line below the reply."""
        self.said.setText(text)
        self.said.show()

    def copy_request(self) -> None:
        """Put the request into the clipboard."""
        copy_text(self.text.toPlainText())
        self.copy.setText(self._context.tr("manual.copied"))

    def _button(self, act: Callable[[], None]) -> QPushButton:
        button = QPushButton()
        button.setAutoDefault(False)
        button.clicked.connect(lambda _checked=False: act())
        return button

    def _check(self) -> None:
        ready = self.request is not None and (self.request.answered or bool(self.reply.toPlainText().strip()))
        self.hand_in.setEnabled(ready and self._context.read_only is None)

    def _hand_in(self) -> None:
        if self.request is None:
            return
        number = self.request.number
        if self.request.answered:
            self.handed_in.emit(number)
        else:
            self._ask(AnswerManual(number, self.reply.toPlainText()), lambda: self.handed_in.emit(number))

    def _give_up(self) -> None:
        if self.request is not None:
            number = self.request.number
            self._ask(GiveUpManual(number), lambda: self.given_up.emit(number))

    def _ask(self, query: Query[None], then: Callable[[], None]) -> None:
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> None:
            engine.ask(query, cancel=cancel)

        self._context.tasks.run(
            Lane.WRITE, ask, lambda _none: then(), owner=self, query="reply", failed=self._failed
        )

    def _failed(self, error: Exception) -> None:
        self.say(self._context.tr.error(error))

    def _say(self) -> None:
        tr, request = self._context.tr, self.request
        self.asks.setText(tr("manual.request"))
        self.replies.setText(tr("manual.reply"))
        self.text.setAccessibleName(tr("manual.request"))
        self.reply.setAccessibleName(tr("manual.reply"))
        self.reply.setPlaceholderText(tr("manual.paste_here"))
        self.copy.setText(tr("manual.copy"))
        self.give_up.setText(tr("manual.give_up"))
        self.give_up.setToolTip(tr("manual.give_up.tip"))
        answered = request is not None and request.answered
        self.hand_in.setText(tr("manual.go_on" if answered else "manual.hand_in"))
        if request is not None:
            self.title.setText(tr("manual.title", task=tr(f"models.task.{request.task.value}")))
            how = "answered" if answered else "goes_on" if request.goes_on else "ask_again"
            where = tr("manual.about", folder=request.folder, when=tr.relative(request.asked_at))
            when = tr("manual.asked", when=tr.relative(request.asked_at))
            self.about.setText(f"{where if request.folder else when} {tr(f'manual.{how}')}")
            self.about.setToolTip(tr.exact(request.asked_at))
        self._check()
