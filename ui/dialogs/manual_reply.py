"""A request to the manual model as a dialog: it opens when the request is made."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QPushButton, QVBoxLayout, QWidget

from core.domain.model_answers import ManualRequest
from ui.context import Context
from ui.widgets.manual_request import ManualRequestPanel


class ManualReplyDialog(QDialog):
    """One request. Closing it leaves the request waiting. `handed_in(number)`: its reply is kept."""

    handed_in = Signal(int)
    given_up = Signal(int)

    def __init__(self, context: Context, request: ManualRequest, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.request = request
        tr, theme = context.tr, context.theme
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setWindowTitle(tr("manual.title", task=tr(f"models.task.{request.task.value}")))
        self.resize(theme.wide(720), 2 * theme.tall(300))
        self.panel = ManualRequestPanel(context, self)
        self.panel.title.hide()
        self.panel.show_request(request)
        self.text, self.reply, self.said = self.panel.text, self.panel.reply, self.panel.said
        self.copy, self.give_up, self.hand_in = self.panel.copy, self.panel.give_up, self.panel.hand_in
        self.later = QPushButton(tr("manual.later"))
        self.later.setAutoDefault(False)
        self.later.clicked.connect(self.reject)
        self.panel.foot.insertWidget(self.panel.foot.indexOf(self.hand_in), self.later)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.panel)
        self.panel.handed_in.connect(self._end)
        self.panel.given_up.connect(self._given_up)
        self.reply.setFocus(Qt.FocusReason.OtherFocusReason)

    def _end(self, number: int) -> None:
        self.accept()
        self.handed_in.emit(number)

    def _given_up(self, number: int) -> None:
        self.accept()
        self.given_up.emit(number)
