"""Questions of the queue, grouped by what they ask: encoding, password, something odd about a memory file.

Never modal: files with a question wait, the others go on. Another page can show the same panel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from core.domain.document import FileState, QueueRow
from core.domain.queries_documents import QueueAction
from core.domain.queries_drop import QueueView
from core.domain.transfer import READABLE_ERRORS
from ui.context import Context
from ui.queue_worker import QueueWorker
from ui.read_only import needs_writing
from ui.views.transfer_words import problem_text
from ui.widgets.focus_chain import put_page
from ui.widgets.plain_text import PlainTextEdit

CHANGES = "error.import.changes_here"
MOST_PROBLEMS = 4
PREVIEW_LINES = 3


class QuestionsPanel(QScrollArea):
    """A card a question. `look_wanted(path)`: see all that a memory file holds; `changed(count)`: so many wait."""

    look_wanted = Signal(object)
    changed = Signal(int)

    def __init__(self, ctx: Context, worker: QueueWorker, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx, self._worker = ctx, worker
        self._rows: tuple[QueueRow, ...] = ()
        self.cards: dict[int, QuestionCard] = {}
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        worker.viewed.connect(self.show_view)
        ctx.tr.changed.connect(self._fill)
        self.show_view(worker.view)

    @property
    def count(self) -> int:
        """Questions that wait."""
        return len(self._rows)

    def show_view(self, view: QueueView) -> None:
        """Show the questions; cards that are there stay, with what is typed in them."""
        rows = tuple(row for row in view.rows if row.state is FileState.QUESTION)
        if rows != self._rows:
            self._rows = rows
            self._fill()
            self.changed.emit(len(rows))

    def _fill(self) -> None:
        tr = self._ctx.tr
        typed = {pk: card.typed for pk, card in self.cards.items() if card.typed}
        page = QWidget()
        page.setProperty("surface", "base")
        column = QVBoxLayout(page)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(8)
        self.cards = {}
        for kind in ("encoding", "password", "import"):
            group = [row for row in self._rows if _kind(row) == kind]
            if group:
                heading = QLabel(tr(f"questions.{kind}", count=len(group)))
                heading.setProperty("role", "section")
                column.addWidget(heading)
            for row in group:
                card = self.cards[row.pk] = self._card(row, kind, group)
                column.addWidget(card)
                if row.pk in typed:
                    card.type(typed[row.pk])
        column.addStretch(1)
        put_page(self, page)
        self.setAccessibleName(tr("questions.title", count=len(self._rows)))

    def _card(self, row: QueueRow, kind: str, group: Sequence[QueueRow]) -> QuestionCard:
        worker = self._worker
        card = QuestionCard(self._ctx, row, kind)
        card.left_out.connect(lambda: worker.change(QueueAction.CANCEL, (row.pk,)))
        card.look_wanted.connect(lambda: self.look_wanted.emit(row.file.path))
        match kind:
            case "encoding":
                card.answered.connect(lambda name: worker.answer(row.pk, encoding=name))
                card.offer_all(len(group), lambda name: self._answer_all(group, name))
            case "password":
                card.answered.connect(lambda password: worker.answer(row.pk, password=password))
            case _:
                card.answered.connect(lambda _: worker.answer(row.pk, confirmed=True))
        return card

    def _answer_all(self, group: Sequence[QueueRow], encoding: str) -> None:
        for row in group:
            self._worker.answer(row.pk, encoding=encoding)


class QuestionCard(QFrame):
    """One question with the ways out. `answered(text)`: the encoding, the password, or ""."""

    answered = Signal(str)
    left_out = Signal()
    look_wanted = Signal()

    def __init__(self, ctx: Context, row: QueueRow, kind: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx, self._row, self._kind = ctx, row, kind
        tr = ctx.tr
        self.setProperty("role", "card")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 8, 12, 8)
        self._column.setSpacing(6)
        words = QLabel(problem_text(row.error, tr) if row.error else "")
        words.setTextFormat(Qt.TextFormat.PlainText)
        words.setWordWrap(True)
        words.setToolTip(row.file.shown)
        self._column.addWidget(words)
        self.choice, self.password = QComboBox(), QLineEdit()
        self.answer_button, self.leave_button = QPushButton(), QPushButton(tr("questions.leave_out"))
        self.answer_button.setProperty("primary", "true")
        self.all_button, self.look_button = QPushButton(), QPushButton(tr("questions.look"))
        for button in (self.all_button, self.look_button):
            button.hide()
        self._ways = QHBoxLayout()
        self._ways.setSpacing(8)
        {"encoding": self._ask_encoding, "password": self._ask_password}.get(kind, self._ask_import)()
        for button in (self.answer_button, self.all_button, self.look_button, self.leave_button):
            self._ways.addWidget(button)
        self._ways.addStretch(1)
        self._column.addLayout(self._ways)
        self.answer_button.clicked.connect(lambda: self.answered.emit(self._answer()))
        self.leave_button.clicked.connect(self.left_out)
        needs_writing(self._ctx, self.answer_button, self.leave_button)
        self.look_button.clicked.connect(self.look_wanted)

    @property
    def typed(self) -> str:
        """What a person typed or chose and has not sent yet."""
        return self.password.text() if self._kind == "password" else self.choice.currentText()

    def type(self, text: str) -> None:
        """Put back what was typed or chosen before."""
        if self._kind == "password":
            self.password.setText(text)
        elif (at := self.choice.findText(text)) >= 0:
            self.choice.setCurrentIndex(at)

    def offer_all(self, count: int, answer: Callable[[str], None]) -> None:
        """One answer for several questions."""
        if count > 1:
            self.all_button.setText(self._ctx.tr("questions.use_for_all", count=count))
            self.all_button.show()
            self.all_button.clicked.connect(lambda: answer(self._answer()))

    def _answer(self) -> str:
        return {"encoding": self.choice.currentText(), "password": self.password.text()}.get(self._kind, "")

    def _ask_encoding(self) -> None:
        tr = self._ctx.tr
        preview = PlainTextEdit(lines=PREVIEW_LINES, max_lines=PREVIEW_LINES, read_only=True)
        preview.setAccessibleName(tr("questions.preview"))
        self._column.addWidget(preview)
        self.choice.addItems([name for name, _ in self._row.choices])
        self.choice.setAccessibleName(tr("questions.choose_encoding"))
        texts = dict(self._row.choices)
        self.choice.currentTextChanged.connect(lambda name: preview.set_text(texts.get(name, "")))
        preview.set_text(texts.get(self.choice.currentText(), ""))
        self._ways.addWidget(self.choice)
        self.answer_button.setText(tr("questions.use"))
        self.preview = preview

    def _ask_password(self) -> None:
        tr = self._ctx.tr
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.password.setPlaceholderText(tr("questions.password_field"))
        self.password.setAccessibleName(tr("questions.password_field"))
        self.password.setToolTip(tr("questions.password_note"))
        self.password.returnPressed.connect(self.answer_button.click)
        self.password.textChanged.connect(lambda text: self.answer_button.setEnabled(bool(text)))
        self.answer_button.setEnabled(False)
        self.answer_button.setText(tr("questions.open"))
        self._ways.addWidget(self.password)

    def _ask_import(self) -> None:
        tr, row = self._ctx.tr, self._row
        for problem in row.problems[:MOST_PROBLEMS]:
            line = QLabel("• " + problem_text(problem, tr))
            line.setTextFormat(Qt.TextFormat.PlainText)
            line.setWordWrap(True)
            line.setProperty("role", "secondary")
            self._column.addWidget(line)
        key = row.error.key if row.error else ""
        words = dict.fromkeys(READABLE_ERRORS, "questions.take_part") | {CHANGES: "questions.update"}
        self.answer_button.setText(tr(words.get(key, "questions.take")))
        self.look_button.show()


def _kind(row: QueueRow) -> str:
    if row.choices:
        return "encoding"
    return "import" if row.file.imports else "password"
