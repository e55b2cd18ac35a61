"""Everything about a name: who bears it, condition by floor, events, relations, and who names it."""

import pytest

from core.domain.about import About, Condition
from core.domain.commands import EditMemory, SetAliases, TrashMemories
from core.domain.commands_folders import SetAlsoReads
from core.domain.commands_graph import EndEdges
from core.domain.commands_merge import MergeMemories
from core.domain.commands_proposals import ApplyProposal
from core.domain.errors import Invalid, NotFound
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import TagSet
from core.domain.proposal import ChangePart, NewProposal, ProposalKind
from core.domain.queries_sayings import EverythingAbout
from tests.services.desk import Desk


def about(desk: Desk, name: str = "", **more: object) -> About:
    return desk.ask(EverythingAbout(name=name, **more))  # type: ignore[arg-type]  # short form


def mentions(found: About) -> set[MemoryPk]:
    return {row.pk for row in found.mentions.rows}


def changed_by_story(desk: Desk, folder: FolderPk, pk: MemoryPk, floor: int, **fields: str) -> None:
    part = ChangePart(key="c", memory=pk, fields=fields, floor=floor, update_event=True)
    made = NewProposal(kind=ProposalKind.EXTRACTION, folder=folder, source="", parts=(part,))
    desk.run(ApplyProposal(proposal=desk.store.proposals.add(made)))


def test_name_in_any_script_or_alias_leads_to_its_memory(desk: Desk) -> None:
    folder = desk.folder()
    event = desk.memory(folder, title="艾琳", body="艾琳的事")
    irene = desk.memory(folder, "character", title="艾琳", aliases=("Irene Moss", "小艾"))
    for name in ("艾琳", " 艾琳 ", "irene moss", "ＩＲＥＮＥ  MOSS", "小艾"):
        found = about(desk, name)
        assert found.memory is not None
        assert found.memory.pk == irene, name
    assert [row.pk for row in about(desk, "艾琳").bearers] == [irene, event]
    assert about(desk, "鐘樓").memory is None
    tower = desk.memory(folder, "location", title="钟楼")
    found = about(desk, "鐘樓")
    assert found.memory is not None
    assert (found.memory.pk, found.names) == (tower, ("钟楼",))
    assert about(desk, "Irene").memory is None


def test_memories_whose_injected_text_names_it_are_found_by_any_of_its_names(desk: Desk) -> None:
    folder = desk.folder()
    irene = desk.memory(folder, "character", title="Irene", aliases=("小艾",))
    yes = {
        desk.memory(folder, body="Then IRENE's letter came."),
        desk.memory(folder, body="今天小艾来了。"),
        desk.memory(folder, fields={"participants": "Tom, Irene"}, body="They met."),
    }
    desk.memory(folder, body="serenely, irenes and Ireneus")
    desk.memory(folder, body="nothing", tags=TagSet(general=("Irene",)))
    desk.memory(folder, body="nothing", aliases=("Irene's friend",))
    gone = desk.memory(folder, body="Irene")
    desk.run(TrashMemories(memories=(gone,)))
    found = about(desk, memory=irene)
    assert mentions(found) == yes
    assert (found.mentions.total, found.mentions.exact) == (3, True)
    assert set(found.names) == {"Irene", "小艾"}


def test_only_folders_that_are_read_together_are_looked_through(desk: Desk) -> None:
    chat, world, apart = desk.folder("chat"), desk.folder("world"), desk.folder("apart")
    desk.run(SetAlsoReads(chat, (world,)))
    tower = desk.memory(world, "location", title="钟楼")
    here = desk.memory(chat, body="他们进了钟楼。")
    there = desk.memory(apart, body="另一座钟楼。")
    assert mentions(about(desk, memory=tower)) == {here}
    assert mentions(about(desk, memory=tower, everywhere=True)) == {here, there}
    assert mentions(about(desk, "钟楼", folder=apart)) == {there}
    assert about(desk, "钟楼", folder=apart).memory is None
    assert mentions(about(desk, "钟楼")) == {here, there}


def test_condition_is_told_by_floor_with_hand_edits_last(desk: Desk) -> None:
    folder = desk.folder()
    irene = desk.memory(folder, "character", title="艾琳", fields={"state": "健康"}, seq=1)
    changed_by_story(desk, folder, irene, 9, state="受伤")
    changed_by_story(desk, folder, irene, 20, state="失踪", goal="回家")
    desk.run(EditMemory(memory=irene, title="艾琳·莫斯", fields={"state": "回来了"}))
    undone = desk.run(EditMemory(memory=irene, fields={"state": "又走了"}))
    desk.undo(undone.op.id if undone.op else None)
    found = about(desk, memory=irene)
    told = [(step.floor, step.column, step.before, step.after) for step in found.condition]
    assert told == [
        (9, "state", "健康", "受伤"),
        (20, "state", "受伤", "失踪"),
        (20, "goal", "", "回家"),
        (None, "name", "艾琳", "艾琳·莫斯"),
        (None, "state", "失踪", "回来了"),
    ]
    recorded: list[Condition] = [step for step in found.condition if step.event is not None]
    assert len(recorded) == 3
    assert all(step.op is not None for step in found.condition)
    assert found.former == ("艾琳",)
    assert {step.event for step in recorded}.isdisjoint({row.pk for row in found.events.rows})


def test_events_stand_in_the_order_of_the_story(desk: Desk) -> None:
    folder = desk.folder()
    irene = desk.memory(folder, "character", title="艾琳")
    late = desk.memory(folder, body="艾琳离开了。", seq=30)
    early = desk.memory(folder, body="有人来了。", seq=2)
    desk.edge(early, irene, "involved_in")
    middle = desk.memory(folder, body="艾琳受伤。", seq=9)
    desk.memory(folder, "rule", title="规则", body="艾琳不能进钟楼")
    found = about(desk, memory=irene)
    assert [row.pk for row in found.events.rows] == [early, middle, late]
    assert len(mentions(found)) == 3
    only = about(desk, memory=irene, limit=2)
    assert [row.pk for row in only.events.rows] == [middle, late]
    assert only.events.total == 3


def test_relations_are_grouped_by_type_with_past_ones_apart(desk: Desk) -> None:
    folder = desk.folder()
    irene = desk.memory(folder, "character", title="艾琳")
    places = [desk.memory(folder, "location", title=f"p{at}") for at in range(3)]
    edges = [desk.edge(irene, place, "related") for place in places]
    desk.edge(places[0], irene, "occurred_at")
    desk.run(EndEdges(edges=(edges[0],)))
    first, second = about(desk, memory=irene).relations
    assert (first.relation, first.total, len(first.live), len(first.past)) == ("related", 3, 2, 1)
    assert first.past[0].edge.pk == edges[0]
    assert (second.relation, len(second.live)) == ("occurred_at", 1)


def test_a_merged_memory_leads_to_the_one_that_is_left_and_nothing_to_an_error(desk: Desk) -> None:
    folder = desk.folder()
    kept, lost = (desk.memory(folder, "location", title=name) for name in ("钟楼", "旧钟楼"))
    desk.run(MergeMemories(survivor=kept, losers=(lost,)))
    found = about(desk, memory=lost)
    assert found.memory is not None
    assert found.memory.pk == kept
    with pytest.raises(NotFound):
        about(desk, memory=MemoryPk(999_999))
    for name in ("", "  ", "…！"):
        with pytest.raises(Invalid):
            about(desk, name)
    with pytest.raises(NotFound):
        about(desk, "x", folder=FolderPk(77))
    nobody = about(desk, '"odd*" (name) -x')
    assert (nobody.memory, nobody.mentions.total) == (None, 0)


def test_names_set_later_count_at_once(desk: Desk) -> None:
    folder = desk.folder()
    tower = desk.memory(folder, "location", title="钟楼")
    event = desk.memory(folder, body="夜里 the old tower 亮了灯。")
    assert mentions(about(desk, memory=tower)) == set()
    desk.run(SetAliases(memory=tower, aliases=("The Old Tower",)))
    assert mentions(about(desk, memory=tower)) == {event}


def test_a_memory_without_a_name_has_its_relations_and_events(desk: Desk) -> None:
    folder = desk.folder()
    event = desk.memory(folder, body="有人来了。", seq=2)
    after = desk.memory(folder, body="有人走了。", seq=3)
    desk.edge(event, after, "evolves")
    found = about(desk, memory=event)
    assert (found.names, found.mentions.total) == ((), 0)
    assert [row.pk for row in found.events.rows] == [after]
    assert [group.relation for group in found.relations] == ["evolves"]
