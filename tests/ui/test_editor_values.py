from datetime import UTC, datetime

import pytest

from core.domain.commands import UNSET
from core.domain.enums import ActorKind, OpRole, OpState
from core.domain.ids import FolderPk, MemoryPk, OpId, TypeId
from core.domain.memory import TagSet
from core.domain.results import Actor, OpInfo, RowVersion
from core.domain.schema_data import default_schema
from ui.views.editor_values import changes, creation_of, edit_of, empty_values, faults, merged
from ui.views.moments import shown_time, typed_time
from ui.views.version_values import changes_in, values_after

SCHEMA = default_schema()


def _kind(name: str):
    kind = SCHEMA.type(name)
    assert kind is not None
    return kind


def _version(number: int, before: dict, after: dict) -> RowVersion:
    actor = Actor(ActorKind.PERSON, "me", "w")
    at = datetime(2026, 1, 1, tzinfo=UTC)
    op = OpInfo(OpId(number), "op.memory.edit", {}, actor, at, OpRole.CHANGE, OpState.COMPLETE, True)
    return RowVersion(op, before, after)


def test_only_changed_values_are_in_the_edit() -> None:
    base = empty_values(TypeId("event")) | {"body": "old", "fields.status": "ongoing", "tags.tag": ["a"]}
    mine = base | {"body": "new", "fields.status": ""}
    command = edit_of(MemoryPk(1), changes(base, mine), mine, 7)
    assert (command.body, command.fields, command.expected_revision) == ("new", {"status": None}, 7)
    assert {command.title, command.tags, command.importance} == {UNSET}


def test_one_changed_tag_group_sends_all_groups() -> None:
    base = empty_values(TypeId("event")) | {"tags.tag": ["a"]}
    mine = base | {"tags.core": ["c"], "tags.diffusion": ["d"], "tags.opposing": ["o"]}
    command = edit_of(MemoryPk(1), changes(base, mine), mine, None)
    assert command.tags == TagSet(("a",), ("c",), ("d",), ("o",))


def test_new_memory_leaves_blank_fields_out() -> None:
    values = empty_values(TypeId("event")) | {"body": "x", "fields.status": "", "fields.participants": "A"}
    assert creation_of(FolderPk(2), values).memory.fields == {"participants": "A"}


@pytest.mark.parametrize(
    ("filled", "wrong"),
    [((), ()), (("core",), ("diffusion", "opposing")), (("core", "diffusion", "opposing"), ())],
)
def test_triple_is_all_or_none(filled: tuple[str, ...], wrong: tuple[str, ...]) -> None:
    values = empty_values(TypeId("event")) | {"body": "x"} | {f"tags.{kind}": ["t"] for kind in filled}
    assert set(faults(values, _kind("event"))) == {f"tags.{kind}" for kind in wrong}


def test_required_column_that_was_empty_before_does_not_hold_up_other_edits() -> None:
    base = empty_values(TypeId("rule")) | {"title": "t"}
    assert "body" in faults(base, _kind("rule"))
    assert faults(base | {"title": "t2"}, _kind("rule"), base) == {}


def test_person_needs_an_account() -> None:
    values = empty_values(TypeId("person")) | {"title": "A", "body": "x", "fields.person_id": "12345"}
    assert "fields.person_id" in faults(values, _kind("person"))
    assert faults(values | {"fields.person_id": "qq:12345"}, _kind("person")) == {}


def test_floors_are_numbers_in_order() -> None:
    values = empty_values(TypeId("event")) | {"body": "x", "seq": "abc", "seq_start": 9, "seq_end": 3}
    assert set(faults(values, _kind("event"))) == {"seq", "seq_end"}


def test_merge_takes_what_one_side_changed_and_names_the_rest() -> None:
    base = {"title": "a", "body": "b", "importance": 5.0}
    result, clashes = merged(
        base, base | {"body": "mine", "title": "t"}, base | {"body": "theirs", "importance": 8.0}
    )
    assert result == {"title": "t", "body": "mine", "importance": 8.0}
    assert [(clash.key, clash.base, clash.mine, clash.theirs) for clash in clashes] == [
        ("body", "b", "mine", "theirs")
    ]


def test_version_is_brought_back_through_later_changes() -> None:
    now = empty_values(TypeId("event")) | {"body": "3", "fields.status": "blocked", "tags.tag": ["a", "b"]}
    versions = [
        _version(3, {"body": "2", "tag": []}, {"body": "3", "tag": ["b"]}),
        _version(
            2, {"body": "1", "fields": {"status": "ongoing"}}, {"body": "2", "fields": {"status": "blocked"}}
        ),
        _version(1, {}, {}),
    ]
    assert values_after(now, versions, 0) == now
    second = values_after(now, versions, 1)
    assert (second["body"], second["tags.tag"], second["fields.status"]) == ("2", ["a"], "blocked")
    first = values_after(now, versions, 2)
    assert (first["body"], first["fields.status"]) == ("1", "ongoing")
    assert [change.key for change in changes_in(versions[1])] == ["body", "fields.status"]


@pytest.mark.parametrize("text", ["2025-03-01", "2025-03-01 18:30", "2025-03-01 18:30:05"])
def test_typed_time_is_shown_again_as_typed(text: str) -> None:
    seconds = typed_time(text)
    assert isinstance(seconds, float)
    assert shown_time(seconds) == text


def test_what_is_no_time_is_given_back_as_text() -> None:
    assert typed_time("soon") == "soon"
    assert typed_time("  ") is None
    assert shown_time(0.0) == ""
