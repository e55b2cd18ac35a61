"""Cut a document, or a file of the queue, in another way: the pieces are shown before anything changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from core.domain.api import Cancel, Report
from core.domain.commands import Command
from core.domain.commands_documents import ReplaceDocument
from core.domain.document import CutSettings, QueueRow
from core.domain.ids import DocumentPk
from core.domain.queries import Query
from core.domain.queries_documents import Prepared, PrepareFile
from core.domain.queries_drop import PrepareAgain, SetQueueCutting
from ui.context import Context
from ui.dialogs.base import CommandDialog
from ui.tasks import Lane, single_shot
from ui.views.documents.preview import PiecesPreview, cut_of
from ui.widgets.cut_form import CutForm
from ui.widgets.state_stack import StateStack

DEBOUNCE_MS = 250
PREVIEW_PX = 380

Ask = Callable[[CutSettings], Query[Prepared]]


class CutDialog(CommandDialog):
    """Settings above, the pieces that they give below."""

    def __init__(
        self, ctx: Context, title: str, ask: Ask, settings: CutSettings, button: str, parent: QWidget | None
    ) -> None:
        super().__init__(ctx, parent, title, button, width=820)
        self._ask = ask
        self._prepared: Prepared | None = None
        self._before = settings
        self.form = CutForm(ctx.tr)
        self.form.set_settings(settings)
        self.preview = PiecesPreview(ctx)
        self.stack = StateStack(self.preview)
        self.stack.setMinimumHeight(ctx.theme.tall(PREVIEW_PX))
        self.body.addWidget(self.form)
        self.body.addWidget(self.stack, 1)
        self._soon = single_shot(self, DEBOUNCE_MS, self._look)
        self.form.changed.connect(self._on_form)
        self.check()
        self._look()

    def ready(self) -> bool:
        return self._prepared is not None

    def _on_form(self) -> None:
        self._prepared = None
        self._soon.start()
        self.check()

    def _look(self) -> None:
        query, engine, tr = self._ask(self.form.settings), self.ctx.engine, self.ctx.tr
        self.stack.show_loading(tr("cut.cutting"))

        def ask(_progress: Report, cancel: Cancel) -> Prepared:
            return engine.ask(query, cancel=cancel)

        self.ctx.tasks.run(Lane.READ, ask, self._show, owner=self, query="cut", failed=self._refuse)

    def _show(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self.preview.show_cut(cut_of(prepared.new.text, prepared.new.pieces))
        self.stack.show_content()
        self.check()

    def _refuse(self, error: Exception) -> None:
        self._prepared = None
        self.stack.show_notice(self.ctx.tr.error(error))
        self.check()


class CutAgainDialog(CutDialog):
    """For a document of the library: a new version of it, as one change."""

    def __init__(
        self, ctx: Context, document: DocumentPk, title: str, settings: CutSettings, parent: QWidget | None
    ) -> None:
        tr = ctx.tr

        def ask(chosen: CutSettings) -> Query[Prepared]:
            return PrepareAgain(document=document, settings=chosen)

        super().__init__(ctx, tr("cut.again.title", title=title), ask, settings, tr("cut.again"), parent)
        self._document = document
        self.say(tr("cut.again.note"))

    def command(self) -> Command | None:
        if self._prepared is None:
            return None
        return ReplaceDocument(document=self._document, new=self._prepared.new)


class CutFileDialog(CutDialog):
    """For a file of the queue that is not taken in yet: it will be cut so."""

    def __init__(self, ctx: Context, row: QueueRow, parent: QWidget | None, then: Callable[[], None]) -> None:
        tr, file = ctx.tr, row.file

        def ask(chosen: CutSettings) -> Query[Prepared]:
            return PrepareFile(path=file.path, title=file.title, encoding=file.encoding, settings=chosen)

        super().__init__(
            ctx, tr("cut.again.title", title=file.path.name), ask, file.settings, tr("cut.set"), parent
        )
        self._row, self._after = row.pk, then

    def command(self) -> Command | None:
        return None

    def apply(self) -> None:
        """Keep the settings with the row; the queue cuts so when it comes to it."""
        query, engine = SetQueueCutting((self._row,), self.form.settings), self.ctx.engine

        def work(_progress: Report, cancel: Cancel) -> int:
            return engine.ask(query, cancel=cancel)

        def done(count: int) -> None:
            if count:
                self.accept()
                self._after()
            else:
                self.say(self.ctx.tr("cut.too_late"), "danger")

        self.ctx.tasks.run(Lane.WRITE, work, done, owner=self, failed=self.fail)


class CutPreviewDialog(CutDialog):
    """For a file that is not in the queue yet. `chosen(CutSettings)`: a person wants it cut so."""

    chosen = Signal(object)

    def __init__(self, ctx: Context, path: Path, settings: CutSettings, parent: QWidget | None) -> None:
        tr = ctx.tr

        def ask(chosen: CutSettings) -> Query[Prepared]:
            return PrepareFile(path=path, settings=chosen)

        super().__init__(ctx, tr("cut.again.title", title=path.name), ask, settings, tr("cut.use"), parent)

    def command(self) -> Command | None:
        return None

    def apply(self) -> None:
        """Hand the settings on."""
        self.chosen.emit(self.form.settings)
        self.accept()
