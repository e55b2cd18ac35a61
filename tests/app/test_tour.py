"""The tour plays on the real program; each step compares the window with the store."""

from __future__ import annotations

import pytest

from app import tour
from app.tour.stage import Stage, StepFailed


@pytest.mark.usefixtures("qapp")
@pytest.mark.timeout(240)
def test_tour_every_step_is_what_the_store_says() -> None:
    assert tour.play(None, "zh_CN") == []


@pytest.mark.usefixtures("qapp")
def test_tour_notices_a_step_whose_result_is_not_in_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(stage: Stage) -> None:
        stage.expect(stage.window.session is not None, True, "an open library")

    monkeypatch.setattr(tour, "TOUR", (("00-wrong", wrong),))
    failed = tour.play(None, "en")
    assert len(failed) == 1
    assert "an open library" in failed[0]
    assert issubclass(StepFailed, Exception)
