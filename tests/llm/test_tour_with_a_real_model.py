"""The whole chain through the window with a real server, whose model has random weights: what it says is worth nothing."""

from __future__ import annotations

import pytest

from app import tour
from app.tour import desk_steps, endpoint_steps
from tests.llm.serving import llama_server

pytestmark = pytest.mark.llm

CONTEXT_TOKENS = 16_384
"""A byte is a token of this model: a prompt with its memories has some thousands."""


@pytest.mark.usefixtures("qapp")
@pytest.mark.timeout(1800)
def test_chain_runs_and_every_change_is_undone_to_the_equal_library() -> None:
    steps = (*desk_steps.STEPS[:2], *endpoint_steps.STEPS)
    with llama_server(CONTEXT_TOKENS) as server:
        assert tour.play(None, "zh_CN", tour.Endpoint(server.url, "random"), steps) == []
