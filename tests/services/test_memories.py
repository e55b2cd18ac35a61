"""Create and edit one memory: the rules of DESIGN §4 and §5."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from core.domain.commands import CreateMemory, EditMemory, NewMemory, SetLocked, SetType, TrashMemories
from core.domain.enums import Kind, Layer, Status
from core.domain.errors import Conflict, Invalid, NotFound, UserError
from core.domain.ids import FolderPk, MemoryPk, TypeId, is_memory_id
from core.domain.memory import TagSet
from core.domain.queries import MemoryDetailOf, ResolveMemories
from core.ports.store import OpDraft
from tests.services.desk import PERSON, PROGRAM, Desk

TRIPLE = TagSet(general=("x",), core=("a",), diffusion=("b",), opposing=("c",))


def test_new_memory_holds_what_was_given(desk: Desk) -> None:
    folder = desk.folder()
    pk = desk.memory(
        folder,
        "character",
        fields={"name": "林夏", "state": "tired"},
        importance=7,
        seq=4,
        visibility=(" 林夏 ", ""),
        tags=TRIPLE,
        aliases=("小夏", " 小夏"),
    )
    detail = desk.ask(MemoryDetailOf(pk))
    memory = detail.memory
    assert is_memory_id(memory.id)
    assert (memory.title, memory.body, memory.fields) == ("林夏", "", {"state": "tired"})
    assert (memory.importance, memory.seq, memory.seq_start, memory.seq_end) == (7.0, 4, 4, 4)
    assert (memory.visibility, detail.tags, detail.aliases) == (("林夏",), TRIPLE, ("小夏",))
    assert desk.last_args() == {"count": 1, "title": "林夏", "folder": "a"}


@pytest.mark.parametrize(("actor", "layer"), [(PERSON, Layer.MEMORY), (PROGRAM, Layer.EMERGENT)])
def test_layer_of_a_new_memory_follows_the_writer(desk: Desk, actor: Any, layer: Layer) -> None:
    assert desk.get(desk.memory(desk.folder(), actor=actor)).layer is layer


def test_layer_that_was_asked_for_is_taken(desk: Desk) -> None:
    assert desk.get(desk.memory(desk.folder(), layer=Layer.INHERENT)).layer is Layer.INHERENT


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("no such type", {"type": "nothing"}, "error.schema.type_unknown"),
    ("no body", {"type": "event"}, "error.memory.required"),
    ("blank name", {"type": "character", "title": "  "}, "error.memory.required"),
    ("rule without constraint", {"type": "rule", "title": "x"}, "error.memory.required"),
    ("half a triple", {"type": "event", "body": "x", "tags": TagSet(core=("a",))}, "error.tags.triple"),
    ("importance too high", {"type": "event", "body": "x", "importance": 10.5}, "error.memory.importance"),
    (
        "importance no number",
        {"type": "event", "body": "x", "importance": float("nan")},
        "error.memory.importance",
    ),
    ("person without account", {"type": "person", "body": "x"}, "error.memory.required"),
    (
        "person with a bad account",
        {"type": "person", "body": "x", "fields": {"person_id": "10001"}},
        "error.memory.person_id",
    ),
    (
        "floors the wrong way",
        {"type": "event", "body": "x", "seq_start": 5, "seq_end": 4},
        "error.memory.floor_order",
    ),
    ("negative floor", {"type": "event", "body": "x", "seq": -1}, "error.memory.floor_negative"),
    (
        "time that is no number",
        {"type": "event", "body": "x", "fields": {"event_start_at": "soon"}},
        "error.memory.field_number",
    ),
    (
        "ends before it begins",
        {"type": "event", "body": "x", "fields": {"event_start_at": 9.0, "event_end_at": 3.0}},
        "error.memory.time_order",
    ),
    (
        "body given twice",
        {"type": "event", "body": "x", "fields": {"summary": "y"}},
        "error.memory.field_twice",
    ),
    (
        "not finite",
        {"type": "event", "body": "x", "fields": {"own": [float("inf")]}},
        "error.memory.field_number",
    ),
]


@pytest.mark.parametrize(("values", "key"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_bad_new_memory_is_refused_and_nothing_written(desk: Desk, values: dict[str, Any], key: str) -> None:
    folder = desk.folder()
    before = desk.dump()
    with pytest.raises(UserError) as caught:
        desk.run(CreateMemory(NewMemory(folder=folder, **values)))
    assert caught.value.key == key
    assert desk.dump() == before


def test_unknown_folder_is_not_found(desk: Desk) -> None:
    with pytest.raises(NotFound):
        desk.memory(FolderPk(99))


def test_edit_changes_only_what_was_named(desk: Desk) -> None:
    pk = desk.memory(desk.folder(), fields={"status": "ongoing", "own": 1}, importance=3)
    desk.run(EditMemory(memory=pk, body="new", fields={"status": "resolved", "own": None}))
    memory = desk.get(pk)
    assert (memory.body, memory.fields, memory.importance) == ("new", {"status": "resolved"}, 3)
    assert memory.revision == 2


def test_edit_takes_columns_by_their_names(desk: Desk) -> None:
    pk = desk.memory(desk.folder(), fields={"status": "ongoing"})
    desk.run(EditMemory(memory=pk, fields={"summary": "other", "title": "T"}))
    memory = desk.get(pk)
    assert (memory.title, memory.body, memory.fields) == ("T", "other", {"status": "ongoing"})


def test_edit_that_changes_nothing_makes_no_op(desk: Desk) -> None:
    pk = desk.memory(desk.folder())
    op = desk.store.last_op()
    assert desk.run(EditMemory(memory=pk, body="something happened")).changed == 0
    assert desk.store.last_op() == op


def test_edit_cannot_empty_a_required_column(desk: Desk) -> None:
    pk = desk.memory(desk.folder())
    with pytest.raises(Invalid):
        desk.run(EditMemory(memory=pk, body=" "))


def test_imported_memory_without_its_required_column_can_be_put_right_bit_by_bit(desk: Desk) -> None:
    pk = desk.memory(desk.folder(), "knowledge", body="x")
    _write(desk, pk, {"type": TypeId("rule"), "body": ""})
    desk.run(EditMemory(memory=pk, importance=2, title="named"))
    assert desk.get(pk).title == "named"


def test_edit_of_a_row_changed_since_is_a_conflict(desk: Desk) -> None:
    pk = desk.memory(desk.folder())
    desk.run(EditMemory(memory=pk, body="theirs"), PROGRAM)
    with pytest.raises(Conflict):
        desk.run(EditMemory(memory=pk, body="mine", expected_revision=1))
    assert desk.get(pk).body == "theirs"


def test_edit_in_the_trash_is_refused(desk: Desk) -> None:
    pk = desk.memory(desk.folder())
    desk.run(TrashMemories(memories=(pk,)))
    with pytest.raises(Invalid):
        desk.run(EditMemory(memory=pk, body="x"))


def test_locked_memory_is_changed_by_a_person_only(desk: Desk) -> None:
    pk = desk.memory(desk.folder())
    desk.run(SetLocked(memories=(pk,), locked=True))
    for command in (
        EditMemory(memory=pk, body="x"),
        TrashMemories(memories=(pk,)),
        SetLocked(memories=(pk,), locked=False),
    ):
        with pytest.raises(UserError) as caught:
            desk.run(command, PROGRAM)
        assert caught.value.key == "error.memory.locked"
    desk.run(EditMemory(memory=pk, body="x"))
    assert desk.get(pk).body == "x"


def test_edit_by_the_id_of_a_merged_memory_reaches_the_survivor(desk: Desk) -> None:
    folder = desk.folder()
    first, second, third = (desk.memory(folder, body=text) for text in "abc")
    _write(desk, first, {"merged_into": second, "status": Status.ARCHIVED})
    _write(desk, second, {"merged_into": third})
    outcome = desk.run(EditMemory(memory=first, body="new"))
    assert outcome.counts == {"followed": 1}
    assert desk.get(third).body == "new"
    assert desk.ask(ResolveMemories((desk.get(first).id,))) == (third,)


def test_a_ring_of_merged_memories_ends(desk: Desk) -> None:
    folder = desk.folder()
    first, second = (desk.memory(folder, body=text) for text in "ab")
    _write(desk, first, {"merged_into": second})
    _write(desk, second, {"merged_into": first})
    desk.run(EditMemory(memory=first, body="new"))


def test_new_type_asks_for_what_it_requires_and_keeps_other_fields(desk: Desk) -> None:
    folder = desk.folder()
    pk = desk.memory(folder, "knowledge", title="t", body="b", fields={"knowledge_type": "quote"})
    with pytest.raises(Invalid):
        desk.run(SetType(memories=(pk,), type=TypeId("person")))
    desk.run(SetType(memories=(pk,), type=TypeId("rule")))
    memory = desk.get(pk)
    assert (memory.type, memory.fields) == ("rule", {"knowledge_type": "quote"})


def test_text_that_no_store_can_hold_is_escaped(desk: Desk) -> None:
    pk = desk.memory(desk.folder(), body="a\x00b\ud83d")
    assert desk.get(pk).body == "a\\u0000b\\ud83d"


def test_unknown_and_ambiguous_ids_are_named(desk: Desk) -> None:
    one, two = desk.folder("a"), desk.folder("b")
    first, second = desk.memory(one), desk.memory(two)
    for pk in (first, second):
        _write(desk, pk, {"foreign_id": "n1"})
    with pytest.raises(NotFound) as caught:
        desk.ask(ResolveMemories(("n1",)))
    assert caught.value.key == "error.memory.ambiguous"
    assert desk.ask(ResolveMemories(("n1",), two)) == (second,)
    with pytest.raises(NotFound) as caught:
        desk.ask(ResolveMemories(("n1", "n2"), one))
    assert caught.value.text_args["ids"] == "n2"


def _write(desk: Desk, pk: MemoryPk, values: dict[str, Any]) -> None:
    """What an import or a merge may leave in a row."""
    desk.store.write(OpDraft("op.import", PERSON), lambda uow: uow.update(Kind.MEMORY, [pk], values))


def test_every_command_has_a_handler() -> None:
    from core.domain import commands
    from core.services.handlers import HANDLERS

    made = {
        item
        for item in vars(commands).values()
        if isinstance(item, type)
        and issubclass(item, commands.Command)
        and item is not commands.Command
        and dataclasses.is_dataclass(item)
    }
    assert {command.__name__ for command in made - set(HANDLERS)} <= {"ApplyImport"}


def test_history_names_a_change_in_one_short_line(desk: Desk) -> None:
    pk = desk.memory(desk.folder(), title="line one\n" + "x" * 500)
    title = desk.last_args()["title"]
    assert title.startswith("line one xxx")
    assert len(title) == 80
    desk.run(EditMemory(memory=pk, title="short"))
    assert desk.last_args()["title"] == "short"
