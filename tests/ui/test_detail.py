"""The detail pane over a real library: reading, editing, drafts, conflicts (case c614), relations, versions."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.domain.commands import DeletePermanently, EditMemory, TrashMemories
from core.domain.commands_graph import AddEdge, EndEdges
from core.domain.enums import Layer
from core.domain.ids import RelationId
from core.domain.memory import TagSet
from core.domain.queries import LiveEdges, MemoryDetailOf
from tests.ui.real_library import RealLibrary, open_real
from ui.views.detail import EDIT, HISTORY, READ, RELATIONS, DetailPane
from ui.views.field_editors import TextEditor

TYPED = "改过的内容"


@pytest.fixture
def library(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[RealLibrary]:
    opened = open_real(qtbot, qapp, tmp_path / "library")
    yield opened
    opened.close()


@pytest.fixture
def pane(library: RealLibrary) -> Iterator[DetailPane]:
    made = DetailPane(library.context)
    library.qtbot.addWidget(made)
    made.resize(420, 800)
    made.show()
    library.settle()
    yield made
    made.close_drafts()


def type_into(pane: DetailPane, key: str, text: str) -> None:
    editor = pane.editor.form._editors[key]
    assert isinstance(editor, TextEditor)
    editor.edit.selectAll()
    editor.edit.insertPlainText(text)


def type_body(pane: DetailPane, text: str = TYPED) -> None:
    type_into(pane, "body", text)


def show(library: RealLibrary, pane: DetailPane, pk: int, tab: int = READ) -> None:
    pane.show_memory(pk)
    library.settle()
    pane.tabs.setCurrentIndex(tab)
    library.settle()


def test_memory_is_shown_to_read_first(library: RealLibrary, pane: DetailPane) -> None:
    pk = library.create(title="灯塔", body="一封信\n没有署名", fields={"participants": "阿黛尔"}, seq=3)
    show(library, pane, pk)
    assert pane.stack.shows == "content"
    assert pane.reading.as_text() == "灯塔\n\n一封信\n没有署名\n\nParticipants: 阿黛尔"


def test_only_the_last_of_fast_selections_is_shown(library: RealLibrary, pane: DetailPane) -> None:
    pks = [library.create(body=f"memory {number}") for number in range(10)]
    for pk in pks:
        pane.show_memory(pk)
    library.settle()
    assert pane.reading.as_text() == "memory 9"


def test_save_writes_one_change_with_only_what_was_edited(library: RealLibrary, pane: DetailPane) -> None:
    pk = library.create(title="t", body="old", importance=7.3)
    show(library, pane, pk, EDIT)
    type_body(pane)
    pane.save()
    library.settle()
    memory = library.memory(pk)
    assert (memory.body, memory.title, memory.importance) == (TYPED, "t", 7.3)
    assert not pane.editor.dirty
    assert not library.engine.drafts.all()
    library.engine.undo()
    assert library.memory(pk).body == "old"


@pytest.mark.parametrize(
    "trigger", ["other row", "many rows", "no row", "refresh", "close", "language", "new memory"]
)
def test_typed_text_survives(library: RealLibrary, pane: DetailPane, trigger: str) -> None:
    pk, other = library.create(body="old"), library.create(body="other")
    show(library, pane, pk, EDIT)
    type_body(pane)
    match trigger:
        case "other row":
            pane.show_memory(other)
        case "many rows":
            pane.show_many(2)
        case "no row":
            pane.show_memory(None)
        case "refresh":
            library.agent.run(EditMemory(memory=pk, importance=9.0))
            library.foreign()
            library.until(
                lambda: pane.editor._subject is not None and pane.editor._subject.stored["importance"] == 9.0
            )
            assert pane.editor.form.values()["importance"] == 9.0
        case "close":
            pane.close_drafts()
            assert [draft["mine"]["body"] for draft in library.engine.drafts.all().values()] == [TYPED]
        case "language":
            library.context.tr.switch("zh_CN")
        case "new memory":
            pane.new_memory(library.folder)
    library.settle()
    assert pk in pane.drafts.memories or pane.editor.dirty
    pane.show_memory(None)
    show(library, pane, pk, EDIT)
    assert pane.editor.form.values()["body"] == TYPED
    assert pane.editor.dirty
    assert library.memory(pk).body == "old"
    assert pane.tabs.tabText(EDIT).endswith("•")


def test_draft_comes_back_in_a_new_window(library: RealLibrary, pane: DetailPane) -> None:
    pk = library.create(body="old")
    show(library, pane, pk, EDIT)
    type_body(pane)
    pane.close_drafts()
    second = DetailPane(library.context)
    library.qtbot.addWidget(second)
    library.settle()
    assert second.drafts.memories == {pk}
    show(library, second, pk, EDIT)
    assert second.editor.form.values()["body"] == TYPED
    second.editor.revert()
    assert second.editor.form.values()["body"] == "old"
    library.settle()
    assert not second.drafts.memories
    assert not library.engine.drafts.all()


def test_program_changed_the_same_text_and_both_are_shown(library: RealLibrary, pane: DetailPane) -> None:
    pk = library.create(body="old")
    show(library, pane, pk, EDIT)
    type_body(pane)
    library.agent.run(EditMemory(memory=pk, body="theirs"))
    library.foreign()
    library.until(lambda: bool(pane.editor.clashes.undecided))
    pane.save()
    library.settle()
    assert library.memory(pk).body == "theirs", "nothing is overwritten before the person decides"
    pane.editor.clashes._choose("body", TYPED)
    pane.save()
    library.settle()
    assert library.memory(pk).body == TYPED


def test_theirs_can_be_taken(library: RealLibrary, pane: DetailPane) -> None:
    pk = library.create(body="old")
    show(library, pane, pk, EDIT)
    type_body(pane)
    library.agent.run(EditMemory(memory=pk, body="theirs"))
    library.foreign()
    library.until(lambda: bool(pane.editor.clashes.undecided))
    pane.editor.clashes._choose("body", "theirs")
    assert pane.editor.form.values()["body"] == "theirs"
    assert not pane.editor.dirty


def test_conflict_at_the_moment_of_saving_keeps_the_text(library: RealLibrary, pane: DetailPane) -> None:
    pk = library.create(body="old")
    show(library, pane, pk, EDIT)
    type_body(pane)
    library.agent.run(EditMemory(memory=pk, body="theirs"))  # the window has not heard of it yet
    pane.save()
    library.until(lambda: bool(pane.editor.clashes.undecided))
    assert pane.editor.form.values()["body"] == TYPED
    assert library.memory(pk).body == "theirs"


def test_faults_are_said_at_the_field_and_nothing_is_written(library: RealLibrary, pane: DetailPane) -> None:
    pk = library.create(body="old")
    show(library, pane, pk, EDIT)
    type_body(pane, "  ")
    pane.editor.form._chips["tags.core"].set_values(("a",))
    pane.save()
    library.settle()
    rows = pane.editor.form._rows
    assert not rows["body"].fault.isHidden()
    assert rows["tags.core"].fault.isHidden()
    assert not rows["tags.opposing"].fault.isHidden()
    assert library.memory(pk).body == "old"


def test_type_change_keeps_fields_the_new_type_does_not_know(library: RealLibrary, pane: DetailPane) -> None:
    pk = library.create(title="t", body="b", fields={"participants": "A", "status": "ongoing"})
    show(library, pane, pk, EDIT)
    combo = pane.editor.form._type
    combo.setCurrentIndex(combo.findData("thread"))
    assert "fields.participants" in pane.editor.form._editors
    pane.save()
    library.settle()
    memory = library.memory(pk)
    assert (memory.type, memory.fields["participants"], memory.body) == ("thread", "A", "b")


def test_new_memory_is_created_in_the_folder_and_shown(library: RealLibrary, pane: DetailPane) -> None:
    created: list[int] = []
    pane.created.connect(created.append)
    pane.new_memory(library.folder, "rule", Layer.INHERENT)
    library.settle()
    assert pane.tabs.currentIndex() == EDIT
    type_into(pane, "title", "不得熄灯")
    type_body(pane)
    pane.save()
    library.settle()
    memory = library.memory(created[0])
    assert (memory.title, memory.body, memory.layer, memory.folder) == (
        "不得熄灯",
        TYPED,
        Layer.INHERENT,
        library.folder,
    )
    assert pane.memory == created[0]
    assert not library.engine.drafts.all()


def test_values_of_odd_shape_survive_an_edit(library: RealLibrary, pane: DetailPane) -> None:
    odd = {
        "nested": {"a": [1, None]},
        "number": 0.1,
        "flag": True,
        "list": ["x, y", "z"],
        "participants": "A\r\nB",
    }
    pk = library.create(body="old", fields=odd)
    show(library, pane, pk, EDIT)
    type_body(pane)
    pane.save()
    library.settle()
    assert library.memory(pk).fields == odd


def test_deleted_memory_is_said(library: RealLibrary, pane: DetailPane) -> None:
    pk = library.create(body="old")
    show(library, pane, pk)
    library.engine.run(DeletePermanently(memories=(pk,)))
    library.settle()
    assert pane.stack.shows == "notice"


def test_trashed_memory_cannot_be_edited(library: RealLibrary, pane: DetailPane) -> None:
    pk = library.create(body="old")
    library.engine.run(TrashMemories(memories=(pk,)))
    show(library, pane, pk)
    assert not pane.tabs.isTabEnabled(EDIT)


def test_relations_are_listed_live_and_past(library: RealLibrary, pane: DetailPane) -> None:
    pk, other = library.create(body="night"), library.create("character", title="阿黛尔")
    engine = library.engine
    engine.run(AddEdge(source=other, target=pk, relation=RelationId("involved_in")))
    ended = engine.run(AddEdge(source=pk, target=other, relation=RelationId("related"))).created_edge
    assert ended is not None
    engine.run(EndEdges(edges=(ended,), seq=118))
    show(library, pane, pk, RELATIONS)
    tree = pane.relations.tree
    groups = [tree.topLevelItem(row) for row in range(tree.topLevelItemCount())]
    rows = [[item.child(0).text(column) for column in range(3)] for item in groups]
    assert rows == [["← Involves", "阿黛尔", "Strength 0.8"], ["→ Related", "阿黛尔", "Ended at floor 118"]]
    opened: list[int] = []
    pane.open_memory.connect(opened.append)
    tree.itemActivated.emit(groups[0].child(0), 0)
    assert opened == [other]
    tree.setCurrentItem(groups[0].child(0))
    pane.relations.reverse()
    library.settle()
    live = [view for view in engine.ask(LiveEdges(pk)) if view.live]
    assert [(view.edge.source, view.edge.target) for view in live] == [(pk, other)]


def test_version_is_brought_back_as_a_new_change(library: RealLibrary, pane: DetailPane) -> None:
    tags = TagSet(general=("a",), core=("c",), diffusion=("d",), opposing=("o",))
    pk = library.create(body="first", fields={"status": "ongoing"}, tags=tags)
    library.engine.run(
        EditMemory(memory=pk, body="second", fields={"status": None}, tags=TagSet(general=("z",)))
    )
    library.agent.run(EditMemory(memory=pk, importance=9.0))
    library.engine.poll()
    show(library, pane, pk, HISTORY)
    assert pane.versions.list.count() == 3
    pane.versions.list.setCurrentRow(2)
    pane.versions.bring_back()
    library.settle()
    detail = library.engine.ask(MemoryDetailOf(pk))
    memory = detail.memory
    assert (memory.body, memory.fields, memory.importance, detail.tags) == (
        "first",
        {"status": "ongoing"},
        5.0,
        tags,
    )
    library.engine.undo()
    assert library.memory(pk).body == "second"
