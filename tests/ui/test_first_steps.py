"""The first steps with the sample: offered there only, ticked by what is done, closed for good."""

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.domain.commands_merge import MergeMemories
from core.domain.enums import OpRole
from core.domain.ids import MemoryPk
from core.domain.results import Changes
from core.settings import Settings
from tests.ui.conftest import settled
from ui.main_window import MainWindow
from ui.session import Session
from ui.views.first_steps import DROP, EDIT, MERGE, STEPS, UNDO, WHY, FirstSteps


@pytest.fixture
def sample(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> Session:
    """The library that opens is the sample."""
    monkeypatch.setattr(window._services.libraries, "sample_path", lambda: Path("library"))
    window.open_sample(reset=False)
    qtbot.waitUntil(lambda: window.session is not None and window.session.memories.model.rowCount() > 0)
    session = window.session
    assert session is not None
    settled(qtbot, window)
    return session


def steps_of(session: Session) -> FirstSteps:
    assert session.steps is not None
    return session.steps


def test_other_libraries_have_no_first_steps(opened: Session) -> None:
    assert opened.steps is None
    assert not opened.context.actions.get("help.first_steps").isEnabled()


def test_what_is_done_is_ticked_and_kept(
    qtbot: QtBot, window: MainWindow, sample: Session, settings: Settings, tmp_path: Path
) -> None:
    steps = steps_of(sample)
    assert (steps.isVisible(), steps.done) == (True, frozenset())
    sample.take_files((tmp_path / "a.txt",))
    qtbot.waitUntil(lambda: steps.done == {DROP})
    settled(qtbot, window)
    sample.operations.run(MergeMemories(survivor=MemoryPk(1), losers=(MemoryPk(2),)))
    qtbot.waitUntil(lambda: MERGE in steps.done)
    settled(qtbot, window)
    sample.operations.undo()
    qtbot.waitUntil(lambda: UNDO in steps.done)
    assert set(settings.text("ui.first_steps").split()) == {DROP, MERGE, UNDO}
    assert "(done)" in steps.buttons[MERGE].accessibleName()
    assert "(done)" not in steps.buttons[EDIT].accessibleName()


def test_changes_of_other_programs_tick_nothing(qtbot: QtBot, window: MainWindow, sample: Session) -> None:
    seen: list[Changes] = []
    sample.context.bridge.changes.connect(seen.append)
    steps = steps_of(sample)
    sample.operations.run(MergeMemories(survivor=MemoryPk(1), losers=(MemoryPk(2),)))
    qtbot.waitUntil(lambda: bool(seen))
    sample.context.settings.set("ui.first_steps", "")
    sample.context.bridge.changes.emit(replace(seen[0], foreign=True))
    undone = replace(seen[0].op, role=OpRole.UNDO)
    sample.context.bridge.changes.emit(replace(seen[0], op=undone, foreign=True))
    assert steps.done == frozenset()


def test_step_leads_to_where_it_is_done(qtbot: QtBot, window: MainWindow, sample: Session) -> None:
    steps = steps_of(sample)
    steps.buttons[EDIT].click()
    qtbot.waitUntil(lambda: sample.detail.tabs.currentWidget() is sample.detail.editor)
    steps.buttons[WHY].click()
    assert steps.done == {WHY}
    assert sample.recall.isVisible()


def test_closed_list_stays_closed_until_help_brings_it_back(
    qtbot: QtBot, window: MainWindow, sample: Session
) -> None:
    steps_of(sample).dismiss()
    window.open_sample(reset=False)
    qtbot.waitUntil(lambda: window.session not in (None, sample))
    session = window.session
    assert session is not None
    qtbot.waitUntil(lambda: session.steps is not None)
    assert not steps_of(session).isVisible()
    session.context.actions.get("help.first_steps").trigger()
    assert steps_of(session).isVisible()


def test_all_done_is_said_and_a_reset_begins_anew(qtbot: QtBot, window: MainWindow, sample: Session) -> None:
    steps = steps_of(sample)
    for step in STEPS:
        steps.tick(step)
    assert "All first steps done" in steps._title.text()
    asked: list[bool] = []
    steps.reset_wanted.connect(lambda: asked.append(True))
    steps._reset.click()
    assert asked == [True]
    assert steps.done == frozenset()


def test_undo_where_nothing_was_done_says_so(window: MainWindow, sample: Session) -> None:
    steps_of(sample).buttons[UNDO].click()
    assert steps_of(sample).done == frozenset()
    assert sample.status.said.text() == "There is nothing to undo"
