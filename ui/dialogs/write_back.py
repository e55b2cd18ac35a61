"""Write a folder back into its file: what would change there, what to mind, and where to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.ids import FolderPk
from core.domain.queries_write_back import PreviewWriteBack, WriteBack
from core.domain.results import Problem
from core.domain.source_file import SourceState, WriteBackPreview
from core.domain.transfer import ExportReport
from ui.context import Context
from ui.dialogs.base import CommandDialog
from ui.dialogs.problem_list import ProblemList
from ui.language import isolate
from ui.tasks import Lane
from ui.views.naming import name_of, shorten
from ui.views.transfer_words import counts_text
from ui.widgets.plain_text import PlainLineEdit

LIST_PX = 140
_ASKS = (SourceState.CHANGED, SourceState.UNKNOWN)


class WriteBackDialog(CommandDialog):
    """The file itself (a copy of the old one is kept) or another one; nothing is written before the button."""

    def __init__(self, ctx: Context, folder: FolderPk, parent: QWidget | None = None) -> None:
        super().__init__(ctx, parent, ctx.tr("write_back.title"), ctx.tr("write_back.apply"), width=560)
        tr = ctx.tr
        self._folder = folder
        self._preview: WriteBackPreview | None = None
        self._done = False
        self.heading = QLabel(tr("write_back.looking"))
        self.heading.setWordWrap(True)
        self.over = QRadioButton(tr("write_back.over"))
        self.elsewhere = QRadioButton(tr("write_back.elsewhere"))
        self.anyway = QCheckBox(tr("write_back.anyway"))
        self.path = PlainLineEdit()
        self.path.setAccessibleName(tr("export.path"))
        self.browse = QPushButton(tr("export.browse"))
        self.browse.clicked.connect(self._browse)
        place = QHBoxLayout()
        place.addWidget(self.path, 1)
        place.addWidget(self.browse)
        self.differences = QTreeWidget()
        self.differences.setRootIsDecorated(False)
        self.differences.setUniformRowHeights(True)
        self.differences.setProperty("rows", "list")
        self.differences.setHeaderLabels([tr("write_back.memory"), tr("write_back.becomes")])
        self.differences.setColumnWidth(0, ctx.theme.px(330))
        self.differences.setMinimumHeight(ctx.theme.px(LIST_PX))
        self.differences.setAccessibleName(tr("write_back.differences"))
        self.problems = ProblemList(ctx)
        self.problems.setMinimumHeight(ctx.theme.px(LIST_PX))
        for widget in (self.heading, self.differences, self.problems, self.over, self.anyway, self.elsewhere):
            self.body.addWidget(widget)
        self.body.addLayout(place)
        self.anyway.hide()
        self.over.setChecked(True)
        for control in (self.over, self.elsewhere, self.anyway):
            control.toggled.connect(self._on_choice)
        self.path.textChanged.connect(self.check)
        self._on_choice()
        self._load()

    def ready(self) -> bool:
        preview = self._preview
        if preview is None:
            return False
        if self.elsewhere.isChecked():
            return bool(self.path.text().strip())
        return preview.obstacle is None and (preview.state not in _ASKS or self.anyway.isChecked())

    def apply(self) -> None:
        """Write; afterwards the button closes."""
        if self._done:
            self.accept()
            return
        path = Path(self.path.text().strip()).expanduser() if self.elsewhere.isChecked() else None
        query = WriteBack(folder=self._folder, path=path, replace_changed=self.anyway.isChecked())
        engine = self.ctx.engine

        def write(_progress: Report, cancel: Cancel) -> ExportReport:
            return engine.ask(query, cancel=cancel)

        self._wait()
        self.ctx.tasks.run(
            Lane.WRITE, write, self._on_written, owner=self, failed=self.fail, label="task.export"
        )

    def _wait(self) -> None:
        self.said.hide()
        self.progress.setRange(0, 0)
        self.progress.show()
        self.main_button.setEnabled(False)

    def _load(self) -> None:
        engine, query = self.ctx.engine, PreviewWriteBack(self._folder)

        def ask(_progress: Report, cancel: Cancel) -> WriteBackPreview:
            return engine.ask(query, cancel=cancel)

        self._wait()
        self.ctx.tasks.run(Lane.READ, ask, self._take, owner=self, query="write_back", failed=self.fail)

    def _take(self, preview: WriteBackPreview) -> None:
        tr = self.ctx.tr
        self._preview = preview
        self.progress.hide()
        totals = {becomes.value: count for becomes, count in preview.totals.items()}
        self.heading.setText(
            tr("write_back.heading", file=isolate(preview.source.file), **totals, relations=preview.relations)
        )
        for each in preview.differences or ():
            columns = tr("count.join").join(
                tr(f"write_back.column.{name.partition('.')[0]}") for name in each.columns
            )
            words = tr(f"write_back.becomes.{each.becomes.value}")
            title = isolate(shorten(name_of(each.title, tr)))
            item = QTreeWidgetItem([title, f"{words} {columns}".strip()])
            item.setToolTip(0, name_of(each.title, tr))
            item.setToolTip(1, item.text(1))
            self.differences.addTopLevelItem(item)
        self.differences.setVisible(bool(preview.differences))
        obstacle = () if preview.obstacle is None else (preview.obstacle,)
        self._show_problems("write_back.mind", (*obstacle, *preview.warnings, *preview.report.problems))
        self.over.setEnabled(preview.obstacle is None)
        self.anyway.setVisible(preview.obstacle is None and preview.state in _ASKS)
        (self.over if preview.obstacle is None and preview.state not in _ASKS else self.elsewhere).setChecked(
            True
        )
        self.check()

    def _show_problems(self, key: str, problems: Sequence[Problem]) -> None:
        self.problems.show_problems(problems)
        self.problems.label.setText(self.ctx.tr(key))
        self.problems.setVisible(bool(problems))

    def _on_choice(self) -> None:
        self.browse.setToolTip("" if self.elsewhere.isChecked() else self.ctx.tr("write_back.elsewhere.why"))
        for widget in (self.path, self.browse):
            widget.setEnabled(self.elsewhere.isChecked())
        self.anyway.setEnabled(self.over.isChecked())
        self.check()

    def _browse(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, self.ctx.tr("write_back.title"), self.path.text())
        if name:
            self.path.setText(name)

    def _on_written(self, report: ExportReport) -> None:
        tr = self.ctx.tr
        self._done = True
        self.progress.hide()
        self.say(
            tr("export.done", path=isolate(str(report.path)), counts=counts_text(report.counts, tr)), "ok"
        )
        self._show_problems("write_back.said", report.problems)
        for widget in (self.over, self.elsewhere, self.anyway, self.path, self.browse):
            widget.setEnabled(False)
        self.main_button.setText(tr("dialog.close"))
        self.cancel_button.hide()
        self.main_button.setEnabled(True)
        self.main_button.setFocus()
