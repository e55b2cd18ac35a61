"""Recall tests from the page: save what is ticked, run all, open one."""

from __future__ import annotations

from PySide6.QtCore import QObject

from core.domain.api import Cancel, Report
from core.domain.queries import MemoryRows
from core.domain.recall import RecallCase, RecallRequest, Scope
from core.domain.results import MemoryRow
from ui.context import Context
from ui.operations import Operations
from ui.tasks import Lane
from ui.views.naming import name_of
from ui.views.recall.host import RecallHost
from ui.views.recall.save_case import SaveCaseDialog, with_settings


class CaseKeeper(QObject):
    """Between the list with its ticks and the panel of tests."""

    def __init__(self, ctx: Context, operations: Operations, page: RecallHost, parent: QObject) -> None:
        super().__init__(parent)
        self._ctx, self._operations, self._page = ctx, operations, page

    def save(self) -> None:
        """Ask for a name and save the ticked memories as what this message should recall."""
        results, tr = self._page.body.results.results, self._ctx.tr
        ticked = results.ticked
        if not ticked or self._page.view is None:
            self._operations.said.emit(tr("recall_page.cases.tick_first"), False)
            return
        engine, view = self._ctx.engine, self._page.view

        def ask(_progress: Report, cancel: Cancel) -> tuple[MemoryRow, ...]:
            return engine.ask(MemoryRows(ticked), cancel=cancel)

        def show(rows: tuple[MemoryRow, ...]) -> None:
            folder = self._page.body.request.folder_record
            viewer = view.result.request.viewer
            seen_by = viewer if viewer is not None else folder.character if folder is not None else ""
            expected = [(row.pk, name_of(row.title or row.snippet, tr)) for row in rows]
            dialog = SaveCaseDialog(
                self._ctx, self._page.body.request.request(), expected, seen_by, self._page.window()
            )
            dialog.on_done(lambda _result: self._saved())
            dialog.open()

        self._ctx.tasks.run(
            Lane.READ, ask, show, owner=self, query="ticked", failed=self._operations.show_error
        )

    def _saved(self) -> None:
        self._page.body.results.results.set_ticked(())
        self._page.body.tabs.setCurrentWidget(self._page.body.cases)
        self._page.body.cases.refresh()

    def show_ticks(self) -> None:
        """Say how many memories are ticked."""
        self._page.body.cases.offer_saving(len(self._page.body.results.results.ticked))

    def run(self) -> None:
        """Run all saved tests."""
        self._page.body.tabs.setCurrentWidget(self._page.body.cases)
        self._page.body.cases.run()

    def open(self, case: RecallCase) -> None:
        """Put a test into the request, its memories ticked."""
        wanted = RecallRequest(
            message=case.message,
            folder=case.folder,
            viewer=case.viewer,
            recipe=case.recipe,
            scope=Scope.LIBRARY if case.folder is None else Scope.ALSO_READS,
        )
        self._page.show_request(with_settings(wanted, case.settings))
        self._page.body.results.results.set_ticked(case.expected)
