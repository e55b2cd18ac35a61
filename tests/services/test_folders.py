"""Folders, moves and copies."""

from __future__ import annotations

from typing import Any

import pytest

from core.domain import commands as c
from core.domain import commands_folders as cf
from core.domain.enums import FolderKind, Kind, Role
from core.domain.errors import Invalid, NotFound
from core.domain.folder import Document, Folder, Message
from core.domain.ids import FolderPk, MemoryPk, new_document_id
from core.domain.memory import TagSet
from core.domain.queries import (
    CrossingEdges,
    FolderByName,
    Folders,
    ListMemories,
    MemoryDetailOf,
    MemoryFilter,
)
from core.ports.store import OpDraft, UnitOfWork
from tests.services.desk import PERSON, Desk


def write(desk: Desk, work: Any) -> Any:
    return desk.store.write(OpDraft("op.import", PERSON), work)[0]


def names(desk: Desk) -> list[str]:
    return sorted(node.folder.name for node in desk.ask(Folders()))


def members(desk: Desk, folder: FolderPk) -> list[int]:
    return sorted(desk.ask(ListMemories(MemoryFilter(folders=frozenset({folder})))))


def foreign(desk: Desk, pk: MemoryPk, foreign_id: str) -> None:
    write(desk, lambda uow: uow.update(Kind.MEMORY, [pk], {"foreign_id": foreign_id}))


def test_names_are_cleaned_and_unique(desk: Desk) -> None:
    desk.folder(" chats / 林夏 /")
    assert names(desk) == ["chats/林夏"]
    for taken in ("chats/林夏", "chats//林夏", "/", "  "):
        with pytest.raises(Invalid):
            desk.folder(taken)


def test_rename_takes_the_folders_below_along(desk: Desk) -> None:
    top = desk.folder("a")
    for name in ("a/x", "a/x/y", "ab"):
        desk.folder(name)
    desk.run(cf.RenameFolder(top, "b"))
    assert names(desk) == ["ab", "b", "b/x", "b/x/y"]
    desk.undo()
    assert names(desk) == ["a", "a/x", "a/x/y", "ab"]


def test_rename_below_itself_works(desk: Desk) -> None:
    top = desk.folder("a")
    desk.folder("a/b")
    desk.run(cf.RenameFolder(top, "a/b"))
    assert names(desk) == ["a/b", "a/b/b"]


def test_rename_onto_the_name_that_a_folder_below_gives_up_is_undone_and_redone(desk: Desk) -> None:
    top = desk.folder("a")
    desk.folder("a/a")
    desk.folder("a/a/a")
    before = names(desk)
    desk.run(cf.RenameFolder(top, "a/a"))
    after = names(desk)
    assert after == ["a/a", "a/a/a", "a/a/a/a"]
    for _ in range(2):
        desk.undo()
        assert names(desk) == before
        desk.redo()
        assert names(desk) == after


def test_rename_to_a_taken_name_changes_nothing(desk: Desk) -> None:
    top = desk.folder("a")
    desk.folder("a/x")
    desk.folder("b/x")
    with pytest.raises(Invalid):
        desk.run(cf.RenameFolder(top, "b"))
    assert names(desk) == ["a", "a/x", "b/x"]


def test_merge_moves_all_and_readers_read_the_target(desk: Desk) -> None:
    source, target, reader = desk.folder("a"), desk.folder("b"), desk.folder("c")
    inner = desk.folder("a/x")
    first, second, third = desk.memory(source), desk.memory(target), desk.memory(inner)
    foreign(desk, first, "n1")
    foreign(desk, second, "n1")
    desk.run(cf.SetAlsoReads(reader, (source, target)))
    desk.run(cf.SetAlsoReads(target, (source,)))
    write(desk, lambda uow: uow.insert([message(source, 0), message(source, 1)]))
    before = desk.dump()
    desk.run(cf.MergeFolders(source, target))
    assert names(desk) == ["b", "b/x", "c"]
    assert members(desk, target) == sorted([first, second])
    assert members(desk, inner) == [third]
    assert (desk.get(first).foreign_id, desk.get(second).foreign_id) == (None, "n1")
    folders = {node.folder.name: node for node in desk.ask(Folders())}
    assert folders["c"].folder.also_reads == (target,)
    assert folders["b"].folder.also_reads == ()
    assert folders["b"].messages == 2
    desk.undo()
    assert desk.dump() == before


def test_merge_joins_sub_folders_of_the_same_name(desk: Desk) -> None:
    source, target = desk.folder("a"), desk.folder("b")
    inner, same = desk.folder("a/x"), desk.folder("b/x")
    pk = desk.memory(inner)
    desk.run(cf.MergeFolders(source, target))
    assert names(desk) == ["b", "b/x"]
    assert members(desk, same) == [pk]


def test_merge_into_a_folder_below_works(desk: Desk) -> None:
    source, target = desk.folder("a"), desk.folder("a/b")
    desk.folder("a/b/c")
    pk = desk.memory(source)
    desk.run(cf.MergeFolders(source, target))
    assert names(desk) == ["a/b", "a/b/c"]
    assert members(desk, target) == [pk]


def test_two_chats_with_the_same_floors_are_not_merged(desk: Desk) -> None:
    source, target = desk.folder("a", kind=FolderKind.CHAT), desk.folder("b", kind=FolderKind.CHAT)
    write(desk, lambda uow: uow.insert([message(source, 1), message(target, 1)]))
    with pytest.raises(Invalid) as caught:
        desk.run(cf.MergeFolders(source, target))
    assert caught.value.key == "error.folder.merge_chats"


def message(folder: FolderPk, seq: int) -> Message:
    return Message(folder=folder, seq=seq, role=Role.USER, text="x")


def test_deleted_folder_leaves_its_memories_in_the_trash(desk: Desk) -> None:
    folder = desk.folder("a")
    pk = desk.memory(folder)

    def fill(uow: UnitOfWork) -> None:
        uow.insert([message(folder, 0)])
        document = Document(id=new_document_id(), folder=folder, title="d", created_at=uow.now)
        uow.update(Kind.MEMORY, [pk], {"document": uow.insert([document])[0]})

    write(desk, fill)
    before = desk.dump()
    desk.run(cf.DeleteFolder(folder))
    assert names(desk) == ["default"]
    memory = desk.get(pk)
    assert memory.deleted_at is not None
    assert memory.document is None
    desk.run(c.UntrashMemories(memories=(pk,)))
    home = desk.ask(FolderByName("default"))
    assert home is not None
    assert members(desk, home.pk) == [pk]
    with pytest.raises(Invalid):
        desk.run(cf.DeleteFolder(home.pk))
    desk.undo()
    desk.undo()
    assert desk.dump() == before


def test_folder_may_not_read_itself_or_what_is_not_there(desk: Desk) -> None:
    folder = desk.folder()
    with pytest.raises(Invalid):
        desk.run(cf.SetAlsoReads(folder, (folder,)))
    with pytest.raises(NotFound):
        desk.run(cf.SetAlsoReads(folder, (FolderPk(99),)))


# --- move and copy ---------------------------------------------------------------------------


def chain(desk: Desk) -> tuple[FolderPk, FolderPk, list[MemoryPk]]:
    """Three related memories in `a`: 0 - 1 - 2; folder `b` beside it."""
    a, b = desk.folder("a"), desk.folder("b")
    pks = [desk.memory(a, body=str(number)) for number in range(3)]
    desk.edge(pks[0], pks[1])
    desk.edge(pks[2], pks[1])
    return a, b, pks


def test_move_leaves_relations_over_the_border(desk: Desk) -> None:
    _, b, pks = chain(desk)
    assert [view.edge.source for view in desk.ask(CrossingEdges((pks[0],)))] == [pks[0]]
    desk.run(c.MoveMemories(memories=(pks[0],), folder=b))
    assert members(desk, b) == [pks[0]]
    assert len(desk.ask(MemoryDetailOf(pks[1])).edges) == 2
    assert desk.last_args() == {"count": 1, "title": "0", "folder": "b"}


def test_move_takes_related_ones_along_or_cuts(desk: Desk) -> None:
    a, b, pks = chain(desk)
    result = desk.run(c.MoveMemories(memories=(pks[0],), folder=b, border=c.Border.MOVE_TOO))
    assert (members(desk, b), dict(result.counts)) == (pks[:2], {"along": 1})
    desk.undo()
    result = desk.run(c.MoveMemories(memories=(pks[1],), folder=b, border=c.Border.CUT))
    assert dict(result.counts) == {"cut": 2}
    assert desk.ask(MemoryDetailOf(pks[1])).edges == ()
    desk.undo()
    assert len(desk.ask(MemoryDetailOf(pks[1])).edges) == 2
    assert members(desk, a) == pks


def test_move_gives_up_an_imported_id_that_is_taken(desk: Desk) -> None:
    a, b, pks = chain(desk)
    there = desk.memory(b)
    for pk in (pks[0], there):
        foreign(desk, pk, "n1")
    result = desk.run(c.MoveMemories(memories=tuple(pks), folder=b))
    assert dict(result.counts) == {"ids_renewed": 1}
    assert (desk.get(pks[0]).foreign_id, desk.get(there).foreign_id) == (None, "n1")
    desk.undo()
    assert desk.get(pks[0]).foreign_id == "n1"
    assert members(desk, a) == pks


def test_copy_is_new_and_names_its_origin(desk: Desk) -> None:
    _, b, pks = chain(desk)
    desk.run(c.SetTags(memories=(pks[0],), tags=TagSet(("x",), ("a",), ("b",), ("c",))))
    desk.run(c.SetAliases(memory=pks[0], aliases=("n",)))
    foreign(desk, pks[0], "n1")
    result = desk.run(c.CopyMemories(memories=tuple(pks[:2]), folder=b))
    first = desk.ask(MemoryDetailOf(result.created[0]))
    origin = desk.get(pks[0])
    assert first.memory.id != origin.id
    assert (first.memory.body, first.memory.foreign_id) == ("0", None)
    assert first.memory.extra["copied_from"] == origin.id
    assert (first.tags.core, first.aliases) == (("a",), ("n",))
    assert [(view.edge.source, view.edge.target) for view in first.edges] == [result.created]
    desk.undo()
    assert members(desk, b) == []


def test_merged_folder_row_is_gone(desk: Desk) -> None:
    source, target = desk.folder("a"), desk.folder("b")
    desk.run(cf.MergeFolders(source, target))
    with desk.store.read() as reader:
        assert [folder.pk for folder in reader.all_records(Folder)] == [target]
    with pytest.raises(Invalid):
        desk.run(cf.MergeFolders(target, target))
