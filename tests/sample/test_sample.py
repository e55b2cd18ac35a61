"""The sample library: complete, sound, and the same each time."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from core.adapters.sample import read_sample
from core.domain.enums import Layer, Role, Status, StatusReason
from core.domain.folder import clean_folder_name
from core.domain.ids import is_person_id
from core.domain.lifecycle import LifeState, check
from core.domain.schema_data import default_schema
from core.domain.tags import check_triple, clean
from core.domain.transfer import ImportPlan

NOW = datetime(2026, 3, 14, 9, 26, tzinfo=UTC)
STALE = timedelta(days=7)


@pytest.fixture(scope="module")
def plan() -> ImportPlan:
    return read_sample(NOW)


def test_sample_has_what_it_promises(plan: ImportPlan) -> None:
    floors = Counter(message.folder for message in plan.messages)
    assert len(plan.memories) >= 300
    assert len(plan.edges) >= 500
    assert max(floors.values()) >= 200
    assert len(plan.documents) >= 3
    assert plan.counts["memories"] == len(plan.memories)
    assert plan.counts["edges"] == len(plan.edges)
    assert {folder.name for folder in plan.folders} >= {
        "聊天/雾港来信",
        "chats/The Glass Orchard",
        "bots/assistant",
    }


def test_sample_shows_every_type_layer_status_and_reason(plan: ImportPlan) -> None:
    schema = default_schema()
    assert {memory.type for memory in plan.memories} == {item.id for item in schema.types}
    assert {edge.relation for edge in plan.edges} == {item.id for item in schema.relations}
    assert {memory.layer for memory in plan.memories} == set(Layer)
    assert {memory.status for memory in plan.memories} == set(Status)
    assert {memory.status_reason for memory in plan.memories} == {None, *StatusReason}


def test_every_memory_is_one_the_program_could_have_made(plan: ImportPlan) -> None:
    folders = {folder.key for folder in plan.folders}
    for memory in plan.memories:
        check(LifeState(memory.layer, memory.status, memory.status_reason, memory.deleted_at is not None))
        check_triple(memory.tags)
        assert clean(memory.tags) == memory.tags, memory.key
        assert memory.folder in folders
        assert memory.title or memory.body, memory.key
        assert 0 <= memory.importance <= 10
        assert 0 <= memory.novelty <= 1
        assert memory.created_at <= memory.updated_at <= NOW, memory.key
        assert (memory.activation_count == 0) == (memory.last_activated_at is None), memory.key
        if memory.last_activated_at is not None:
            assert memory.updated_at <= memory.last_activated_at <= NOW, memory.key


def test_fields_are_columns_of_the_type_and_required_ones_are_filled(plan: ImportPlan) -> None:
    schema = default_schema()
    for memory in plan.memories:
        memory_type = schema.type(memory.type)
        assert memory_type is not None
        columns = {column.name: column for column in memory_type.field_columns}
        assert set(memory.fields) <= set(columns), memory.key
        for name, value in memory.fields.items():
            choices = columns[name].choices
            assert not choices or value in choices, (memory.key, name, value)
        for column in memory_type.columns:
            if column.required:
                value = {"title": memory.title, "body": memory.body}.get(
                    column.role.value, memory.fields.get(column.name)
                )
                assert value, (memory.key, column.name)


def test_keys_are_unique_and_every_end_exists(plan: ImportPlan) -> None:
    keys = [memory.key for memory in plan.memories]
    assert len(set(keys)) == len(keys)
    known = set(keys)
    for edge in plan.edges:
        assert {edge.source, edge.target} <= known
        assert edge.source != edge.target
        assert 0 <= edge.strength <= 1
    for memory in plan.memories:
        assert {memory.parent, memory.merged_into} <= known | {None}
        assert memory.document is None or memory.document in {item.key for item in plan.documents}


def test_no_live_relation_is_told_twice(plan: ImportPlan) -> None:
    live = Counter(
        (edge.source, edge.target, edge.relation)
        for edge in plan.edges
        if edge.invalid_from is None and edge.expired_at is None
    )
    assert [triple for triple, times in live.items() if times > 1] == []


def test_floors_lie_within_their_chat_and_rise_in_time(plan: ImportPlan) -> None:
    floors = Counter(message.folder for message in plan.messages)
    folder_of = {memory.key: memory.folder for memory in plan.memories}
    for folder, count in floors.items():
        chat = [message for message in plan.messages if message.folder == folder]
        assert [message.seq for message in chat] == list(range(count))
        assert {message.role for message in chat} == {Role.USER, Role.ASSISTANT}
        times = [message.sent_at for message in chat if message.sent_at is not None]
        assert times == sorted(times)
        assert len(set(times)) == count
    for memory in plan.memories:
        if memory.seq is not None:
            assert memory.seq_start is not None
            assert memory.seq_end is not None
            assert 0 <= memory.seq_start <= memory.seq == memory.seq_end < floors[memory.folder]
    for edge in plan.edges:
        for floor in (edge.from_seq, edge.ended_seq):
            assert floor is None or 0 <= floor < floors[folder_of[edge.source]]


def test_summaries_stand_above_compressed_children_of_their_type(plan: ImportPlan) -> None:
    by_key = {memory.key: memory for memory in plan.memories}
    parents = {memory.parent for memory in plan.memories if memory.parent}
    assert max(memory.level for memory in plan.memories) == 2
    assert {memory.key for memory in plan.memories if memory.level} == parents
    for memory in plan.memories:
        if memory.parent:
            parent = by_key[memory.parent]
            assert (memory.status, memory.status_reason) == (Status.ARCHIVED, StatusReason.COMPRESSED)
            assert (parent.type, parent.level) == (memory.type, memory.level + 1)
            assert parent.seq_start is not None
            assert parent.seq_end is not None
            assert memory.seq_start is not None
            assert memory.seq_end is not None
            assert parent.seq_start <= memory.seq_start <= memory.seq_end <= parent.seq_end


def test_every_person_has_an_id_and_one_is_there_twice(plan: ImportPlan) -> None:
    people = [str(memory.fields["person_id"]) for memory in plan.memories if memory.type == "person"]
    assert all(is_person_id(person) for person in people)
    assert "qq:10001" in people
    assert len(set(people)) < len(people)


def test_there_is_work_for_every_desk(plan: ImportPlan) -> None:
    """Contradictions, superseded facts, doubles, stale and unused memories, trash, memos, points of view."""
    edges = plan.edges
    assert any(edge.relation == "contradicts" and edge.inhibits for edge in edges)
    assert any(edge.relation == "temporal_update" for edge in edges)
    assert any(edge.ended_seq is not None and edge.invalid_from is not None for edge in edges)
    assert any(edge.expired_at is not None for edge in edges)
    memories = plan.memories
    stale = [item for item in memories if item.layer is Layer.EMERGENT and NOW - item.created_at > STALE]
    assert len(stale) >= 10
    assert sum(item.activation_count == 0 for item in stale) >= 5
    assert sum(item.novelty < 0.5 for item in memories) >= 1
    assert sum(bool(item.visibility) for item in memories) >= 10
    assert any(item.deleted_at for item in memories)
    assert any(item.locked for item in memories)
    assert any(item.aliases for item in memories)
    assert any(memo.expires_at > NOW for memo in plan.memos)
    assert any(memo.expires_at < NOW for memo in plan.memos)


def test_pieces_are_where_they_say_in_their_document(plan: ImportPlan) -> None:
    texts = {document.key: document.text for document in plan.documents}
    pieces = [memory for memory in plan.memories if memory.document]
    assert {piece.document for piece in pieces} == set(texts)
    for piece in pieces:
        assert piece.layer is Layer.KNOWLEDGE
        assert piece.document is not None
        assert texts[piece.document][piece.span_start : piece.span_end] == piece.body


def test_folder_names_are_as_stored(plan: ImportPlan) -> None:
    for folder in plan.folders:
        assert clean_folder_name(folder.name) == folder.name


def test_no_sentence_is_there_twice(plan: ImportPlan) -> None:
    bodies = Counter(memory.body for memory in plan.memories if memory.body)
    lines = Counter(message.text for message in plan.messages)
    assert [text for text, times in (bodies + lines).items() if times > 1] == []


def test_read_again_with_the_same_time_gives_the_same_plan(plan: ImportPlan) -> None:
    assert read_sample(NOW) == plan


def test_read_later_moves_all_times_and_nothing_else(plan: ImportPlan) -> None:
    later = read_sample(NOW + timedelta(days=3))
    for old, new in zip(plan.memories, later.memories, strict=True):
        assert new.created_at - old.created_at == timedelta(days=3)
        assert (new.key, new.title, new.body) == (old.key, old.title, old.body)
