"""Health, Types and History: figures, a check-up, a backup, what a rebuild costs, a type, what a change did."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QTreeWidgetItem

from app.tour.stage import Stage, StepFailed
from core.domain.health import RebuildScope
from core.domain.queries import Counts, LibrarySchema
from core.domain.queries_health import Backups, CheckUp, EstimateRebuild, FolderFigures, Health
from core.domain.queries_history import History, OpDiff
from ui.views.health.page import BACKUPS, CHECKUP, OVERVIEW, REBUILD
from ui.views.history_page import ENTRY, NAME, HistoryPage
from ui.views.types.page import TypesPage

Step = Callable[[Stage], None]
OWN_TYPE = "event_copy"


def _types(stage: Stage) -> TypesPage:
    page = stage.session.page("types")
    assert isinstance(page, TypesPage)
    return page


def overview(stage: Stage) -> None:
    """The page behind the light, with the figures of the library."""
    stage.until(lambda: stage.ask(Counts()).waiting_for_index == 0, "the vectors")
    stage.act("library.health")
    page = stage.session.health
    page.tabs.setCurrentIndex(OVERVIEW)
    page.refresh()
    stage.until(lambda: page.state is not None and bool(page.overview.figures.shown), "the figures")
    stage.until(lambda: page.state is not None and page.state.level == stage.ask(Health()).level, "the light")
    card = stage.ask(FolderFigures())
    stage.expect(page.overview.made.total, card.active + card.archived + card.expired, "memories in the plot")
    stage.expect(len(page.overview.kinds.shown), len(card.types), "types")
    stage.expect(len(page.overview.layers.shown), len(card.layers), "layers")


def check_up(stage: Stage) -> None:
    """What does not fit, with the repair of each."""
    page = stage.session.health
    page.tabs.setCurrentIndex(CHECKUP)
    stage.click(page.checkup.check_button)
    stage.until(lambda: page.checkup.report is not None, "the check-up")
    found = [each.fault for each in stage.ask(CheckUp()).findings]
    stage.expect(list(page.checkup.rows), found, "findings")


def rebuild(stage: Stage) -> None:
    """What new vectors would cost."""
    page = stage.session.health
    page.tabs.setCurrentIndex(REBUILD)
    stage.pause()
    page.rebuild.buttons[RebuildScope.ALL].click()
    stage.click(page.rebuild.do["estimate"])
    stage.until(lambda: page.rebuild.estimate is not None, "the estimate")
    wanted, shown = stage.ask(EstimateRebuild(RebuildScope.ALL)), page.rebuild.estimate
    stage.expect(None if shown is None else shown.texts, wanted.texts, "texts to embed")


def backup(stage: Stage) -> None:
    """A backup, verified."""
    page = stage.session.health
    page.tabs.setCurrentIndex(BACKUPS)
    stage.pause()
    before = len(stage.ask(Backups()))
    stage.click(page.backups.make_button)
    stage.until(lambda: len(stage.ask(Backups())) == before + 1, "the backup")
    stage.until(lambda: len(page.backups.backups) == before + 1, "its row")
    page.backups.table.selectRow(0)
    stage.click(page.backups.verify_button)
    stage.until(
        lambda: (seen := page.backups.table.item(0, 4)) is not None and bool(seen.text()), "the verdict"
    )
    stage.expect(page.backups.backups[0].name, stage.ask(Backups())[0].name, "newest backup")


def types(stage: Stage) -> None:
    """A type of one's own, made from another."""
    stage.act("library.types")
    page = _types(stage)
    stage.until(lambda: page.side.list.count() == len(stage.ask(LibrarySchema()).types), "the types")
    stage.click(page.side.tools["copy"])
    stage.click(page.pane.save_button)
    stage.until(lambda: stage.ask(LibrarySchema()).type(OWN_TYPE) is not None, "the new type")
    stage.until(lambda: not page.pane.save_button.isEnabled(), "the form")
    made, like = stage.ask(LibrarySchema()).type(OWN_TYPE), stage.ask(LibrarySchema()).type("event")
    if made is None or like is None:
        raise StepFailed("the type is not in the store")
    stage.expect(made.columns, like.columns, "columns of the copy")


def change(stage: Stage) -> None:
    """What the newest change did, row by row; then it is taken back."""
    stage.session.show_page("history")
    page = stage.session.page("history")
    assert isinstance(page, HistoryPage)
    newest = stage.ask(History())[0].op.id

    def newest_row() -> QTreeWidgetItem | None:
        top = page.tree.topLevelItem(0)
        row = top.child(0) if top is not None else None
        return row if row is not None and row.data(NAME, ENTRY).op.id == newest else None

    stage.until(lambda: newest_row() is not None, "the newest change")
    row = newest_row()
    assert row is not None
    page.tree.setCurrentItem(row)
    stage.until(lambda: page.view.stack.shows == "content", "what it did")
    stage.expect(len(stage.ask(OpDiff(newest))), 1, "rows of the change")
    stage.click(page.undo_button)
    stage.until(lambda: stage.ask(LibrarySchema()).type(OWN_TYPE) is None, "the undo")


STEPS: tuple[tuple[str, Step], ...] = (
    ("80-health", overview),
    ("81-health-checkup", check_up),
    ("82-health-rebuild", rebuild),
    ("83-health-backup", backup),
    ("84-types", types),
    ("85-history-change", change),
)
