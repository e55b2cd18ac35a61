"""What dropped files are, and how they come in together: the inputs of the cases as one folder."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from app.container import open_library
from app.library import Library
from app.writers import person
from core.domain import queries as q
from core.domain import queries_documents as qd
from core.domain import queries_drop as qs
from core.domain import queries_history as qy
from core.domain.commands_documents import ReplaceDocument
from core.domain.document import CutSettings, DocumentKind, FileState
from core.domain.errors import Invalid
from core.domain.queries_drop import DropKind
from core.domain.queries_packages import ExportLibrary
from core.domain.transfer import Format
from core.settings import Settings

CASES = Path(__file__).parent.parent / "data" / "cases"
CHATS = ("c101", "c103", "c104", "c106", "c107", "c108", "c109", "c113", "c116", "c121", "c115_foreign")
CARDS = ("c205", "c207", "c208_bad_crc", "c209", "c213_shared/bo", "c213_shared/erin", "c214", "c216")
GRAPHS = ("c305", "c308", "c310", "c311")
DATABASES = ("c312", "c315", "c318")
LOREBOOKS = ("c203", "c213_shared/worlds")
SKIPPED = {
    "c208_cut.png": "error.file.card_cut",
    "c208_jpeg_named.png": "error.file.no_card",
    "c208_no_card.png": "error.file.no_card",
    "c318_booku_wal/metadata.db-wal": "drop.part_of",
    "c319_not_booku/empty.db": "error.document.empty",
    "c319_not_booku/lmdb_named.db": "error.file.not_sqlite",
    "c319_not_booku/metadata.db": "error.file.sqlite_damaged",
    "c414_cut.docx": "error.document.damaged",
    "c414_fake.docx": "error.document.old_office",
}
KINDS = {
    ".md": DocumentKind.MARKDOWN,
    ".txt": DocumentKind.TEXT,
    ".pdf": DocumentKind.PDF,
    ".docx": DocumentKind.DOCX,
    ".epub": DocumentKind.EPUB,
    ".html": DocumentKind.HTML,
    ".json": DocumentKind.JSON,
}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    settings = Settings()
    settings.set("embedder", "none")
    made = open_library(tmp_path / "library", person(), settings, create=True)
    yield made
    made.close()


def expected(name: str) -> DropKind:
    """What a file of the cases is; sidecars, recipes and scenarios are plain JSON."""
    if name in SKIPPED:
        return DropKind.SKIPPED
    if name.endswith((".case.json", ".recipe.json", ".scenario.json")):
        return DropKind.DOCUMENTS
    for kind, names in (
        (DropKind.CHATS, CHATS),
        (DropKind.CARDS, CARDS),
        (DropKind.GRAPHS, GRAPHS),
        (DropKind.DATABASES, DATABASES),
        (DropKind.LOREBOOKS, LOREBOOKS),
    ):
        if name.startswith(names):
            return kind
    return DropKind.DOCUMENTS


def kind_of(name: str) -> DocumentKind:
    """By the ending, but for texts that are JSON."""
    with suppress(ValueError):
        if name.endswith(".txt") and isinstance(json.loads((CASES / name).read_bytes()), dict | list):
            return DocumentKind.JSON
    return KINDS[Path(name).suffix]


def sort(library: Library, *paths: Path) -> tuple[qs.SortedFile, ...]:
    return library.engine.ask(qs.SortFiles(library.engine.ask(qd.FindDocuments(paths)).files))


def test_cases_as_one_folder_every_file_is_what_it_is(library: Library) -> None:
    found = sort(library, CASES)
    names = {file.path.relative_to(CASES).as_posix(): file for file in found}
    assert {name: file.sort for name, file in names.items()} == {name: expected(name) for name in names}
    assert {name: names[name].problem and names[name].problem.key for name in SKIPPED} == SKIPPED
    documents = {name: file.kind for name, file in names.items() if file.sort is DropKind.DOCUMENTS}
    assert documents == {name: kind_of(name) for name in documents}
    assert all(file.format in Format for file in found if file.sort.imports)
    assert library.engine.ask(qy.History()) == ()


def test_sorted_files_come_in_as_one_group_and_odd_ones_ask(library: Library) -> None:
    found = [file for file in sort(library, CASES) if file.sort is not DropKind.SKIPPED]
    rows = library.engine.ask(
        qs.QueueSorted(
            tuple(
                qs.ToQueue(
                    path=file.path, folder="story" if file.sort.imports else "docs", imports=file.sort.imports
                )
                for file in found
            )
        )
    )
    library.engine.ask(qd.RunQueue())
    view = library.engine.ask(qs.LookAtQueue())
    assert len(rows) == len(found)
    assert view.open == 0
    asked = {row.file.path.name for row in view.rows if row.state is FileState.QUESTION}
    assert {"c104_header_only_unused.jsonl", "c305_no_version.json"} <= asked
    assert not view.counts.get(FileState.FAILED)
    history = library.engine.ask(qy.History(1000))
    assert len({entry.op.args["group"] for entry in history}) == 1
    assert len(history) == view.counts[FileState.DONE]
    names = {node.folder.name for node in library.engine.ask(q.Folders())}
    assert {"docs", "story/c106_dates"} <= names
    assert all(name == "docs" or name.startswith("story/") for name in names - {"default"})


def test_confirmed_file_comes_in(library: Library) -> None:
    path = CASES / "c305_no_version.json"
    (row,) = library.engine.ask(qs.QueueSorted((qs.ToQueue(path=path, folder="", imports=True),)))
    library.engine.ask(qd.RunQueue())
    (asked,) = library.engine.ask(qd.QueueRows())
    assert asked.state is FileState.QUESTION
    assert asked.problems
    assert library.engine.ask(qy.History()) == ()
    assert library.engine.ask(qd.AnswerQueue(row=row, confirmed=True))
    library.engine.ask(qd.RunQueue())
    assert library.engine.ask(qd.QueueRows())[0].result == "imported"
    assert library.engine.ask(q.Counts()).memories == 9 + 1


def test_broken_graph_waits_and_its_readable_part_comes_in(library: Library, tmp_path: Path) -> None:
    whole = (CASES / "c310_visibility.json").read_text("utf-8")
    path = tmp_path / "cut.json"
    path.write_text(whole[: len(whole) * 2 // 3], encoding="utf-8")
    (file,) = sort(library, path)
    assert (file.sort, file.problem and file.problem.key) == (DropKind.GRAPHS, "error.file.json_broken")
    (row,) = library.engine.ask(qs.QueueSorted((qs.ToQueue(path=path, folder="", imports=True),)))
    library.engine.ask(qd.RunQueue())
    assert library.engine.ask(qd.QueueRows())[0].state is FileState.QUESTION
    library.engine.ask(qd.AnswerQueue(row=row, confirmed=True))
    library.engine.ask(qd.RunQueue())
    assert 0 < library.engine.ask(q.Counts()).memories < 11


def test_cutting_of_waiting_files_can_be_changed(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("守灯人每天晚上点亮灯塔。" * 40, encoding="utf-8")
    rows = library.engine.ask(qd.QueueFiles(paths=(path,), folder="docs")).rows
    small = CutSettings(max_chars=60, overlap_chars=0)
    assert library.engine.ask(qs.SetQueueCutting(rows, small)) == 1
    library.engine.ask(qd.RunQueue())
    (document,) = library.engine.ask(qd.Documents())
    assert document.pieces >= 8
    assert library.engine.ask(qs.SetQueueCutting(rows, CutSettings())) == 0


def test_document_is_cut_again_and_its_versions_tell(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# 灯塔\n\n" + "守灯人每天晚上点亮灯塔。" * 60, encoding="utf-8")
    library.engine.ask(qd.QueueFiles(paths=(path,), folder="docs"))
    library.engine.ask(qd.RunQueue())
    (before,) = library.engine.ask(qd.Documents())
    again = qs.PrepareAgain(document=before.pk, settings=CutSettings(max_chars=100, overlap_chars=0))
    library.engine.run(ReplaceDocument(document=before.pk, new=library.engine.ask(again).new))
    (after,) = library.engine.ask(qd.Documents())
    assert after.pieces > before.pieces
    assert (after.version, after.content_hash, after.path) == (2, before.content_hash, before.path)
    path.write_text("# 灯塔\n\n换了灯芯。", encoding="utf-8")
    library.engine.ask(qd.QueueFiles(paths=(path,), folder="docs"))
    library.engine.ask(qd.RunQueue())
    versions = library.engine.ask(qs.DocumentVersions(before.pk))
    assert [version.version for version in versions] == [3, 2, 1]
    assert versions[1].before == versions[1].after == versions[0].before
    assert "换了灯芯" in versions[0].after
    assert versions[2].before == ""


def test_document_whose_file_is_gone_is_cut_again_from_its_text(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("# 不是标题\n" + "守灯人每天晚上点亮灯塔。" * 20, encoding="utf-8")
    library.engine.ask(qd.QueueFiles(paths=(path,), folder="docs"))
    library.engine.ask(qd.RunQueue())
    path.unlink()
    (document,) = library.engine.ask(qd.Documents())
    small = CutSettings(max_chars=80, overlap_chars=0)
    new = library.engine.ask(qs.PrepareAgain(document=document.pk, settings=small)).new
    assert "".join(piece.body for piece in new.pieces) == new.text
    with pytest.raises(Invalid):
        library.engine.ask(qs.PrepareAgain(document=document.pk, settings=CutSettings(max_chars=1)))


def test_skipped_files_stand_in_the_queue_with_their_reasons(library: Library, tmp_path: Path) -> None:
    made = {
        "a.txt": b"text",
        "p.jpg": b"\xff\xd8\xff\xe0 jfif",
        "s.mp3": b"ID3 sound",
        "x.heic": b"\x00\x00\x00\x18ftypheic" + b"\x00" * 20,
        "z.7z": b"7z\xbc\xaf\x27\x1c",
    }
    for name, data in made.items():
        (tmp_path / name).write_bytes(data)
    found = sort(library, *(tmp_path / name for name in made))
    left_out = tuple(qs.LeftOut(each.path, each.problem) for each in found if each.problem)
    files = (qs.ToQueue(path=tmp_path / "a.txt", folder="notes"),)
    for _ in range(2):  # dropped again, a file has one row
        assert len(library.engine.ask(qs.QueueSorted(files, left_out))) == 1
    library.engine.ask(qd.RunQueue())
    view = library.engine.ask(qs.LookAtQueue())
    assert view.counts == {FileState.DONE: 1, FileState.SKIPPED: 4}
    said = {row.file.path.name: row.error.key for row in view.rows if row.error is not None}
    assert said == {
        "p.jpg": "error.file.no_card",
        "s.mp3": "error.document.media",
        "x.heic": "error.document.picture",
        "z.7z": "error.document.archive",
    }
    assert library.engine.ask(qd.ChangeQueue(qd.QueueAction.CLEAR)) == 5


def test_sides_of_databases_and_indexes_are_parts_of_them(library: Library, tmp_path: Path) -> None:
    shutil.copytree(CASES / "c312_booku_v1", tmp_path / "booku")
    index = tmp_path / "booku" / "chroma_db" / "0a1b"
    index.mkdir(parents=True)
    (index.parent / "chroma.sqlite3").write_bytes(b"SQLite format 3\x00")
    (index / "data_level0.bin").write_bytes(b"\x00" * 8)
    found = Counter(
        file.problem.key if file.problem else file.sort for file in sort(library, tmp_path / "booku")
    )
    assert found == {"databases": 1, "drop.part_of": 2}


def test_packages_and_plain_memory_files_are_told_from_documents(library: Library, tmp_path: Path) -> None:
    library.engine.ask(ExportLibrary(tmp_path / "all.mcz"))
    memory = f'---\nid: "mem-{"a" * 32}"\ntype: rule\n---\nbody\n'
    (tmp_path / "memory.md").write_text(memory, "utf-8")
    (tmp_path / "mem0.json").write_text('[{"id": "1", "memory": "likes tea", "user_id": "u"}]', "utf-8")
    (tmp_path / "note.md").write_text("# A note\n", "utf-8")
    names = ("all.mcz", "mem0.json", "memory.md", "note.md")
    found = {file.path.name: file.sort for file in sort(library, *(tmp_path / name for name in names))}
    packages = dict.fromkeys(names[:3], DropKind.PACKAGES)
    assert found == packages | {"note.md": DropKind.DOCUMENTS}
