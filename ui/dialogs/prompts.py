"""The prompts of all tasks, in both languages, to be read and changed; the program's own can always come back."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.queries_extract import Prompt, Prompts, PromptTask, SavePrompt
from ui.context import Context
from ui.dialogs.prompt_trial import PromptTrialPane
from ui.tasks import Lane
from ui.theme import ROW_PX
from ui.widgets.plain_text import PlainTextEdit

ROWS, WIDTH = 12, 820
TASK = Qt.ItemDataRole.UserRole
Key = tuple[PromptTask, str]


class PromptsDialog(QDialog):
    """A list of tasks beside the text. What is typed for a task stays until it is saved or thrown away."""

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self.prompts: dict[Key, Prompt] = {}
        self._typed: dict[Key, str] = {}
        tr = ctx.tr
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setWindowTitle(tr("prompts.title"))
        self.setMinimumWidth(ctx.theme.wide(WIDTH))
        self.tasks = QListWidget()
        self.tasks.setAccessibleName(tr("prompts.tasks"))
        self.tasks.setMaximumWidth(ctx.theme.px(200))
        self.language = QComboBox()
        self.language.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.language.setAccessibleName(tr("prompts.language"))
        self.text = PlainTextEdit()
        self.text.setAccessibleName(tr("prompts.text"))
        self.text.setMinimumHeight(ctx.theme.tall(ROW_PX * ROWS))
        self.said = QLabel()
        self.said.setWordWrap(True)
        self.said.setProperty("role", "small")
        self.default_button = QPushButton(tr("prompts.default"))
        self.save_button = QPushButton(tr("dialog.save"))
        self.save_button.setProperty("primary", True)
        self.trial = PromptTrialPane(ctx, self._shown)
        self._lay_out()
        self.tasks.currentItemChanged.connect(lambda *_: self._show())
        self.language.currentIndexChanged.connect(lambda _at: self._show())
        self.text.edited.connect(self._on_edited)
        self.default_button.clicked.connect(self.bring_default)
        self.save_button.clicked.connect(self.save)
        self._load()

    def _lay_out(self) -> None:
        tr = self._ctx.tr
        note = QLabel(tr("prompts.note"))
        note.setWordWrap(True)
        note.setProperty("role", "secondary")
        right = QVBoxLayout()
        right.setSpacing(8)
        head = QHBoxLayout()
        head.addWidget(QLabel(tr("prompts.language")))
        head.addWidget(self.language)
        head.addStretch(1)
        head.addWidget(self.default_button)
        right.addLayout(head)
        right.addWidget(self.text, 1)
        right.addWidget(self.said)
        right.addWidget(self.trial)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self.tasks)
        row.addLayout(right, 1)
        buttons = QDialogButtonBox()
        buttons.addButton(self.save_button, QDialogButtonBox.ButtonRole.ApplyRole)
        buttons.addButton(tr("dialog.close"), QDialogButtonBox.ButtonRole.RejectRole)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addWidget(note)
        column.addLayout(row, 1)
        column.addWidget(buttons)

    # --- reading ---

    def _load(self) -> None:
        engine = self._ctx.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[Prompt, ...]:
            return engine.ask(Prompts(), cancel=cancel)

        self._ctx.tasks.run(Lane.READ, ask, self._fill, owner=self, failed=self._fail)

    def _fill(self, prompts: tuple[Prompt, ...]) -> None:
        tr = self._ctx.tr
        self.prompts = {(prompt.task, prompt.language): prompt for prompt in prompts}
        with QSignalBlocker(self.language):
            for code in dict.fromkeys(prompt.language for prompt in prompts):
                self.language.addItem(tr(f"setting.language.{code}"), code)
            self.language.setCurrentIndex(max(self.language.findData(tr.code), 0))
        for task in dict.fromkeys(prompt.task for prompt in prompts):
            item = QListWidgetItem(tr(f"prompt.{task.value}"))
            item.setData(TASK, task.value)
            self.tasks.addItem(item)
        self.tasks.setCurrentRow(0)

    @property
    def key(self) -> Key | None:
        """Task and language that are shown."""
        at = self.tasks.currentRow()
        if at < 0:
            return None
        return PromptTask(self.tasks.item(at).data(TASK)), str(self.language.currentData())

    def _shown(self) -> tuple[PromptTask, str, str] | None:
        key = self.key
        return None if key is None else (*key, self.text.text())

    def _show(self) -> None:
        key = self.key
        self.trial.clear()
        if key is not None and key in self.prompts:
            with QSignalBlocker(self.text):
                self.text.set_text(self._typed.get(key, self.prompts[key].text))
            self._say()

    # --- writing ---

    def _on_edited(self) -> None:
        key = self.key
        if key is None:
            return
        typed = self.text.text()
        if typed == self.prompts[key].text:
            self._typed.pop(key, None)
        else:
            self._typed[key] = typed
        self._say()

    def bring_default(self) -> None:
        """Put the program's own text into the field; Save keeps it."""
        key = self.key
        if key is not None:
            self.text.set_text(self.prompts[key].built_in)
            self._on_edited()

    def save(self) -> None:
        """Use the texts that were changed."""
        engine, typed = self._ctx.engine, dict(self._typed)
        built_in = {key: self.prompts[key].built_in for key in typed}

        def work(_progress: Report, cancel: Cancel) -> tuple[Prompt, ...]:
            return tuple(
                engine.ask(SavePrompt(*key, None if text == built_in[key] else text), cancel=cancel)
                for key, text in typed.items()
            )

        self.save_button.setEnabled(False)
        self._ctx.tasks.run(Lane.WRITE, work, self._saved, owner=self, failed=self._fail)

    def _saved(self, prompts: tuple[Prompt, ...]) -> None:
        for prompt in prompts:
            key = (prompt.task, prompt.language)
            self.prompts[key] = prompt
            self._typed.pop(key, None)
        self._show()

    def _fail(self, error: Exception) -> None:
        self._say()
        self.said.setText(self._ctx.tr.error(error))

    def _say(self) -> None:
        key, tr = self.key, self._ctx.tr
        if key is None:
            return
        prompt = self.prompts[key]
        state = "prompts.typed" if key in self._typed else "prompts.own" if prompt.own else "prompts.built_in"
        self.said.setText(tr(state, version=prompt.version))
        self.default_button.setEnabled(self.text.text() != prompt.built_in)
        self.save_button.setEnabled(bool(self._typed))
