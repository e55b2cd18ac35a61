"""Recall tests from the page: ticked memories are saved, run, and compared with the run before."""

import pytest
from PySide6.QtWidgets import QApplication

from core.domain.commands import TrashMemories
from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries_recall import RecallCases, RecallRuns
from core.domain.recall import Layout, RecallRequest
from tests.ui.recall.conftest import Shown
from ui.views.recall.save_case import SaveCaseDialog, case_of, with_settings

QUESTION = "怀表和铜片"


def save_first(shown: Shown, count: int = 1) -> list[MemoryPk]:
    """Tick the first recalled memories and save them as a test."""
    shown.ask(QUESTION)
    expected = shown.recalled()[:count]
    shown.page.body.results.results.set_ticked(expected)
    shown.page.cases.save()
    shown.settle()
    dialog = next(item for item in QApplication.topLevelWidgets() if isinstance(item, SaveCaseDialog))
    assert dialog.list.count() == count
    dialog.name.setText("the watch")
    dialog.main_button.click()
    shown.settle()
    return expected


def test_ticked_memories_become_a_test_that_can_be_opened(shown: Shown) -> None:
    expected = save_first(shown, 2)
    cases = shown.library.engine.ask(RecallCases())
    assert [(case.name, case.message, case.expected) for case in cases] == [
        ("the watch", QUESTION, tuple(expected))
    ]
    panel = shown.page.body.cases
    assert shown.page.body.tabs.currentWidget() is panel
    assert panel.table.rowCount() == 1
    shown.ask("钟楼")
    panel.table.selectRow(0)
    panel.open_button.click()
    shown.settle()
    assert shown.page.body.request.message.text() == QUESTION
    assert set(shown.page.body.results.results.ticked) == set(expected)


def test_without_ticks_saving_says_what_to_do(shown: Shown) -> None:
    assert not shown.page.body.cases.save_button.isEnabled()
    shown.page.cases.save()
    assert any("Tick" in text for text in shown.said)


def test_run_shows_green_then_red_after_a_change_and_touches_no_run(shown: Shown) -> None:
    expected = save_first(shown)
    panel = shown.page.body.cases
    panel.run_button.click()
    shown.settle()
    assert panel.evaluation is not None
    state = panel.table.item(0, 0)
    assert state is not None
    assert state.text() == "green"
    assert any("recall@5 100 %" in label.text() for label in panel.figures)
    shown.library.engine.run(TrashMemories(memories=tuple(expected)))
    shown.settle()
    panel.run_button.click()
    shown.settle()
    state = panel.table.item(0, 0)
    assert state is not None
    assert state.text() == "red now"
    assert any("was 100 %" in label.text() for label in panel.figures)
    assert shown.library.engine.ask(RecallRuns()) == ()


def test_test_is_removed_and_undo_brings_it_back(shown: Shown) -> None:
    save_first(shown)
    panel = shown.page.body.cases
    panel.table.selectRow(0)
    panel.remove_button.click()
    shown.until(lambda: shown.library.engine.ask(RecallCases()) == ())
    shown.until(lambda: panel.table.rowCount() == 0)
    shown.library.engine.undo()
    shown.until(lambda: panel.table.rowCount() == 1)


@pytest.mark.parametrize("layout", [None, Layout.TABLES])
def test_test_keeps_the_fields_of_its_request(layout: Layout | None) -> None:
    request = RecallRequest(
        message="x",
        folder=FolderPk(2),
        top_k=4,
        budget_tokens=90,
        layout=layout,
        settings={"graph_weight": 0.5},
    )
    case = case_of(request, " ", (MemoryPk(1),), "苏禾")
    assert case.name == "x"
    again = with_settings(RecallRequest(message=case.message, folder=case.folder), case.settings)
    assert again == request
