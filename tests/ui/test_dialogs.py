"""Dialogs over a real library: what they show and what they change."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QRadioButton
from pytestqt.qtbot import QtBot

from core.domain.commands import Border, EditMemory
from core.domain.commands_folders import CreateFolder
from core.domain.commands_graph import AddEdge
from core.domain.commands_transfer import ApplyImport
from core.domain.enums import TagKind
from core.domain.ids import FolderPk, RelationId
from core.domain.memory import TagSet
from core.domain.package import Collision
from core.domain.queries import FolderByName, Folders, ListMemories, LiveEdges, MemoryDetailOf
from core.domain.queries_transfer import ExportMemories, ReadFile
from core.domain.schema_data import default_schema
from core.domain.transfer import Format
from tests.formats.chats import floors, header, write_chat
from tests.ui.real_library import RealLibrary, open_real
from ui.dialogs.bulk import TagsDialog, VisibilityDialog
from ui.dialogs.export_subjects import FolderSubject, LibrarySubject, SelectionSubject
from ui.dialogs.exporting import ExportDialog
from ui.dialogs.folders import AlsoReadsDialog, MergeFolderDialog
from ui.dialogs.importing import ImportDialog
from ui.dialogs.move import MoveDialog
from ui.dialogs.relation import AddRelation, EditRelation, EndRelation
from ui.dialogs.replace import ReplaceDialog

GRAPH = {
    "version": 3,
    "lastProcessedSeq": 4,
    "nodes": [
        {"id": "n1", "type": "event", "fields": {"summary": "灯塔之夜"}, "importance": 42},
        {"id": "n2", "type": "character", "fields": {"name": "阿黛尔"}},
    ],
    "edges": [
        {"id": "e1", "fromId": "n2", "toId": "n1", "relation": "involved_in"},
        {"id": "e2", "fromId": "n2", "toId": "nowhere", "relation": "related"},
    ],
}


@pytest.fixture
def library(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[RealLibrary]:
    opened = open_real(qtbot, qapp, tmp_path / "library")
    yield opened
    opened.close()


def folder_named(library: RealLibrary, name: str) -> FolderPk:
    found = library.engine.ask(FolderByName(name))
    assert found is not None
    return found.pk


def test_move_by_typing_a_part_of_the_name(library: RealLibrary) -> None:
    pk = library.create(body="x")
    target = library.engine.run(CreateFolder("Notes/harbour")).created_folder
    dialog = MoveDialog(library.context, [pk])
    dialog.open()
    library.settle()
    assert not dialog.main_button.isEnabled() or dialog.picker.picked is not None
    QTest.keyClicks(dialog.picker.search, "harb")
    assert dialog.picker.picked == target
    QTest.keyClick(dialog.picker.search, Qt.Key.Key_Return)
    library.settle()
    assert library.memory(pk).folder == target


def test_move_to_a_new_folder_makes_it(library: RealLibrary) -> None:
    pk = library.create(body="x")
    dialog = MoveDialog(library.context, [pk])
    dialog.open()
    library.settle()
    dialog.picker.search.setText("新的/文件夹")
    assert dialog.picker.new_name == "新的/文件夹"
    dialog.apply()
    library.settle()
    assert library.memory(pk).folder == folder_named(library, "新的/文件夹")


@pytest.mark.parametrize("border", list(Border))
def test_relations_across_the_border_are_listed_and_treated_as_chosen(
    library: RealLibrary, border: Border
) -> None:
    pk, other = library.create(body="x"), library.create("character", title="A")
    library.engine.run(AddEdge(source=other, target=pk, relation=RelationId("involved_in")))
    target = library.engine.run(CreateFolder("target")).created_folder
    dialog = MoveDialog(library.context, [pk])
    dialog.open()
    library.settle()
    assert dialog.edges.count() == 1
    for button in dialog.findChildren(QRadioButton):
        if button.property("border") == border.value:
            button.click()
    QTest.keyClicks(dialog.picker.search, "target")
    dialog.apply()
    library.settle()
    assert library.memory(pk).folder == target
    assert (library.memory(other).folder == target) is (border is Border.MOVE_TOO)
    assert bool(library.engine.ask(LiveEdges(pk))) is (border is not Border.CUT)


def test_tags_are_added_and_taken_away(library: RealLibrary) -> None:
    pks = [library.create(body=f"{n}", tags=TagSet(general=("old", "both"))) for n in range(2)]
    dialog = TagsDialog(library.context, pks)
    dialog.open()
    library.settle()
    assert not dialog.main_button.isEnabled()
    dialog.remove.set_values(("old",))
    dialog.add.input.insert("港口,")
    assert dialog.main_button.isEnabled()
    dialog.apply()
    library.settle()
    tags = [library.engine.ask(MemoryDetailOf(pk)).tags.general for pk in pks]
    assert tags == [("both", "港口")] * 2


def test_half_a_triple_is_refused_and_the_dialog_stays(library: RealLibrary) -> None:
    pk = library.create(body="x")
    dialog = TagsDialog(library.context, [pk])
    library.qtbot.addWidget(dialog)
    dialog.open()
    dialog.group.setCurrentIndex(dialog.group.findData(TagKind.CORE.value))
    dialog.add.set_values(("a",))
    dialog.apply()
    library.settle()
    assert dialog.isVisible()
    assert "three tag groups" in dialog.said.text()
    assert dialog.add.values() == ("a",)


def test_visibility_of_many(library: RealLibrary) -> None:
    pk = library.create(body="x")
    dialog = VisibilityDialog(library.context, [pk])
    dialog.open()
    dialog.chips.set_values(("阿黛尔",))
    dialog.apply()
    library.settle()
    assert library.memory(pk).visibility == ("阿黛尔",)


def test_replace_shows_every_change_before_it_is_made(library: RealLibrary) -> None:
    pks = [library.create(title="灯塔", body="灯塔之夜"), library.create(body="nothing")]
    dialog = ReplaceDialog(library.context, pks)
    dialog.open()
    dialog.find_text.setText("灯塔")
    dialog.put_text.setText("塔楼")
    library.until(dialog.main_button.isEnabled)
    rows = [dialog.list.topLevelItem(row).text(1) for row in range(dialog.list.topLevelItemCount())]
    assert rows == ["Title", "Text"]
    dialog.put_text.setText("楼")
    assert not dialog.main_button.isEnabled(), "only what was previewed can be applied"
    library.until(dialog.main_button.isEnabled)
    dialog.apply()
    library.settle()
    assert [library.memory(pk).body for pk in pks] == ["楼之夜", "nothing"]


@pytest.mark.parametrize(("pattern", "replacement"), [("(灯", "x"), ("灯", r"\9")])
def test_bad_pattern_is_said_inline(library: RealLibrary, pattern: str, replacement: str) -> None:
    dialog = ReplaceDialog(library.context, [library.create(body="灯塔")])
    library.qtbot.addWidget(dialog)
    dialog.open()
    dialog.regex.setChecked(True)
    dialog.find_text.setText(pattern)
    dialog.put_text.setText(replacement)
    library.until(dialog.fault.isVisible)
    assert not dialog.main_button.isEnabled()


def test_also_reads_and_merging_of_folders(library: RealLibrary) -> None:
    other = library.engine.run(CreateFolder("other")).created_folder
    assert other is not None
    pk = library.create(body="x", folder=other)
    dialog = AlsoReadsDialog(library.context, library.folder)
    dialog.open()
    library.settle()
    names = [dialog.list.item(row).text() for row in range(dialog.list.count())]
    dialog.list.item(names.index("other")).setCheckState(Qt.CheckState.Checked)
    dialog.apply()
    library.settle()
    nodes = {node.folder.pk: node.folder for node in library.engine.ask(Folders())}
    assert nodes[library.folder].also_reads == (other,)
    merging = MergeFolderDialog(library.context, other)
    merging.open()
    library.settle()
    merging.picker.search.setText("银灯")
    merging.apply()
    library.settle()
    assert library.memory(pk).folder == library.folder


def test_relation_is_added_edited_and_ended(library: RealLibrary) -> None:
    pk, other = library.create(body="x", seq=7), library.create("character", title="阿黛尔")
    detail = library.engine.ask(MemoryDetailOf(pk))
    adding = AddRelation(library.context, detail, default_schema())
    adding.open()
    adding.picker.search.setText("阿黛尔")
    library.until(lambda: adding.picker.picked == other and library.context.tasks.busy == 0)
    adding.relation.setCurrentIndex(adding.relation.findData("advances"))
    adding.direction.setCurrentIndex(1)
    adding.apply()
    library.settle()
    (view,) = library.engine.ask(LiveEdges(pk))
    assert (view.edge.source, view.edge.target, view.edge.relation, view.edge.from_seq) == (
        other,
        pk,
        "advances",
        7,
    )
    editing = EditRelation(library.context, view, default_schema())
    editing.open()
    editing.strength.setValue(0.3)
    editing.apply()
    library.settle()
    ending = EndRelation(library.context, view)
    ending.open()
    ending.floor.setValue(118)
    ending.apply()
    library.settle()
    (view,) = library.engine.ask(LiveEdges(pk))
    assert (view.live, view.edge.strength, view.edge.ended_seq) == (False, 0.3, 118)


def test_dialog_grows_when_what_it_says_becomes_longer(library: RealLibrary, tmp_path: Path) -> None:
    dialog = ImportDialog(library.context, tmp_path)
    library.qtbot.addWidget(dialog)
    dialog.open()
    library.settle()
    before = dialog.height()
    dialog.say("words " * 200)
    library.until(lambda: dialog.height() > before + 40)


def test_import_is_shown_first_and_is_one_change(library: RealLibrary, tmp_path: Path) -> None:
    file = tmp_path / "graph.json"
    file.write_text(json.dumps(GRAPH), encoding="utf-8")
    before = len(library.engine.ask(ListMemories()))
    dialog = ImportDialog(library.context, file)
    dialog.open()
    library.settle()
    assert "2 memories" in dialog.counts.text()
    assert len(library.engine.ask(ListMemories())) == before, "looking writes nothing"
    dialog.name.setText("银灯/导入")
    shown: list[int] = []
    dialog.show_folder.connect(lambda folder, _floors: shown.append(folder))
    dialog.apply()
    library.settle()
    assert len(library.engine.ask(ListMemories())) == before + 2
    assert dialog.focusWidget() is dialog.main_button
    assert dialog.height() < dialog.width(), "no taller than what it says"
    dialog.apply()
    assert shown == [folder_named(library, "银灯/导入")]
    library.engine.undo()
    assert len(library.engine.ask(ListMemories())) == before


def test_import_into_the_folder_of_that_name_is_asked(library: RealLibrary, tmp_path: Path) -> None:
    file = tmp_path / "graph.json"
    file.write_text(json.dumps(GRAPH), encoding="utf-8")
    dialog = ImportDialog(library.context, file)
    dialog.open()
    library.settle()
    assert dialog.existing.isHidden()
    dialog.name.setText("chats/银灯港")
    assert not dialog.existing.isHidden()
    dialog.existing.setChecked(True)
    dialog.apply()
    library.settle()
    nodes = {node.folder.name: node.memories for node in library.engine.ask(Folders())}
    assert nodes["chats/银灯港"] == 2
    dialog.reject()


def test_file_without_version_needs_a_confirmation(library: RealLibrary, tmp_path: Path) -> None:
    file = tmp_path / "graph.json"
    file.write_text(
        json.dumps({key: value for key, value in GRAPH.items() if key != "version"}), encoding="utf-8"
    )
    dialog = ImportDialog(library.context, file)
    library.qtbot.addWidget(dialog)
    dialog.open()
    library.settle()
    assert not dialog.main_button.isEnabled()
    dialog.confirm.setChecked(True)
    assert dialog.main_button.isEnabled()


def test_foreign_file_is_named_and_cannot_be_imported(library: RealLibrary, tmp_path: Path) -> None:
    file = tmp_path / "note.md"
    file.write_text("# no graph", encoding="utf-8")
    dialog = ImportDialog(library.context, file)
    library.qtbot.addWidget(dialog)
    dialog.open()
    library.settle()
    assert "note.md" in dialog.stack.notice.message.text()
    assert not dialog.main_button.isEnabled()


def test_directory_with_several_files_lists_them(library: RealLibrary, tmp_path: Path) -> None:
    place = tmp_path / "files"
    place.mkdir()
    for name in ("a.json", "b.json"):
        (place / name).write_text(json.dumps(GRAPH), encoding="utf-8")
    dialog = ImportDialog(library.context, place)
    library.qtbot.addWidget(dialog)
    dialog.open()
    library.settle()
    assert dialog._found.count() == 2
    dialog._found.setCurrentRow(1)
    dialog.apply()
    library.settle()
    assert dialog.name.text() == "b"
    dialog.apply()
    library.settle()
    assert folder_named(library, "b")


def test_cut_file_offers_its_readable_part(library: RealLibrary, tmp_path: Path) -> None:
    file = tmp_path / "cut.json"
    text = json.dumps(GRAPH, indent=1)
    file.write_text(text[: text.index('"edges"') - 4], encoding="utf-8")
    dialog = ImportDialog(library.context, file)
    library.qtbot.addWidget(dialog)
    dialog.open()
    library.settle()
    assert not dialog.stack.notice.button.isHidden()
    dialog.stack.notice.button.click()
    library.settle()
    assert "memor" in dialog.counts.text()


def test_chat_that_grew_is_brought_up_to_date_or_comes_in_as_new(
    library: RealLibrary, tmp_path: Path
) -> None:
    file = write_chat(tmp_path / "夜谈.jsonl", [header(), *floors(3)])
    library.engine.run(ApplyImport(library.engine.ask(ReadFile(file))))
    write_chat(file, [header(), *floors(5)])
    dialog = ImportDialog(library.context, file)
    dialog.open()
    library.settle()
    assert "2 new floors" in dialog.counts.text()
    assert (dialog.existing.isChecked(), dialog.name.isReadOnly()) == (True, True)
    dialog.existing.click()
    library.settle()
    assert "5 messages" in dialog.counts.text()
    assert not dialog.name.isReadOnly()
    dialog.existing.click()
    library.settle()
    dialog.apply()
    library.settle()
    nodes = {node.folder.name: node.messages for node in library.engine.ask(Folders())}
    assert {name: number for name, number in nodes.items() if number} == {"夜谈": 5}
    dialog.reject()


def test_export_offers_a_chat_or_card_only_where_one_came_in(library: RealLibrary, tmp_path: Path) -> None:
    file = write_chat(tmp_path / "夜谈.jsonl", [header(), *floors(3)])
    chat = library.engine.run(ApplyImport(library.engine.ask(ReadFile(file)))).created_folder
    assert chat is not None
    offered = {}
    for folder in (library.folder, chat):
        dialog = ExportDialog(library.context, FolderSubject(folder))
        dialog.open()
        library.settle()
        offered[folder] = {b.property("format") for b in dialog.formats.buttons() if not b.isHidden()}
        assert dialog.note.text()
        dialog.reject()
    assert offered[chat] - offered[library.folder] == {"chat"}
    assert "worldinfo" in offered[library.folder]


def test_export_asks_before_it_overwrites(library: RealLibrary, tmp_path: Path) -> None:
    library.create(body="灯塔之夜")
    target = tmp_path / "out.json"
    target.write_text("mine", encoding="utf-8")
    dialog = ExportDialog(library.context, FolderSubject(library.folder))
    library.qtbot.addWidget(dialog)
    dialog.open()
    library.settle()
    dialog.path.setText(str(target))
    dialog._on_path()
    assert not dialog.main_button.isEnabled()
    dialog.overwrite.setChecked(True)
    dialog.apply()
    library.settle()
    graph = json.loads(target.read_text(encoding="utf-8"))
    assert [node["fields"]["summary"] for node in graph["nodes"]] == ["灯塔之夜"]


def test_chosen_memories_go_out_as_a_lorebook(library: RealLibrary, tmp_path: Path) -> None:
    pks = [library.create(title="灯塔", body="海边的灯塔"), library.create(body="不要")]
    dialog = ExportDialog(library.context, SelectionSubject((pks[0],)))
    library.qtbot.addWidget(dialog)
    dialog.open()
    library.settle()
    offered = [button.property("format") for button in dialog.formats.buttons() if not button.isHidden()]
    assert offered == ["worldinfo", "mcz", "markdown", "mem0"]
    target = tmp_path / "book.json"
    dialog.path.setText(str(target))
    dialog._on_path()
    QTest.mouseClick(dialog.main_button, Qt.MouseButton.LeftButton)
    library.settle()
    entries = json.loads(target.read_text(encoding="utf-8"))["entries"]
    assert [entry["content"] for entry in entries.values()] == ["海边的灯塔"]


def test_whole_library_goes_out_as_a_package_and_comes_in_with_a_choice(
    library: RealLibrary, tmp_path: Path
) -> None:
    pk = library.create(body="before")
    dialog = ExportDialog(library.context, LibrarySubject())
    library.qtbot.addWidget(dialog)
    dialog.open()
    library.settle()
    target = tmp_path / "all.mcz"
    assert dialog.path.text().endswith(".mcz")
    dialog.path.setText(str(target))
    dialog._on_path()
    dialog.apply()
    library.settle()
    library.engine.run(EditMemory(memory=pk, body="after"))

    taking = ImportDialog(library.context, target)
    library.qtbot.addWidget(taking)
    taking.open()
    library.settle()
    assert taking.collision.isVisible()
    assert taking.collision.choice is Collision.MINE
    taking.collision.choose(Collision.THEIRS)
    QTest.mouseClick(taking.main_button, Qt.MouseButton.LeftButton)
    library.settle()
    assert library.memory(pk).body == "before"
    library.engine.undo()
    assert library.memory(pk).body == "after"


def test_package_of_new_memories_asks_nothing(library: RealLibrary, tmp_path: Path) -> None:
    pk = library.create(body="x")
    target = tmp_path / "one.mcz"
    library.engine.ask(ExportMemories((pk,), Format.MCZ, target))
    library.engine.undo()
    taking = ImportDialog(library.context, target)
    library.qtbot.addWidget(taking)
    taking.open()
    library.settle()
    assert not taking.collision.isVisible()
    taking.apply()
    library.settle()
    assert taking.imported is not None
    assert len(taking.imported.created) == 1
