"""Memories as Markdown files and as mem0's JSON: out, edited elsewhere, and in again."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.adapters.sample import read_sample
from core.domain.commands import EditMemory
from core.domain.commands_folders import CreateFolder
from core.domain.commands_transfer import ApplyImport
from core.domain.enums import Layer
from core.domain.errors import UserError
from core.domain.ids import MemoryPk
from core.domain.memory import Memory
from core.domain.package import Collision
from core.domain.queries import FolderByName, MemoryDetailOf
from core.domain.queries_packages import ExportLibrary
from core.domain.queries_transfer import ExportMemories, FindFiles
from core.domain.transfer import Format
from tests.formats.desk import FilesDesk

NOW = datetime(2026, 3, 4, 5, 6, 7, 8, tzinfo=UTC)


@pytest.fixture
def sample(desk: FilesDesk) -> FilesDesk:
    desk.engine.run(ApplyImport(read_sample(NOW)))
    return desk


def _out(desk: FilesDesk, kind: Format, name: str) -> Path:
    path = desk.root / name
    desk.engine.ask(ExportLibrary(path, kind, overwrite=True))
    return path


def _all(desk: FilesDesk) -> dict[str, Memory]:
    with desk.store.read() as reader:
        return {memory.id: memory for memory in reader.all_records(Memory)}


def _file_of(directory: Path, memory: str) -> Path:
    return next(file for file in directory.rglob("*.md") if f'id: "{memory}"' in file.read_text("utf-8"))


def _comparable(memory: Memory) -> Memory:
    links: dict[str, Any] = {
        "parent": None,
        "merged_into": None,
        "document": None,
        "span_start": None,
        "span_end": None,
    }
    return replace(memory, pk=MemoryPk(0), folder=0, **links)  # type: ignore[arg-type]


# --- Markdown -----------------------------------------------------------------------------------


def test_markdown_into_an_empty_library_gives_the_same_memories(sample: FilesDesk, tmp_path: Path) -> None:
    directory = _out(sample, Format.MARKDOWN, "notes")
    other = FilesDesk(tmp_path / "other")
    try:
        plan = other.plan(directory)
        assert plan.counts["memories"] == 370
        assert plan.problems == ()
        result = other.engine.run(ApplyImport(plan))
        assert result.counts["edges"] == 972
        mine = {key: _comparable(memory) for key, memory in _all(sample).items()}
        assert {key: _comparable(memory) for key, memory in _all(other).items()} == mine
        with sample.store.read() as one, other.store.read() as two:
            tags = {m.id: one.tag_sets([m.pk])[m.pk] for m in _all(sample).values()}
            assert {m.id: two.tag_sets([m.pk])[m.pk] for m in _all(other).values()} == tags
    finally:
        other.engine.close()


def test_untouched_markdown_changes_nothing(sample: FilesDesk) -> None:
    directory = _out(sample, Format.MARKDOWN, "notes")
    plan = sample.plan(directory)
    assert (plan.counts["differing"], plan.collision) == (0, Collision.THEIRS)
    assert sample.engine.run(ApplyImport(plan)).op is None


def test_edit_in_a_markdown_file_comes_back_by_id_and_can_be_undone(sample: FilesDesk) -> None:
    directory = _out(sample, Format.MARKDOWN, "notes")
    memory = next(iter(_all(sample).values()))
    file = _file_of(directory, memory.id)
    text = file.read_text("utf-8")
    front, _, _ = text.removeprefix("---\n").partition("\n---\n")
    lines = [line for line in front.split("\n") if not line.startswith(("tags:", "importance:", "layer:"))]
    file.write_text(
        "\n".join(["---", *lines, "tags: 甲, 乙", "importance: 9", "---", "", "new words", ""]), "utf-8"
    )
    moved = file.rename(file.with_name("renamed by hand.md"))

    plan = sample.plan(directory)
    assert plan.counts["differing"] == 1
    result = sample.engine.run(ApplyImport(plan))
    assert result.counts["replaced"] == 1
    detail = sample.engine.ask(MemoryDetailOf(memory.pk))
    assert (detail.memory.body, detail.memory.importance) == ("new words", 9.0)
    assert detail.memory.layer is memory.layer
    assert detail.tags.general == ("甲", "乙")
    sample.engine.undo()
    assert sample.engine.ask(MemoryDetailOf(memory.pk)).memory.body == memory.body

    _out(sample, Format.MARKDOWN, "notes")
    assert _file_of(directory, memory.id) == moved


def test_new_note_among_the_files_becomes_a_memory_of_its_directory(sample: FilesDesk) -> None:
    directory = _out(sample, Format.MARKDOWN, "notes")
    (directory / "chats" / "note.md").write_text("---\ntitle: 茶\ntype: rule\n---\nTea at five.\n", "utf-8")
    (directory / "README.md").write_text("# About these files\n", "utf-8")
    plan = sample.plan(directory)
    assert "import.problem.no_memory_file" in {problem.key for problem in plan.problems}
    result = sample.engine.run(ApplyImport(plan))
    detail = sample.engine.ask(MemoryDetailOf(result.created[0]))
    assert (detail.memory.title, detail.memory.body, detail.folder.name) == ("茶", "Tea at five.", "chats")


@pytest.mark.parametrize(
    "front",
    [
        "id: [",
        "type: rule\nimportance: much",
        "type: rule\na: &a [1]\nb: *a",
        "type: rule\ncreated_at: yesterday",
        "type: rule\nrelations: 5",
        "type: rule\nfolder: {a: 1}",
        f"type: rule\nfolder: {'x' * 5000}",
    ],
)
def test_broken_front_matter_is_named_and_the_rest_comes_in(desk: FilesDesk, front: str) -> None:
    directory = desk.root / "notes"
    directory.mkdir()
    (directory / "good.md").write_text(f'---\nid: "mem-{"a" * 32}"\ntype: rule\n---\ngood\n', "utf-8")
    (directory / "bad.md").write_text(f"---\n{front}\n---\nbad\n", "utf-8")
    plan = desk.plan(directory)
    assert plan.counts["memories"] == 1
    assert [problem.key for problem in plan.problems] == ["import.problem.broken_memory_file"]
    assert plan.problems[0].args["files"] == "bad.md"


def test_export_over_a_directory_leaves_other_files_alone(sample: FilesDesk) -> None:
    directory = _out(sample, Format.MARKDOWN, "notes")
    other = directory / "chats" / "mine.txt"
    other.write_text("keep me")
    with pytest.raises(UserError):
        sample.engine.ask(ExportLibrary(directory, Format.MARKDOWN))
    chosen = next(iter(_all(sample).values())).pk
    report = sample.engine.ask(ExportMemories((chosen,), Format.MARKDOWN, directory, overwrite=True))
    assert report.counts["memories"] == 1
    assert [problem.args["count"] for problem in report.problems] == [369]
    assert other.read_text() == "keep me"


def test_names_of_files_are_safe_and_unique(desk: FilesDesk) -> None:
    pk = desk.engine.run(CreateFolder("con/a?b/..")).created_folder
    assert pk is not None
    notes = desk.root / "in"
    notes.mkdir()
    for number, title in enumerate(("../../etc/passwd", "NUL", "a" * 300, "同名", "同名", "x\\y:z")):
        (notes / f"{number}.md").write_text(
            f'---\nid: "mem-{number:032x}"\ntype: rule\ntitle: {json.dumps(title)}\nfolder: "con/a?b/.."\n---\nbody\n',
            "utf-8",
        )
    desk.engine.run(ApplyImport(desk.plan(notes)))
    directory = _out(desk, Format.MARKDOWN, "out")
    names = [file.relative_to(directory) for file in directory.rglob("*.md")]
    assert len({str(name).casefold() for name in names}) == 6
    assert all(len(name.name.encode()) < 250 and not set(name.name) & set('\\/:*?"<>|') for name in names)
    assert {part for name in names for part in name.parts[:-1]} == {"_con", "a b", "_"}


def test_markdown_with_windows_line_ends_says_the_same(sample: FilesDesk) -> None:
    directory = _out(sample, Format.MARKDOWN, "notes")
    for file in directory.rglob("*.md"):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert sample.plan(directory).counts["differing"] == 0


def test_directory_of_memories_is_found_as_one_thing(sample: FilesDesk) -> None:
    directory = _out(sample, Format.MARKDOWN, "notes")
    found = sample.engine.ask(FindFiles(directory))
    assert [(each.path, each.format) for each in found] == [(directory, Format.MARKDOWN)]


# --- mem0 ---------------------------------------------------------------------------------------

ROWS: list[dict[str, Any]] = [
    {
        "id": "f4cbdb08-7062-4f3e-8eb2-9f5c80dfe64c",
        "memory": "Alex likes hiking in the mountains.",
        "hash": "1a271c007316c94377175ee80e746a19",
        "metadata": {"source": "chat", "n": 3},
        "user_id": "alex",
        "agent_id": "travel",
        "categories": ["hobby", "sport"],
        "created_at": "2025-02-27T16:33:20.557788-07:00",
        "updated_at": None,
        "score": 0.5,
    },
    {"id": "2", "memory": "阿历克斯怕高", "user_id": "alex", "created_at": 1740699200},
]


def _write(desk: FilesDesk, value: object, name: str = "mem0.json") -> Path:
    path = desk.root / name
    path.write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    return path


@pytest.mark.parametrize("form", [ROWS, {"results": ROWS}, {"memories": ROWS}])
def test_mem0_memories_come_in_with_everything_kept(desk: FilesDesk, form: object) -> None:
    plan = desk.plan(_write(desk, form))
    assert (plan.format, plan.counts["memories"]) == (Format.MEM0, 2)
    assert [folder.name for folder in plan.folders] == ["mem0/alex", "mem0/alex/travel"]
    desk.engine.run(ApplyImport(plan))
    folder = desk.engine.ask(FolderByName("mem0/alex/travel"))
    assert folder is not None
    memory = desk.memory(folder.pk, "f4cbdb08-7062-4f3e-8eb2-9f5c80dfe64c")
    assert memory.body == "Alex likes hiking in the mountains."
    assert memory.layer is Layer.MEMORY
    assert memory.created_at == datetime(2025, 2, 27, 23, 33, 20, 557788, UTC)
    assert desk.bundle(folder.pk).tags[memory.pk].general == ("hobby", "sport")


def test_mem0_goes_out_as_it_came_and_edits_come_back(desk: FilesDesk) -> None:
    desk.engine.run(ApplyImport(desk.plan(_write(desk, ROWS))))
    rows = json.loads(_out(desk, Format.MEM0, "out.json").read_text("utf-8"))
    first = next(row for row in rows if row["id"] == ROWS[0]["id"])
    assert first["memory"] == ROWS[0]["memory"]
    assert first["metadata"].pop("memory_curator")["type"] == "knowledge"
    for name in ("metadata", "user_id", "agent_id", "categories", "score", "id"):
        assert first[name] == ROWS[0][name]

    rows = json.loads((desk.root / "out.json").read_text("utf-8"))
    rows[0]["memory"] = "Alex climbs now."
    plan = desk.plan(_write(desk, {"results": rows}, "edited.json"))
    assert (plan.counts["already_there"], plan.counts["differing"]) == (2, 1)
    assert desk.engine.run(ApplyImport(plan)).counts["replaced"] == 1
    assert "Alex climbs now." in {memory.body for memory in _all(desk).values()}


def test_same_mem0_file_again_is_found_by_its_ids(desk: FilesDesk) -> None:
    path = _write(desk, ROWS)
    desk.engine.run(ApplyImport(desk.plan(path)))
    changed = [ROWS[0], {**ROWS[1], "memory": "阿历克斯不怕高了"}]
    plan = desk.plan(_write(desk, changed))
    assert (plan.counts["already_there"], plan.counts["differing"]) == (2, 1)
    desk.engine.run(ApplyImport(plan))
    assert len(_all(desk)) == 2


def test_whole_library_through_mem0_keeps_all_columns(sample: FilesDesk, tmp_path: Path) -> None:
    path = _out(sample, Format.MEM0, "all.json")
    other = FilesDesk(tmp_path / "other")
    try:
        other.engine.run(ApplyImport(other.plan(path)))
        mine = {k: _comparable(m) for k, m in _all(sample).items() if m.deleted_at is None}
        assert {k: _comparable(m) for k, m in _all(other).items()} == mine
    finally:
        other.engine.close()
    assert sample.plan(path).counts["differing"] == 0


def test_title_and_text_of_an_edited_row_are_told_apart(sample: FilesDesk) -> None:
    memory = next(m for m in _all(sample).values() if m.title and m.body and m.deleted_at is None)
    sample.engine.run(EditMemory(memory=memory.pk, body="first"))
    path = sample.root / "one.json"
    sample.engine.ask(ExportMemories((memory.pk,), Format.MEM0, path))
    rows = json.loads(path.read_text("utf-8"))
    rows[0]["memory"] = f"{memory.title}\nsecond"
    sample.engine.run(ApplyImport(sample.plan(_write(sample, rows))))
    after = _all(sample)[memory.id]
    assert (after.title, after.body) == (memory.title, "second")


def test_relations_of_mem0s_graph_come_in_between_names(desk: FilesDesk) -> None:
    relations = [
        {"source": "alex", "relationship": "likes", "destination": "hiking"},
        {"source": "alex", "relation": "fears", "target": "height"},
        {"source": "alone"},
    ]
    plan = desk.plan(_write(desk, {"results": ROWS, "relations": relations}))
    assert (plan.counts["memories"], plan.counts["edges"]) == (5, 2)
    assert [problem.key for problem in plan.problems] == ["import.problem.mem0_relation"]
    assert desk.engine.run(ApplyImport(plan)).counts["edges"] == 2


def test_rows_without_text_are_named_and_left_out(desk: FilesDesk) -> None:
    plan = desk.plan(
        _write(desk, [ROWS[0], {"id": "x"}, 5, {**ROWS[1], "categories": "one", "created_at": "soon"}])
    )
    assert plan.counts["memories"] == 2
    assert {problem.key for problem in plan.problems} == {
        "import.problem.mem0_row",
        "import.problem.bad_time",
    }


@pytest.mark.parametrize(
    "value", [[{"memory": "x"}], {"results": [{"text": "x"}]}, [{"role": "user", "content": "x"}]]
)
def test_other_json_is_not_taken_for_mem0(desk: FilesDesk, value: object) -> None:
    path = _write(desk, value)
    found = desk.engine.ask(FindFiles(path))
    assert all(each.format is not Format.MEM0 for each in found)
