"""Forget: the line is dragged, ticks are taken away, one op is applied; read from the store."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from core.domain.enums import Status, StatusReason
from tests.ui.upkeep.conftest import Bench
from ui.views.upkeep.forget import ForgetTask


def opened(bench: Bench) -> ForgetTask:
    task = ForgetTask(bench.context, bench.operations)
    bench.show(task)
    bench.until(lambda: task.plan is not None)
    bench.settle()
    return task


@pytest.fixture
def three(bench: Bench) -> list[int]:
    """Lowest retention first: about .03, .13 and .32."""
    ages = ((100, 1.0), (100, 5.0), (1, 7.5))
    return [bench.create(days=days, importance=value) for days, value in ages]


def drag_line(task: ForgetTask, value: float) -> None:
    plot = task.plot

    def place(at: float) -> QPoint:
        scene = plot.getPlotItem().getViewBox().mapViewToScene(QPointF(at, 0.5))
        return QPoint(plot.mapFromScene(scene))

    port, left = plot.viewport(), Qt.MouseButton.LeftButton
    start, stop = place(plot.threshold), place(value)
    QTest.mousePress(port, left, pos=start)
    for share in (0.3, 0.6, 1.0):
        x = round(start.x() + share * (stop.x() - start.x()))
        QTest.mouseMove(port, QPoint(x, start.y()), delay=10)
    QTest.mouseRelease(port, left, pos=QPoint(stop.x(), start.y()))


def test_what_lies_below_the_line_is_forgotten_as_one_op_and_undo_is_equal(
    bench: Bench, three: list[int]
) -> None:
    task, before = opened(bench), bench.dump()
    ticked = task.table.rows.picked(1).tolist()
    assert three[0] in ticked
    assert three[2] not in ticked
    QTest.mouseClick(task.apply_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: bench.memory(three[0]).status is Status.ARCHIVED)
    assert bench.memory(three[0]).status_reason is StatusReason.FORGOTTEN
    assert bench.memory(three[2]).status is Status.ACTIVE
    bench.settle()
    bench.library.engine.undo()
    assert bench.dump() == before


def test_a_tick_taken_away_stays_away_when_the_line_moves(bench: Bench, three: list[int]) -> None:
    task = opened(bench)
    row = task.table.rows.shown.tolist().index(task.table.rows.pks.tolist().index(three[0]))
    place = task.table.visualRect(task.table.rows.index(row, 1)).center()
    QTest.mouseClick(task.table.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place))
    QTest.keyClick(task.table, Qt.Key.Key_Space)
    assert three[0] not in task.table.rows.picked(1)
    count = len(task.table.rows.picked(1))
    task.threshold.setValue(0.9)
    assert three[0] not in task.table.rows.picked(1)
    assert len(task.table.rows.picked(1)) > count


def test_the_line_is_dragged_and_moved_by_keys(bench: Bench, three: list[int]) -> None:
    task = opened(bench)
    drag_line(task, 0.6)
    bench.until(lambda: abs(task.threshold.value() - 0.6) < 0.05)
    assert three[2] in task.table.rows.picked(1)
    now = task.threshold.value()
    task.plot.setFocus()
    QTest.keyClick(task.plot, Qt.Key.Key_Left)
    assert task.threshold.value() == pytest.approx(now - 0.01, abs=0.006)
    task.threshold.setValue(0.0)
    assert task.rows_stack.shows == "notice"
    assert not task.apply_button.isEnabled()
