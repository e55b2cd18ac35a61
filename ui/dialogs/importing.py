"""Import: what a file holds is shown first, with what is wrong with it; then it is one change."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.commands import Command
from core.domain.commands_transfer import ApplyImport
from core.domain.errors import BadFile, Invalid
from core.domain.folder import clean_folder_name
from core.domain.package import Collision
from core.domain.queries import Folders
from core.domain.queries_transfer import FindFiles, ReadFile
from core.domain.results import OpResult
from core.domain.transfer import READABLE_ERRORS, Format, Found, ImportPlan
from ui.context import Context
from ui.dialogs.base import CommandDialog
from ui.dialogs.chat_choice import ChatChoice
from ui.dialogs.collision_choice import CollisionChoice
from ui.dialogs.problem_list import ProblemList
from ui.language import isolate
from ui.models.import_choice import PlannedChat, planned_chats
from ui.tasks import Lane
from ui.views.transfer_words import FLOORS, count_lines, counts_text, format_name, found_words
from ui.widgets.plain_text import PlainLineEdit
from ui.widgets.state_stack import StateStack

SHORT_PX, LONG_PX, LONGER_PX = 200, 360, 520
"""Heights of the middle: a few lines, a list, two of them."""
NAMED, NAMED_CHATS = 20, 3
"""So many folders are named in the note below the choice; chats stand in a list of their own."""
Answer = tuple[ImportPlan, frozenset[str], tuple[PlannedChat, ...]]
"""A dry run, the names of the folders that are here, and the chats that can be chosen."""
FOUND = Qt.ItemDataRole.UserRole


class ImportDialog(CommandDialog):
    """Reads a file, or looks for files in a directory; shows counts, problems and choices; imports.

    `show_folder(pk, only floors)`: the person wants to see what was imported.
    """

    show_folder = Signal(int, bool)

    def __init__(self, ctx: Context, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(ctx, parent, ctx.tr("import.title"), ctx.tr("import.apply"), width=560)
        self._plan: ImportPlan | None = None
        self._path = path
        self._taken: frozenset[str] = frozenset()
        self._result: OpResult | None = None
        self._known = False
        self._pages = QStackedWidget()
        self._found = QListWidget()
        self._found.setAccessibleName(ctx.tr("import.found"))
        self._found.setProperty("role", "versions")
        self._found.itemActivated.connect(self._on_found)
        self._found.currentRowChanged.connect(lambda _row: self.check())
        self._plan_page = QWidget()
        self._done_page = QLabel()
        self._done_page.setWordWrap(True)
        self._done_page.setAlignment(Qt.AlignmentFlag.AlignTop)
        for page in (self._found, self._plan_page, self._done_page):
            self._pages.addWidget(page)
        self._build_plan_page()
        self.stack = StateStack(self._pages)
        self.stack.setMinimumHeight(ctx.theme.tall(SHORT_PX))
        self.body.addWidget(self.stack, 1)
        self.back = QPushButton(ctx.tr("import.back"))
        self.back.clicked.connect(self._go_back)
        self.buttons.addButton(self.back, self.buttons.ButtonRole.ActionRole)
        self.back.setAutoDefault(False)
        self.back.hide()
        self.check()
        self._look(path)

    # --- the plan ---

    def _build_plan_page(self) -> None:
        tr = self.ctx.tr
        self.heading = QLabel()
        self.heading.setTextFormat(Qt.TextFormat.PlainText)
        self.heading.setProperty("role", "large")
        self.heading.setWordWrap(True)
        self.counts = QLabel()
        self.counts.setTextFormat(Qt.TextFormat.PlainText)
        self.counts.setWordWrap(True)
        self.name = PlainLineEdit()
        self.name.setAccessibleName(tr("import.folder"))
        self.name.textChanged.connect(self._on_choice)
        self.name_note = QLabel()
        self.name_note.setWordWrap(True)
        self.name_note.setProperty("role", "small")
        self.existing = QCheckBox(tr("import.existing"))
        self.existing.setToolTip(tr("import.existing.tip"))
        self.existing.toggled.connect(self._on_choice)
        self.existing.clicked.connect(self._on_existing)
        self.chats = ChatChoice(self.ctx)
        self.chats.chosen_changed.connect(self.check)
        self.collision = CollisionChoice(self.ctx)
        self.collision.chosen.connect(lambda _choice: self._on_choice())
        self.confirm = QCheckBox(tr("import.confirm"))
        self.confirm.toggled.connect(self.check)
        self.problems = ProblemList(self.ctx)
        box = QVBoxLayout(self._plan_page)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(8)
        box.addWidget(self.heading)
        box.addWidget(self.counts)
        self._form = QFormLayout()
        self._form.addRow(tr("import.folder"), self.name)
        box.addLayout(self._form)
        box.addWidget(self.chats, 2)
        box.addWidget(self.name_note)
        box.addWidget(self.existing)
        box.addWidget(self.collision)
        box.addWidget(self.problems, 1)
        box.addWidget(self.confirm)

    @property
    def plan(self) -> ImportPlan | None:
        """What the dry run found, None while it runs."""
        return self._plan

    @property
    def imported(self) -> OpResult | None:
        """What was imported, None before."""
        return self._result

    def ready(self) -> bool:
        if self._result is not None or self._pages.currentWidget() is self._found:
            return self._result is not None or self._found.currentRow() >= 0
        plan = self._plan
        if plan is None or not self._name_is_good() or self._chosen() == frozenset():
            return False
        asks = plan.needs_confirmation and plan.content is None  # else the choice is the answer
        return not asks or self.confirm.isChecked()

    def command(self) -> Command | None:
        plan = self._plan
        if plan is None:
            return None
        folders = plan.folders
        if len(folders) == 1 and folders[0].into is None:
            folders = (replace(folders[0], name=clean_folder_name(self.name.text())),)
        if plan.content is not None:
            return ApplyImport(replace(plan, folders=folders, collision=self.collision.choice))
        by_name = self.existing.isChecked() and not self._known
        collision = self.collision.choice
        plan = replace(plan, folders=folders, into_existing=by_name, collision=collision)
        return ApplyImport(plan, only=self._chosen())

    def _chosen(self) -> frozenset[str] | None:
        """Which of several chats come in; None for all."""
        plan = self._plan
        return self.chats.chosen if plan is not None and _is_of_chats(plan) else None

    def apply(self) -> None:
        """Import; on the list of files: look into the chosen one; at the end: show what came."""
        if not self.ready():
            return
        if self._result is not None:
            if self._result.created_folder is not None:
                self.show_folder.emit(self._result.created_folder, not self._result.created)
            self.accept()
        elif self._pages.currentWidget() is self._found:
            self._on_found(self._found.currentItem())
        else:
            super().apply()

    def _on_run(self, result: OpResult) -> None:
        self._task = None
        self._result = result
        self.progress.hide()
        tr, plan = self.ctx.tr, self._plan
        file = isolate(plan.source_name if plan else "")
        floors = {name: result.counts.get(name, 0) for name in FLOORS}
        if result.op is None:
            lines = [tr("import.nothing_new", file=file)]
        elif not result.created and any(floors.values()):
            lines = [tr("import.done_floors", file=file, counts=counts_text(floors, tr, FLOORS))]
        else:
            lines = [tr("import.done", count=len(result.created), file=file), counts_text(floors, tr, FLOORS)]
            lines = [line for line in lines if line]
        if replaced := result.counts.get("replaced", 0) + result.counts.get("updated", 0):
            lines.append(tr("import.replaced", count=replaced))
        if skipped := result.counts.get("already_there", 0):
            lines.append(tr("import.skipped", count=skipped))
        lines.append(tr("import.undo" if result.op is not None else "import.file_unchanged"))
        self._done_page.setText("\n\n".join(lines))
        self._pages.setCurrentWidget(self._done_page)
        self.main_button.setText(tr("import.show"))
        self.main_button.setVisible(result.created_folder is not None)
        self.cancel_button.setText(tr("dialog.close"))
        self.back.setVisible(self._found.count() > 1)
        self.check()
        self._make_room(long=False)
        if result.created_folder is not None:
            self.main_button.setFocus()
        if self._then is not None:
            self._then(result)

    # --- looking ---

    def _look(self, path: Path) -> None:
        """A directory is searched; a file, or a directory with just one, is read at once."""
        engine = self.ctx.engine
        self.stack.show_loading(self.ctx.tr("import.looking"))

        def ask(_progress: Report, cancel: Cancel) -> tuple[Found, ...]:
            return engine.ask(FindFiles(path), cancel=cancel) if path.is_dir() else ()

        def show(found: tuple[Found, ...]) -> None:
            good = [item for item in found if item.problem is None]
            if len(found) > 1 or (found and not good):
                self._show_found(found)
            else:
                self._read(good[0].path if good else path, partly=False)

        self.ctx.tasks.run(Lane.READ, ask, show, owner=self, query="read", failed=self._refuse)

    def _read(self, path: Path, *, partly: bool, as_new: bool = False) -> None:
        """Read a file. What the library holds of it already is left out of account when `as_new`."""
        self._path = path
        self._known = self._known and as_new
        engine = self.ctx.engine
        self.stack.show_loading(self.ctx.tr("import.reading"))

        def ask(_progress: Report, cancel: Cancel) -> Answer:
            names = frozenset(node.folder.name for node in engine.ask(Folders(), cancel=cancel))
            plan = engine.ask(ReadFile(path, partly=partly, as_new=as_new), cancel=cancel)
            return plan, names, planned_chats(plan) if _is_of_chats(plan) else ()

        self.ctx.tasks.run(Lane.READ, ask, self._show_plan, owner=self, query="read", failed=self._refuse)

    def _refuse(self, error: Exception) -> None:
        """Say why the file cannot be read; offer the part of it that can."""
        tr = self.ctx.tr
        self._plan = None
        if isinstance(error, BadFile) and error.key in READABLE_ERRORS:
            self.stack.show_notice(
                tr.error(error), tr("import.readable"), lambda: self._read(self._path, partly=True)
            )
        else:
            self.stack.show_notice(tr.error(error))
        self.back.setVisible(self._found.count() > 1)
        self.check()

    def _show_found(self, found: tuple[Found, ...]) -> None:
        tr, theme = self.ctx.tr, self.ctx.theme
        self._found.clear()
        for item in found:
            row = QListWidgetItem(f"{item.path.name}\n{found_words(item, tr)}")
            row.setToolTip(str(item.path))
            row.setData(FOUND, item)
            row.setIcon(
                theme.icon("mdi6.alert-outline", "warning")
                if item.problem
                else theme.icon("mdi6.file-outline")
            )
            if item.problem is not None and item.problem.key not in READABLE_ERRORS:
                row.setFlags(Qt.ItemFlag.NoItemFlags)
            self._found.addItem(row)
        first = next((row for row, item in enumerate(found) if item.problem is None), -1)
        self._found.setCurrentRow(first)
        self._go_back()

    def _go_back(self) -> None:
        """To the list of files."""
        self._plan, self._result = None, None
        self._pages.setCurrentWidget(self._found)
        self.stack.show_content()
        self.main_button.setText(self.ctx.tr("import.look_into"))
        self.main_button.show()
        self.cancel_button.setText(self.ctx.tr("dialog.cancel"))
        self.back.hide()
        self.check()
        self._make_room(long=True)

    def _on_found(self, row: QListWidgetItem | None) -> None:
        found = row.data(FOUND) if row is not None else None
        if isinstance(found, Found):
            self._read(found.path, partly=False)

    def _show_plan(self, answer: Answer) -> None:
        plan, self._taken, chats = answer
        tr = self.ctx.tr
        self._plan = plan
        self.heading.setText(
            tr("import.heading", file=isolate(plan.source_name), format=format_name(tr, plan.format))
        )
        self.counts.setText("\n".join(count_lines(plan, self.ctx)))
        single = len(plan.folders) == 1
        filled = any(folder.into is not None for folder in plan.folders)
        self._known = self._known or filled
        self.existing.setChecked(filled)
        self._form.setRowVisible(0, single)
        self.name.setText(plan.folders[0].name if single else "")
        self.name.setReadOnly(filled)
        self.chats.setVisible(bool(chats))
        self.chats.show_chats(chats)
        self.collision.show_plan(plan)
        self.problems.show_problems(plan.problems)
        self.confirm.setVisible(plan.needs_confirmation and plan.content is None)
        self.confirm.setChecked(False)
        self._pages.setCurrentWidget(self._plan_page)
        self.stack.show_content()
        self.main_button.setText(tr("import.apply"))
        self.back.setVisible(self._found.count() > 1)
        self._on_choice()
        self._make_room(long=bool(plan.problems) or plan.content is not None, longer=bool(chats))
        self.main_button.setFocus()

    def _make_room(self, *, long: bool, longer: bool = False) -> None:
        """As tall as a list of files or problems needs, else no taller than what is said."""
        kept, free = QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored
        for page in (self._found, self._plan_page, self._done_page):
            policy = kept if page is self._pages.currentWidget() else free
            page.setSizePolicy(policy, policy)
        self.stack.setMinimumHeight(
            self.ctx.theme.tall(LONGER_PX if longer else LONG_PX if long else SHORT_PX)
        )
        QTimer.singleShot(0, self, self.adjustSize)

    def _on_existing(self, checked: bool) -> None:
        """What is known from the library is brought up to date, or comes in once more as something new."""
        if self._known:
            self._read(self._path, partly=False, as_new=not checked)

    def _on_choice(self) -> None:
        plan, tr = self._plan, self.ctx.tr
        if plan is None:
            return
        names = (
            [self.name.text().strip()] if len(plan.folders) == 1 else [folder.name for folder in plan.folders]
        )
        taken = [name for name in names if name in self._taken]
        self.existing.setVisible(plan.content is None and (bool(taken) or self._known))
        if not self._name_is_good():
            note = tr("import.name.empty")
        elif not taken:
            note = (
                ""
                if len(names) == 1 or _is_of_chats(plan)
                else tr("import.folders", names=", ".join(map(isolate, names[:20])))
            )
        else:
            key = "import.name.into" if self.existing.isChecked() else "import.name.taken"
            if plan.content is not None:
                beside = self.collision.choice is Collision.BOTH
                key = "import.name.taken" if beside else "import.name.joined"
            if any(folder.into is not None for folder in plan.folders):
                key = "import.name.update"
            most = NAMED_CHATS if _is_of_chats(plan) else NAMED
            shown = ", ".join(map(isolate, taken[:most])) + (" …" if len(taken) > most else "")
            note = tr(key, names=shown)
        self.name_note.setText(note)
        self.name_note.setVisible(bool(note))
        self.check()

    def _name_is_good(self) -> bool:
        if self._plan is None or len(self._plan.folders) != 1:
            return True
        try:
            clean_folder_name(self.name.text())
        except Invalid:
            return False
        return True


def _is_of_chats(plan: ImportPlan) -> bool:
    """Whether a file holds several chats, of which some can be chosen."""
    return plan.format is Format.FOREIGN_CHAT and len(plan.folders) > 1
