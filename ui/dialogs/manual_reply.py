"""A request to the manual model: copy it, ask whatever model you like, paste the reply."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from core.domain.api import Cancel, Report
from core.domain.model_answers import ManualRequest
from core.domain.queries import Query
from core.domain.queries_models import AnswerManual, GiveUpManual
from ui.context import Context
from ui.tasks import Lane


class ManualReplyDialog(QDialog):
    """One request. Closing it leaves the request waiting. `answered`: it was handed in or given up."""

    answered = Signal()

    def __init__(self, context: Context, request: ManualRequest, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self.request = context, request
        tr, theme = context.tr, context.theme
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setWindowTitle(tr("manual.title", task=tr(f"models.task.{request.task.value}")))
        self.resize(theme.wide(720), 2 * theme.tall(300))
        self.text = QPlainTextEdit(request.text)
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("manual.request"))
        self.reply = QPlainTextEdit()
        self.reply.setPlaceholderText(tr("manual.paste_here"))
        self.reply.setAccessibleName(tr("manual.reply"))
        self.reply.textChanged.connect(self._check)
        self.said = QLabel()
        self.said.setTextFormat(Qt.TextFormat.PlainText)
        self.said.setProperty("role", "danger")
        self.said.setWordWrap(True)
        self.said.hide()
        self.copy = self._button("manual.copy", self.copy_request)
        self.give_up = self._button("manual.give_up", self._give_up)
        self.later = self._button("manual.later", self.reject)
        self.hand_in = self._button("manual.hand_in", self._hand_in)
        self.hand_in.setDefault(True)
        head = QHBoxLayout()
        head.addWidget(QLabel(tr("manual.request")))
        head.addStretch(1)
        head.addWidget(self.copy)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.give_up)
        foot.addStretch(1)
        foot.addWidget(self.later)
        foot.addWidget(self.hand_in)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self.text, 1)
        column.addWidget(QLabel(tr("manual.reply")))
        column.addWidget(self.reply, 1)
        column.addWidget(self.said)
        column.addLayout(foot)
        self._check()
        self.reply.setFocus(Qt.FocusReason.OtherFocusReason)

    def copy_request(self) -> None:
        """Put the request into the clipboard."""
        QGuiApplication.clipboard().setText(self.request.text)
        self.copy.setText(self._context.tr("manual.copied"))

    def _button(self, key: str, act: Callable[[], None]) -> QPushButton:
        button = QPushButton(self._context.tr(key))
        button.setAutoDefault(False)
        button.clicked.connect(lambda _checked=False: act())
        return button

    def _check(self) -> None:
        self.hand_in.setEnabled(bool(self.reply.toPlainText().strip()))

    def _hand_in(self) -> None:
        self._ask(AnswerManual(self.request.number, self.reply.toPlainText()))

    def _give_up(self) -> None:
        self._ask(GiveUpManual(self.request.number))

    def _ask(self, query: Query[None]) -> None:
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> None:
            engine.ask(query, cancel=cancel)

        def done(_none: None) -> None:
            self.answered.emit()
            self.accept()

        self._context.tasks.run(Lane.READ, ask, done, owner=self, query="reply", failed=self._failed)

    def _failed(self, error: Exception) -> None:
        self.said.setText(self._context.tr.error(error))
        self.said.show()
