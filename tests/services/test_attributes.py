"""Bulk attributes, life and trash, find and replace."""

from __future__ import annotations

import sqlite3
import time
from typing import Any

import pytest

from core.domain import commands as c
from core.domain import commands_folders as cf
from core.domain.enums import Layer, Status, StatusReason, TagKind
from core.domain.errors import Cancelled, Invalid, NotFound, UserError
from core.domain.ids import MemoryPk
from core.domain.memory import TagSet
from core.domain.queries import ListMemories, MemoryDetailOf, MemoryFilter, PreviewReplace, TrashScope
from core.ports.progress import CancelToken
from tests.services.desk import PROGRAM, Desk


def tags(desk: Desk, pk: MemoryPk) -> TagSet:
    return desk.ask(MemoryDetailOf(pk)).tags


def test_adding_one_group_of_three_is_refused_for_all(desk: Desk) -> None:
    folder = desk.folder()
    whole = desk.memory(folder, tags=TagSet((), ("a",), ("b",), ("c",)))
    plain = desk.memory(folder)
    with pytest.raises(Invalid) as caught:
        desk.run(c.ChangeTags(memories=(whole, plain), kind=TagKind.CORE, add=("z",)))
    assert caught.value.key == "error.tags.triple"
    assert tags(desk, whole).core == ("a",)
    desk.run(c.ChangeTags(memories=(whole,), kind=TagKind.CORE, add=(" Z ", "a"), remove=("A",)))
    assert tags(desk, whole).core == ("z", "a")


def test_general_tags_are_added_and_removed_in_bulk(desk: Desk) -> None:
    folder = desk.folder()
    pks = tuple(desk.memory(folder, tags=TagSet(("x", "y"))) for _ in range(3))
    desk.run(c.ChangeTags(memories=pks, add=("z", "x"), remove=("y",)))
    assert {tags(desk, pk).general for pk in pks} == {("x", "z")}
    assert desk.last_args()["count"] == 3
    desk.undo()
    assert {tags(desk, pk).general for pk in pks} == {("x", "y")}


def test_missing_memory_among_many_changes_none(desk: Desk) -> None:
    pk = desk.memory(desk.folder())
    with pytest.raises(NotFound):
        desk.run(c.SetImportance(memories=(pk, MemoryPk(99)), importance=9))
    assert desk.get(pk).importance == 5


def test_nothing_chosen_makes_no_op(desk: Desk) -> None:
    assert desk.run(c.SetImportance(memories=(), importance=9)).op is None


def test_archive_and_restore_keep_the_layer(desk: Desk) -> None:
    folder = desk.folder()
    for layer in Layer:
        pk = desk.memory(folder, layer=layer)
        desk.run(c.ArchiveMemories(memories=(pk,)))
        memory = desk.get(pk)
        assert (memory.layer, memory.status, memory.status_reason) == (
            layer,
            Status.ARCHIVED,
            StatusReason.BY_HAND,
        )
        desk.run(c.RestoreMemories(memories=(pk,)))
        assert (desk.get(pk).status, desk.get(pk).status_reason) == (Status.ACTIVE, None)


def test_active_takes_no_reason(desk: Desk) -> None:
    pk = desk.memory(desk.folder())
    with pytest.raises(Invalid):
        desk.run(c.SetStatus(memories=(pk,), status=Status.ACTIVE, reason=StatusReason.MERGED))
    desk.run(c.SetStatus(memories=(pk,), status=Status.EXPIRED, reason=StatusReason.FORGOTTEN))
    assert desk.get(pk).status_reason is StatusReason.FORGOTTEN


def test_trash_and_back_keeps_tags_and_relations(desk: Desk) -> None:
    folder = desk.folder()
    first, second = desk.memory(folder, tags=TagSet(("x",))), desk.memory(folder)
    desk.edge(first, second)
    result = desk.run(c.TrashMemories(memories=(first, first)))
    assert result.changed == 1
    assert list(desk.ask(ListMemories())) == [second]
    assert desk.run(c.TrashMemories(memories=(first, second))).counts == {"skipped": 1}
    desk.run(c.UntrashMemories(memories=(first, second)))
    detail = desk.ask(MemoryDetailOf(first))
    assert (detail.memory.deleted_at, detail.tags.general, len(detail.edges)) == (None, ("x",), 1)


def test_what_lies_in_the_trash_can_only_be_restored(desk: Desk) -> None:
    folder = desk.folder()
    pk = desk.memory(folder)
    desk.run(c.TrashMemories(memories=(pk,)))
    commands: list[c.Command] = [
        c.ArchiveMemories(memories=(pk,)),
        c.SetLayer(memories=(pk,), layer=Layer.INHERENT),
        c.MoveMemories(memories=(pk,), folder=folder),
        c.CopyMemories(memories=(pk,), folder=folder),
        c.SetImportance(memories=(pk,), importance=1),
    ]
    for command in commands:
        with pytest.raises(Invalid):
            desk.run(command)


def test_emptied_trash_leaves_no_text_in_the_file(desk: Desk) -> None:
    folder, other = desk.folder(), desk.folder("b")
    secret = "unrepeatable-word"
    gone = desk.memory(folder, body=f"a {secret} b", title=secret, tags=TagSet((secret,)), aliases=(secret,))
    kept = desk.memory(other, body="kept")
    desk.edge(gone, kept)
    desk.run(c.EditMemory(memory=gone, body=f"again {secret}"))
    desk.run(c.TrashMemories(memories=(gone, kept)))
    desk.run(c.EmptyTrash(folder))
    assert list(desk.ask(ListMemories(MemoryFilter(trash=TrashScope.BOTH)))) == [kept]
    desk.store.close()
    for file in desk.store.files.root.iterdir():
        if file.is_file():
            assert secret.encode() not in file.read_bytes(), file.name
    with sqlite3.connect(desk.store.files.database) as connection:
        assert connection.execute("SELECT count(*) FROM edge").fetchone() == (0,)
    connection.close()


def test_deleting_for_ever_cannot_be_undone(desk: Desk) -> None:
    pk = desk.memory(desk.folder())
    result = desk.run(c.DeletePermanently(memories=(pk,)))
    assert result.op is not None
    assert not result.op.undoable
    with pytest.raises(UserError):
        desk.undo(result.op.id)


def test_child_of_an_erased_parent_stays(desk: Desk) -> None:
    folder = desk.folder()
    parent, child = desk.memory(folder), desk.memory(folder)
    from core.domain.enums import Kind
    from core.ports.store import OpDraft
    from tests.services.desk import PERSON

    desk.store.write(
        OpDraft("op.import", PERSON), lambda u: u.update(Kind.MEMORY, [child], {"parent": parent})
    )
    desk.run(c.DeletePermanently(memories=(parent,)))
    assert desk.get(child).parent is None


# --- find and replace ------------------------------------------------------------------------


def replace(desk: Desk, *memories: MemoryPk, **values: Any) -> c.FindAndReplace:
    return c.FindAndReplace(memories=memories, **values)


def test_plain_text_is_taken_as_it_is(desk: Desk) -> None:
    pk = desk.memory(desk.folder(), body="a.b a+b", fields={"status": "a.b", "list": ["a.b", {"k": "A.B"}]})
    desk.run(replace(desk, pk, pattern="a.b", replacement=r"\1"))
    memory = desk.get(pk)
    assert (memory.body, memory.fields) == (r"\1 a+b", {"status": r"\1", "list": [r"\1", {"k": "A.B"}]})
    desk.undo()
    assert desk.get(pk).body == "a.b a+b"


def test_patterns_use_groups_and_ignore_case_when_asked(desk: Desk) -> None:
    pk = desk.memory(desk.folder(), body="Lin Xia met lin hao")
    command = replace(desk, pk, pattern=r"lin (\w+)", replacement=r"\1 L", regex=True, match_case=False)
    desk.run(command)
    assert desk.get(pk).body == "Xia L met hao L"


def test_preview_lists_every_change_and_writes_nothing(desk: Desk) -> None:
    folder = desk.folder()
    pks = [desk.memory(folder, title="fox", body="a fox", tags=TagSet(("fox",))) for _ in range(3)]
    before = desk.dump()
    command = replace(desk, *pks, pattern="fox", replacement="hen", places=frozenset(c.TextPlace))
    preview = desk.ask(PreviewReplace(command, limit=4))
    assert (preview.total, len(preview.changes)) == (9, 4)
    assert [(item.place, item.before, item.after) for item in preview.changes[:3]] == [
        ("title", "fox", "hen"),
        ("body", "a fox", "a hen"),
        ("tags.tag", "fox", "hen"),
    ]
    assert desk.dump() == before
    assert desk.run(command).changed == 3
    assert tags(desk, pks[2]).general == ("hen",)


@pytest.mark.parametrize(
    ("pattern", "replacement", "key"),
    [
        ("(", "x", "error.replace.pattern"),
        ("a", r"\2", "error.replace.pattern"),
        ("a", r"\g<name>", "error.replace.pattern"),
        ("", "x", "error.replace.empty"),
        ("(x+x+)+y", "z", "error.replace.slow"),
        (".+", "", "error.memory.required"),
    ],
)
def test_bad_pattern_is_refused_in_words_and_nothing_written(
    desk: Desk, pattern: str, replacement: str, key: str
) -> None:
    folder = desk.folder()
    pks = [desk.memory(folder, body="a"), desk.memory(folder, body="x" * 5000)]
    before = desk.dump()
    started = time.monotonic()
    with pytest.raises(UserError) as caught:
        desk.run(replace(desk, *pks, pattern=pattern, replacement=replacement, regex=True))
    assert caught.value.key == key
    assert time.monotonic() - started < 10
    assert desk.dump() == before


def test_replacing_a_tag_may_not_break_a_triple(desk: Desk) -> None:
    pk = desk.memory(desk.folder(), tags=TagSet((), ("fox",), ("b",), ("c",)))
    command = replace(desk, pk, pattern="fox", replacement="", places=frozenset({c.TextPlace.TAGS}))
    with pytest.raises(Invalid):
        desk.run(command)


# --- many ------------------------------------------------------------------------------------


def test_cancel_in_the_middle_of_many_takes_all_back(desk: Desk) -> None:
    folder = desk.folder()
    pk = desk.memory(folder)
    for _ in range(11):
        with desk.store.read() as reader:
            pks = tuple(MemoryPk(each) for each in reader.memories_in(folder))
        desk.run(c.CopyMemories(memories=pks, folder=folder))
    before = desk.dump()
    token = CancelToken()

    def stop_at_half(done: int, total: int) -> None:
        if done > total / 2:
            token.cancel()

    many = tuple(MemoryPk(each) for each in desk.ask(ListMemories()))
    assert len(many) == 2048
    with pytest.raises(Cancelled):
        desk.run(c.SetImportance(memories=many, importance=1), progress=stop_at_half, cancel=token)
    assert desk.dump() == before
    assert desk.run(c.SetImportance(memories=many, importance=1)).changed == 2048
    assert desk.get(pk).importance == 1
    desk.undo()
    assert desk.dump() == before


def test_program_may_not_trash_what_is_locked(desk: Desk) -> None:
    folder = desk.folder()
    pks = (desk.memory(folder), desk.memory(folder))
    desk.run(c.SetLocked(memories=pks[:1], locked=True))
    with pytest.raises(UserError):
        desk.run(c.TrashMemories(memories=pks), PROGRAM)
    with pytest.raises(UserError):
        desk.run(cf.DeleteFolder(folder), PROGRAM)
    assert len(desk.ask(ListMemories())) == 2
