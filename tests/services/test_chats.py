"""Chats as a person reads them: sizes, floors with those of a branch's parent, the pointer."""

from __future__ import annotations

from typing import Any

import pytest

from core.domain.chat import BRANCH_KEY, CHAT_KEY, FLOORS_CHANGED_KEY
from core.domain.commands_chat import MoveChatPointer
from core.domain.enums import FolderKind, Kind, Role
from core.domain.errors import Invalid, NotFound
from core.domain.folder import Folder, Message
from core.domain.ids import FolderPk
from core.domain.queries_chat import Chats, FindFloors, FloorMarksOf, FloorNumbers, FloorsOf
from core.ports.store import OpDraft
from tests.services.desk import PERSON, Desk


def write(desk: Desk, work: Any) -> Any:
    return desk.store.write(OpDraft("op.import", PERSON), work)[0]


def chat(desk: Desk, name: str, count: int, start: int = 0) -> FolderPk:
    """Floors `start` to before `start + count`: people ask, 艾琳 answers."""
    folder = desk.folder(name, kind=FolderKind.CHAT)
    floors = [
        Message(
            folder=folder,
            seq=seq,
            role=Role.ASSISTANT if seq % 2 else Role.USER,
            name="艾琳" if seq % 2 else "User",
            text=f"{name} says line {seq}",
            hidden=seq == 1,
        )
        for seq in range(start, start + count)
    ]
    write(desk, lambda uow: uow.insert(floors))
    return folder


def branch(desk: Desk, parent: FolderPk, shared: int, count: int) -> FolderPk:
    made = chat(desk, "branch", count, start=shared)
    extra = {CHAT_KEY: {BRANCH_KEY: {"parent": parent, "shared": shared}}}
    write(desk, lambda uow: uow.update(Kind.FOLDER, [made], {"extra": extra}))
    return made


def pointer(desk: Desk, folder: FolderPk) -> int:
    with desk.store.read() as reader:
        return reader.records(Folder, [folder])[0].last_processed_seq


def test_chats_tell_floors_hidden_ones_and_what_waits(desk: Desk) -> None:
    folder = chat(desk, "story", 8)
    desk.folder("notes")
    desk.memory(folder, seq=3)
    desk.run(MoveChatPointer(folder, 3))
    (row,) = desk.ask(Chats())
    assert row.folder.pk == folder
    assert (row.counts.floors, row.counts.hidden, row.counts.last_seq) == (8, 1, 7)
    assert row.counts.waiting == 2
    assert row.memories == 1


def test_floors_of_a_branch_begin_with_those_of_its_parent(desk: Desk) -> None:
    parent = chat(desk, "story", 10)
    made = branch(desk, parent, 4, 3)
    assert list(desk.ask(FloorNumbers(made))) == list(range(7))
    floors = desk.ask(FloorsOf(made, 2, 6))
    assert [(floor.seq, floor.folder) for floor in floors] == [(2, parent), (3, parent), (4, made), (5, made)]
    assert list(desk.ask(FindFloors(made, "STORY"))) == [0, 1, 2, 3]
    row = next(row for row in desk.ask(Chats()) if row.folder.pk == made)
    assert (row.parent, row.parent_name, row.shared) == (parent, "story", 4)


def test_branches_that_name_each_other_end(desk: Desk) -> None:
    first = chat(desk, "story", 4)
    second = branch(desk, first, 2, 2)
    extra = {CHAT_KEY: {BRANCH_KEY: {"parent": second, "shared": 2}}}
    write(desk, lambda uow: uow.update(Kind.FOLDER, [first], {"extra": extra}))
    assert list(desk.ask(FloorNumbers(second)))[-2:] == [2, 3]


def test_floors_are_found_by_speaker_and_text_in_any_case(desk: Desk) -> None:
    folder = chat(desk, "story", 6)
    assert list(desk.ask(FindFloors(folder, "艾琳"))) == [1, 3, 5]
    assert list(desk.ask(FindFloors(folder, "LINE 4"))) == [4]
    assert list(desk.ask(FindFloors(folder, "  "))) == []


def test_marks_name_floors_of_memories_and_those_that_changed(desk: Desk) -> None:
    folder = chat(desk, "story", 9)
    one = desk.memory(folder, seq=3)
    wide = desk.memory(folder, seq_start=2, seq_end=6)
    desk.memory(folder)
    write(desk, lambda uow: uow.update(Kind.MEMORY, [one], {"extra": {FLOORS_CHANGED_KEY: {"changed": [3]}}}))
    marks = desk.ask(FloorMarksOf(folder))
    assert marks.spans == {one: (3, 3), wide: (2, 6)}
    assert marks.changed == (one,)


def test_moved_pointer_comes_back_by_undo(desk: Desk) -> None:
    folder = chat(desk, "story", 6)
    desk.run(MoveChatPointer(folder, 4))
    desk.run(MoveChatPointer(folder, -1))
    assert pointer(desk, folder) == -1
    desk.undo()
    assert pointer(desk, folder) == 4


@pytest.mark.parametrize("seq", [-2, 6, 10_000])
def test_pointer_outside_the_chat_is_refused(desk: Desk, seq: int) -> None:
    folder = chat(desk, "story", 6)
    with pytest.raises(Invalid):
        desk.run(MoveChatPointer(folder, seq))
    assert pointer(desk, folder) == -1


def test_unknown_chat_is_not_found(desk: Desk) -> None:
    for query in (FloorNumbers(FolderPk(99)), FloorMarksOf(FolderPk(99)), FindFloors(FolderPk(99), "a")):
        with pytest.raises(NotFound):
            desk.ask(query)
