"""The Health page through real mouse events; results are read from the store."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app import logbook, paths
from core.domain.health import Fault, Level, RebuildState
from core.domain.ids import TypeId
from core.domain.queries import LibrarySchema, ListMemories, Memories, MemoryFilter
from core.domain.queries_health import Backups, CurrentRebuild
from tests.ui.health.conftest import Window
from ui.views.health.backups import DeleteDialog, RestoreDialog
from ui.views.health.page import BACKUPS, CHECKUP, LOG, REBUILD, HealthPage

SECRET_TEXT = "only-between-us-the-bell-tower-key-is-under-the-third-stone"


@pytest.fixture
def page(desk: Window) -> HealthPage:
    made = HealthPage(desk.context, desk.operations)
    desk.qtbot.addWidget(made)
    made.resize(1100, 760)
    return made


def shown(desk: Window, page: HealthPage, tab: int = 0) -> None:
    page.tabs.setCurrentIndex(tab)
    page.show()
    desk.settle()


def test_overview_counts_what_the_store_holds(desk: Window, page: HealthPage) -> None:
    for text in ("甲", "乙", "丙"):
        desk.add(text)
    desk.add("丁", type=TypeId("location"), title="灯塔")
    shown(desk, page)
    assert page.state is not None
    assert page.state.level is Level.GOOD
    assert page.overview.figures.shown["In use"] == "4"
    assert page.overview.kinds.shown["Event"] == "3"
    assert page.overview.made.total == 4
    page.overview.choice.setCurrentIndex(1)
    page.overview.choice.activated.emit(1)
    desk.settle()
    assert page.overview.figures.shown["In use"] == "4"


def test_check_up_finds_repairs_and_can_be_undone(desk: Window, page: HealthPage) -> None:
    pk = desk.add("下级")
    desk.sql("UPDATE memory SET parent = 999 WHERE pk = ?", pk)
    shown(desk, page, CHECKUP)
    desk.click(page.checkup.check_button)
    row = page.checkup.rows[Fault.PARENT]
    assert "no longer exists" in row.text.text()
    assert "can be undone" in row.dry_run.text()
    assert page.state is not None
    assert page.state.level is Level.LOOK
    desk.click(row.repair_button)
    assert desk.library.engine.ask(Memories((pk,)))[0].parent is None
    assert Fault.PARENT not in page.checkup.rows
    assert page.state.level is Level.GOOD


def test_all_safe_repairs_go_with_one_button_and_the_others_stay(desk: Window, page: HealthPage) -> None:
    first, second = desk.add("海雾漫过码头"), desk.add("乙")
    desk.sql("UPDATE memory SET parent = 999 WHERE pk = ?", first)
    desk.sql("UPDATE memory SET seq = -4 WHERE pk = ?", second)
    desk.sql("INSERT INTO memory_fts(memory_fts) VALUES ('delete-all')")
    shown(desk, page, CHECKUP)
    desk.click(page.checkup.check_button)
    assert {Fault.PARENT, Fault.FLOORS, Fault.FULL_TEXT} <= page.checkup.rows.keys()
    desk.click(page.checkup.safe_button)
    assert Fault.FLOORS in page.checkup.rows
    assert not {Fault.PARENT, Fault.FULL_TEXT} & page.checkup.rows.keys()
    assert list(desk.library.engine.ask(ListMemories(MemoryFilter(text="码头")))) == [first]


def test_unknown_type_is_added_from_its_finding_and_its_memories_are_shown(
    desk: Window, page: HealthPage
) -> None:
    pk = desk.add("一柄剑")
    desk.sql("UPDATE memory SET type = 'weapon', fields = '{\"edge\": \"dull\"}' WHERE pk = ?", pk)
    opened: list[object] = []
    page.open_memories.connect(opened.append)
    shown(desk, page, CHECKUP)
    desk.click(page.checkup.check_button)
    row = page.checkup.rows[Fault.TYPES]
    desk.click(row.open_button)
    assert opened == [(pk,)]
    desk.click(row.repair_button)
    found = desk.library.engine.ask(LibrarySchema()).type("weapon")
    assert found is not None
    assert "edge" in [column.name for column in found.columns]


def test_healthy_library_says_so_with_one_button(desk: Window, page: HealthPage) -> None:
    shown(desk, page, CHECKUP)
    assert page.checkup.stack.shows == "notice"
    desk.click(page.checkup.check_button)
    assert page.checkup.report is not None
    assert page.checkup.report.findings == ()
    assert "in order" in page.checkup.stack.notice.message.text()


def test_backup_is_made_verified_and_removed(desk: Window, page: HealthPage) -> None:
    desk.add("甲")
    shown(desk, page, BACKUPS)
    desk.click(page.backups.stack.notice.button)
    assert len(desk.library.engine.ask(Backups())) == 1
    page.backups.table.selectRow(0)
    desk.click(page.backups.verify_button)
    assert page.backups.table.item(0, 4).text() == "Whole"
    desk.click(page.backups.delete_button)
    dialog = next(each for each in QApplication.topLevelWidgets() if isinstance(each, DeleteDialog))
    desk.click(dialog.do)
    assert desk.library.engine.ask(Backups()) == ()


def test_restore_is_asked_for_once_and_only_for_a_whole_backup(desk: Window, page: HealthPage) -> None:
    desk.add("甲")
    shown(desk, page, BACKUPS)
    desk.click(page.backups.make_button)
    wanted: list[str] = []
    page.restore_wanted.connect(wanted.append)
    page.backups.table.selectRow(0)
    desk.click(page.backups.restore_button)
    dialog = next(each for each in QApplication.topLevelWidgets() if isinstance(each, RestoreDialog))
    desk.click(dialog.do)
    assert wanted == [page.backups.backups[0].name]
    (page.backups.backups[0].path / "library.db").write_bytes(b"nothing")
    desk.click(page.backups.restore_button)
    dialog = [each for each in QApplication.topLevelWidgets() if isinstance(each, RestoreDialog)][-1]
    desk.click(dialog.do)
    assert len(wanted) == 1
    assert desk.said[-1][1]


def test_rebuild_shows_cost_then_figures_and_waits_for_the_person(desk: Window, page: HealthPage) -> None:
    for text in ("钟楼的门锁着", "艾琳找到了暗门"):
        desk.add(text)
    desk.library.indexer.embed_missing()
    shown(desk, page, REBUILD)
    everything = next(button for scope, button in page.rebuild.buttons.items() if scope.value == "all")
    desk.click(everything)
    desk.click(page.rebuild.do["estimate"])
    assert "2 texts" in page.rebuild.cost.text()
    desk.click(page.rebuild.do["start"])
    job = desk.library.engine.ask(CurrentRebuild())
    assert job is not None
    assert job.state is RebuildState.READY
    assert page.rebuild.do["accept"].isVisible()
    assert not page.rebuild.do["start"].isVisible()
    desk.click(page.rebuild.do["accept"])
    assert desk.library.engine.ask(CurrentRebuild()) is None


def test_rebuild_is_given_up(desk: Window, page: HealthPage) -> None:
    desk.add("钟楼的门锁着")
    desk.library.indexer.embed_missing()
    shown(desk, page, REBUILD)
    everything = next(button for scope, button in page.rebuild.buttons.items() if scope.value == "all")
    desk.click(everything)
    desk.click(page.rebuild.do["start"])
    desk.click(page.rebuild.do["drop"])
    assert desk.library.engine.ask(CurrentRebuild()) is None
    assert len(desk.library.store.health.vector_models()) == 1


def test_log_is_filtered_copied_and_bundled_without_texts_and_keys(
    desk: Window, page: HealthPage, tmp_path: Path
) -> None:
    handler = logbook.start(paths.log_dir())
    try:
        desk.add(SECRET_TEXT, title=SECRET_TEXT[:30])
        desk.library.engine.ask(Backups())
        logger = logbook.logging.getLogger("core.test")
        logger.warning("the host %s refused after %d tries", "sk-abcdef0123456789", 3)
        shown(desk, page, LOG)
        assert any("op.memory.create" in line.text for line in page.log.lines)
        QTest.keyClicks(page.log.words, "refused")
        desk.qtbot.waitUntil(lambda: len(page.log.lines) == 1)
        desk.click(page.log.copy_button)
        assert "refused after 3 tries" in QApplication.clipboard().text()
        page.log.write_bundle(tmp_path / "report.zip")
        desk.settle()
    finally:
        logbook.stop(handler)
    with zipfile.ZipFile(tmp_path / "report.zip") as archive:
        whole = b"".join(archive.read(name) for name in archive.namelist()).decode()
    assert "refused after" in whole
    assert " 3" in whole
    for secret in (SECRET_TEXT, SECRET_TEXT[:30], "sk-abcdef", "银灯港", str(tmp_path)):
        assert secret not in whole


def test_bundle_to_a_place_that_cannot_be_written_is_said(desk: Window, page: HealthPage) -> None:
    shown(desk, page, LOG)
    page.log.write_bundle(Path("/proc/nowhere/report.zip"))
    desk.settle()
    assert desk.said[-1][1]


def test_page_speaks_the_other_language_at_once(desk: Window, page: HealthPage) -> None:
    desk.add("甲")
    shown(desk, page)
    desk.context.tr.switch("zh_CN")
    assert [page.tabs.tabText(at) for at in range(5)] == ["概览", "体检", "重建", "备份", "日志"]
    assert page.overview.figures.shown["在用"] == "1"


def test_tabs_are_reached_by_keys(desk: Window, page: HealthPage) -> None:
    shown(desk, page)
    bar = page.tabs.tabBar()
    bar.setFocus()
    desk.qtbot.keyClick(bar, Qt.Key.Key_Right)
    assert page.tabs.currentIndex() == CHECKUP
