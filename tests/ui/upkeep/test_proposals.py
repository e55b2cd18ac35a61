"""Proposals on the page Review: ticked, edited, applied by groups, dismissed; read from the store."""

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from core.domain.enums import Role
from core.domain.folder import Message
from core.domain.ids import MemoryPk, RelationId, TypeId
from core.domain.proposal import ChangePart, CreatePart, LinkPart, NewProposal, PartGroup, ProposalKind
from core.domain.queries import LiveEdges
from core.domain.queries_proposals import CountWaiting, KeepProposal, ProposalOf
from core.ports.store import OpDraft
from tests.ui.upkeep.conftest import Bench
from ui.views.field_editors import ChoiceEditor
from ui.views.proposal.view import ProposalPanel
from ui.views.review.page import ReviewPage
from ui.views.review.sources import count_waiting


@pytest.fixture
def bell(bench: Bench) -> MemoryPk:
    return bench.create(title="bell", body="It rang 7 times.")


def keep(bench: Bench, bell: MemoryPk, **more: Any) -> int:
    """A new event in one group, a change of the bell and a relation between both in another."""
    parts = (
        CreatePart(key="new", group="a", type=TypeId("event"), title="door", body="A door opened.", seq=2),
        ChangePart(key="change", group="b", memory=bell, revision=1, body="It rang 9 times."),
        LinkPart(key="link", group="b", source="new", target=bell, relation=RelationId("related")),
    )
    groups = (PartGroup(key="a", start=1, end=2), PartGroup(key="b", start=3, end=4))
    new = NewProposal(
        kind=ProposalKind.EXTRACTION,
        folder=bench.folder,
        source="scripted",
        parts=parts,
        groups=groups,
        args={"start": 1, "end": 4},
        **more,
    )
    return bench.library.engine.ask(KeepProposal(new))


def panel(bench: Bench, pk: int) -> ProposalPanel:
    made = ProposalPanel(bench.context, bench.operations)
    bench.show(made)
    made.show_proposal(pk)
    bench.until(lambda: made.view is not None)
    bench.settle()
    return made


def tick(made: ProposalPanel, key: str) -> None:
    made.tree.choose(key)
    made.tree.setFocus()
    QTest.keyClick(made.tree, Qt.Key.Key_Space)


def waiting(bench: Bench, pk: int) -> set[str]:
    return {part.key for part in bench.library.engine.ask(ProposalOf(pk)).proposal.waiting}


def test_ticked_parts_are_applied_as_one_op_and_undo_is_equal(bench: Bench, bell: MemoryPk) -> None:
    pk = keep(bench, bell)
    made, before = panel(bench, pk), bench.dump()
    line = made.tree.topLevelItem(1).child(1)  # type: ignore[union-attr]  # two groups with parts
    assert line is not None
    assert (line.text(0), line.toolTip(0)) == ("→ bell", "door – Related – bell")
    QTest.mouseClick(made.apply_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: not waiting(bench, pk))
    assert bench.memory(bell).body == "It rang 9 times."
    assert len(bench.library.engine.ask(LiveEdges(bell))) == 1
    bench.settle()
    bench.library.engine.undo()
    assert bench.dump() == before
    assert waiting(bench, pk) == {"new", "change", "link"}


def test_an_unticked_part_is_dismissed(bench: Bench, bell: MemoryPk) -> None:
    pk = keep(bench, bell)
    made = panel(bench, pk)
    tick(made, "change")
    bench.settle()
    QTest.mouseClick(made.apply_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: not waiting(bench, pk))
    assert bench.memory(bell).body == "It rang 7 times."


def test_a_typed_text_is_kept_and_applied(bench: Bench, bell: MemoryPk) -> None:
    pk = keep(bench, bell)
    made = panel(bench, pk)
    made.tree.choose("change")
    editor = made.pane.editors["body"]
    editor.setFocus()
    editor.selectAll()
    QTest.keyClicks(editor, "It rang 12 times.")
    QTest.mouseClick(made.apply_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: not waiting(bench, pk))
    assert bench.memory(bell).body == "It rang 12 times."


def test_a_choice_is_shown_in_words_and_another_is_taken(bench: Bench, bell: MemoryPk) -> None:
    part = ChangePart(key="change", group="b", memory=bell, revision=1, fields={"status": "resolved"})
    new = NewProposal(
        kind=ProposalKind.EXTRACTION,
        folder=bench.folder,
        source="scripted",
        parts=(part,),
        groups=(PartGroup(key="b", start=3, end=4),),
        args={"start": 3, "end": 4},
    )
    pk = bench.library.engine.ask(KeepProposal(new))
    made = panel(bench, pk)
    editor = made.pane.editors["status"]
    assert isinstance(editor, ChoiceEditor)
    assert editor.combo.currentText() == "settled"
    editor.combo.setFocus()
    QTest.keyClicks(editor.combo, "stuck")
    QTest.mouseClick(made.apply_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: not waiting(bench, pk))
    assert bench.memory(bell).fields["status"] == "blocked"


def test_a_group_is_applied_alone_and_the_other_waits(bench: Bench, bell: MemoryPk) -> None:
    pk = keep(bench, bell)
    made = panel(bench, pk)
    made.tree.choose("new")
    QTest.mouseClick(made.group_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: waiting(bench, pk) == {"change", "link"})
    bench.settle()
    assert bench.memory(bell).body == "It rang 7 times."


def test_a_memory_that_changed_since_is_left_alone_unless_wanted(bench: Bench, bell: MemoryPk) -> None:
    from core.domain.commands import EditMemory

    pk = keep(bench, bell)
    bench.library.engine.run(EditMemory(memory=bell, body="Somebody wrote."))
    made = panel(bench, pk)
    assert made.overwrite.isVisible()
    QTest.mouseClick(made.apply_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: waiting(bench, pk) == {"change"})
    bench.settle()
    assert bench.memory(bell).body == "Somebody wrote."
    made.overwrite.setChecked(True)
    QTest.mouseClick(made.apply_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: not waiting(bench, pk))
    assert bench.memory(bell).body == "It rang 9 times."


def test_the_floors_stand_beside_their_parts(bench: Bench, bell: MemoryPk) -> None:
    floors = [
        Message(folder=bench.folder, seq=seq, role=Role.USER, name="艾琳", text=f"line {seq}")
        for seq in range(6)
    ]
    bench.library.store.write(
        OpDraft("op.import", bench.library.engine.actor), lambda uow: uow.insert(floors)
    )
    made = panel(bench, keep(bench, bell))
    made.tree.choose("new")
    bench.until(lambda: "line 2" in made.source.text.toPlainText())
    assert "line 3" not in made.source.text.toPlainText()
    made.tree.choose("change")
    bench.until(lambda: "line 4" in made.source.text.toPlainText())


def test_review_lists_what_waits_and_says_when_nothing_does(bench: Bench, bell: MemoryPk) -> None:
    counts: list[int] = []
    page = ReviewPage(bench.context, bench.operations)
    page.counted.connect(counts.append)
    bench.show(page)
    bench.until(lambda: page.stack.shows == "notice")
    keep(bench, bell)
    page.refresh()
    bench.until(lambda: len(page.waiting) == 1)
    bench.until(lambda: page.proposal.view is not None)
    QTest.mouseClick(page.proposal.dismiss_button, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    bench.until(lambda: bench.library.engine.ask(CountWaiting()) == 0)
    bench.until(lambda: page.stack.shows == "notice")
    assert counts[-1] == 0


def test_the_number_for_the_rail_counts_all_sources(bench: Bench, bell: MemoryPk) -> None:
    keep(bench, bell)
    keep(bench, bell)

    class Never:
        cancelled = False

        def check(self) -> None: ...

    assert count_waiting(bench.library.engine, Never(), bench.context.tr) == 2


def test_parts_are_narrowed_and_unticked_together(bench: Bench, bell: MemoryPk) -> None:
    pk = keep(bench, bell)
    made = panel(bench, pk)
    QTest.keyClicks(made.words, "relation")
    QTest.mouseClick(made.untick_button, Qt.MouseButton.LeftButton)
    made.words.clear()
    bench.settle()
    ticked = {part.key: part.ticked for part in bench.library.engine.ask(ProposalOf(pk)).proposal.parts}
    assert ticked == {"new": True, "change": True, "link": False}
    assert "2 of 3" in made.summary.text()
