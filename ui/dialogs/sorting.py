"""The sorting sheet: what a drop of several files holds, by kind, and where each kind goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHeaderView,
    QLabel,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.commands import Command
from core.domain.document import FoundFiles
from core.domain.errors import Invalid
from core.domain.folder import clean_folder_name
from core.domain.queries_drop import DropKind, LeftOut, QueueSorted, SortedFile, SortFiles, ToQueue
from core.domain.results import Problem
from ui.context import Context
from ui.dialogs.base import CommandDialog
from ui.dialogs.cutting import CutPreviewDialog
from ui.tasks import Lane
from ui.views.transfer_words import counts_text, format_name, problem_text
from ui.widgets.cut_form import CutForm
from ui.widgets.folder_field import FolderField
from ui.widgets.state_stack import StateStack

ASK_FROM_FILES = 5000
"""More files than these are not looked into before a person says so."""
AT_ONCE = 40
MOST_ROWS = 400
OPEN_UP_TO = 12
"""So few files are shown by name at once; more stand below the number of their kind."""
LIST_PX = 360
WIDTH_PX, HEIGHT_PX = 860, 640
NAME, COUNT, FOLDER = range(3)
FILE = Qt.ItemDataRole.UserRole
ICONS: Mapping[DropKind, str] = {
    DropKind.DOCUMENTS: "mdi6.file-document-outline",
    DropKind.CHATS: "mdi6.forum-outline",
    DropKind.GRAPHS: "mdi6.graph-outline",
    DropKind.DATABASES: "mdi6.database-outline",
    DropKind.LOREBOOKS: "mdi6.book-open-page-variant-outline",
    DropKind.CARDS: "mdi6.card-account-details-outline",
    DropKind.PACKAGES: "mdi6.package-variant-closed",
    DropKind.SKIPPED: "mdi6.debug-step-over",
}


@dataclass(slots=True)
class _Group:
    """One kind: its files, its line, and the field for its folder."""

    files: list[SortedFile]
    item: QTreeWidgetItem
    folder: FolderField | None = None
    shown: dict[Path, QTreeWidgetItem] = field(default_factory=dict)


class SortingSheet(CommandDialog):
    """Looks into the files, lists them by kind, and puts what stays ticked into the queue as one group.

    `started(count)`: so many files are in the queue now.
    """

    started = Signal(int)

    def __init__(self, ctx: Context, found: FoundFiles, folder: str, parent: QWidget | None = None) -> None:
        tr = ctx.tr
        super().__init__(ctx, parent, tr("sorting.title"), tr("sorting.start"), width=760)
        self._found, self._folder = found, folder
        self._sorted: tuple[SortedFile, ...] = ()
        self.groups: dict[DropKind, _Group] = {}
        self.heading, self.note = QLabel(), QLabel()
        self.heading.setProperty("role", "large")
        self.note.setProperty("role", "small")
        self.note.setWordWrap(True)
        self.tree = self._make_tree()
        self.cut = CutForm(tr)
        self.cut_label = QLabel(tr("sorting.cut"))
        self.preview_button = QPushButton(tr("sorting.preview"))
        self.preview_button.setAutoDefault(False)
        self.preview_button.clicked.connect(self._preview)
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.heading)
        column.addWidget(self.note)
        column.addWidget(self.tree, 1)
        column.addWidget(self.cut_label)
        column.addWidget(self.cut)
        self.cut.layout().addWidget(self.preview_button)  # type: ignore[union-attr]  # the form has a layout
        self.stack = StateStack(inner)
        self.stack.setMinimumHeight(ctx.theme.tall(LIST_PX))
        self.body.addWidget(self.stack, 1)
        self.resize(ctx.theme.wide(WIDTH_PX), ctx.theme.px(HEIGHT_PX))
        self.check()
        if len(found.files) > ASK_FROM_FILES:
            self._ask_first()
        else:
            self.look()

    def _make_tree(self) -> QTreeWidget:
        tr = self.ctx.tr
        tree = QTreeWidget()
        tree.setColumnCount(3)
        tree.setHeaderLabels([tr("sorting.kind"), tr("sorting.count"), tr("sorting.folder")])
        tree.setAccessibleName(tr("sorting.title"))
        tree.setUniformRowHeights(False)
        tree.setAllColumnsShowFocus(True)
        head = tree.header()
        head.setStretchLastSection(False)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        tree.setColumnWidth(COUNT, self.ctx.theme.px(64))
        tree.setColumnWidth(FOLDER, self.ctx.theme.px(240))
        tree.itemChanged.connect(self._on_tick)
        tree.itemSelectionChanged.connect(self._on_selection)
        return tree

    # --- looking into the files ---

    def _ask_first(self) -> None:
        tr, count = self.ctx.tr, len(self._found.files)
        self.stack.show_notice(
            tr("sorting.many", count=tr.number(count), limit=tr.number(ASK_FROM_FILES)),
            tr("sorting.look_anyway", count=tr.number(count)),
            self.look,
        )

    def look(self) -> None:
        """Find out what each file is."""
        files, engine, tr = self._found.files, self.ctx.engine, self.ctx.tr
        self.stack.show_loading(tr("sorting.looking", count=len(files)))
        self.progress.setRange(0, len(files))
        self.progress.show()

        def work(progress: Report, cancel: Cancel) -> tuple[SortedFile, ...]:
            done: list[SortedFile] = []
            for start in range(0, len(files), AT_ONCE):
                done += engine.ask(SortFiles(files[start : start + AT_ONCE]), cancel=cancel)
                progress(len(done), len(files))
            return tuple(done)

        self._looking = self.ctx.tasks.run(
            Lane.READ, work, self.show_sorted, owner=self, query="sort", failed=self._refuse
        )
        self.ctx.tasks.progressed.connect(self._on_look)

    def _on_look(self, task: object) -> None:
        if task is self._looking:
            self.progress.setValue(self._looking.progress[0])

    def _refuse(self, error: Exception) -> None:
        self.progress.hide()
        self.stack.show_notice(self.ctx.tr.error(error), self.ctx.tr("state.again"), self.look)

    def reject(self) -> None:
        self.ctx.tasks.drop(self, "sort")
        super().reject()

    # --- what is shown ---

    def show_sorted(self, files: tuple[SortedFile, ...]) -> None:
        """List the files by kind."""
        self._sorted = files
        self.progress.hide()
        self.tree.blockSignals(True)
        for kind in DropKind:
            group = [file for file in files if file.sort is kind]
            left_out = self._found.left_out if kind is DropKind.SKIPPED else ()
            if group or left_out:
                self._add_group(kind, group, left_out)
        self.tree.blockSignals(False)
        self._say()
        self.stack.show_content()
        self.check()

    def _add_group(self, kind: DropKind, files: list[SortedFile], left_out: Sequence[Problem]) -> None:
        tr, theme = self.ctx.tr, self.ctx.theme
        item = QTreeWidgetItem([tr(f"sorting.{kind.value}"), tr.number(len(files) + len(left_out)), ""])
        item.setIcon(NAME, theme.icon(ICONS[kind], "secondary"))
        self.tree.addTopLevelItem(item)
        group = self.groups[kind] = _Group(files, item)
        ticked = kind is not DropKind.SKIPPED
        if ticked:
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsAutoTristate)
            item.setCheckState(NAME, Qt.CheckState.Checked)
        for file in files[:MOST_ROWS]:
            group.shown[file.path] = self._add_file(item, file, ticked=ticked)
        for problem in left_out[:MOST_ROWS]:
            line = QTreeWidgetItem([problem_text(problem, tr)])
            item.addChild(line)
            line.setFirstColumnSpanned(True)
        more = len(files) - MOST_ROWS
        if more > 0:
            item.addChild(QTreeWidgetItem([tr("sorting.more", count=more)]))
        if ticked:
            group.folder = self._folder_field(kind)
            self.tree.setItemWidget(item, FOLDER, group.folder)
        few = len(files) if kind is DropKind.SKIPPED else len(self._sorted)
        item.setExpanded(few <= OPEN_UP_TO)

    def _folder_field(self, kind: DropKind) -> FolderField:
        tr = self.ctx.tr
        line = FolderField(self.ctx, "" if kind.imports else self._folder)
        line.setPlaceholderText(tr("sorting.own_folders") if kind.imports else "")
        line.setToolTip(tr("sorting.own_folders.tip") if kind.imports else tr("sorting.folder.tip"))
        line.setAccessibleName(tr("sorting.folder_of", kind=tr(f"sorting.{kind.value}")))
        line.textChanged.connect(lambda _text: self.check())
        return line

    def _add_file(self, parent: QTreeWidgetItem, file: SortedFile, *, ticked: bool) -> QTreeWidgetItem:
        item = QTreeWidgetItem([f"{PurePath(file.shown).name}  —  {self._words(file)}"])
        item.setToolTip(NAME, f"{file.shown}\n{self._words(file)}")
        item.setData(NAME, FILE, file)
        if ticked:
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(NAME, Qt.CheckState.Checked)
        if file.problem is not None:
            color = "secondary" if file.sort is DropKind.SKIPPED else "warning"
            item.setIcon(
                NAME, self.ctx.theme.icon("mdi6.help-circle-outline" if ticked else "mdi6.minus", color)
            )
        parent.addChild(item)
        item.setFirstColumnSpanned(True)
        return item

    def _words(self, file: SortedFile) -> str:
        tr = self.ctx.tr
        if file.problem is not None:
            return problem_text(file.problem, tr)
        if file.format is not None:
            counts = counts_text(file.counts, tr)
            return (
                tr("sorting.memory_file", format=format_name(tr, file.format), counts=counts)
                if counts
                else format_name(tr, file.format)
            )
        kind = tr(f"document.kind.{file.kind.value}") if file.kind is not None else ""
        return tr("sorting.document", kind=kind, chars=tr.number(file.counts.get("characters", 0)))

    def _say(self) -> None:
        tr = self.ctx.tr
        taken = sum(1 for file in self._sorted if file.sort is not DropKind.SKIPPED)
        self.heading.setText(tr("sorting.heading", count=taken))
        questions = sum(1 for file in self._sorted if file.problem and file.sort is not DropKind.SKIPPED)
        parts = [tr("sorting.questions", count=questions)] if questions else []
        if self._found.hidden:
            parts.append(tr("cli.document.hidden", count=self._found.hidden))
        if self._found.same_file:
            parts.append(tr("cli.document.same_file", count=self._found.same_file))
        parts.append(tr("sorting.note"))
        self.note.setText("\n".join(parts))
        documents = DropKind.DOCUMENTS in self.groups
        for widget in (self.cut_label, self.cut):
            widget.setVisible(documents)
        self._on_selection()

    def _on_selection(self) -> None:
        file = self._selected()
        fits = file is not None and file.sort is DropKind.DOCUMENTS and file.problem is None
        self.preview_button.setEnabled(fits)
        self.preview_button.setToolTip("" if fits else self.ctx.tr("sorting.preview.why"))

    def _selected(self) -> SortedFile | None:
        item = self.tree.currentItem()
        file = item.data(NAME, FILE) if item is not None else None
        return file if isinstance(file, SortedFile) else None

    def _preview(self) -> None:
        file = self._selected()
        if file is not None:
            dialog = CutPreviewDialog(self.ctx, file.path, self.cut.settings, self)
            dialog.chosen.connect(self.cut.set_settings)
            dialog.open()

    def _on_tick(self, _item: QTreeWidgetItem, column: int) -> None:
        if column == NAME:
            self.check()

    # --- starting ---

    def chosen(self) -> tuple[ToQueue, ...]:
        """The files that stay ticked, with their folders. Errors: Invalid for a folder that cannot be."""
        found: list[ToQueue] = []
        for kind, group in self._taken():
            typed = group.folder.text().strip() if group.folder is not None else ""
            folder = clean_folder_name(typed) if typed or not kind.imports else ""
            whole = group.item.checkState(NAME)
            for file in group.files:
                shown = group.shown.get(file.path)
                state = whole if shown is None else shown.checkState(NAME)
                if state is not Qt.CheckState.Unchecked:
                    found.append(
                        ToQueue(
                            path=file.path, folder=folder, imports=kind.imports, settings=self.cut.settings
                        )
                    )
        return tuple(found)

    def _left_out(self) -> Iterator[LeftOut]:
        """The files that are skipped, with their reasons."""
        for file in self._sorted:
            if file.sort is DropKind.SKIPPED and file.problem is not None:
                yield LeftOut(file.path, file.problem)
        for problem in self._found.left_out:
            if isinstance(path := problem.args.get("path"), str):
                yield LeftOut(Path(path), problem)

    def _count(self) -> int:
        """How many files stay ticked; 0 with a folder name that cannot be."""
        count = 0
        for kind, group in self._taken():
            typed = group.folder.text().strip() if group.folder is not None else ""
            if typed or not kind.imports:
                try:
                    clean_folder_name(typed)
                except Invalid:
                    return 0
            ticks = [item.checkState(NAME) is not Qt.CheckState.Unchecked for item in group.shown.values()]
            whole = group.item.checkState(NAME) is not Qt.CheckState.Unchecked
            count += sum(ticks) + (len(group.files) - len(ticks) if whole else 0)
        return count

    def _taken(self) -> list[tuple[DropKind, _Group]]:
        return [(kind, group) for kind, group in self.groups.items() if kind is not DropKind.SKIPPED]

    def ready(self) -> bool:
        count = self._count()
        tr = self.ctx.tr
        self.main_button.setText(tr("sorting.start_count", count=count) if count else tr("sorting.start"))
        return count > 0

    def command(self) -> Command | None:
        return None

    def apply(self) -> None:
        """Put them into the queue; the work goes on in the background."""
        files, engine = self.chosen(), self.ctx.engine
        left_out = tuple(self._left_out())

        def work(_progress: Report, cancel: Cancel) -> int:
            return len(engine.ask(QueueSorted(files, left_out), cancel=cancel))

        def done(count: int) -> None:
            self.accept()
            self.started.emit(count)

        self.main_button.setEnabled(False)
        self.ctx.tasks.run(Lane.WRITE, work, done, owner=self, failed=self.fail, label="task.queueing")
