"""Documents in the library: pieces with their places, versions, the same twice, deletion, and undo of all that."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.container import open_library
from app.writers import person
from core.domain import queries_booku as qb
from core.domain import queries_documents as qd
from core.domain import queries_history as qy
from core.domain import queries_index as qi
from core.domain import queries_transfer as qt
from core.domain.commands import EditMemory, SetLocked, TrashMemories
from core.domain.commands_documents import DeleteDocuments, RenameDocument, ReplaceDocument
from core.domain.commands_graph import AddEdge
from core.domain.commands_transfer import ApplyImport
from core.domain.document import CutSettings, FileState
from core.domain.enums import Layer
from core.domain.errors import BadFile, Invalid, NotFound, UserError
from core.domain.ids import DocumentPk, RelationId
from core.domain.op_names import name_key
from core.domain.texts import render
from core.domain.transfer import Format
from core.settings import Settings
from tests.documents.conftest import Desk
from tests.fakes.embedder import HashEmbedder

TEXT = "# 手册\n\n七点点灯。\n\n## 故障\n\n灯芯断了就换。\n\n## 备件\n\n备件在二楼。\n"
CHANGED = TEXT.replace("二楼", "三楼") + "\n## 附录\n\n没有了。\n"


def test_pieces_are_knowledge_with_place_headings_and_tags(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "手册.md"
    file.write_text("---\ntags: [灯塔]\n---\n" + TEXT, encoding="utf-8")
    desk.drop(file, folder="资料/灯塔")
    [row] = desk.documents()
    assert (row.title, row.folder_name, row.path, row.version) == ("手册", "资料/灯塔", str(file), 1)
    pieces = desk.pieces()
    assert [piece.title for piece in pieces] == ["手册", "手册 > 故障", "手册 > 备件"]
    assert {(piece.layer, piece.type) for piece in pieces} == {(Layer.KNOWLEDGE, "knowledge")}
    document = desk.engine.ask(qd.DocumentOf(row.pk))
    assert "".join(piece.body for piece in pieces) == document.text == TEXT
    assert all(document.text[piece.span_start : piece.span_end] == piece.body for piece in pieces)
    assert pieces[1].extra["headings"] == ["手册", "故障"]
    [whole] = desk.engine.ask(qb.WholeMemories((pieces[1].pk,)))
    assert whole.tags.general == ("booku_knowledge", "手册", "灯塔")
    assert "灯芯断了就换" in whole.tags.diffusion


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(alphabet="灯塔。\n #a-`|", min_size=1, max_size=300))
def test_the_whole_text_can_be_had_back_from_pieces_and_places(desk: Desk, text: str) -> None:
    try:
        result = desk.write(text, title="x")
    except (BadFile, Invalid):
        assert not text.strip()
        return
    assert result.document is not None
    stored = desk.engine.ask(qd.DocumentOf(result.document)).text
    covered = [" "] * len(stored)
    for piece in desk.engine.ask(qd.PiecesOf(result.document)):
        assert piece.span_start is not None
        assert piece.span_end is not None
        assert piece.body == stored[piece.span_start : piece.span_end]
        covered[piece.span_start : piece.span_end] = piece.body
    left_out = [stored[at] for at, character in enumerate(covered) if character != stored[at]]
    assert not "".join(left_out).strip()


def test_the_same_content_is_there_already_also_under_another_name(desk: Desk, tmp_path: Path) -> None:
    first, second = tmp_path / "a.md", tmp_path / "b.txt"
    first.write_text(TEXT, encoding="utf-8")
    second.write_bytes(TEXT.replace("\n", "\r\n").encode("utf-16"))
    desk.drop(first)
    before = desk.engine.ask(qy.LastOpId())
    [row] = desk.drop(second)
    assert (row.state, row.result) == ("same", "same")
    assert desk.engine.ask(qy.LastOpId()) == before
    assert len(desk.documents()) == 1


def test_the_same_content_may_stand_in_another_folder(desk: Desk) -> None:
    desk.write(TEXT, folder="a")
    desk.write(TEXT, folder="b")
    assert [row.folder_name for row in desk.documents()] == ["a", "b"]


def test_a_changed_file_becomes_a_new_version_in_one_undoable_step(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "手册.md"
    file.write_text(TEXT, encoding="utf-8")
    desk.drop(file)
    kept = desk.pieces()[1].pk
    file.write_text(CHANGED, encoding="utf-8")
    [row] = desk.drop(file)
    assert row.result == "replaced"
    assert [(row.version, row.pieces) for row in desk.documents()] == [(2, 4)]
    assert desk.pieces()[1].pk == kept
    assert "备件在三楼。" in desk.bodies()[2]
    assert len(desk.everything()) == 4
    desk.engine.undo()
    assert [(row.version, row.pieces) for row in desk.documents()] == [(1, 3)]
    assert "备件在二楼。" in desk.bodies()[2]
    desk.engine.redo()
    assert [(row.version, row.pieces) for row in desk.documents()] == [(2, 4)]
    assert desk.engine.ask(qi.Verify()).healthy


def test_titles_and_folders_that_are_no_text_are_escaped(desk: Desk) -> None:
    result = desk.write("七点点灯。", title="a\udcffb", folder="c\ud800")
    assert [(row.title, row.folder_name) for row in desk.documents()] == [("a\\udcffb", "c\\ud800")]
    assert desk.write("七点点灯。", title="a\udcffb", folder="c\ud800").document == result.document


def test_a_document_follows_its_file_to_another_name(desk: Desk, tmp_path: Path) -> None:
    old, new = tmp_path / "one.md", tmp_path / "below" / "two.md"
    new.parent.mkdir()
    old.write_text("# 灯\n\n七点点灯。", encoding="utf-8")
    desk.drop(old)
    old.rename(new)
    assert [row.state for row in desk.drop(new)] == [FileState.SAME]
    assert [row.path for row in desk.documents()] == [str(new)]
    names = [render("en", name_key(each.op), **each.op.args) for each in desk.engine.ask(qy.History())]
    assert names[0] == "“灯” follows its file to the name “two.md”"
    new.write_text("# 灯\n\n八点点灯。", encoding="utf-8")
    desk.drop(new)
    assert name_key(desk.engine.ask(qy.History())[0].op) == "op.document.replace"
    assert [(row.path, row.version) for row in desk.documents()] == [(str(new), 2)]
    moved = desk.engine.ask(qy.History())[1].op
    desk.engine.undo(desk.engine.ask(qy.LastOpId()))
    desk.engine.undo(moved.id)
    assert [(row.path, row.version) for row in desk.documents()] == [(str(old), 1)]


def test_a_document_that_is_called_like_its_file_is_called_so_further_on(desk: Desk, tmp_path: Path) -> None:
    old, new = tmp_path / "one.txt", tmp_path / "two.txt"
    old.write_text("七点点灯。", encoding="utf-8")
    desk.drop(old)
    old.rename(new)
    assert [row.result for row in desk.drop(new)] == ["moved"]
    assert [(row.title, row.path) for row in desk.documents()] == [("two", str(new))]
    desk.engine.undo()
    assert [(row.title, row.path) for row in desk.documents()] == [("one", str(old))]


def test_a_document_stays_with_its_file_beside_a_copy_of_it(desk: Desk, tmp_path: Path) -> None:
    old, copy = tmp_path / "one.md", tmp_path / "two.md"
    for path in (old, copy):
        path.write_text("# 灯\n\n七点点灯。", encoding="utf-8")
        desk.drop(path)
    assert [row.path for row in desk.documents()] == [str(old)]


def test_ids_of_pieces_are_never_used_for_another_text(desk: Desk) -> None:
    desk.write(TEXT)
    seen = {piece.foreign_id: piece.body for piece in desk.pieces()}
    for number in range(3):
        desk.write(TEXT.replace("二楼", f"{number}楼"))
        for piece in desk.pieces():
            assert seen.setdefault(piece.foreign_id, piece.body) == piece.body


def test_pieces_that_people_worked_on_are_not_lost_with_an_old_version(desk: Desk) -> None:
    desk.write(TEXT)
    first, second, third = desk.pieces()
    desk.engine.run(EditMemory(memory=first.pk, body="八点点灯。"))
    desk.engine.run(SetLocked(memories=(second.pk,), locked=True))
    desk.engine.run(AddEdge(source=third.pk, target=second.pk, relation=RelationId("related")))
    result = desk.write("# 手册\n\n全是新的。\n")
    assert (result.counts["trashed"], result.counts["locked"], result.counts["removed"]) == (2, 1, 0)
    by_pk = {memory.pk: memory for memory in desk.everything()}
    assert by_pk[first.pk].deleted_at is not None
    assert by_pk[third.pk].deleted_at is not None
    assert by_pk[second.pk].deleted_at is None
    assert by_pk[second.pk].extra["of_version"] == 1


def test_a_document_is_deleted_with_its_pieces_and_comes_back(desk: Desk) -> None:
    desk.write(TEXT)
    [row] = desk.documents()
    result = desk.engine.run(DeleteDocuments(documents=(row.pk,)))
    assert result.counts["pieces"] == 3
    assert desk.documents() == ()
    assert all(memory.deleted_at is not None and memory.document is None for memory in desk.everything())
    desk.engine.undo()
    assert [row.pieces for row in desk.documents()] == [3]
    desk.engine.redo()
    assert desk.write(TEXT).counts["created"] == 1
    assert [row.pieces for row in desk.documents()] == [3]


def test_pieces_trashed_by_hand_are_made_anew_when_the_file_is_dropped_again(desk: Desk) -> None:
    desk.write(TEXT)
    desk.engine.run(TrashMemories(memories=tuple(piece.pk for piece in desk.pieces())))
    assert desk.write(TEXT).counts["pieces"] == 3
    assert [row.pieces for row in desk.documents()] == [3]


def test_a_document_can_be_replaced_and_renamed(desk: Desk) -> None:
    pk = desk.write(TEXT).document
    assert pk is not None
    new = desk.engine.ask(qd.PrepareText(text="别的。", title="别的")).new
    desk.engine.run(ReplaceDocument(document=pk, new=new))
    assert desk.bodies() == ["别的。"]
    desk.engine.run(RenameDocument(document=pk, title="  新 名字 "))
    assert [row.title for row in desk.documents()] == ["新 名字"]
    with pytest.raises(Invalid):
        desk.engine.run(RenameDocument(document=pk, title=" "))
    with pytest.raises(NotFound):
        desk.engine.run(DeleteDocuments(documents=(DocumentPk(99),)))


def test_texts_of_documents_are_written_out_again(desk: Desk, tmp_path: Path) -> None:
    desk.write(TEXT, title="手册/一:二")
    desk.write("别的。", title="手册/一:二 ")
    desk.write("又一个。", title="CON")
    pks = tuple(row.pk for row in desk.documents())
    out = tmp_path / "out"
    paths = desk.engine.ask(qd.ExportDocuments(documents=pks, directory=out))
    assert sorted(path.name for path in paths) == sorted(path.name for path in out.iterdir())
    assert "别的。" in {path.read_text(encoding="utf-8") for path in paths}
    assert all(path.parent == out and path.stem.upper() != "CON" for path in paths)
    with pytest.raises(UserError, match="exists"):
        desk.engine.ask(qd.ExportDocuments(documents=pks, directory=out))
    desk.engine.ask(qd.ExportDocuments(documents=pks, directory=out, overwrite=True))


@pytest.mark.parametrize(("low", "high"), [(10, 0), (4000, 0), (500, 400)])
def test_sizes_that_make_no_sense_are_refused(desk: Desk, low: int, high: int) -> None:
    sizes = CutSettings(max_chars=low, overlap_chars=high)
    with pytest.raises(Invalid, match="sizes"):
        desk.engine.ask(qd.PrepareText(text="文字", settings=sizes))


def test_a_document_goes_to_booku_and_comes_back_as_one(desk: Desk, tmp_path: Path) -> None:
    desk.write(TEXT)
    folder = desk.documents()[0].folder
    path = tmp_path / "metadata.db"
    desk.engine.ask(qt.ExportFolder(folder=folder, format=Format.BOOKU, path=path))
    desk.engine.run(ApplyImport(desk.engine.ask(qt.ReadFile(path))))
    assert [(row.title, row.pieces) for row in desk.documents()] == [("手册", 3), ("《手册》", 3)]
    assert desk.pieces(1)[1].body.strip() == desk.pieces(0)[1].body.strip()


def test_pieces_wait_for_the_index_until_they_are_in_it(tmp_path: Path) -> None:
    library = open_library(tmp_path / "library", person(), Settings(), create=True, keep=True)
    library.__dict__["embedder"] = HashEmbedder()
    try:
        desk = Desk(library)
        desk.write(TEXT)
        assert [(row.pieces, row.waiting) for row in desk.documents()] == [(3, 3)]
        library.indexer.drain()
        assert [(row.pieces, row.waiting) for row in desk.documents()] == [(3, 0)]
        hits = desk.engine.ask(qi.SearchByMeaning("手册 > 故障\n## 故障\n\n灯芯断了就换。\n\n", limit=1))
        assert hits[0][0] == desk.pieces()[1].pk
        desk.write(CHANGED)
        library.indexer.drain()
        assert desk.engine.ask(qi.Verify()).healthy
    finally:
        library.close()
