"""Merging: what the survivor gets, what follows it, and that nothing is lost."""

from __future__ import annotations

from contextlib import suppress

import pytest

from core.domain.commands import (
    ArchiveMemories,
    EditMemory,
    MergeIntoMemory,
    NewMemory,
    RestoreMemories,
    SetLocked,
    TrashMemories,
)
from core.domain.commands_graph import PinMemories
from core.domain.commands_merge import (
    MarkNotDuplicate,
    MergeMemories,
    SettleContradiction,
    UnmarkNotDuplicate,
    UnmergeMemories,
)
from core.domain.commands_recall import SaveRecallCases
from core.domain.edge import Edge, lives
from core.domain.enums import Apart, Status, StatusReason
from core.domain.errors import Conflict, Invalid, UserError
from core.domain.ids import MemoryPk, TypeId
from core.domain.memory import TagSet
from core.domain.queries import Memories, MemoryDetailOf, ResolveMemories
from core.domain.queries_merge import MergesOf, PlanMerge, RelationFate
from core.domain.queries_recall import RecallCases
from core.domain.recall import RecallCase
from tests.services.desk import PERSON, PROGRAM, Desk


def merge(desk: Desk, survivor: MemoryPk, *losers: MemoryPk, **more: object) -> None:
    desk.run(MergeMemories(survivor=survivor, losers=losers, **more))  # type: ignore[arg-type]


def edges_of(desk: Desk, pk: MemoryPk) -> list[Edge]:
    with desk.store.read() as reader:
        return reader.edges_touching([pk])


def detail(desk: Desk, pk: MemoryPk):  # type: ignore[no-untyped-def]
    return desk.ask(MemoryDetailOf(pk))


@pytest.fixture
def pair(desk: Desk) -> tuple[MemoryPk, MemoryPk]:
    folder = desk.folder("a")
    one = desk.memory(
        folder,
        "location",
        title="钟楼",
        fields={"state": "破旧"},
        importance=4,
        seq=3,
        tags=TagSet(general=("old",)),
        aliases=("塔",),
    )
    other = desk.memory(
        folder,
        "location",
        title="旧钟楼",
        fields={"state": "上锁", "features": "有暗门"},
        importance=8,
        seq=9,
        visibility=("艾琳",),
        tags=TagSet(("town",), ("a",), ("b",), ("c",)),
        aliases=("bell tower",),
    )
    return one, other


def test_merge_unites_everything_and_archives_the_loser(desk: Desk, pair: tuple[MemoryPk, MemoryPk]) -> None:
    one, other = pair
    merge(desk, one, other)
    survivor, loser = desk.get(one), desk.get(other)
    assert (survivor.title, survivor.importance) == ("钟楼", 8)
    assert survivor.fields == {"state": "破旧", "features": "有暗门"}
    assert (survivor.seq, survivor.seq_start, survivor.seq_end) == (3, 3, 9)
    assert survivor.visibility == ("艾琳",)
    assert detail(desk, one).tags == TagSet(("old", "town"), ("a",), ("b",), ("c",))
    assert detail(desk, one).aliases == ("塔", "旧钟楼", "bell tower")
    assert (loser.status, loser.status_reason, loser.merged_into) == (
        Status.ARCHIVED,
        StatusReason.MERGED,
        one,
    )
    assert loser.fields == {"state": "上锁", "features": "有暗门"}


def test_reads_edits_and_relations_by_the_losers_id_follow(
    desk: Desk, pair: tuple[MemoryPk, MemoryPk]
) -> None:
    one, other = pair
    third = desk.memory(desk.get(one).folder)
    merge(desk, one, other)
    assert desk.ask(ResolveMemories((desk.get(other).id,))) == (one,)
    desk.run(EditMemory(memory=other, importance=2))
    assert desk.get(one).importance == 2
    edge = desk.edge(third, other)
    with desk.store.read() as reader:
        assert reader.records(Edge, [edge])[0].target == one


def test_chosen_values_win_and_titles_need_not_become_names(
    desk: Desk, pair: tuple[MemoryPk, MemoryPk]
) -> None:
    one, other = pair
    merge(
        desk,
        one,
        other,
        title="大钟楼",
        fields={"state": "上锁", "features": None},
        importance=1,
        visibility=(),
        tags=TagSet(("new",)),
        losers_titles=False,
    )
    survivor = desk.get(one)
    assert (survivor.title, survivor.fields) == ("大钟楼", {"state": "上锁"})
    assert (survivor.importance, survivor.visibility) == (1, ())
    assert detail(desk, one).tags == TagSet(("new",))
    assert detail(desk, one).aliases == ("塔", "bell tower")


def test_relations_move_join_and_never_loop(desk: Desk) -> None:
    folder = desk.folder("a")
    a, b, c, d = (desk.memory(folder, title=name) for name in "abcd")
    desk.edge(b, c, "involved_in", strength=0.2)
    desk.edge(a, c, "involved_in", strength=0.3)
    desk.edge(d, b, "related", strength=0.1)
    desk.edge(a, b, "contradicts")
    plan = desk.ask(PlanMerge(MergeMemories(survivor=a, losers=(b,))))
    fates = [change.fate for change in plan.relations]
    assert fates == [RelationFate.JOINS, RelationFate.STAYS, RelationFate.MOVES, RelationFate.DROPS]
    result = desk.run(MergeMemories(survivor=a, losers=(b,)))
    assert result.counts == {"relations": 1, "joined": 1, "dropped": 1}
    edges = edges_of(desk, a)
    assert {(e.source, e.target, round(e.strength, 2)) for e in edges} == {(a, c, 0.5), (d, a, 0.1)}
    assert not edges_of(desk, b)


def test_children_pins_tests_and_pairs_follow_the_survivor(desk: Desk) -> None:
    folder = desk.folder("a")
    one, other, third = (desk.memory(folder, title=name) for name in ("x", "y", "z"))
    desk.run(PinMemories(key="p", places=((other, 1.0, 2.0),)))
    desk.run(SaveRecallCases((RecallCase(name="c", folder=folder, message="m", expected=(other, third)),)))
    desk.run(MarkNotDuplicate(pairs=((other, third),)))
    merge(desk, one, other)
    with desk.store.read() as reader:
        assert [pin.memory for pin in reader.pins_of("p")] == [one]
        assert [(pair.a, pair.b) for pair in reader.not_duplicates_of([one])] == [(one, third)]
    assert desk.ask(RecallCases())[0].expected == (one, third)
    desk.run(UnmergeMemories(memories=(other,)))
    with desk.store.read() as reader:
        assert [pin.memory for pin in reader.pins_of("p")] == [other]
        assert [(pair.a, pair.b) for pair in reader.not_duplicates_of([third])] == [(other, third)]
    assert desk.ask(RecallCases())[0].expected == (other, third)


def test_merge_of_memories_that_nobody_may_see_together_asks(desk: Desk) -> None:
    folder = desk.folder("a")
    one, other = (desk.memory(folder, visibility=(name,)) for name in ("艾琳", "博"))
    with pytest.raises(Invalid) as error:
        merge(desk, one, other)
    assert error.value.key == "error.merge.audience"
    assert desk.ask(PlanMerge(MergeMemories(survivor=one, losers=(other,)))).audience_open
    merge(desk, one, other, visibility=("艾琳",))
    assert desk.get(one).visibility == ("艾琳",)


def test_text_put_into_a_memory_is_for_those_who_may_see_both(desk: Desk) -> None:
    folder = desk.folder("a")
    one = desk.memory(folder, visibility=("艾琳", "博"))

    def put_in(*who: str) -> None:
        new = NewMemory(folder=folder, type=TypeId("event"), body="again", visibility=who)
        desk.run(MergeIntoMemory(target=one, memory=new))

    put_in("*")
    assert desk.get(one).visibility == ("艾琳", "博")
    put_in("博")
    assert desk.get(one).visibility == ("博",)
    with pytest.raises(Invalid):
        put_in("艾琳")


def test_memory_for_everyone_by_a_star_merges_with_any(desk: Desk) -> None:
    folder = desk.folder("a")
    one, other = (desk.memory(folder, visibility=(name,)) for name in ("*", "博"))
    merge(desk, one, other)
    assert desk.get(one).visibility == ("博",)


def test_program_takes_nothing_out_of_a_locked_memory(desk: Desk, pair: tuple[MemoryPk, MemoryPk]) -> None:
    one, other = pair
    merge(desk, one, other)
    desk.run(SetLocked(memories=(one,), locked=True))
    before = desk.dump()
    with pytest.raises(UserError) as error:
        desk.run(UnmergeMemories(memories=(other,)), PROGRAM)
    assert error.value.key == "error.memory.locked"
    assert desk.dump() == before
    desk.run(UnmergeMemories(memories=(other,)))
    assert desk.get(other).merged_into is None


def test_locked_trashed_changed_and_single_memories_are_refused(desk: Desk) -> None:
    folder = desk.folder("a")
    one, other = desk.memory(folder), desk.memory(folder)
    before = desk.dump()
    with pytest.raises(Invalid):
        merge(desk, one, one)
    with pytest.raises(Conflict):
        merge(desk, one, other, expected_revisions={other: 99})
    assert desk.dump() == before
    desk.run(SetLocked(memories=(other,), locked=True))
    for actor in (PERSON, PROGRAM):
        with pytest.raises(UserError) as error:
            desk.run(MergeMemories(survivor=one, losers=(other,)), actor)
        assert error.value.key == "error.merge.locked"
    desk.run(SetLocked(memories=(other,), locked=False))
    desk.run(TrashMemories(memories=(other,)))
    with pytest.raises(Invalid):
        merge(desk, one, other)


def test_merged_memory_comes_back_by_unmerging_only(desk: Desk) -> None:
    folder = desk.folder("a")
    one, other = desk.memory(folder), desk.memory(folder)
    desk.run(ArchiveMemories(memories=(other,)))
    merge(desk, one, other)
    with pytest.raises(Invalid) as error:
        desk.run(RestoreMemories(memories=(other,)))
    assert error.value.key == "error.life.merged"
    with pytest.raises(Invalid):
        desk.run(UnmergeMemories(memories=(one,)))
    assert [each.into for each in desk.ask(MergesOf(one))] == [one]
    desk.run(UnmergeMemories(memories=(other,)))
    back = desk.get(other)
    assert (back.status, back.status_reason, back.merged_into) == (
        Status.ARCHIVED,
        StatusReason.BY_HAND,
        None,
    )
    assert desk.ask(MergesOf(one)) == ()


def test_counters_are_summed_and_given_back_by_undo_and_by_unmerge(desk: Desk) -> None:
    folder = desk.folder("a")
    one, other = desk.memory(folder), desk.memory(folder)
    desk.store.usage.count([one, other, other])
    desk.store.usage.count([other])
    counts = [memory.activation_count for memory in desk.ask(Memories((one, other)))]
    merge(desk, one, other)
    assert desk.get(one).activation_count == sum(counts)
    desk.undo()
    assert desk.get(one).activation_count == counts[0]
    desk.redo()
    merged_count = desk.get(one).activation_count
    assert merged_count == sum(counts)
    desk.store.usage.count([one])
    desk.run(UnmergeMemories(memories=(other,)))
    assert desk.get(one).activation_count == counts[0] + 1


def test_pairs_told_apart_are_remembered_and_forgotten(desk: Desk) -> None:
    folder = desk.folder("a")
    one, other = desk.memory(folder), desk.memory(folder)
    edge = desk.edge(one, other, "contradicts")
    desk.run(MarkNotDuplicate(pairs=((other, one),)))
    desk.run(MarkNotDuplicate(pairs=((one, other),)))
    desk.run(MarkNotDuplicate(pairs=((one, other),), about=Apart.CONTRADICTION))
    with desk.store.read() as reader:
        assert len(reader.not_duplicates_of([one])) == 2
        assert not lives(reader.records(Edge, [edge])[0], desk.now)
    desk.run(UnmarkNotDuplicate(pairs=((one, other),)))
    with desk.store.read() as reader:
        assert [pair.about for pair in reader.not_duplicates_of([one])] == [Apart.CONTRADICTION]


def test_settled_contradiction_expires_one_and_links_it(desk: Desk) -> None:
    folder = desk.folder("a")
    old, new = desk.memory(folder, body="我爱吃中餐"), desk.memory(folder, body="我讨厌中餐")
    contradiction = desk.edge(new, old, "contradicts")
    desk.run(SettleContradiction(keep=new, other=old))
    assert desk.get(old).status is Status.EXPIRED
    assert desk.get(new).status is Status.ACTIVE
    edges = {str(edge.relation): edge for edge in edges_of(desk, new)}
    assert (edges["updates"].source, edges["updates"].target) == (new, old)
    assert edges["contradicts"].pk == contradiction
    assert not lives(edges["contradicts"], desk.now)
    desk.undo()
    assert desk.get(old).status is Status.ACTIVE


def test_undo_of_an_older_unmerge_makes_no_ring(desk: Desk) -> None:
    """The memory that came back then has taken the other one in since."""
    folder = desk.folder("a")
    one, other = desk.memory(folder, title="one"), desk.memory(folder, title="other")
    desk.run(MergeMemories(survivor=one, losers=(other,)))
    apart = desk.run(UnmergeMemories(memories=(other,))).op
    desk.run(MergeMemories(survivor=other, losers=(one,)))
    assert apart is not None
    with suppress(UserError):  # nothing may be left that can go back
        desk.undo(apart.id, partly=True)
    assert [desk.get(pk).merged_into for pk in (one, other)] == [other, None]
