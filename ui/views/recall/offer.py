"""What the Recall page offers to choose from, and what is known of the chosen folder."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.domain.api import Cancel, Report
from core.domain.ids import FolderPk
from core.domain.recall import RecallRequest
from ui.context import Context
from ui.models.recall_choices import Choices, FolderFacts, load_choices, load_folder
from ui.operations import Operations
from ui.tasks import Lane
from ui.views.recall.host import RecallHost

SETTING_FOLDER = "ui.recall_folder"


class Offer(QObject):
    """`ready` after a folder was read. `request_next`: what is to be asked as soon as there is a choice."""

    ready = Signal()

    def __init__(self, ctx: Context, operations: Operations, page: RecallHost, parent: QObject) -> None:
        super().__init__(parent)
        self._ctx, self._operations, self._page = ctx, operations, page
        self.choices: Choices | None = None
        self.folder: FolderFacts | None = None
        self.folder_pk: FolderPk | None = None
        self.request_next: RecallRequest | None = None

    def refresh(self) -> None:
        """Read what can be chosen."""
        engine = self._ctx.engine

        def ask(_progress: Report, cancel: Cancel) -> Choices:
            return load_choices(engine, cancel)

        self._ctx.tasks.run(Lane.READ, ask, self.take, owner=self, query="choices", failed=self._failed)

    def take(self, choices: Choices) -> None:
        """Offer it; at first also what is to be asked."""
        request = self._page.body.request
        first = self.choices is None or request.recipe.count() == 0
        self.choices = choices
        request.suggest_tags(choices.tags)
        if not first:
            request.show_folders(choices.folders)
            return
        request.show_recipes(choices.recipes)
        wanted, self.request_next = self.request_next, None
        start = (
            wanted.folder
            if wanted is not None
            else choices.first_folder(str(self._ctx.settings.get(SETTING_FOLDER)))
        )
        request.show_folders(choices.folders, start)
        if wanted is not None:
            request.show_request(wanted)
        self.load_folder(request.folder_pk)

    def prefer_folder(self, folder: FolderPk) -> None:
        """Begin with this folder, or go to it."""
        self._ctx.settings.set(SETTING_FOLDER, str(folder))
        if self.choices is not None:
            request = self._page.body.request
            request.folder.setCurrentIndex(max(0, request.folder.findData(folder)))

    def _failed(self, error: Exception) -> None:
        tr = self._ctx.tr
        self._page.body.stack.show_notice(tr.error(error), tr("state.again"), self.refresh)

    def choose_folder(self, folder: FolderPk | None) -> None:
        """A person chose a folder."""
        self._ctx.settings.set(SETTING_FOLDER, "" if folder is None else str(folder))
        self.load_folder(folder)

    def load_folder(self, folder: FolderPk | None) -> None:
        """Read the end of its chat and who is in it."""
        self.folder_pk = folder
        self._page.body.runs.show_folder(folder)
        engine = self._ctx.engine
        messages = self.choices.messages(folder) if self.choices is not None else 0

        def ask(_progress: Report, cancel: Cancel) -> FolderFacts:
            return load_folder(engine, folder, messages, cancel)

        self._ctx.tasks.run(
            Lane.READ, ask, self._take_folder, owner=self, query="folder", failed=self._operations.show_error
        )

    def _take_folder(self, found: FolderFacts) -> None:
        self.folder = found
        self._page.body.request.show_last(found.last, found.names)
        self._page.ask()
        self.ready.emit()

    def folder_name(self, value: object) -> str:
        """The name of the folder of that number."""
        return self.choices.folder_name(value) if self.choices is not None else ""
