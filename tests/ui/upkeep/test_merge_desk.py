"""The merge desk through real keys and clicks; the result is read from the store."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QCheckBox, QLabel, QRadioButton

from core.domain.commands import SetLocked
from core.domain.commands_graph import AddEdge
from core.domain.enums import Status, StatusReason
from core.domain.ids import MemoryPk, RelationId
from core.domain.memory import TagSet
from core.domain.queries import MemoryDetailOf
from tests.ui.upkeep.conftest import Bench
from ui.models.merge_choice import BODY, COLUMN, TITLE, DeskItem, joined, sentences
from ui.views.merge.desk import MergeDesk
from ui.views.merge.form import MergeForm


def opened(bench: Bench, *groups: Sequence[MemoryPk]) -> MergeDesk:
    desk = MergeDesk(bench.context, bench.operations, [DeskItem(tuple(pks)) for pks in groups], None)
    desk.open()
    bench.settle()
    return desk


def form(desk: MergeDesk) -> MergeForm:
    assert desk.form is not None
    return desk.form


def press(bench: Bench, desk: MergeDesk, key: Qt.Key) -> None:
    bench.qtbot.keyClick(desk, key)
    bench.settle()


def cell(desk: MergeDesk, line: str, at: int) -> QRadioButton:
    """The mark of an option of a line."""
    found = next(c for each, place, c in form(desk)._cells if each.name == line and place == at)
    return found if isinstance(found, QRadioButton) else found.mark


@pytest.fixture
def towers(bench: Bench) -> list[MemoryPk]:
    one = bench.create(
        "location", title="钟楼", body="荒废多年。有暗门。", fields={"state": "破旧"}, tags=TagSet(("old",))
    )
    other = bench.create(
        "location",
        title="旧钟楼",
        body="荒废多年。已上锁。",
        fields={"state": "上锁"},
        tags=TagSet(("town",)),
    )
    third = bench.create("event", body="艾琳来到钟楼")
    bench.library.engine.run(AddEdge(source=third, target=other, relation=RelationId("occurred_at")))
    return [one, other, third]


def test_enter_merges_as_the_preview_shows_and_ctrl_z_takes_it_back(
    bench: Bench, towers: list[MemoryPk]
) -> None:
    before = bench.dump()
    desk = opened(bench, towers[:2], towers[1:])
    assert desk.form is not None
    assert desk.position.text() == "1 of 2"
    press(bench, desk, Qt.Key.Key_Return)
    loser = bench.memory(towers[1])
    assert (loser.status, loser.status_reason, loser.merged_into) == (
        Status.ARCHIVED,
        StatusReason.MERGED,
        towers[0],
    )
    detail = bench.library.engine.ask(MemoryDetailOf(towers[0]))
    assert detail.aliases == ("旧钟楼",)
    assert detail.tags.general == ("old", "town")
    bench.qtbot.keySequence(desk, QKeySequence(QKeySequence.StandardKey.Undo))
    bench.settle()
    assert bench.dump() == before
    desk.close()


def test_chosen_values_texts_by_hand_and_ticks_are_what_is_written(
    bench: Bench, towers: list[MemoryPk]
) -> None:
    desk = opened(bench, towers[:2])
    bench.qtbot.mouseClick(cell(desk, TITLE, 1), Qt.MouseButton.LeftButton)
    bench.qtbot.mouseClick(cell(desk, f"{COLUMN}state", -1), Qt.MouseButton.LeftButton)
    line = form(desk).choice.line(BODY)
    form(desk)._edit(line, form(desk))
    editor = form(desk).editors[BODY]
    editor.selectAll()
    bench.qtbot.keyClicks(editor, "all new")
    tick: QCheckBox = form(desk).ticks["tags"].boxes[0]
    tick.click()
    bench.qtbot.mouseClick(desk.merge_button, Qt.MouseButton.LeftButton)
    bench.settle()
    merged = bench.memory(towers[0])
    assert (merged.title, merged.body, merged.fields) == ("旧钟楼", "all new", {"state": "破旧；上锁"})
    assert bench.library.engine.ask(MemoryDetailOf(towers[0])).tags.general == ("town",)


def test_letters_move_put_off_and_tell_apart_but_not_while_typing(
    bench: Bench, towers: list[MemoryPk]
) -> None:
    desk = opened(bench, towers[:2], [towers[0], towers[2]])
    press(bench, desk, Qt.Key.Key_J)
    assert desk.item is not None
    assert desk.item.pks == (towers[0], towers[2])
    press(bench, desk, Qt.Key.Key_K)
    press(bench, desk, Qt.Key.Key_S)
    assert desk.item.pks == (towers[0], towers[2])
    line = form(desk).choice.line(BODY)
    form(desk)._edit(line, form(desk))
    bench.qtbot.keyClicks(form(desk).editors[BODY], "njs")
    assert desk.item.pks == (towers[0], towers[2])
    bench.qtbot.mouseClick(cell(desk, TITLE, 0), Qt.MouseButton.LeftButton)
    bench.context.settings.set("ui.letters", False)
    press(bench, desk, Qt.Key.Key_N)
    assert bench.dump()["not_duplicate"] == []
    bench.context.settings.set("ui.letters", True)
    press(bench, desk, Qt.Key.Key_N)
    assert [(row["a"], row["b"]) for row in bench.dump()["not_duplicate"]] == [(towers[0], towers[2])]
    assert desk.item is not None
    assert desk.item.pks == tuple(towers[:2])
    desk.close()


def test_other_survivor_is_kept_when_it_is_chosen(bench: Bench, towers: list[MemoryPk]) -> None:
    desk = opened(bench, towers[:2])
    bench.qtbot.mouseClick(form(desk).keepers[1], Qt.MouseButton.LeftButton)
    bench.settle()
    press(bench, desk, Qt.Key.Key_Return)
    assert bench.memory(towers[0]).merged_into == towers[1]
    assert bench.memory(towers[1]).title == "旧钟楼"


def test_more_than_three_have_one_form_with_sentences_and_members(
    bench: Bench, towers: list[MemoryPk]
) -> None:
    more = [bench.create("location", title="钟楼", body="荒废多年。很高。") for _ in range(3)]
    desk = opened(bench, [*towers[:2], *more])
    assert not form(desk).wide
    title = form(desk).choice.line(TITLE)
    assert [len(option.members) for option in title.options] == [4, 1]
    boxes = form(desk).ticks["sentences"].boxes
    assert [box.isChecked() for box in boxes] == [True, True, False, False]
    boxes[3].click()
    form(desk).ticks["member 4"].boxes[0].click()
    bench.settle()
    assert len(form(desk).choice.memories) == 4
    form(desk).ticks["sentences"].boxes[3].click()
    press(bench, desk, Qt.Key.Key_Return)
    assert bench.memory(towers[0]).body == "荒废多年。\n有暗门。\n很高。"
    assert bench.memory(more[2]).status is Status.ACTIVE


def test_locked_memory_and_open_audience_keep_merge_off_until_settled(
    bench: Bench, towers: list[MemoryPk]
) -> None:
    bench.library.engine.run(SetLocked(memories=(towers[0],), locked=True))
    desk = opened(bench, towers[:2])
    assert not desk.merge_button.isEnabled()
    desk.close()
    seen = [bench.create("location", title="门", visibility=(name,)) for name in ("艾琳", "博")]
    desk = opened(bench, seen)
    assert not desk.merge_button.isEnabled()
    bench.qtbot.mouseClick(cell(desk, "visibility", 1), Qt.MouseButton.LeftButton)
    assert desk.merge_button.isEnabled()
    press(bench, desk, Qt.Key.Key_Return)
    assert bench.memory(seen[0]).visibility == ("博",)


def test_texts_are_joined_without_what_stands_in_another() -> None:
    assert joined(["a b", "a b", "c"], lines=True) == "a b\nc"
    assert joined(["破旧", "破旧，上锁"], lines=False) == "破旧，上锁"
    assert joined([["a"], ["a", "b"]], lines=False) == ["a", "b"]
    assert sentences("他来了。她走了！\nOne went. Two stayed.") == [
        "他来了。",
        "她走了！",
        "One went.",
        "Two stayed.",
    ]


def test_columns_the_survivors_type_has_not_are_left_out_until_chosen(
    bench: Bench, towers: list[MemoryPk]
) -> None:
    met = bench.create("event", body="艾琳在钟楼", fields={"status": "resolved"})
    desk = opened(bench, [towers[0], met])
    line = form(desk).choice.line(f"{COLUMN}status")
    assert line.value is None
    assert cell(desk, f"{COLUMN}status", line.chosen).isChecked()
    shown = {label.text() for label in form(desk).findChildren(QLabel)}
    assert {"settled", "Leave it out", "Location has no such column"} <= shown
    press(bench, desk, Qt.Key.Key_Return)
    assert bench.memory(towers[0]).fields == {"state": "破旧"}
