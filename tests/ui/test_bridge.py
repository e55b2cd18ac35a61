"""What the window asks by itself while something waits for the index."""

from dataclasses import replace
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from core.domain.queries import Counts, TagNames
from tests.fakes.engine import FakeEngine
from tests.ui.conftest import settled
from ui import bridge
from ui.main_window import MainWindow
from ui.session import Session


@pytest.fixture
def busy_index(engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    """An engine that always has something waiting for the index; time goes fast."""
    ask = engine.ask

    def asked(query: Any, **given: Any) -> Any:
        answer = ask(query, **given)
        return replace(answer, waiting_for_index=7) if isinstance(query, Counts) else answer

    monkeypatch.setattr(engine, "ask", asked)
    monkeypatch.setattr(bridge, "COUNT_AGAIN_MS", 10)
    return engine


def test_while_the_index_is_behind_only_a_cheap_count_is_asked_again(
    qtbot: QtBot, busy_index: FakeEngine, window: MainWindow, opened: Session
) -> None:
    settled(qtbot, window)
    tags, counts = busy_index.count_asked(TagNames), busy_index.count_asked(Counts)
    qtbot.waitUntil(lambda: busy_index.count_asked(Counts) >= counts + 3)
    assert busy_index.count_asked(TagNames) == tags
    assert not any(query.journal for query in busy_index.asked if isinstance(query, Counts))


def test_when_nothing_comes_of_waiting_it_is_asked_ever_more_seldom(
    qtbot: QtBot, busy_index: FakeEngine, window: MainWindow, opened: Session
) -> None:
    counts = busy_index.count_asked(Counts)
    qtbot.wait(1200)
    assert busy_index.count_asked(Counts) - counts <= 8
