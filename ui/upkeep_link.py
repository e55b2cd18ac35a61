"""What connects Upkeep and Review with the rest of the window: selections, proposals, the number on the rail."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core.domain.api import Cancel, Report
from core.domain.commands_upkeep import UnfoldSummaries
from ui.context import Context
from ui.desk import Desk
from ui.operations import Operations
from ui.pages import PAGES
from ui.tasks import Lane, single_shot

if TYPE_CHECKING:
    from ui.views.review.page import ReviewPage
    from ui.views.upkeep.page import UpkeepPage

UPKEEP, REVIEW = "upkeep", "review"
COUNT_AFTER_MS = 1200
"""The number on the rail follows a change a little later: what is in sight comes first."""


class UpkeepLink(QObject):
    """`show` makes a page the current one and gives it back; `badge(page, count)` puts a number on the rail."""

    def __init__(
        self,
        context: Context,
        operations: Operations,
        desk: Desk,
        show: Callable[[str], QWidget],
        badge: Callable[[str, int], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._context, self._operations, self._desk = context, operations, desk
        self._show, self._badge = show, badge
        self._review: ReviewPage | None = None
        context.actions.on("memory.promote", lambda: self.plan_for("promote"))
        context.actions.on("memory.unfold", self._unfold)
        self._soon = single_shot(self, COUNT_AFTER_MS, self.count)
        context.bridge.changes.connect(lambda _changes: self._soon.start())

    def made(self, page_id: str, page: QWidget) -> None:
        """A page was made: connect what leads from it to proposals and other pages."""
        opens = getattr(page, "open_proposal", None)
        if opens is not None:
            opens.connect(self.show_proposal)
        if page_id == REVIEW:
            review = cast("ReviewPage", page)
            review.lead.connect(self._lead)
            review.counted.connect(lambda count: self._badge(REVIEW, count))
            self._review = review

    def show_proposal(self, proposal: int) -> None:
        """Show a proposal on the page Review."""
        cast("ReviewPage", self._show(REVIEW)).show_proposal(proposal)

    def plan_for(self, task: str) -> None:
        """Go to a task of Upkeep with the selected memories."""
        pks = self._desk.selected()
        if pks:
            cast("UpkeepPage", self._show(UPKEEP)).take(task, pks)

    def show_task(self, task: str) -> None:
        """Go to a task of Upkeep."""
        self._lead(UPKEEP, task)

    def count(self) -> None:
        """Ask how much waits for a person."""
        engine, tr = self._context.engine, self._context.tr

        def ask(_progress: Report, cancel: Cancel) -> int:
            from ui.views.review.sources import count_waiting

            return count_waiting(engine, cancel, tr)

        self._context.tasks.run(
            Lane.READ,
            ask,
            lambda quick: self._badge(REVIEW, quick + (self._review.slow_waiting if self._review else 0)),
            owner=self,
            query="waiting",
            failed=lambda _error: None,
        )

    def _unfold(self) -> None:
        pks = self._desk.selected()
        if pks:
            self._operations.run(UnfoldSummaries(memories=pks))

    def _lead(self, page_id: str, task: str) -> None:
        if page_id not in {page.id for page in PAGES}:
            return
        page = self._show(page_id)
        if page_id == UPKEEP and task:
            from ui.views.upkeep.tasks import TASKS

            if task in {known.id for known in TASKS}:
                cast("UpkeepPage", page).show_task(task)
