"""The sample library written into a real store."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from core.adapters.sample import read_sample
from core.domain.commands_transfer import ApplyImport
from core.domain.queries import Counts, FolderByName, ListMemories, Memories, MemoryFilter, ResolveMemories
from tests.services.desk import Desk

NOW = datetime(2026, 3, 14, 9, 26, tzinfo=UTC)


def test_importing_the_sample_keeps_every_row_and_link(desk: Desk) -> None:
    plan = read_sample(NOW)
    desk.run(ApplyImport(plan))
    counts = desk.ask(Counts())
    assert counts.memories + counts.trashed == len(plan.memories)
    assert counts.trashed == plan.counts["trashed"]
    assert counts.edges == len(plan.edges)
    assert counts.messages == len(plan.messages)
    by_id = {memory.foreign_id: memory for memory in desk.ask(Memories(desk.ask(ListMemories())))}
    for planned in plan.memories:
        if planned.deleted_at is None:
            stored = by_id[planned.key]
            assert (stored.title, stored.body, stored.fields) == (planned.title, planned.body, planned.fields)
            assert (stored.updated_at, stored.seq) == (planned.updated_at, planned.seq)
            assert stored.parent == (by_id[planned.parent].pk if planned.parent else None)
            assert stored.merged_into == (by_id[planned.merged_into].pk if planned.merged_into else None)


def test_an_id_of_a_merged_sample_memory_leads_to_its_survivor(desk: Desk) -> None:
    desk.run(ApplyImport(read_sample(NOW)))
    merged, survivor = desk.ask(ResolveMemories(("harbour-d8", "harbour-e2")))
    assert merged == survivor


def test_words_of_the_story_are_found_in_both_languages(desk: Desk) -> None:
    desk.run(ApplyImport(read_sample(NOW)))
    for text in ("退潮", "罗盘", "猫", "lantern", '"river map"'):
        assert desk.ask(ListMemories(MemoryFilter(text=text))), text


def test_undoing_the_sample_leaves_nothing(desk: Desk, tmp_path: Path) -> None:
    before = desk.dump()
    desk.run(ApplyImport(read_sample(NOW)))
    assert desk.ask(FolderByName("聊天/雾港来信")) is not None
    desk.undo()
    assert desk.dump() == before
