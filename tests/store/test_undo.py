"""Undo and redo over the journal."""

from __future__ import annotations

import pytest

from core.domain.commands import (
    DeletePermanently,
    EditMemory,
    EmptyTrash,
    MoveMemories,
    SetImportance,
    SetTags,
    TrashMemories,
)
from core.domain.commands_folders import CreateFolder, DeleteFolder, MergeFolders, RenameFolder
from core.domain.commands_graph import AddEdge, RemoveEdges
from core.domain.enums import Kind, OpRole
from core.domain.errors import Conflict, UserError
from core.domain.ids import FolderPk, MemoryPk, RelationId
from core.domain.memory import Memory, TagSet
from core.domain.queries import ListMemories, MemoryDetailOf, MemoryFilter
from core.domain.queries_history import History, PreviewUndo, UndoStateNow, VersionsOf
from core.domain.schema_data import default_schema
from core.engine import Engine
from core.store.library import LibraryFiles
from core.store.store import SqlStore
from tests.store.conftest import PERSON, Make
from tests.store.dump import dump

RELATED = RelationId("related")


def body_of(engine: Engine, pk: MemoryPk) -> str:
    return engine.ask(MemoryDetailOf(pk)).memory.body


def test_undo_edit_gives_back_text_and_time(engine: Engine, store: SqlStore, make: Make) -> None:
    pk = make("潮水退了")
    before = dump(store, with_updated=True)
    engine.run(EditMemory(memory=pk, body="潮水涨了"))
    engine.undo()
    assert dump(store, with_updated=True) == before


def test_undo_raises_revision(engine: Engine, make: Make) -> None:
    pk = make("a")
    first = engine.ask(MemoryDetailOf(pk)).memory.revision
    engine.run(EditMemory(memory=pk, body="b"))
    engine.undo()
    assert engine.ask(MemoryDetailOf(pk)).memory.revision == first + 2


def test_undo_creation_with_tags_and_redo_brings_same_keys(
    engine: Engine, store: SqlStore, make: Make
) -> None:
    make("x", tags=TagSet(general=("A", "b"), core=("c",), diffusion=("d",), opposing=("e",)))
    after = dump(store)
    engine.undo()
    assert not dump(store)["memory"]
    assert not dump(store)["tag"]
    engine.redo()
    assert dump(store) == after


def test_trash_and_undo_five_times_stays_equal(engine: Engine, store: SqlStore, make: Make) -> None:
    pks = [make(f"记忆 {n}", tags=TagSet(general=(f"t{n}",))) for n in range(6)]
    for a, b in ((0, 1), (1, 2), (2, 3), (0, 4)):
        engine.run(AddEdge(source=pks[a], target=pks[b], relation=RELATED))
    before = dump(store, with_updated=True)
    order = list(engine.ask(ListMemories()))
    for _ in range(5):
        engine.run(TrashMemories(memories=(pks[0], pks[2], pks[4])))
        assert len(engine.ask(ListMemories())) == 3
        engine.undo()
        assert dump(store, with_updated=True) == before
        assert list(engine.ask(ListMemories())) == order
        engine.redo()
        engine.undo()
        assert dump(store, with_updated=True) == before


def test_op1_op2_undo2_undo1_redo_redo(engine: Engine, store: SqlStore, make: Make) -> None:
    pk = make("one")
    states = [dump(store)]
    for text in ("two", "three"):
        engine.run(EditMemory(memory=pk, body=text))
        states.append(dump(store))
    for expected in (states[1], states[0]):
        engine.undo()
        assert dump(store) == expected
    for expected in (states[1], states[2]):
        engine.redo()
        assert dump(store) == expected


def test_new_change_clears_redo(engine: Engine, make: Make) -> None:
    pk = make("one")
    engine.run(EditMemory(memory=pk, body="two"))
    engine.undo()
    engine.run(EditMemory(memory=pk, body="three"))
    assert engine.ask(UndoStateNow()).redo is None
    with pytest.raises(UserError, match="nothing"):
        engine.redo()


def test_undo_takes_the_persons_op_not_the_agents(engine: Engine, agent: Engine, make: Make) -> None:
    mine = make("mine")
    other = make("other")
    engine.run(SetImportance(memories=(mine,), importance=9))
    agent.run(SetImportance(memories=(other,), importance=1))
    undone = engine.undo()
    assert undone.of.actor == PERSON
    assert engine.ask(MemoryDetailOf(mine)).memory.importance == 5
    assert engine.ask(MemoryDetailOf(other)).memory.importance == 1


def test_undo_of_an_agents_op_by_id(engine: Engine, agent: Engine, make: Make) -> None:
    pk = make("x")
    op = agent.run(SetImportance(memories=(pk,), importance=1)).op
    assert op is not None
    result = engine.undo(op.id)
    assert result.op.role is OpRole.UNDO
    assert engine.ask(MemoryDetailOf(pk)).memory.importance == 5
    engine.redo()
    assert engine.ask(MemoryDetailOf(pk)).memory.importance == 1


def test_row_touched_since_is_a_conflict_and_the_rest_can_go(
    engine: Engine, agent: Engine, make: Make
) -> None:
    pks = tuple(make(f"m{n}") for n in range(4))
    op = engine.run(SetImportance(memories=pks, importance=8)).op
    assert op is not None
    agent.run(SetImportance(memories=(pks[1],), importance=2))
    preview = engine.ask(PreviewUndo())
    assert preview.restorable == 3
    assert [(item.pk, item.columns, item.title) for item in preview.conflicts] == [
        (pks[1], ("importance",), "m1")
    ]
    with pytest.raises(Conflict) as caught:
        engine.undo()
    assert caught.value.pks == (pks[1],)
    assert caught.value.details == "m1 (importance)"
    result = engine.undo(partly=True)
    assert result.restored == 3
    values = [engine.ask(MemoryDetailOf(pk)).memory.importance for pk in pks]
    assert values == [5, 2, 5, 5]


def test_other_columns_touched_since_are_no_conflict(engine: Engine, agent: Engine, make: Make) -> None:
    pk = make("text")
    engine.run(SetImportance(memories=(pk,), importance=8))
    agent.run(EditMemory(memory=pk, body="new text"))
    engine.undo()
    memory = engine.ask(MemoryDetailOf(pk)).memory
    assert (memory.importance, memory.body) == (5, "new text")


def test_undo_creation_that_others_use_now_is_a_conflict(engine: Engine, agent: Engine, make: Make) -> None:
    other = make("other")
    pk = make("new")
    agent.run(AddEdge(source=other, target=pk, relation=RELATED))
    with pytest.raises(Conflict):
        engine.undo()
    assert body_of(engine, pk) == "new"


def test_undo_folder_rename_when_the_name_is_taken_is_a_conflict(engine: Engine, folder: FolderPk) -> None:
    op = engine.run(RenameFolder(folder, "elsewhere")).op
    engine.run(CreateFolder("聊天/雾港"))
    assert op is not None
    with pytest.raises(Conflict):
        engine.undo(op.id)


def test_undo_removal_of_an_edge_whose_end_is_gone_is_a_conflict(engine: Engine, make: Make) -> None:
    a, b = make("a"), make("b")
    edge = engine.run(AddEdge(source=a, target=b, relation=RELATED)).created_edge
    assert edge is not None
    op = engine.run(RemoveEdges((edge,))).op
    engine.run(TrashMemories(memories=(b,)))
    engine.run(EmptyTrash())
    assert op is not None
    with pytest.raises(UserError, match="nothing_left"):
        engine.undo(op.id)


def test_delete_folder_and_undo(engine: Engine, store: SqlStore, folder: FolderPk, make: Make) -> None:
    other = engine.run(CreateFolder("other")).created_folder
    assert other is not None
    for n in range(3):
        make(f"m{n}")
    before = dump(store)
    engine.run(DeleteFolder(folder))
    engine.undo()
    assert dump(store) == before
    engine.run(MergeFolders(folder, other))
    engine.undo()
    assert dump(store) == before


def test_undo_survives_reopening(engine: Engine, store: SqlStore, files: LibraryFiles, make: Make) -> None:
    pk = make("before")
    engine.run(EditMemory(memory=pk, body="after"))
    engine.close()
    again = Engine(SqlStore(files, default_schema()), PERSON)
    again.undo()
    assert body_of(again, pk) == "before"
    again.close()


def test_undo_after_recall_counters_moved_is_no_conflict(engine: Engine, store: SqlStore, make: Make) -> None:
    pk = make("x")
    with store._database.writing() as connection:
        connection.exec_driver_sql(
            "UPDATE memory SET activation_count = 7, last_activated_at = 5 WHERE pk = ?", (pk,)
        )
    engine.undo()
    engine.redo()
    assert engine.ask(MemoryDetailOf(pk)).memory.activation_count == 7


def test_deleting_for_ever_erases_images_titles_and_search(
    engine: Engine, store: SqlStore, files: LibraryFiles, make: Make
) -> None:
    secret, other = make("深海密码九七", title="绝密标题"), make("other")
    engine.run(EditMemory(memory=secret, body="深海密码八八"))
    engine.run(SetTags(memories=(secret,), tags=TagSet(general=("暗号标签",))))
    edge = engine.run(AddEdge(source=other, target=secret, relation=RELATED)).created_edge
    assert edge is not None
    engine.run(RemoveEdges((edge,)))
    result = engine.run(DeletePermanently(memories=(secret,)))
    assert result.op is not None
    assert not result.op.undoable
    assert not engine.ask(ListMemories(MemoryFilter(text="深海密码")))
    engine.close()
    raw = files.database.read_bytes()
    for text in ("深海密码", "绝密标题", "暗号标签", "深海"):
        assert text.encode() not in raw


def test_history_and_versions_tell_who_did_what(engine: Engine, agent: Engine, make: Make) -> None:
    pk = make("first")
    agent.run(EditMemory(memory=pk, body="second"))
    newest = engine.ask(VersionsOf(pk))[0]
    assert (newest.before, newest.after) == ({"body": "first"}, {"body": "second"})
    assert newest.op.actor.name == "agent"
    entries = engine.ask(History())
    assert [entry.op.label for entry in entries][:2] == ["op.memory.edit", "op.memory.create"]


def test_changes_name_the_memories_that_tags_and_edges_touch(engine: Engine, make: Make) -> None:
    a, b = make("a"), make("b")
    heard = []
    stop = engine.subscribe(heard.append)
    engine.run(AddEdge(source=a, target=b, relation=RELATED))
    stop()
    engine.run(SetImportance(memories=(a,), importance=1))
    assert len(heard) == 1
    assert heard[0].memories == {a, b}
    assert Kind.EDGE in heard[0].touched


def test_command_without_effect_makes_no_op(engine: Engine, make: Make) -> None:
    pk = make("a")
    before = len(engine.ask(History()))
    assert engine.run(SetImportance(memories=(pk,), importance=5)).op is None
    assert len(engine.ask(History())) == before


def test_poll_hears_of_another_process(
    engine: Engine, store: SqlStore, files: LibraryFiles, folder: FolderPk, make: Make
) -> None:
    pk = make("a")
    beside = Engine(SqlStore(files, default_schema()), PERSON)
    heard = []
    engine.subscribe(heard.append)
    beside.run(MoveMemories(memories=(pk,), folder=beside.run(CreateFolder("new")).created_folder or folder))
    assert engine.poll()
    assert [item.foreign for item in heard] == [True, True]
    assert not engine.poll()
    beside.close()


def test_records_keep_every_field_over_the_store(store: SqlStore, engine: Engine, make: Make) -> None:
    pk = make("body\x00 with \ud83d surrogate", title="t")
    with store.read() as reader:
        memory = reader.records(Memory, [pk])[0]
    assert memory.body == "body\\u0000 with \\ud83d surrogate"
