"""A chat that comes again: grown, edited, shortened, branched; and one that gets its graph written back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.algos.floors import Floor, compare_floors
from core.domain.chat import FLOORS_CHANGED_KEY, chat_of
from core.domain.commands import CreateMemory, EditMemory, NewMemory
from core.domain.commands_floors import MarkLookedAt
from core.domain.commands_folders import CreateFolder, DeleteFolder, EditFolder, MergeFolders
from core.domain.errors import UserError
from core.domain.folder import Folder
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.memory import Memory
from core.domain.queries_transfer import ExportFolder, ReadFile
from core.domain.transfer import Format, ImportPlan
from core.services.chat_floors import all_floors, branch_of
from core.services.doctor import checked_store
from tests.formats.chats import floors, header, said, write_chat
from tests.formats.desk import FilesDesk, edge, graph, node

EVENT = TypeId("event")


def keys(plan: ImportPlan) -> set[str]:
    return {problem.key.removeprefix("import.problem.") for problem in plan.problems}


class Chat:
    """One chat file and its folder."""

    def __init__(self, desk: FilesDesk, lines: list[dict[str, Any]], name: str = "chat.jsonl", **meta: Any):
        self.desk = desk
        self.path = desk.root / name
        self.meta = meta
        self.write(lines)
        self.folder = self.take()
        assert self.folder is not None

    def write(self, lines: list[dict[str, Any]]) -> None:
        self.lines = lines
        write_chat(self.path, [header(**self.meta), *lines])

    def take(self) -> FolderPk | None:
        return self.desk.take(self.path).created_folder

    def memory(self, seq: int, start: int | None = None, end: int | None = None) -> MemoryPk:
        new = NewMemory(folder=self.pk, type=EVENT, body=f"from {seq}", seq=seq)
        made = self.desk.engine.run(CreateMemory(new)).created[0]
        if start is not None:
            with self.desk.store.read() as reader:
                assert reader.records(Memory, [made])
        return made

    @property
    def pk(self) -> FolderPk:
        assert self.folder is not None
        return self.folder

    def record(self, pk: MemoryPk) -> Memory:
        with self.desk.store.read() as reader:
            return reader.records(Memory, [pk])[0]

    def texts(self) -> list[str]:
        with self.desk.store.read() as reader:
            messages = reader.messages_of(self.pk)
        assert [m.seq for m in messages] == sorted({m.seq for m in messages})
        return [m.text for m in messages]

    def folder_record(self) -> Folder:
        with self.desk.store.read() as reader:
            return reader.records(Folder, [self.pk])[0]


def test_unchanged_file_changes_nothing(desk: FilesDesk) -> None:
    chat = Chat(desk, floors(5))
    plan = desk.plan(chat.path)
    assert (keys(plan), plan.needs_confirmation) == ({"already_there"}, False)
    assert desk.take(chat.path).op is None


def test_grown_file_adds_its_new_floors_to_the_same_folder(desk: FilesDesk) -> None:
    chat = Chat(desk, floors(5))
    pk = chat.memory(4)
    chat.write(floors(8))
    plan = desk.plan(chat.path)
    assert (plan.counts["new_floors"], keys(plan), plan.needs_confirmation) == (3, {"chat_grown"}, False)
    assert desk.take(chat.path).counts["new_floors"] == 3
    assert chat.texts() == [line["mes"] for line in floors(8)]
    assert (chat.record(pk).seq, chat.record(pk).revision) == (4, 1)


def test_edited_floor_marks_the_memories_that_came_from_it_and_undo_takes_all_back(desk: FilesDesk) -> None:
    chat = Chat(desk, floors(10))
    kept, hit = chat.memory(2), chat.memory(6)
    edited = floors(12)
    edited[6] = edited[6] | {"mes": "改写的一层。"}
    chat.write(edited)
    plan = desk.plan(chat.path)
    assert {
        name: plan.counts.get(name, 0) for name in ("new_floors", "changed_floors", "removed_floors")
    } == {
        "new_floors": 2,
        "changed_floors": 1,
        "removed_floors": 0,
    }
    assert plan.needs_confirmation
    marked = next(p for p in plan.problems if p.key.endswith("memories_of_changed_floors"))
    assert marked.refs == (chat.record(hit).id,)
    assert next(p for p in plan.problems if p.key.endswith("floors_changed")).args["first"] == 6
    desk.take(chat.path)
    mark = chat.record(hit).extra[FLOORS_CHANGED_KEY]
    assert isinstance(mark, dict)
    assert (mark["changed"], mark["removed"]) == ([6], [])
    assert FLOORS_CHANGED_KEY not in chat.record(kept).extra
    with desk.store.read() as reader:
        assert [p.refs for p in checked_store(reader)] == [(chat.record(hit).id,)]
    desk.engine.run(EditMemory(memory=hit, body="看过了"))
    assert FLOORS_CHANGED_KEY not in chat.record(hit).extra
    desk.engine.undo()
    desk.engine.undo()
    assert chat.texts() == [line["mes"] for line in floors(10)]
    assert FLOORS_CHANGED_KEY not in chat.record(hit).extra


def test_memory_that_was_looked_at_loses_its_mark_and_nothing_else(desk: FilesDesk) -> None:
    chat = Chat(desk, floors(8))
    kept, hit = chat.memory(2), chat.memory(6)
    edited = floors(8)
    edited[6] = edited[6] | {"mes": "改写的一层。"}
    chat.write(edited)
    desk.take(chat.path)
    marked = chat.record(hit)
    result = desk.engine.run(MarkLookedAt(memories=(kept, hit)))
    after = chat.record(hit)
    assert result.changed == 1
    assert FLOORS_CHANGED_KEY not in after.extra
    assert replace(after, extra=marked.extra, revision=marked.revision) == marked
    assert desk.engine.run(MarkLookedAt(memories=(kept, hit))).op is None
    desk.engine.undo()
    assert FLOORS_CHANGED_KEY in chat.record(hit).extra


def test_removed_and_inserted_floors_move_what_names_floors(desk: FilesDesk) -> None:
    data = graph(
        node("a", seq=3, seqRange=[2, 3]),
        node("b", seq=7, seqRange=[7, 7]),
        node("c", seq=5, seqRange=[4, 6]),
        edges=[edge("e", "a", "b")],
        lastProcessedSeq=8,
    )
    chat = Chat(desk, floors(10), st_bme_graph=data)
    lines = floors(10)
    chat.write([said("新的开头。"), *lines[:5], *lines[6:]])
    plan = desk.plan(chat.path)
    counts = [plan.counts.get(name, 0) for name in ("new_floors", "changed_floors", "removed_floors")]
    assert counts == [1, 0, 1]
    desk.take(chat.path)
    found = {m.foreign_id: m for m in desk.bundle(chat.pk).memories}
    assert {key: (m.seq, m.seq_start, m.seq_end) for key, m in found.items()} == {
        "a": (4, 3, 4),
        "b": (7, 7, 7),
        "c": (5, 5, 6),
    }
    assert found["c"].extra[FLOORS_CHANGED_KEY]["removed"] == [5]  # type: ignore[call-overload,index]
    assert FLOORS_CHANGED_KEY not in found["a"].extra
    assert chat.folder_record().last_processed_seq == 8
    desk.engine.undo()
    assert {m.foreign_id: m.seq for m in desk.bundle(chat.pk).memories} == {"a": 3, "b": 7, "c": 5}


def test_shortened_file_asks_first_and_keeps_the_memories(desk: FilesDesk) -> None:
    chat = Chat(desk, floors(10))
    pk = chat.memory(9)
    chat.write(floors(4))
    plan = desk.plan(chat.path)
    assert (plan.counts["removed_floors"], plan.needs_confirmation) == (6, True)
    desk.take(chat.path)
    record = chat.record(pk)
    assert (record.deleted_at, record.seq) == (None, 3)
    assert record.extra[FLOORS_CHANGED_KEY]["removed"] == [9]  # type: ignore[call-overload,index]


def test_file_with_metadata_only_touches_nothing(desk: FilesDesk) -> None:
    chat = Chat(desk, floors(10))
    write_chat(chat.path, [{"chat_metadata": {}, "user_name": "unused", "character_name": "unused"}])
    plan = desk.plan(chat.path)
    assert keys(plan) == {"chat_metadata_only", "floors_kept"}
    assert plan.needs_confirmation
    assert desk.take(chat.path).op is None
    assert len(chat.texts()) == 10


def test_other_chat_under_the_same_name_gets_a_folder_of_its_own(desk: FilesDesk) -> None:
    chat = Chat(desk, floors(10), integrity="one")
    write_chat(chat.path, [header(integrity="two"), *floors(5)])
    plan = desk.plan(chat.path)
    assert "other_chat" in keys(plan)
    assert desk.bundle(desk.take(chat.path).created_folder).folder.name == "chat (2)"
    assert len(chat.texts()) == 10


def test_renamed_copy_that_grew_is_the_same_chat_and_an_older_copy_changes_nothing(desk: FilesDesk) -> None:
    chat = Chat(desk, floors(10))
    grown = write_chat(desk.root / "copy.jsonl", [header(), *floors(12)])
    assert desk.take(grown).created_folder == chat.pk
    assert len(chat.texts()) == 12
    older = write_chat(desk.root / "backup.jsonl", [header(), *floors(6)])
    assert desk.take(older).op is None
    assert len(chat.texts()) == 12


def test_known_chat_can_come_in_once_more_as_new(desk: FilesDesk) -> None:
    chat = Chat(desk, floors(3))
    plan = desk.engine.ask(ReadFile(chat.path, as_new=True))
    assert plan.folders[0].into is None
    assert len(plan.messages) == 3


# --- branches ---


def branch_lines() -> list[dict[str, Any]]:
    return [*floors(6), *floors(4, start=100)]


def all_texts(desk: FilesDesk, folder: FolderPk) -> int:
    with desk.store.read() as reader:
        return len(all_floors(reader, reader.records(Folder, [folder])[0]))


@pytest.mark.parametrize("parent_first", [True, False])
def test_branch_and_parent_are_joined_without_doubling(desk: FilesDesk, *, parent_first: bool) -> None:
    def main() -> Chat:
        return Chat(desk, floors(10), "Main.jsonl")

    def branch() -> Chat:
        return Chat(desk, branch_lines(), "Branch #6.jsonl", main_chat="Main")

    if parent_first:
        parent, child = main(), branch()
    else:
        child, parent = branch(), main()
    assert len(parent.texts()) == 10
    assert child.texts() == [line["mes"] for line in branch_lines()[6:]]
    assert branch_of(child.folder_record()) == (parent.pk, 6)
    assert parent.pk in child.folder_record().also_reads
    assert all_texts(desk, child.pk) == 10
    assert desk.take(child.path).op is None
    assert desk.take(parent.path).op is None


def test_branch_keeps_shared_floors_that_change_in_its_parent(desk: FilesDesk) -> None:
    parent = Chat(desk, floors(10), "Main.jsonl")
    child = Chat(desk, branch_lines(), "Branch #6.jsonl", main_chat="Main")
    edited = floors(10)
    edited[4] = edited[4] | {"mes": "在原来的聊天里改了。"}
    parent.write(edited)
    parent.take()
    assert branch_of(child.folder_record()) == (parent.pk, 4)
    assert child.texts() == [line["mes"] for line in branch_lines()[4:]]
    assert desk.take(child.path).op is None
    desk.engine.undo()
    assert branch_of(child.folder_record()) == (parent.pk, 6)


def test_grown_branch_adds_to_its_own_floors(desk: FilesDesk) -> None:
    Chat(desk, floors(10), "Main.jsonl")
    child = Chat(desk, branch_lines(), "Branch #6.jsonl", main_chat="Main")
    child.write([*branch_lines(), *floors(2, start=200)])
    plan = desk.plan(child.path)
    assert (plan.counts["new_floors"], plan.counts.get("changed_floors", 0)) == (2, 0)
    child.take()
    assert all_texts(desk, child.pk) == 12


def test_branch_outlives_its_parent(desk: FilesDesk) -> None:
    parent = Chat(desk, floors(10), "Main.jsonl")
    child = Chat(desk, branch_lines(), "Branch #6.jsonl", main_chat="Main")
    desk.engine.run(DeleteFolder(folder=parent.pk))
    assert child.texts() == [line["mes"] for line in branch_lines()]
    assert branch_of(child.folder_record()) == (None, 0)
    assert desk.take(child.path).op is None
    desk.engine.undo()
    assert branch_of(child.folder_record()) == (parent.pk, 6)
    other = desk.engine.run(CreateFolder(name="other")).created_folder
    assert other is not None
    desk.engine.run(MergeFolders(source=parent.pk, target=other))
    assert branch_of(child.folder_record()) == (other, 6)
    assert all_texts(desk, child.pk) == 10


# --- alignment ---


@settings(max_examples=150)
@given(
    old=st.lists(st.integers(0, 6), max_size=14),
    new=st.lists(st.integers(0, 6), max_size=14),
)
def test_every_floor_is_kept_changed_removed_or_new(old: list[int], new: list[int]) -> None:
    def made(values: list[int]) -> list[Floor]:
        return [Floor(seq, bytes([value]), str(value % 3)) for seq, value in enumerate(values)]

    changes = compare_floors(made(old), made(new))
    places = [place for place in changes.place.values() if place is not None]
    assert set(changes.place) == set(range(len(old)))
    assert places == sorted(set(places))
    assert sorted([*places, *changes.added]) == list(range(len(new)))
    for seq, place in changes.place.items():
        if place is not None:
            assert (old[seq] != new[place]) == (seq in changes.changed)
    if old == new:
        assert not changes.alters
        assert not changes.added


edits = st.lists(
    st.tuples(st.sampled_from(["edit", "drop", "insert"]), st.integers(0, 30)), min_size=1, max_size=5
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(edits)
def test_any_edit_gives_the_floors_of_the_file_and_undo_the_old_ones(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[str, int]]
) -> None:
    desk = FilesDesk(tmp_path_factory.mktemp("chat"))
    try:
        chat = Chat(desk, floors(15))
        pks = [chat.memory(seq) for seq in range(0, 15, 2)]
        before = [chat.record(pk).seq for pk in pks]
        lines = floors(15)
        for number, (what, at) in enumerate(changes):
            place = at % max(1, len(lines))
            if what == "edit" and lines:
                lines[place] = lines[place] | {"mes": f"改 {number}"}
            elif what == "drop" and len(lines) > 8:
                del lines[place]
            else:
                lines.insert(place, said(f"插入 {number}"))
        chat.write(lines)
        result = desk.take(chat.path)
        assert chat.texts() == [line["mes"] for line in lines]
        for pk in pks:
            record = chat.record(pk)
            assert record.seq is not None
            if FLOORS_CHANGED_KEY not in record.extra:
                old = int(record.body.removeprefix("from "))
                assert lines[record.seq]["mes"] == floors(15)[old]["mes"]
        if result.op is not None:
            desk.engine.undo()
        assert chat.texts() == [line["mes"] for line in floors(15)]
        assert [chat.record(pk).seq for pk in pks] == before
    finally:
        desk.engine.close()


# --- writing back ---


def export_chat(desk: FilesDesk, folder: FolderPk, path: Path, **more: Any) -> Any:
    return desk.engine.ask(ExportFolder(folder=folder, format=Format.CHAT, path=path, **more))


def chat_with_graph(desk: FilesDesk, raw: str) -> tuple[FolderPk, Path]:
    path = desk.root / "chat.jsonl"
    path.write_bytes(raw.encode("utf-8", "surrogatepass"))
    folder = desk.take(path).created_folder
    assert folder is not None
    return folder, path


def raw_chat(graph_text: str) -> str:
    first = '{"user_name":"A", "character_name" : "艾琳","chat_metadata":{"integrity":"x",'
    tail = '"note":"\\u9490", "n": 1.50},"extra_key":[1,2 ]}'
    lines = "\n".join(json.dumps(line, ensure_ascii=True) for line in floors(3))
    return f'\ufeff{first}"st_bme_graph":{graph_text} ,{tail}\r\n{lines}\n\n{{"torn'


def test_edited_graph_goes_into_a_copy_and_every_other_byte_stays(desk: FilesDesk) -> None:
    vector = [0.5, 0.25]
    data = graph(node("a", embedding=vector), node("b", embedding=vector))
    folder, path = chat_with_graph(desk, raw_chat(json.dumps(data)))
    desk.engine.run(EditMemory(memory=desk.memory(folder, "a").pk, body="改过"))
    copy = desk.root / "copy.jsonl"
    export_chat(desk, folder, copy)
    before, after = path.read_bytes(), copy.read_bytes()
    start = before.index(b'"st_bme_graph":') + len(b'"st_bme_graph":')
    end = before.index(b' ,"note"')
    assert after[:start] == before[:start]
    assert after.endswith(before[end:])
    written = json.loads(after[start : len(after) - len(before[end:])])
    assert [n["fields"]["summary"] for n in written["nodes"]] == ["改过", "text of b"]
    assert [n["embedding"] for n in written["nodes"]] == [None, vector]


def test_unchanged_graph_gives_the_same_bytes(desk: FilesDesk) -> None:
    folder, path = chat_with_graph(desk, raw_chat(json.dumps(graph(node("a", embedding=[1.0]), node("b")))))
    copy = desk.root / "copy.jsonl"
    report = export_chat(desk, folder, copy)
    assert copy.read_bytes() == path.read_bytes()
    assert "export.problem.graph_same" in {p.key for p in report.problems}


@pytest.mark.parametrize(
    "first",
    [
        '{"user_name":"A","character_name":"B","chat_metadata":{}}',
        '{"user_name":"A","character_name":"B","chat_metadata":{ "a":{"st_bme_graph":1} } }',
        '{"user_name":"A","character_name":"B"}',
    ],
)
def test_chat_without_a_graph_gets_one_at_the_end_of_its_metadata(desk: FilesDesk, first: str) -> None:
    folder, path = chat_with_graph(desk, first + "\n" + json.dumps(said("x")))
    desk.engine.run(CreateMemory(NewMemory(folder=folder, type=EVENT, body="new", seq=0)))
    copy = desk.root / "copy.jsonl"
    export_chat(desk, folder, copy)
    head, rest = copy.read_bytes().split(b"\n", 1)
    assert rest == path.read_bytes().split(b"\n", 1)[1]
    written = json.loads(head)
    (made,) = written["chat_metadata"].pop("st_bme_graph")["nodes"]
    assert made["fields"]["summary"] == "new"
    original = json.loads(first)
    assert written == original | {"chat_metadata": original.get("chat_metadata", {})}
    plan = desk.plan(copy)
    assert (len(plan.memories), len(plan.messages)) == (1, 1)


def test_original_is_replaced_only_on_demand_and_kept_beside(desk: FilesDesk) -> None:
    folder, path = chat_with_graph(desk, raw_chat(json.dumps(graph(node("a")))))
    before = path.read_bytes()
    desk.engine.run(EditMemory(memory=desk.memory(folder, "a").pk, body="改过"))
    with pytest.raises(UserError) as caught:
        export_chat(desk, folder, path)
    assert caught.value.key == "error.export.exists"
    report = export_chat(desk, folder, path, overwrite=True)
    assert path.read_bytes() != before
    name = next(p.args["name"] for p in report.problems if p.key == "export.problem.backup")
    assert (path.parent / str(name)).read_bytes() == before
    assert "改过" in path.read_text(encoding="utf-8")


def test_chat_that_is_gone_or_has_no_header_is_refused_in_words(desk: FilesDesk) -> None:
    path = write_chat(desk.root / "old.jsonl", floors(3))
    folder = desk.take(path).created_folder
    assert folder is not None
    with pytest.raises(UserError) as caught:
        export_chat(desk, folder, desk.root / "copy.jsonl")
    assert caught.value.key == "error.export.no_header"
    path.unlink()
    with pytest.raises(UserError) as caught:
        export_chat(desk, folder, desk.root / "copy.jsonl")
    assert caught.value.key == "error.export.no_source"
    assert not (desk.root / "copy.jsonl").exists()


def test_moved_pointer_is_not_pushed_ahead_by_a_reimport(desk: FilesDesk) -> None:
    chat = Chat(desk, floors(10))
    desk.engine.run(EditFolder(folder=chat.pk, last_processed_seq=5))
    chat.write(floors(14))
    chat.take()
    assert chat.folder_record().last_processed_seq == 5
    assert chat_of(chat.folder_record())["header"] is True
