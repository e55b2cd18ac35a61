"""Promote: verdicts by key, click and menu; applied as one op; read from the store."""

from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTableView

from core.domain.enums import Layer, Status, StatusReason
from core.domain.upkeep import TRIAL_UNTIL_KEY
from tests.ui.upkeep.conftest import Bench
from ui.views.upkeep.page import UpkeepPage
from ui.views.upkeep.promote import ARCHIVE, KEEP, PROMOTE, TRASH, PromoteTask
from ui.views.upkeep.tasks import TASKS


def opened(bench: Bench) -> PromoteTask:
    task = PromoteTask(bench.context, bench.operations)
    bench.show(task)
    bench.until(lambda: task.plan is not None)
    bench.settle()
    return task


def click_row(table: QTableView, row: int, column: int = 1) -> None:
    place = table.visualRect(table.model().index(row, column)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place))


def press(task: PromoteTask, key: Qt.Key) -> None:
    QTest.keyClick(task.table, key)


@pytest.fixture
def trials(bench: Bench) -> list[int]:
    """Used, unused, young; oldest first."""
    trial = Layer.EMERGENT
    return [
        bench.create(days=30, used=5, layer=trial, title="used"),
        bench.create(days=20, layer=trial, title="unused"),
        bench.create(days=1, layer=trial, title="young"),
    ]


def test_suggested_verdicts_are_applied_as_one_op_and_undo_is_equal(bench: Bench, trials: list[int]) -> None:
    task, before = opened(bench), bench.dump()
    assert task.table.rows.choice.tolist() == [PROMOTE, TRASH, KEEP]
    assert "Promote 1" in task.summary_label.text()
    QTest.mouseClick(task.apply_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: bench.memory(trials[0]).layer is Layer.MEMORY)
    assert bench.memory(trials[0]).status is Status.ACTIVE
    assert bench.memory(trials[1]).deleted_at is not None
    assert bench.memory(trials[2]).layer is Layer.EMERGENT
    bench.until(lambda: len(task.table.rows.pks) == 1)
    bench.library.engine.undo()
    assert bench.dump() == before
    bench.until(lambda: len(task.table.rows.pks) == 3)


def test_letters_give_verdicts_to_the_selected_rows(bench: Bench, trials: list[int]) -> None:
    task = opened(bench)
    click_row(task.table, 1)
    press(task, Qt.Key.Key_A)
    assert task.table.rows.choice.tolist() == [PROMOTE, ARCHIVE, KEEP]
    QTest.keyClick(task.table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    press(task, Qt.Key.Key_K)
    assert task.table.rows.choice.tolist() == [KEEP, KEEP, KEEP]
    assert not task.apply_button.isEnabled()


def test_letters_do_nothing_when_they_are_switched_off(bench: Bench, trials: list[int]) -> None:
    bench.context.settings.set("ui.letters", False)
    task = opened(bench)
    click_row(task.table, 1)
    press(task, Qt.Key.Key_A)
    assert task.table.rows.choice.tolist() == [PROMOTE, TRASH, KEEP]


def test_buttons_wait_for_a_selection(bench: Bench, trials: list[int]) -> None:
    task = opened(bench)
    assert not task.verdicts[ARCHIVE].isEnabled()
    click_row(task.table, 0)
    QTest.mouseClick(task.verdicts[ARCHIVE], Qt.MouseButton.LeftButton)
    QTest.mouseClick(task.apply_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: bench.memory(trials[0]).status is Status.ARCHIVED)
    assert bench.memory(trials[0]).status_reason is StatusReason.PROMOTED


def test_what_was_chosen_by_hand_stays_when_the_library_changes(bench: Bench, trials: list[int]) -> None:
    task = opened(bench)
    click_row(task.table, 1)
    press(task, Qt.Key.Key_P)
    bench.create(days=40, layer=Layer.EMERGENT)
    bench.until(lambda: len(task.table.rows.pks) == 4)
    choice = dict(zip(task.table.rows.pks.tolist(), task.table.rows.choice.tolist(), strict=True))
    assert choice[trials[1]] == PROMOTE
    QTest.mouseClick(task.suggested, Qt.MouseButton.LeftButton)
    choice = dict(zip(task.table.rows.pks.tolist(), task.table.rows.choice.tolist(), strict=True))
    assert choice[trials[1]] == TRASH


def test_keep_until_is_kept_and_shown(bench: Bench, trials: list[int]) -> None:
    task = opened(bench)
    click_row(task.table, 1)
    press(task, Qt.Key.Key_U)
    day = (datetime.now(UTC) + timedelta(days=90)).date()
    task.until.setDate(day)
    QTest.mouseClick(task.apply_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: TRIAL_UNTIL_KEY in bench.memory(trials[1]).extra)
    assert str(day) in str(bench.memory(trials[1]).extra[TRIAL_UNTIL_KEY])
    bench.until(lambda: task.table.rows.columnCount() == 8)
    assert task.table.rows.choice.tolist()[0] == KEEP


def test_nothing_is_preselected_for_the_trash_when_hardly_anything_was_recalled(bench: Bench) -> None:
    for _ in range(6):
        bench.create(days=30, layer=Layer.EMERGENT)
    task = opened(bench)
    assert task.warning.isVisible()
    assert set(task.table.rows.choice.tolist()) == {KEEP}


def test_a_selection_is_planned_alone(bench: Bench, trials: list[int]) -> None:
    elsewhere = bench.create()
    page = UpkeepPage(bench.context, bench.operations)
    bench.show(page)
    page.take("promote", [trials[2], elsewhere])  # type: ignore[list-item]  # pks of the test
    task = page.task("promote")
    assert isinstance(task, PromoteTask)
    bench.until(lambda: task.table.rows.pks.tolist() == [trials[2]])
    assert task.table.rows.choice.tolist() == [PROMOTE]
    assert "other 1" in task.said.text()
    QTest.mouseClick(task.everything, Qt.MouseButton.LeftButton)
    bench.until(lambda: len(task.table.rows.pks) == 3)


def test_words_and_verdicts_narrow_the_rows(bench: Bench, trials: list[int]) -> None:
    task = opened(bench)
    QTest.keyClicks(task.filter.words, "unused")
    bench.until(lambda: task.table.rows.rowCount() == 1)
    assert task.table.rows.pk_at(0) == trials[1]
    task.filter.words.clear()
    bench.until(lambda: task.table.rows.rowCount() == 3)
    task.filter.choices.setCurrentIndex(task.filter.choices.findData(KEEP))
    task.filter.choices.activated.emit(0)
    assert task.table.rows.rowCount() == 1


def test_an_empty_plan_says_why(bench: Bench) -> None:
    bench.create()
    task = opened(bench)
    assert task.stack.shows == "notice"
    assert "No memory is on trial" in task.stack.notice.message.text()


def test_the_page_counts_what_waits(bench: Bench, trials: list[int]) -> None:
    page = UpkeepPage(bench.context, bench.operations)
    bench.show(page)
    row = [task.id for task in TASKS].index("promote")
    bench.until(lambda: page.tasks.item(row).data(Qt.ItemDataRole.UserRole + 1) == 2)


def test_sorting_by_a_column_keeps_choices_with_their_rows(bench: Bench, trials: list[int]) -> None:
    task = opened(bench)
    task.table.sortByColumn(2, Qt.SortOrder.AscendingOrder)
    assert task.table.rows.pk_at(0) != trials[0]
    assert task.table.rows.data(task.table.rows.index(2, 0)) == "Promote"


def test_sorting_keeps_no_selection_so_that_a_key_meets_no_other_memory(
    bench: Bench, trials: list[int]
) -> None:
    task = opened(bench)
    click_row(task.table, 0)
    task.table.sortByColumn(2, Qt.SortOrder.AscendingOrder)
    before = task.table.rows.choice.tolist()
    press(task, Qt.Key.Key_A)
    assert task.table.rows.choice.tolist() == before
