"""Export: a folder, chosen memories or the whole library as a file."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.commands import Command
from core.domain.transfer import ExportReport, Format
from ui.context import Context
from ui.dialogs.base import CommandDialog
from ui.dialogs.export_subjects import ONLY_BACK, Known, Place, SelectionSubject, Subject, file_stem
from ui.dialogs.problem_list import ProblemList
from ui.language import isolate
from ui.tasks import Lane
from ui.views.transfer_words import counts_text, format_name
from ui.widgets.plain_text import PlainLineEdit

ENDINGS = {
    Format.STBME: ".json",
    Format.GRAPHML: ".graphml",
    Format.WORLDINFO: ".json",
    Format.CARD: ".json",
    Format.CHAT: ".jsonl",
    Format.MCZ: ".mcz",
    Format.MEM0: ".json",
}


class ExportDialog(CommandDialog):
    """Format, place, what the other program will do with it; nothing is overwritten unasked."""

    WRITES: ClassVar[bool] = False

    def __init__(self, ctx: Context, subject: Subject, parent: QWidget | None = None) -> None:
        super().__init__(ctx, parent, ctx.tr("export.title"), ctx.tr("export.apply"), width=540)
        self._subject = subject
        self._known: Known | None = None
        self._report: ExportReport | None = None
        self._own_path = False
        tr = ctx.tr
        self.heading = QLabel()
        self.heading.setWordWrap(True)
        self.formats = QButtonGroup(self)
        self.body.addWidget(self.heading)
        for kind in subject.formats:
            button = QRadioButton(format_name(tr, kind))
            button.setProperty("format", kind.value)
            button.setChecked(kind is subject.formats[0])
            button.setVisible(kind not in ONLY_BACK)
            self.formats.addButton(button)
            self.body.addWidget(button)
        self.formats.buttonClicked.connect(lambda _button: self._on_format())
        self.path = PlainLineEdit()
        self.path.setAccessibleName(tr("export.path"))
        self.path.textEdited.connect(self._on_path)
        self.browse = QPushButton(tr("export.browse"))
        self.browse.clicked.connect(self._browse)
        row = QHBoxLayout()
        row.addWidget(self.path, 1)
        row.addWidget(self.browse)
        self.body.addLayout(row)
        self.vectors = QCheckBox(tr("export.vectors"))
        self.vectors.setChecked(True)
        self.body.addWidget(self.vectors)
        self.overwrite = QCheckBox(tr("export.overwrite"))
        self.overwrite.toggled.connect(self.check)
        self.body.addWidget(self.overwrite)
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.note.setProperty("role", "secondary")
        self.body.addWidget(self.note)
        self.problems = ProblemList(ctx)
        self.problems.hide()
        self.body.addWidget(self.problems, 1)
        self._load()
        self._on_format()

    @property
    def format(self) -> Format:
        """The chosen format."""
        chosen = self.formats.checkedButton()
        return Format(chosen.property("format")) if chosen is not None else self._subject.formats[0]

    def ready(self) -> bool:
        text = self.path.text().strip()
        return (
            self._known is not None
            and bool(text)
            and (self.overwrite.isHidden() or self.overwrite.isChecked())
        )

    def command(self) -> Command | None:
        return None

    def apply(self) -> None:
        """Write the file; afterwards the button opens the directory."""
        if self._report is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._report.path.parent)))
            return
        query = self._subject.query(
            self.format,
            Place(
                path=Path(self.path.text().strip()).expanduser(),
                overwrite=not self.overwrite.isHidden() and self.overwrite.isChecked(),
                vectors=self.vectors.isChecked(),
            ),
        )
        engine = self.ctx.engine

        def write(_progress: Report, cancel: Cancel) -> ExportReport:
            return engine.ask(query, cancel=cancel)

        self.said.hide()
        self.progress.setRange(0, 0)
        self.progress.show()
        self.main_button.setEnabled(False)
        self.ctx.tasks.run(
            Lane.READ,
            write,
            self._on_written,
            owner=self,
            query="export",
            failed=self.fail,
            label="task.export",
        )

    def _load(self) -> None:
        engine, subject = self.ctx.engine, self._subject

        def ask(_progress: Report, cancel: Cancel) -> Known | None:
            return subject.look(engine, cancel)

        self.ctx.tasks.run(Lane.READ, ask, self._take, owner=self, failed=self.fail)

    def _take(self, known: Known | None) -> None:
        if known is None:
            self.say(self.ctx.tr("export.gone"), "danger")
            return
        self._known = known
        self.heading.setText(self._subject.heading(known, self.ctx.tr))
        origin = None if known.folder is None else known.folder.origin.get("format")
        for button in self.formats.buttons():
            if button.property("format") == origin:
                button.show()
                button.setChecked(True)
        self._on_format()

    def _on_format(self) -> None:
        kind = self.format
        self.vectors.setVisible(kind is Format.BOOKU)
        part = ".selection" if isinstance(self._subject, SelectionSubject) and kind is Format.MCZ else ""
        self.note.setText(self.ctx.tr(f"export.note.{kind.value}{part}"))
        if not self._own_path and self._known is not None:
            name = file_stem(self._known, self.ctx.tr)
            self.path.setText(str(Path.home() / f"{name}{ENDINGS.get(kind, '')}"))
        self._on_place()

    def _on_path(self) -> None:
        self._own_path = True
        self._on_place()

    def _on_place(self) -> None:
        text = self.path.text().strip()
        there = bool(text) and Path(text).expanduser().exists()
        self.overwrite.setVisible(there)
        if not there:
            self.overwrite.setChecked(False)
        self.check()

    def _browse(self) -> None:
        options = QFileDialog.Option.DontConfirmOverwrite
        name, _ = QFileDialog.getSaveFileName(
            self, self.ctx.tr("export.title"), self.path.text(), options=options
        )
        if name:
            self.path.setText(name)
            self._on_path()

    def _on_written(self, report: ExportReport) -> None:
        tr = self.ctx.tr
        self._report = report
        self.progress.hide()
        self.say(
            tr("export.done", path=isolate(str(report.path)), counts=counts_text(report.counts, tr)), "ok"
        )
        self.said.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self.problems.setVisible(bool(report.problems))
        self.problems.show_problems(report.problems)
        for part in (*self.formats.buttons(), self.path, self.browse, self.vectors, self.overwrite):
            part.setEnabled(False)
        self.overwrite.hide()
        self.main_button.setText(tr("export.open"))
        self.cancel_button.setText(tr("dialog.close"))
        self.main_button.setEnabled(True)
