"""Proposals: what applying makes of their parts, and the way back."""

from __future__ import annotations

import sqlite3
from datetime import timedelta
from typing import Any

import pytest

from core.domain.commands import DeletePermanently, EditMemory, SetLocked, TrashMemories
from core.domain.commands_merge import MergeMemories
from core.domain.commands_proposals import ApplyProposal, DismissProposal, IfChanged
from core.domain.edge import Edge
from core.domain.enums import Status, StatusReason
from core.domain.errors import Conflict, NotFound
from core.domain.folder import Folder
from core.domain.ids import FolderPk, RelationId, TypeId
from core.domain.memory import Memory, TagSet
from core.domain.proposal import (
    ChangePart,
    CreatePart,
    EndLinkPart,
    LinkPart,
    NewProposal,
    Obstacle,
    Part,
    PartGroup,
    PartVerdict,
    ProposalKind,
    ProposalState,
    ProposalView,
    RetirePart,
)
from core.domain.proposal_json import part_json, part_kind, part_of
from core.domain.queries_proposals import CountWaiting, ProposalOf, Proposals
from core.domain.results import Problem
from tests.services.desk import Desk

EVENT, LOCATION, THREAD = TypeId("event"), TypeId("location"), TypeId("thread")
AT = RelationId("occurred_at")


def kept(desk: Desk, folder: FolderPk, *parts: Part, **more: Any) -> int:
    new = NewProposal(kind=ProposalKind.EXTRACTION, folder=folder, source="a model", parts=parts, **more)
    return desk.store.proposals.add(new)


def view(desk: Desk, proposal: int) -> ProposalView:
    return desk.ask(ProposalOf(proposal))


def all_of(desk: Desk, folder: FolderPk) -> list[Memory]:
    with desk.store.read() as reader:
        return reader.records(Memory, reader.memories_in(folder))


def edges_of(desk: Desk, folder: FolderPk) -> list[Edge]:
    with desk.store.read() as reader:
        return reader.edges_in(folder)


def test_create_that_joins_a_memory_is_for_those_who_may_see_both(desk: Desk) -> None:
    folder = desk.folder()
    place = desk.memory(folder, "location", title="钟楼", visibility=("艾琳", "罗恩"))
    for who, seen in (("艾琳", ("艾琳",)), ("老周", ("艾琳",))):
        part = CreatePart(key="p", type=LOCATION, title="钟楼", body=f"{who} 知道的", visibility=(who,))
        proposal = kept(desk, folder, part)
        changes = {each.name: each.after for each in view(desk, proposal).parts[0].changes}
        obstacle = view(desk, proposal).parts[0].obstacle
        counts = desk.run(ApplyProposal(proposal=proposal)).counts
        assert desk.get(place).visibility == seen
        if who == "艾琳":
            assert (changes["visibility"], obstacle, counts) == (["艾琳"], None, {"merged": 1})
        else:
            assert (obstacle, counts) == (Obstacle.INVALID, {"skipped_invalid": 1})


def story(desk: Desk, folder: FolderPk, old: Any) -> int:
    """An event at a place that is there already, a change of that place, and a storyline named before it is made."""
    return kept(
        desk,
        folder,
        LinkPart(key="l1", source="e", target="t", relation=RelationId("advances"), floor=3),
        LinkPart(key="l2", source="e", target="p", relation=AT),
        CreatePart(key="e", type=EVENT, body="艾琳在钟楼发现暗门", seq=3, fields={"participants": "艾琳"}),
        ChangePart(
            key="p", memory=old, revision=1, fields={"state": "暗门已被发现"}, floor=3, update_event=True
        ),
        CreatePart(key="t", type=THREAD, title="失踪案", body="线索指向钟楼", seq=3),
        groups=(PartGroup(key="", start=2, end=3, through=3, runs=1),),
    )


def test_applying_makes_parts_true_and_undo_opens_them_again(desk: Desk) -> None:
    folder = desk.folder()
    tower = desk.memory(folder, "location", title="钟楼", fields={"state": "锁着"}, seq=1)
    proposal = story(desk, folder, tower)
    before = desk.dump()
    assert desk.ask(CountWaiting()) == 1

    result = desk.run(ApplyProposal(proposal=proposal))

    assert result.counts == {"created": 2, "changed": 1, "linked": 2, "update_events": 1}
    assert desk.get(tower).fields["state"] == "暗门已被发现"
    assert (desk.get(tower).seq, desk.get(tower).seq_start) == (3, 1)
    assert sorted((edge.relation, edge.from_seq) for edge in edges_of(desk, folder)) == [
        ("advances", 3),
        ("occurred_at", None),
        ("updates", 3),
    ]
    with desk.store.read() as reader:
        stored = reader.records(Folder, [folder])[0]
    assert (stored.last_processed_seq, stored.settings["extractions"]) == (3, 1)
    assert desk.ask(CountWaiting()) == 0
    assert desk.ask(Proposals(state=ProposalState.APPLIED))[0].applied == 5
    after = desk.dump()

    desk.undo()
    assert desk.dump() == before
    assert desk.ask(CountWaiting()) == 1

    desk.redo()
    assert desk.dump() == after
    assert view(desk, proposal).proposal.state is ProposalState.APPLIED


def test_new_place_of_a_known_name_or_alias_is_no_twin(desk: Desk) -> None:
    folder = desk.folder()
    tower = desk.memory(folder, "location", title="鐘樓", aliases=("Clock Tower",), seq=7)
    proposal = kept(
        desk,
        folder,
        CreatePart(
            key="a", type=LOCATION, title="钟楼", fields={"danger": "高"}, seq=4, tags=TagSet(general=("城",))
        ),
        CreatePart(key="b", type=LOCATION, title="clock tower", fields={"state": "空"}, seq=9),
        CreatePart(key="e", type=EVENT, body="有人进去了", seq=4),
        LinkPart(key="l", source="e", target="a", relation=AT),
    )
    assert [part.becomes_change for part in view(desk, proposal).parts] == [True, True, False, False]

    result = desk.run(ApplyProposal(proposal=proposal))

    places = [memory for memory in all_of(desk, folder) if memory.type == "location"]
    assert [place.pk for place in places] == [tower]
    assert dict(places[0].fields) == {"danger": "高", "state": "空"}
    assert (places[0].seq, places[0].seq_start, places[0].seq_end) == (9, 4, 9)
    assert [(edge.target, edge.relation) for edge in edges_of(desk, folder)] == [(tower, AT)]
    assert result.counts["merged"] == 2


def test_locked_and_changed_memories_are_skipped_and_go_on_waiting(desk: Desk) -> None:
    folder = desk.folder()
    locked = desk.memory(folder, "location", title="A")
    changed = desk.memory(folder, "location", title="B")
    free = desk.memory(folder, "location", title="C")
    proposal = kept(
        desk,
        folder,
        *(
            ChangePart(key=f"c{pk}", memory=pk, revision=1, fields={"state": "new"}, floor=5)
            for pk in (locked, changed, free)
        ),
        RetirePart(key="r", memory=locked, revision=1),
        groups=(PartGroup(key="", through=5, runs=1),),
    )
    desk.run(SetLocked(memories=(locked,), locked=True))
    desk.run(EditMemory(memory=changed, fields={"state": "by hand"}))

    obstacles = [part.obstacle for part in view(desk, proposal).parts]
    assert obstacles == [Obstacle.LOCKED, Obstacle.CHANGED, None, Obstacle.LOCKED]
    with pytest.raises(Conflict):
        desk.run(ApplyProposal(proposal=proposal, if_changed=IfChanged.REFUSE))
    result = desk.run(ApplyProposal(proposal=proposal))

    assert result.counts == {"changed": 1, "skipped_locked": 2, "skipped_changed": 1}
    assert desk.get(changed).fields["state"] == "by hand"
    row = desk.ask(Proposals())[0]
    assert (row.parts, row.waiting, row.applied, row.state) == (4, 3, 1, ProposalState.OPEN)

    desk.run(ApplyProposal(proposal=proposal, if_changed=IfChanged.OVERWRITE))
    assert desk.get(changed).fields["state"] == "new"
    assert "state" not in desk.get(locked).fields
    with desk.store.read() as reader:  # what a locked memory keeps waiting was read all the same
        assert reader.records(Folder, [folder])[0].last_processed_seq == 5


def test_proposal_that_was_taken_back_can_be_applied_again(desk: Desk) -> None:
    folder = desk.folder()
    one, other = desk.memory(folder, title="one"), desk.memory(folder, title="other")
    parts = (
        ChangePart(key="c", memory=one, revision=desk.get(one).revision, body="new"),
        ChangePart(key="d", memory=one, revision=desk.get(one).revision, importance=9),
        RetirePart(key="r", memory=other, revision=desk.get(other).revision),
    )
    proposal = kept(desk, folder, *parts)
    for _ in range(3):
        desk.run(EditMemory(memory=one, title="by hand"))
        assert view(desk, proposal).parts[0].obstacle is Obstacle.CHANGED
        desk.undo()
        assert [each.obstacle for each in view(desk, proposal).parts] == [None, None, None]
        applied = desk.run(ApplyProposal(proposal=proposal, if_changed=IfChanged.REFUSE))
        assert applied.counts == {"changed": 2, "retired": 1}
        desk.undo()
        desk.redo()
        desk.undo()
    desk.run(EditMemory(memory=one, title="by hand"))
    desk.undo()
    desk.redo()
    assert view(desk, proposal).parts[0].obstacle is Obstacle.CHANGED
    assert desk.run(ApplyProposal(proposal=proposal)).counts == {"skipped_changed": 2, "retired": 1}


def test_change_of_a_memory_that_was_merged_since_waits(desk: Desk) -> None:
    folder = desk.folder()
    survivor, loser = desk.memory(folder, title="one"), desk.memory(folder, title="other")
    desk.run(EditMemory(memory=loser, body="edited"))
    desk.run(MergeMemories(survivor=survivor, losers=(loser,)))
    desk.run(EditMemory(memory=survivor, body="together"))
    revision = desk.get(loser).revision - 1
    proposal = kept(desk, folder, ChangePart(key="c", memory=loser, revision=revision, body="new"))
    assert view(desk, proposal).parts[0].obstacle is Obstacle.CHANGED
    assert desk.run(ApplyProposal(proposal=proposal)).counts == {"skipped_changed": 1}
    desk.run(ApplyProposal(proposal=proposal, if_changed=IfChanged.OVERWRITE))
    assert desk.get(survivor).body == "new"


def test_second_change_of_the_same_memory_is_no_foreign_change(desk: Desk) -> None:
    folder = desk.folder()
    place = desk.memory(folder, "location", title="A")
    proposal = kept(
        desk,
        folder,
        ChangePart(key="1", group="1", memory=place, revision=1, fields={"state": "one"}),
        ChangePart(key="2", group="2", memory=place, revision=1, fields={"state": "two"}),
        ChangePart(key="3", group="2", memory="1", fields={"danger": "low"}),
    )
    desk.run(ApplyProposal(proposal=proposal, groups=("1",)))
    desk.run(ApplyProposal(proposal=proposal, groups=("2",)))
    assert dict(desk.get(place).fields) == {"state": "two", "danger": "low"}


def test_groups_apply_one_by_one_and_later_parts_find_what_earlier_made(desk: Desk) -> None:
    folder = desk.folder()
    proposal = kept(
        desk,
        folder,
        CreatePart(key="1:a", group="1", type=EVENT, body="first"),
        CreatePart(key="2:a", group="2", type=EVENT, body="second"),
        LinkPart(key="2:l", group="2", source="2:a", target="1:a", relation=RelationId("related")),
        ChangePart(key="2:c", group="2", memory="1:a", fields={"status": "resolved"}),
        groups=(
            PartGroup(key="1", through=2, runs=1),
            PartGroup(key="empty", through=3, runs=1),
            PartGroup(key="2", through=5, runs=1),
        ),
    )

    def pointer() -> int:
        with desk.store.read() as reader:
            return reader.records(Folder, [folder])[0].last_processed_seq

    desk.run(ApplyProposal(proposal=proposal, groups=("2",)))
    assert pointer() == -1  # floors before it are not settled
    assert {part.part.key: part.verdict for part in view(desk, proposal).parts}["2:l"] is None
    desk.run(ApplyProposal(proposal=proposal))
    assert pointer() == 5
    edges = edges_of(desk, folder)
    assert len(edges) == 1
    assert desk.get(edges[0].target).fields["status"] == "resolved"
    assert view(desk, proposal).proposal.state is ProposalState.APPLIED


def test_parts_without_a_tick_and_relations_to_them_are_left_out(desk: Desk) -> None:
    folder = desk.folder()
    proposal = kept(
        desk,
        folder,
        CreatePart(key="a", type=EVENT, body="wanted"),
        CreatePart(key="b", type=EVENT, body="not wanted", ticked=False),
        LinkPart(key="l", source="a", target="b", relation=RelationId("related")),
    )
    result = desk.run(ApplyProposal(proposal=proposal))
    assert result.counts == {"created": 1, "left_out": 2}
    assert [memory.body for memory in all_of(desk, folder)] == ["wanted"]
    assert view(desk, proposal).proposal.state is ProposalState.APPLIED


def test_dismissed_proposal_waits_again_after_undo(desk: Desk) -> None:
    folder = desk.folder()
    proposal = kept(desk, folder, CreatePart(key="a", type=EVENT, body="x"))
    desk.run(DismissProposal(proposal=proposal))
    assert desk.ask(Proposals(state=ProposalState.DISMISSED))[0].pk == proposal
    assert desk.run(ApplyProposal(proposal=proposal)).changed == 0
    desk.undo()
    assert desk.ask(CountWaiting()) == 1
    with pytest.raises(NotFound):
        desk.run(DismissProposal(proposal=99))


def test_part_that_breaks_a_rule_waits_and_the_others_are_applied(desk: Desk) -> None:
    folder = desk.folder()
    proposal = kept(
        desk,
        folder,
        CreatePart(key="no body", type=EVENT),
        CreatePart(key="no type", type=TypeId("dragon"), title="x"),
        CreatePart(key="good", type=EVENT, body="x"),
    )
    result = desk.run(ApplyProposal(proposal=proposal))
    assert result.counts == {"created": 1, "skipped_invalid": 2}
    obstacles = [part.obstacle for part in view(desk, proposal).parts]
    assert obstacles == [Obstacle.INVALID, Obstacle.INVALID, None]


def test_summary_takes_its_children_and_their_relations(desk: Desk) -> None:
    folder = desk.folder()
    events = [desk.memory(folder, body=f"event {at}", seq=at) for at in range(3)]
    locked = desk.memory(folder, body="locked", seq=3)
    place = desk.memory(folder, "location", title="钟楼")
    desk.run(SetLocked(memories=(locked,), locked=True))
    desk.edge(events[0], place, "occurred_at")
    desk.edge(events[0], events[1])
    before = desk.dump()
    part = CreatePart(key="s", type=EVENT, body="all", level=1, sums=(*events, locked), seq=2, seq_start=0)
    proposal = kept(desk, folder, part)

    desk.run(ApplyProposal(proposal=proposal))

    parent = next(memory for memory in all_of(desk, folder) if memory.level == 1)
    children = [desk.get(event) for event in events]
    assert {(child.parent, child.status, child.status_reason) for child in children} == {
        (parent.pk, Status.ARCHIVED, StatusReason.COMPRESSED)
    }
    assert desk.get(locked).status is Status.ACTIVE
    lifted = [edge for edge in edges_of(desk, folder) if edge.source == parent.pk]
    assert [(edge.target, edge.relation) for edge in lifted] == [(place, AT)]
    desk.undo()
    assert desk.dump() == before


def test_later_update_ends_the_relation_of_an_earlier_one(desk: Desk) -> None:
    folder = desk.folder()
    place = desk.memory(folder, "location", title="钟楼", fields={"state": "锁着"})
    newer = desk.memory(folder, body="门开了")
    for at, state in enumerate(("开着", "塌了")):
        part = ChangePart(
            key="c",
            memory=place,
            fields={"state": state},
            floor=at,
            update_event=True,
            temporal_source=newer,
        )
        desk.run(ApplyProposal(proposal=kept(desk, folder, part)))
        desk.now += timedelta(hours=1)
    found = sorted(
        (edge.relation, edge.ended_seq) for edge in edges_of(desk, folder) if edge.ended_seq is None
    )
    assert found == [("temporal_update", None), ("updates", None)]
    events = [memory for memory in all_of(desk, folder) if memory.extra.get("automatic")]
    assert [event.body for event in events] == [
        "location 状态更新：state: 锁着 -> 开着",
        "location 状态更新：state: 开着 -> 塌了",
    ]


def test_ended_relations_and_retired_memories(desk: Desk) -> None:
    folder = desk.folder()
    first, second = desk.memory(folder), desk.memory(folder)
    edge = desk.edge(first, second)
    gone = desk.memory(folder)
    desk.run(TrashMemories(memories=(gone,)))
    proposal = kept(
        desk,
        folder,
        EndLinkPart(key="e", edge=edge, floor=4),
        RetirePart(key="r", memory=second),
        RetirePart(key="g", memory=gone),
    )
    desk.run(ApplyProposal(proposal=proposal))
    assert edges_of(desk, folder)[0].ended_seq == 4
    assert desk.get(second).status_reason is StatusReason.REMOVED_BY_MODEL
    assert [part.obstacle for part in view(desk, proposal).parts] == [None, None, Obstacle.MISSING]


def test_erased_memory_leaves_no_text_in_proposals(desk: Desk) -> None:
    folder = desk.folder()
    old = desk.memory(folder, "location", title="钟楼")
    proposal = kept(
        desk,
        folder,
        CreatePart(key="a", type=EVENT, body="very secret"),
        ChangePart(key="c", memory=old, fields={"state": "also secret"}),
    )
    made = desk.run(ApplyProposal(proposal=proposal, groups=("",))).created
    desk.run(DeletePermanently(memories=(old, *made)))
    with sqlite3.connect(desk.store.files.database) as connection:
        assert connection.execute("SELECT count(*) FROM proposal_part").fetchone() == (0,)
    connection.close()


def test_any_part_reads_back_as_it_was_written_and_older_data_gets_defaults() -> None:
    note = Problem("a.key", {"n": 1}, "info", ("x",))
    parts: list[Part] = [
        CreatePart(key="1", type=EVENT, body="b", sums=(3, "2"), notes=(note,), tags=TagSet(general=("t",))),  # type: ignore[arg-type]  # a plain number stands for a pk
        ChangePart(key="2", group="g", memory="1", title="t", tags=TagSet(), fields={"a": None}),
        RetirePart(key="3", memory="2", reason=StatusReason.FORGOTTEN),
        LinkPart(key="4", source="1", target="2", relation=AT, ticked=False),
        EndLinkPart(key="5", edge=7),  # type: ignore[arg-type]  # a plain number stands for a pk
    ]
    for part in parts:
        assert part_of(part_kind(part), part.key, part.group, part.ticked, part_json(part)) == part
    old = part_of("create", "k", "", True, {"type": "event"})
    assert old == CreatePart(key="k", type=EVENT)


def test_change_that_names_itself_is_shown_and_waits(desk: Desk) -> None:
    folder = desk.folder()
    parts = (
        ChangePart(key="p1", memory="p2", body="b"),
        ChangePart(key="p2", memory="p1", body="b"),
        LinkPart(key="p3", source="p1", target="p3", relation=AT),
    )
    proposal = kept(desk, folder, *parts)
    assert [each.title for each in view(desk, proposal).parts] == ["", "", ""]
    before = desk.dump()
    desk.run(ApplyProposal(proposal=proposal))
    assert desk.dump()["memory"] == before["memory"]
    assert view(desk, proposal).proposal.waiting == parts


def test_decisions_name_what_parts_became(desk: Desk) -> None:
    folder = desk.folder()
    proposal = kept(desk, folder, CreatePart(key="a", type=EVENT, body="x"))
    made = desk.run(ApplyProposal(proposal=proposal)).created[0]
    decided = view(desk, proposal).proposal.decided["a"]
    assert (decided.verdict, decided.memory) == (PartVerdict.APPLIED, made)
    assert view(desk, proposal).parts[0].memory == made
