"""Memos are written, kept longer and ended; a flashback is drawn, explained, restored and counted."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from core.domain.commands import ArchiveMemories
from core.domain.commands_upkeep import KeepMemo
from core.domain.enums import Status
from core.domain.queries_upkeep import MemoRows
from core.domain.upkeep import FlashbackLayer, MemoRow
from tests.ui.upkeep.conftest import Bench
from ui.views.upkeep.flashback import FlashbackTask
from ui.views.upkeep.memos import MemosTask


def memos(bench: Bench) -> tuple[MemoRow, ...]:
    return bench.library.engine.ask(MemoRows())


def test_a_memo_is_written_kept_longer_and_ended(bench: Bench) -> None:
    task = MemosTask(bench.context, bench.operations)
    bench.show(task)
    bench.until(lambda: task.stack.shows == "notice" and task.folder.count() > 0)
    QTest.keyClicks(task.text, "ask about the coins")
    QTest.keyClick(task.text, Qt.Key.Key_Return)
    bench.until(lambda: task.list.topLevelItemCount() == 1)
    assert [(row.memo.content, row.left, row.unit.value) for row in memos(bench)] == [
        ("ask about the coins", "2", "hours")
    ]
    task.list.topLevelItem(0).setSelected(True)
    task.hours.setValue(30.0)
    QTest.mouseClick(task.refresh_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: memos(bench)[0].left == "30")
    bench.settle()
    task.list.setFocus()
    task.list.topLevelItem(0).setSelected(True)
    QTest.keyClick(task.list, Qt.Key.Key_Delete)
    bench.until(lambda: memos(bench) == ())
    bench.settle()
    bench.library.engine.undo()
    assert memos(bench)[0].left == "30"


def test_expired_memos_are_shown_when_wanted(bench: Bench) -> None:
    bench.library.engine.run(KeepMemo(folder=bench.folder, content="soon over", hours=0.00001))
    task = MemosTask(bench.context, bench.operations)
    bench.show(task)
    QTest.qWait(60)
    bench.until(lambda: task.stack.shows == "notice")
    task.expired.setChecked(True)
    bench.until(lambda: task.list.topLevelItemCount() == 1)
    task.list.topLevelItem(0).setSelected(True)
    assert not task.refresh_button.isEnabled()
    assert task.remove_button.isEnabled()


def test_a_drawn_memory_is_explained_restored_and_counted(bench: Bench) -> None:
    pk = bench.create(title="old door", body="It was sealed.", used=1)
    bench.library.engine.run(ArchiveMemories(memories=(pk,)))
    task = FlashbackTask(bench.context, bench.operations)
    bench.show(task)
    task.layer.setCurrentIndex(task.layer.findData(FlashbackLayer.ARCHIVED.value))
    QTest.mouseClick(task.draw_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: task.name.text() == "old door")
    assert "recalled once" in task.why.text()
    assert "100.0%" in task.why.text()
    QTest.mouseClick(task.touch_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: bench.memory(pk).activation_count == 2)
    QTest.mouseClick(task.restore_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: bench.memory(pk).status is Status.ACTIVE)


def test_when_nothing_is_left_to_draw_it_says_so(bench: Bench) -> None:
    task = FlashbackTask(bench.context, bench.operations)
    bench.show(task)
    QTest.mouseClick(task.draw_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: "There is no" in task.stack.notice.message.text())
