"""Chats: read floors, look what was made of them, find, move the pointer and take it back."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.tour.stage import Stage
from core.domain.commands_proposals import ApplyProposal
from core.domain.proposal import ProposalState
from core.domain.queries import Counts, FolderByName
from core.domain.queries_chat import Chats, FindFloors, FloorMarksOf, FloorNumbers, FloorsOf
from core.domain.queries_extract import Reach
from core.domain.queries_proposals import ProposalOf, Proposals
from ui.views.chats.page import ChatsPage
from ui.views.review.page import ReviewPage

CHAT = "聊天/雾港来信"
WORD = "怀表"
Step = Callable[[Stage], None]


def _page(stage: Stage) -> ChatsPage:
    page = stage.session.page("chats")
    assert isinstance(page, ChatsPage)
    return page


def read(stage: Stage) -> None:
    """The chat, with a floor in full and the memories that came from it."""
    folder = stage.ask(FolderByName(CHAT))
    assert folder is not None
    stage.session.show_page("chats")
    page = _page(stage)
    stage.until(lambda: bool(page.chats.rows), "the chats")
    page.go_to(folder.pk, 12)
    stage.until(lambda: bool(page.card.messages) and page.card.list.count() > 0, "the floor")
    wanted = stage.ask(FloorsOf(folder.pk, 12, 13))[0]
    stage.expect(page.card.text.text(), wanted.text, "text of the floor")
    spans = stage.ask(FloorMarksOf(folder.pk)).spans.values()
    came = sum(1 for first, last in spans if first <= 12 <= last)
    stage.expect(page.card.list.count(), came, "memories of the floor")
    stage.expect(len(page.floors.numbers), len(stage.ask(FloorNumbers(folder.pk))), "floors")


def find(stage: Stage) -> None:
    """A word in the chat; the first floor that holds it is shown."""
    page = _page(stage)
    folder = page.floors.folder
    assert folder is not None
    stage.type_into(page.finder.field, WORD)
    wanted = list(stage.ask(FindFloors(folder, WORD)))
    stage.until(lambda: list(page.finder.found) == wanted, "the floors with the word")
    stage.until(lambda: page.list.selected_floors() == (wanted[0], wanted[0]), "the first of them")


def pointer(stage: Stage) -> None:
    """Drag the line back: what was said since would be processed again. Undo."""
    page = _page(stage)
    before = page.list.pointer
    page.list.go_to(before)
    stage.pause()
    row = page.list.visualRect(page.floors.index(page.floors.row_of(before)))
    view, up = page.list.viewport(), 2 * row.height()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(60, row.bottom()))
    QTest.mouseMove(view, QPoint(60, row.bottom() - up // 2))
    QTest.mouseMove(view, QPoint(60, row.bottom() - up))
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(60, row.bottom() - up))
    stage.until(lambda: _stored(stage) == before - 2, "the pointer")
    stage.until(lambda: page.list.pointer == before - 2, "the line")


def extract(stage: Stage) -> None:
    """Make memories of what waits, without a model: the result is a proposal, nothing is changed yet."""
    page = _page(stage)
    stage.notes["before_extract"] = stage.ask(Counts()).memories
    known = {row.pk for row in stage.ask(Proposals(state=None))}
    page.extract.ways[Reach.ALL].trigger()
    stage.until(lambda: not page.extract.running and page.extract.plan is not None, "the extraction")
    stage.until(lambda: bool({row.pk for row in stage.ask(Proposals())} - known), "the proposal")
    review = stage.session.page("review")
    assert isinstance(review, ReviewPage)
    stage.until(review.isVisible, "the page Review")
    stage.expect(stage.ask(Counts()).memories, stage.notes["before_extract"], "memories before it is applied")


def accept(stage: Stage) -> None:
    """Apply what is ticked, as one change; undo opens the proposal again."""
    proposal = max(stage.ask(Proposals()), key=lambda row: row.pk)
    result = stage.engine.run(ApplyProposal(proposal=proposal.pk))
    before = stage.notes["before_extract"]
    assert isinstance(before, int)
    stage.until(
        lambda: stage.ask(Counts()).memories == before + result.counts.get("created", 0), "the new memories"
    )
    state = stage.ask(ProposalOf(proposal.pk)).proposal.state
    stage.expect(state, ProposalState.APPLIED, "state of the proposal")


def give_back(stage: Stage) -> None:
    """Undo: the memories go, the proposal waits again."""
    stage.act("edit.undo")
    stage.until(
        lambda: stage.ask(Counts()).memories == stage.notes["before_extract"], "the memories of before"
    )
    stage.session.show_page("chats")


def back(stage: Stage) -> None:
    """And back again."""
    before = _stored(stage)
    stage.act("edit.undo")
    stage.until(lambda: _stored(stage) == before + 2, "the pointer of before")


def _stored(stage: Stage) -> int:
    shown = _page(stage).floors.folder
    rows = [row for row in stage.ask(Chats()) if row.folder.pk == shown]
    return rows[0].folder.last_processed_seq


STEPS: tuple[tuple[str, Step], ...] = (
    ("50-chats", read),
    ("51-chats-find", find),
    ("52-chats-pointer", pointer),
    ("53-chats-extract", extract),
    ("54-chats-accept", accept),
    ("55-chats-give-back", give_back),
    ("56-chats-back", back),
)
