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
from ui.drafts import drafts_of
from ui.tasks import Lane, single_shot
from ui.theme import ROW_PX
from ui.widgets.plain_text import PlainTextEdit

ROWS, WIDTH = 12, 820
DOT = " •"
"""Behind the name of what has unsaved text."""
KEEP_AFTER_MS = 400
TASK = Qt.ItemDataRole.UserRole
Key = tuple[PromptTask, str]


class PromptsDialog(QDialog):
    """A list of tasks beside the text.

    What is typed for a task stays until it is saved or thrown away, also when the dialog or the program is closed.
    """

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self.prompts: dict[Key, Prompt] = {}
        self._typed: dict[Key, str] = {}
        self._taken: set[Key] = set()
        self._drafts = drafts_of(ctx)
        self._drafts.load()
        self._keep_soon = single_shot(self, KEEP_AFTER_MS, self._keep)
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
        self.discard_button = QPushButton(tr("prompts.discard"))
        self.discard_button.setAutoDefault(False)
        self.trial = PromptTrialPane(ctx, self._shown)
        self._lay_out()
        self.tasks.currentItemChanged.connect(lambda *_: self._show())
        self.language.currentIndexChanged.connect(lambda _at: self._show())
        self.text.edited.connect(self._on_edited)
        self.default_button.clicked.connect(self.bring_default)
        self.save_button.clicked.connect(self.save)
        self.discard_button.clicked.connect(self.discard)
        self._drafts.changed.connect(self._take_drafts)
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
        buttons.addButton(self.discard_button, QDialogButtonBox.ButtonRole.ResetRole)
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
        self._take_drafts()
        self.tasks.setCurrentRow(0)

    def _take_drafts(self) -> None:
        """What was typed before and never saved."""
        for key, prompt in self.prompts.items():
            text = (self._drafts.get(_draft_key(key)) or {}).get("text")
            if key in self._taken or not isinstance(text, str):
                continue
            self._taken.add(key)
            if key not in self._typed and text != prompt.text:
                self._typed[key] = text
        if self.key in self._typed and self._typed[self.key] != self.text.text():
            self._show()
        self._mark()

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
        self._keep_soon.start()
        self._say()

    def _keep(self) -> None:
        """Put what is typed among the drafts of the library."""
        self._keep_soon.stop()
        for key in self.prompts:
            if key in self._typed:
                self._taken.add(key)
                self._drafts.keep(_draft_key(key), {"text": self._typed[key]})
            else:
                self._drafts.discard(_draft_key(key))

    def done(self, result: int) -> None:
        self._keep()
        super().done(result)

    def discard(self) -> None:
        """Back to the text that is in use; what was typed for this one is gone."""
        key = self.key
        if key is not None:
            self._typed.pop(key, None)
            self._keep()
            self._show()

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
        self._keep()
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
        self.discard_button.setEnabled(key in self._typed)
        self._mark()

    def _mark(self) -> None:
        """A dot at each task with unsaved text."""
        typed = {task.value for task, _language in self._typed}
        for row in range(self.tasks.count()):
            item = self.tasks.item(row)
            name = self._ctx.tr(f"prompt.{item.data(TASK)}")
            item.setText(name + DOT if item.data(TASK) in typed else name)


def _draft_key(key: Key) -> str:
    return f"prompt/{key[0].value}/{key[1]}"
