"""A typed or pasted text with a title becomes a document."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QFormLayout, QLabel, QWidget

from core.domain.api import Cancel, Report
from core.domain.commands import Command
from core.domain.commands_documents import IngestDocument
from core.domain.errors import Invalid
from core.domain.folder import clean_folder_name
from core.domain.queries_documents import PrepareText
from core.domain.results import OpResult
from ui.context import Context
from ui.dialogs.base import CommandDialog
from ui.tasks import Lane
from ui.widgets.cut_form import CutForm
from ui.widgets.folder_field import FolderField
from ui.widgets.plain_text import PlainLineEdit, PlainTextEdit

TEXT_PX = 260


class NewTextDialog(CommandDialog):
    """Title, folder, text; what lies on the clipboard can be put in with Ctrl+V as anywhere."""

    def __init__(self, ctx: Context, folder: str, parent: QWidget | None = None) -> None:
        tr = ctx.tr
        super().__init__(ctx, parent, tr("new_text.title"), tr("new_text.apply"), width=640)
        self.title, self.folder = PlainLineEdit(), FolderField(ctx, folder)
        self.title.setPlaceholderText(tr("new_text.name_hint"))
        self.text = PlainTextEdit()
        self.text.setMinimumHeight(ctx.theme.tall(TEXT_PX))
        self.text.setAccessibleName(tr("new_text.text"))
        self.headings = QCheckBox(tr("new_text.headings"))
        self.headings.setToolTip(tr("new_text.headings.tip"))
        self.headings.setChecked(True)
        self.cut = CutForm(tr)
        form = QFormLayout()
        form.addRow(tr("new_text.name"), self.title)
        form.addRow(tr("new_text.folder"), self.folder)
        self.body.addLayout(form)
        label = QLabel(tr("new_text.text"))
        label.setBuddy(self.text)
        self.body.addWidget(label)
        self.body.addWidget(self.text, 1)
        self.body.addWidget(self.headings)
        self.body.addWidget(self.cut)
        for field in (self.title, self.folder):
            field.textChanged.connect(lambda _text: self.check())
        self.text.edited.connect(self.check)
        self.check()
        self.title.setFocus()

    def ready(self) -> bool:
        try:
            clean_folder_name(self.folder.text())
        except Invalid:
            return False
        return bool(self.title.text().strip()) and bool(self.text.text().strip())

    def command(self) -> Command | None:
        return None

    def apply(self) -> None:
        """Cut in the background, then write."""
        engine, folder = self.ctx.engine, clean_folder_name(self.folder.text())
        query = PrepareText(
            text=self.text.text(),
            title=" ".join(self.title.text().split()),
            plain=not self.headings.isChecked(),
            settings=self.cut.settings,
        )

        def work(progress: Report, cancel: Cancel) -> OpResult:
            new = engine.ask(query, cancel=cancel).new
            return engine.run(IngestDocument(folder, new), progress=progress, cancel=cancel)

        self.said.hide()
        self.progress.setRange(0, 0)
        self.progress.show()
        self._task = self.ctx.tasks.run(
            Lane.WRITE, work, self._on_run, owner=self, failed=self.fail, label="task.ingest"
        )
        self.check()
