"""Compress: groups regrouped by keys and drops, summaries as a proposal, unfolding; read from the store."""

from typing import Any

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest

from core.domain.enums import Status
from core.domain.ids import MemoryPk
from core.domain.proposal import CreatePart
from core.domain.queries import MemoryDetailOf
from core.domain.queries_models import AnswerManual, ManualRequests, ResumeManual
from core.domain.queries_proposals import ProposalOf
from core.domain.queries_upkeep import CompressPlanOf, SuggestSummaries
from tests.ui.upkeep.conftest import Bench
from ui.views.proposal.view import ProposalPanel
from ui.views.upkeep.compress import CompressTask
from ui.views.upkeep.group_tree import GROUP, TITLE


@pytest.fixture
def events(bench: Bench) -> list[MemoryPk]:
    return [bench.create(body=f"Event {at}. 艾琳没有数到 {at}.", seq=at) for at in range(7)]


def opened(bench: Bench) -> CompressTask:
    task = CompressTask(bench.context, bench.operations)
    bench.show(task)
    bench.until(lambda: task.plan is not None)
    task.forced.setChecked(True)
    bench.until(lambda: bool(task.tree.chosen()))
    bench.settle()
    return task


def members(task: CompressTask) -> list[int]:
    return [len(group.memories) for group in task.tree.chosen()]


def test_nothing_is_due_below_the_threshold_and_a_button_looks_there(
    bench: Bench, events: list[MemoryPk]
) -> None:
    task = CompressTask(bench.context, bench.operations)
    bench.show(task)
    bench.until(lambda: task.stack.shows == "notice")
    QTest.mouseClick(task.stack.notice.button, Qt.MouseButton.LeftButton)
    bench.until(lambda: members(task) == [3, 3])


def test_memories_are_moved_between_groups_by_keys_and_left_out(bench: Bench, events: list[MemoryPk]) -> None:
    task = opened(bench)
    first, second = (item for item in task.tree.groups() if item.data(TITLE, GROUP) is not None)
    task.tree.expandAll()
    task.tree.setCurrentItem(first.child(2))
    QTest.keyClick(task.tree, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert members(task) == [2, 4]
    assert task.tree.chosen()[1].memories == tuple(events[2:6])
    QTest.keyClick(task.tree, Qt.Key.Key_Delete)
    assert members(task) == [2, 3]
    assert second.checkState(TITLE) == Qt.CheckState.Checked


def test_memories_are_dropped_on_another_group(bench: Bench, events: list[MemoryPk]) -> None:
    task = opened(bench)
    first, second = (item for item in task.tree.groups() if item.data(TITLE, GROUP) is not None)
    task.tree.expandAll()
    task.tree.setCurrentItem(second.child(0))
    place = QPointF(task.tree.visualItemRect(first).center())
    drop = QDropEvent(
        place,
        Qt.DropAction.MoveAction,
        task.tree.model().mimeData(task.tree.selectedIndexes()),
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    task.tree.dropEvent(drop)
    assert members(task) == [4, 2]


def test_suggested_summaries_are_a_proposal_and_nothing_changed_yet(
    bench: Bench, events: list[MemoryPk]
) -> None:
    task, before = opened(bench), bench.dump()
    shown: list[int] = []
    task.open_proposal.connect(shown.append)
    QTest.mouseClick(task.apply_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: bool(shown))
    assert bench.dump() == before
    view = bench.library.engine.ask(ProposalOf(shown[0]))
    assert [group.key for group in view.proposal.groups] == ["g1", "g2"]
    bench.until(lambda: task.stack.shows == "notice")


def suggest(bench: Bench) -> int:
    engine = bench.library.engine
    groups = engine.ask(CompressPlanOf(forced=True)).groups[:1]
    (pk,) = engine.ask(SuggestSummaries(groups=groups))
    return pk


def test_lost_details_are_underlined_and_again_writes_the_text_anew(
    bench: Bench, events: list[MemoryPk]
) -> None:
    pk = suggest(bench)
    panel = ProposalPanel(bench.context, bench.operations)
    bench.show(panel)
    panel.show_proposal(pk)
    bench.until(lambda: "body" in panel.pane.editors)
    editor: Any = panel.pane.editors["body"]
    written = editor.text()
    editor.setFocus()
    editor.selectAll()
    QTest.keyClicks(editor, "Nothing of it")
    bench.until(lambda: "Underlined" in panel.source.hint.text())

    def body() -> str:
        part = bench.library.engine.ask(ProposalOf(pk)).proposal.parts[0]
        assert isinstance(part, CreatePart)
        return part.body

    bench.until(lambda: body() == "Nothing of it")
    panel._summarise_again("g1", "")
    bench.until(lambda: body() == written)


def test_applied_and_unfolded_again_by_the_button_of_the_summary(
    bench: Bench, events: list[MemoryPk]
) -> None:
    from core.domain.commands_proposals import ApplyProposal
    from core.domain.queries import LibrarySchema
    from ui.views.relations import RelationsView

    engine = bench.library.engine
    (summary,) = engine.run(ApplyProposal(proposal=suggest(bench))).created
    assert bench.memory(events[0]).status is Status.ARCHIVED
    view = RelationsView(bench.context)
    bench.show(view)
    view.show_memory(engine.ask(MemoryDetailOf(summary)), engine.ask(LibrarySchema()))
    QTest.mouseClick(view.unfold_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: bench.memory(events[0]).status is Status.ACTIVE)
    assert bench.memory(summary).status is Status.ARCHIVED
    view.show_memory(engine.ask(MemoryDetailOf(events[0])), engine.ask(LibrarySchema()))
    assert not view.unfold_button.isVisible()


def test_a_person_sums_up_by_hand_when_that_is_the_model(bench: Bench, events: list[MemoryPk]) -> None:
    bench.context.settings.set("models.task.compress", "manual")
    task, shown, engine = opened(bench), list[int](), bench.library.engine
    task.open_proposal.connect(shown.append)
    assert "by hand" in task.by.text()
    first = next(item for item in task.tree.groups() if item.data(TITLE, GROUP) is not None)
    for item in task.tree.groups():
        if item is not first and item.data(TITLE, GROUP) is not None:
            item.setCheckState(TITLE, Qt.CheckState.Unchecked)
    QTest.mouseClick(task.apply_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: len(engine.ask(ManualRequests())) == 1)
    (request,) = engine.ask(ManualRequests())
    assert "Event 0" in request.text
    bench.until(task.apply_button.isEnabled)  # the request is a row: nothing stands still meanwhile
    bench.settle()
    assert not shown
    engine.ask(AnswerManual(request.number, '{"fields": {"summary": "All in one."}}'))
    (proposal,) = engine.ask(ResumeManual(request.number)).proposals
    part = engine.ask(ProposalOf(proposal)).proposal.parts[0]
    assert isinstance(part, CreatePart)
    assert part.body == "All in one."
