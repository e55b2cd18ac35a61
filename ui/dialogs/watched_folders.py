"""Watched directories: which there are, where their files go, and files that went."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.commands import Command
from core.domain.commands_documents import DeleteDocuments
from core.domain.document import CutSettings, Cutting
from core.domain.folder import DEFAULT_FOLDER
from core.domain.queries_watching import ForgetGone, SetWatched, Watching
from core.domain.watching import GoneFile, WatchedFolder, WatchReport
from ui.context import Context
from ui.dialogs.base import CommandDialog
from ui.language import isolate
from ui.tasks import Lane
from ui.widgets.folder_field import FolderField
from ui.widgets.plain_text import PlainLineEdit
from ui.widgets.state_stack import StateStack

LIST_PX = 220
SHOWN_GONE = 5
_COMMAS = re.compile(r"[,，;；\n]")


def open_watched_folders(context: Context, parent: QWidget | None) -> WatchedFoldersDialog:
    """Open the dialog."""
    dialog = WatchedFoldersDialog(context, parent)
    dialog.open()
    return dialog


@dataclass(slots=True)
class Row:
    """The fields of one directory."""

    watched: WatchedFolder
    box: QWidget
    folder: FolderField
    cutting: QComboBox
    ignore: PlainLineEdit

    def value(self) -> WatchedFolder:
        """What the fields say. Sizes that another door set stay with their way of cutting."""
        cutting = Cutting(self.cutting.currentData())
        settings = self.watched.settings
        if cutting is not settings.cutting:
            settings = CutSettings(cutting=cutting)
        ignore = tuple(part.strip() for part in _COMMAS.split(self.ignore.text()) if part.strip())
        folder = self.folder.text().strip() or DEFAULT_FOLDER
        return replace(self.watched, folder=folder, settings=settings, ignore=ignore)


class WatchedFoldersDialog(CommandDialog):
    """Adds, changes and removes watched directories; asks what becomes of documents whose files went."""

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(ctx, parent, ctx.tr("watch.title"), ctx.tr("watch.apply"), width=640)
        tr = ctx.tr
        self.rows: list[Row] = []
        self._report: WatchReport | None = None
        about = QLabel(tr("watch.about"))
        about.setWordWrap(True)
        about.setProperty("role", "secondary")
        self.body.addWidget(about)
        inner = QWidget()
        self._list = QVBoxLayout(inner)
        self._list.setContentsMargins(0, 0, 8, 0)
        self._list.setSpacing(12)
        self._list.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setWidget(inner)
        self.stack = StateStack(scroll)
        self.stack.setMinimumHeight(ctx.theme.tall(LIST_PX))
        self.body.addWidget(self.stack, 1)
        self._build_gone()
        self.add = QPushButton(tr("watch.add"))
        self.add.setAutoDefault(False)
        self.add.clicked.connect(self._choose)
        self.buttons.addButton(self.add, self.buttons.ButtonRole.ActionRole)
        self.check()
        self._load()

    def _build_gone(self) -> None:
        tr = self.ctx.tr
        self.gone = QWidget()
        self.gone_text = QLabel()
        self.gone_text.setTextFormat(Qt.TextFormat.PlainText)
        self.gone_text.setWordWrap(True)
        self.trash_gone = QPushButton(tr("watch.gone.trash"))
        self.keep_gone = QPushButton(tr("watch.gone.keep"))
        row = QHBoxLayout()
        for button in (self.trash_gone, self.keep_gone):
            button.setAutoDefault(False)
            row.addWidget(button)
        row.addStretch(1)
        self.trash_gone.clicked.connect(lambda: self._end_gone(trash=True))
        self.keep_gone.clicked.connect(lambda: self._end_gone(trash=False))
        column = QVBoxLayout(self.gone)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.gone_text)
        column.addLayout(row)
        self.body.addWidget(self.gone)
        self.gone.hide()

    def ready(self) -> bool:
        return self._report is not None and self._values() != self._report.folders

    def command(self) -> Command | None:
        return None

    def apply(self) -> None:
        """Watch these directories from now on."""
        query, engine = SetWatched(self._values()), self.ctx.engine

        def save(_progress: Report, cancel: Cancel) -> WatchReport:
            return engine.ask(query, cancel=cancel)

        self.said.hide()
        self.main_button.setEnabled(False)
        self.ctx.tasks.run(
            Lane.WRITE, save, lambda _report: self.accept(), owner=self, query="watch", failed=self._refused
        )

    def _refused(self, error: Exception) -> None:
        self.fail(error)
        self.check()

    def _values(self) -> tuple[WatchedFolder, ...]:
        return tuple(row.value() for row in self.rows)

    # --- what is watched ---

    def _load(self) -> None:
        engine = self.ctx.engine
        self.stack.show_loading(self.ctx.tr("watch.title"))

        def ask(_progress: Report, cancel: Cancel) -> WatchReport:
            return engine.ask(Watching(), cancel=cancel)

        self.ctx.tasks.run(Lane.READ, ask, self._take, owner=self, query="watching", failed=self.fail)

    def _take(self, report: WatchReport) -> None:
        self._report = report
        for folder in report.folders:
            self._add_row(folder, missing=folder.path in report.missing)
        self._show_gone(report.gone)
        self._show_list()

    def _show_list(self) -> None:
        tr = self.ctx.tr
        if self.rows:
            self.stack.show_content()
        else:
            self.stack.show_notice(tr("watch.empty"), tr("watch.add"), self._choose)
        self.add.setVisible(bool(self.rows))
        self.check()

    def add_path(self, path: Path) -> None:
        """One more directory."""
        if all(row.watched.path != path for row in self.rows):
            row = self._add_row(WatchedFolder(path=path, folder=path.name or DEFAULT_FOLDER), missing=False)
            self._show_list()
            row.folder.setFocus()

    def _choose(self) -> None:
        name = QFileDialog.getExistingDirectory(self, self.ctx.tr("watch.add"), str(Path.home()))
        if name:
            self.add_path(Path(name))

    def _add_row(self, watched: WatchedFolder, *, missing: bool) -> Row:
        tr = self.ctx.tr
        box = QWidget()
        shown = isolate(str(watched.path))
        name = QLabel(f"{shown} · {tr('watch.missing')}" if missing else shown)
        name.setTextFormat(Qt.TextFormat.PlainText)
        name.setWordWrap(True)
        name.setToolTip(tr("watch.missing.tip", path=shown) if missing else str(watched.path))
        remove = QPushButton(tr("watch.remove"))
        remove.setAutoDefault(False)
        remove.setToolTip(tr("watch.remove.tip"))
        row = Row(watched, box, FolderField(self.ctx, watched.folder), QComboBox(), PlainLineEdit())
        row.folder.setAccessibleName(tr("watch.folder"))
        for cutting in Cutting:
            row.cutting.addItem(tr(f"watch.cutting.{cutting.value}"), cutting.value)
        row.cutting.setCurrentIndex(row.cutting.findData(watched.settings.cutting.value))
        row.cutting.setAccessibleName(tr("watch.cutting"))
        row.ignore.setText(", ".join(watched.ignore))
        row.ignore.setPlaceholderText(tr("watch.ignore.hint"))
        row.ignore.setAccessibleName(tr("watch.ignore"))
        grid = QGridLayout(box)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(0, 3)
        grid.setColumnStretch(1, 2)
        grid.setColumnStretch(2, 2)
        grid.addWidget(name, 0, 0, 1, 3)
        grid.addWidget(remove, 0, 3, Qt.AlignmentFlag.AlignTop)
        for column, (key, field) in enumerate(
            (("watch.folder", row.folder), ("watch.cutting", row.cutting), ("watch.ignore", row.ignore))
        ):
            label = QLabel(tr(key))
            label.setProperty("role", "small")
            label.setBuddy(field)
            grid.addWidget(label, 1, column)
            grid.addWidget(field, 2, column, 1, 2 if column == 2 else 1)
        row.folder.textChanged.connect(self.check)
        row.ignore.textChanged.connect(self.check)
        row.cutting.currentIndexChanged.connect(self.check)
        remove.clicked.connect(lambda: self.remove(row))
        self.rows.append(row)
        self._list.insertWidget(self._list.count() - 1, box)
        return row

    def remove(self, row: Row) -> None:
        """Watch a directory no longer, once this is saved."""
        self.rows.remove(row)
        row.box.hide()
        row.box.deleteLater()
        self._show_list()

    # --- files that went ---

    def _show_gone(self, gone: tuple[GoneFile, ...]) -> None:
        tr = self.ctx.tr
        lines = [tr("watch.gone", count=len(gone))]
        lines += [
            tr("watch.gone.row", title=isolate(each.title), path=isolate(each.path))
            for each in gone[:SHOWN_GONE]
        ]
        if len(gone) > SHOWN_GONE:
            lines.append("…")
        self.gone_text.setText("\n".join(lines))
        self.gone.setVisible(bool(gone))

    def _end_gone(self, *, trash: bool) -> None:
        """Trash the documents of files that went, as one change; or keep them and say no more of it."""
        gone = () if self._report is None else self._report.gone
        documents = tuple(each.document for each in gone)
        engine = self.ctx.engine

        def end(progress: Report, cancel: Cancel) -> int:
            if trash:
                engine.run(DeleteDocuments(documents=documents), progress=progress, cancel=cancel)
            engine.ask(ForgetGone(documents), cancel=cancel)
            return len(documents)

        def show(count: int) -> None:
            self._show_gone(())
            if trash:
                self.say(self.ctx.tr("watch.trashed", count=count), "ok")

        self.ctx.tasks.run(Lane.WRITE, end, show, owner=self, query="gone", failed=self.fail)
