"""The Types page through real mouse and key events; results are read from the store."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from core.domain.commands import EditMemory
from core.domain.commands_schema import SaveMemoryType
from core.domain.errors import Invalid
from core.domain.ids import RelationId, TypeId
from core.domain.queries import LibrarySchema, Memories
from core.domain.schema import MemoryType, Schema
from core.domain.schema_data import default_schema
from tests.ui.health.conftest import Window
from ui.drafts import drafts_of
from ui.views.types.columns_table import LIMIT, NAME, REQUIRED
from ui.views.types.page import TypesPage


@pytest.fixture
def page(desk: Window) -> TypesPage:
    return shown(desk)


def shown(desk: Window) -> TypesPage:
    made = TypesPage(desk.context, desk.operations)
    desk.qtbot.addWidget(made)
    made.resize(1200, 900)
    made.show()
    desk.settle()
    return made


def schema(desk: Window) -> Schema:
    return desk.library.engine.ask(LibrarySchema())


def stored(desk: Window, type_id: str) -> MemoryType:
    found = schema(desk).type(type_id)
    assert found is not None
    return found


def retype(desk: Window, edit: QLineEdit, text: str) -> None:
    edit.setFocus()
    edit.selectAll()
    QTest.keyClicks(edit, text)
    desk.qtbot.wait(260)
    desk.settle()


def test_new_type_is_named_given_a_column_saved_and_used(desk: Window, page: TypesPage) -> None:
    desk.click(page.side.tools["add"])
    retype(desk, page.pane.types.labels.edits["en"], "Weapon")
    retype(desk, page.pane.types.id, "weapon")
    desk.click(page.pane.types.columns.add_button)
    page.pane.types.columns.table.closePersistentEditor(page.pane.types.columns.table.currentItem())
    item = page.pane.types.columns.table.item(2, NAME)
    assert item is not None
    item.setText("edge")
    desk.qtbot.wait(260)
    desk.settle()
    desk.click(page.pane.save_button)
    found = stored(desk, "weapon")
    assert found.labels["en"] == "Weapon"
    assert [column.name for column in found.columns] == ["title", "summary", "edge"]
    pk = desk.add("a dull blade", type=TypeId("weapon"), title="Sword", fields={"edge": "dull"})
    assert desk.library.engine.ask(Memories((pk,)))[0].fields == {"edge": "dull"}
    desk.library.engine.undo()
    desk.library.engine.undo()
    assert schema(desk).type("weapon") is None


def test_rule_that_is_broken_is_said_while_typing_and_nothing_can_be_saved(
    desk: Window, page: TypesPage
) -> None:
    before = stored(desk, "event")
    retype(desk, page.pane.types.color.edit, "red")
    assert "#RRGGBB" in page.pane.said.text()
    assert not page.pane.save_button.isEnabled()
    retype(desk, page.pane.types.color.edit, "#112233")
    assert page.pane.save_button.isEnabled()
    desk.click(page.pane.discard_button)
    assert page.pane.types.color.value == before.color
    assert stored(desk, "event") == before


def test_edit_says_how_many_memories_it_affects_and_stays_while_another_is_looked_at(
    desk: Window, page: TypesPage
) -> None:
    desk.add("甲")
    desk.add("乙")
    page.refresh()
    desk.settle()
    assert page.pane.used.text() == "2 memories have this type"
    retype(desk, page.pane.types.labels.edits["en"], "Happening")
    assert "affects 2 memories" in page.pane.said.text()
    page.side.list.setCurrentRow(2)
    desk.settle()
    page.side.list.setCurrentRow(0)
    desk.settle()
    assert page.pane.types.labels.edits["en"].text() == "Happening"
    desk.click(page.pane.save_button)
    assert stored(desk, "event").labels["en"] == "Happening"
    desk.click(page.pane.default_button)
    assert stored(desk, "event").labels == default_schema().type("event").labels  # type: ignore[union-attr]


def test_unsaved_edits_survive_a_restart_and_lie_over_what_changed_meanwhile(
    desk: Window, page: TypesPage
) -> None:
    retype(desk, page.pane.types.labels.edits["en"], "Happening")
    desk.click(page.side.tools["add"])
    retype(desk, page.pane.types.labels.edits["en"], "Weapon")
    desk.click(page.side.kinds)
    page.save_state()  # as the window does when the library is closed
    assert len(desk.library.engine.drafts.all()) == 2
    page.hide()
    changed = replace(stored(desk, "event"), color="#112233")
    desk.library.engine.run(SaveMemoryType(changed))
    drafts_of(desk.context).setParent(None)
    again = shown(desk)
    edits = again.pane.types
    assert (edits.labels.edits["en"].text(), edits.color.value) == ("Happening", "#112233")
    assert again.side.kinds.tabText(0).endswith("•")
    names = [again.side.list.item(row).text() for row in range(again.side.list.count())]
    assert (names[0], names[-1]) == ("Happening •", "Weapon •")
    desk.click(again.pane.save_button)
    assert stored(desk, "event").color == "#112233"
    again.side.list.setCurrentRow(len(names) - 1)
    desk.click(again.pane.discard_button)
    assert not desk.library.engine.drafts.all()
    assert not again.side.kinds.tabText(0).endswith("•")


def test_change_of_a_memory_does_not_disturb_who_types(desk: Window, page: TypesPage) -> None:
    edit = page.pane.types.labels.edits["en"]
    retype(desk, edit, "Happening")
    edit.setCursorPosition(3)
    desk.add("x")
    desk.settle()
    assert page.pane.used.text() == "One memory has this type"
    assert edit.cursorPosition() == 3


def test_type_in_use_and_built_in_ones_cannot_be_removed(desk: Window, page: TypesPage) -> None:
    assert not page.side.tools["remove"].isEnabled()
    assert "comes with the program" in page.side.tools["remove"].toolTip()
    desk.click(page.side.tools["copy"])
    desk.click(page.pane.save_button)
    copied = stored(desk, "event_copy")
    assert copied.columns == stored(desk, "event").columns
    assert not copied.built_in
    desk.add("x", type=TypeId("event_copy"))
    page.refresh()
    desk.settle()
    assert not page.side.tools["remove"].isEnabled()
    desk.library.engine.undo()
    page.refresh()
    desk.settle()
    desk.click(page.side.tools["remove"])
    assert schema(desk).type("event_copy") is None


def test_order_is_changed_as_one_undoable_change(desk: Window, page: TypesPage) -> None:
    before = [item.id for item in schema(desk).types]
    desk.click(page.side.tools["down"])
    after = [item.id for item in schema(desk).types]
    assert after[:2] == before[1::-1]
    assert page.side.list.currentRow() == 1
    desk.library.engine.undo()
    assert [item.id for item in schema(desk).types] == before


def test_required_mark_and_role_are_set_in_the_table(desk: Window, page: TypesPage) -> None:
    table = page.pane.types.columns.table
    rows = [column.name for column in page.pane.types.columns.value]
    at = rows.index("participants")
    item = table.item(at, REQUIRED)
    assert item is not None
    rect = table.visualItemRect(item)
    where = rect.topLeft()
    where.setX(rect.left() + 10)
    where.setY(rect.center().y())
    desk.qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=where)
    desk.qtbot.wait(260)
    desk.settle()
    desk.click(page.pane.save_button)
    assert next(c for c in stored(desk, "event").columns if c.name == "participants").required


def test_relation_type_is_added_and_removed(desk: Window, page: TypesPage) -> None:
    page.side.kinds.setCurrentIndex(1)
    desk.settle()
    desk.click(page.side.tools["add"])
    retype(desk, page.pane.relations.id, "owes")
    retype(desk, page.pane.relations.inverse.edits["en"], "is owed by")
    desk.click(page.pane.relations.inhibits)
    desk.qtbot.wait(260)
    desk.settle()
    desk.click(page.pane.save_button)
    found = schema(desk).relation("owes")
    assert found is not None
    assert (found.inverse["en"], found.inhibits) == ("is owed by", True)
    assert page.pane.title.text() == "New relation"
    desk.click(page.side.tools["remove"])
    assert schema(desk).relation(RelationId("owes")) is None


def test_taken_id_is_said(desk: Window, page: TypesPage) -> None:
    desk.click(page.side.tools["add"])
    retype(desk, page.pane.types.id, "event")
    assert not page.pane.save_button.isEnabled()
    assert "event" in page.pane.said.text()


def test_json_goes_out_and_comes_back_equal(desk: Window, page: TypesPage, tmp_path: Path) -> None:
    file = tmp_path / "types.json"
    desk.click(page.side.tools["copy"])
    desk.click(page.pane.save_button)
    page.files.export_to(file)
    desk.settle()
    before = schema(desk)
    desk.click(page.side.tools["remove"])
    assert schema(desk) != before
    page.files.import_from(file)
    desk.settle()
    assert [item.id for item in schema(desk).types] == [item.id for item in before.types]
    assert stored(desk, "event_copy").columns == stored(desk, "event").columns


@pytest.mark.parametrize("text", ["{", "{}", "[1]", '{"types": [{"id": "x"}]}', '{"types": 3}', "\x00"])
def test_file_that_is_no_schema_changes_nothing(
    desk: Window, page: TypesPage, tmp_path: Path, text: str
) -> None:
    before = schema(desk)
    file = tmp_path / "bad.json"
    file.write_text(text, encoding="utf-8")
    page.files.import_from(file)
    desk.settle()
    assert schema(desk) == before
    assert desk.said[-1][1]


def test_one_bad_type_keeps_the_whole_file_out(desk: Window, page: TypesPage, tmp_path: Path) -> None:
    file = tmp_path / "types.json"
    page.files.export_to(file)
    desk.settle()
    data = json.loads(file.read_text("utf-8"))
    data["types"][0]["labels"]["en"] = "Changed"
    data["types"][3]["columns"] = []
    file.write_text(json.dumps(data), encoding="utf-8")
    before = schema(desk)
    page.files.import_from(file)
    desk.settle()
    assert schema(desk) == before


def test_limit_of_a_column_is_set_and_holds_for_every_save(desk: Window, page: TypesPage) -> None:
    table = page.pane.types.columns.table
    at = [column.name for column in page.pane.types.columns.value].index("summary")
    item = table.item(at, LIMIT)
    assert item is not None
    item.setText("50")
    desk.qtbot.wait(260)
    desk.settle()
    desk.click(page.pane.save_button)
    assert next(c for c in stored(desk, "event").columns if c.name == "summary").limit == 50
    with pytest.raises(Invalid) as caught:
        desk.add("守" * 60)
    assert caught.value.text_args["length"] == 60
    pk = desk.add("守" * 50)
    desk.library.engine.run(EditMemory(memory=pk, importance=3))
