"""The manual model: requests wait for a person, who answers or gives up."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from core.domain.endpoints import ModelTask
from core.domain.errors import Cancelled, Invalid, NotFound
from core.ports.language_model import ChatMessage
from core.ports.progress import CancelToken
from core.services.manual_model import ManualDesk, ManualModel

SCHEMA = {"type": "object", "properties": {"operations": {"type": "array"}}}


def asked(desk: ManualDesk, pool: ThreadPoolExecutor, cancel: CancelToken | None = None) -> Future[str]:
    model = ManualModel(desk, ModelTask.EXTRACT)
    messages = [ChatMessage("system", "Read the chat."), ChatMessage("user", "艾琳走进钟楼")]
    future = pool.submit(model.complete, messages, SCHEMA, None, cancel)
    deadline = time.monotonic() + 5
    while not desk.requests() and time.monotonic() < deadline and not future.done():
        time.sleep(0.005)
    return future


def test_pasted_reply_reaches_who_asked_and_the_request_is_gone() -> None:
    desk = ManualDesk()
    with ThreadPoolExecutor(1) as pool:
        future = asked(desk, pool)
        request = desk.requests()[0]
        assert request.task is ModelTask.EXTRACT
        assert "[system]\nRead the chat." in request.text
        assert "艾琳走进钟楼" in request.text
        assert '"operations"' in request.text
        desk.answer(request.number, '{"operations": []}')
        assert future.result(5) == '{"operations": []}'
    assert desk.requests() == ()


def test_request_given_up_or_cancelled_or_closed_is_cancelled() -> None:
    desk, token = ManualDesk(), CancelToken()
    with ThreadPoolExecutor(1) as pool:
        given_up = asked(desk, pool)
        desk.give_up(desk.requests()[0].number)
        cancelled = asked(desk, pool, token)
        token.cancel()
        for future in (given_up, cancelled):
            with pytest.raises(Cancelled):
                future.result(5)
        last = asked(desk, pool)
        threading.Timer(0, desk.close).run()
        with pytest.raises(Cancelled):
            last.result(5)
        with pytest.raises(Cancelled):
            asked(desk, pool).result(5)


def test_empty_reply_is_refused_and_the_request_waits_on() -> None:
    desk = ManualDesk()
    with ThreadPoolExecutor(1) as pool:
        future = asked(desk, pool)
        number = desk.requests()[0].number
        with pytest.raises(Invalid):
            desk.answer(number, " \n")
        assert not future.done()
        desk.answer(number, "x")
        future.result(5)
    with pytest.raises(NotFound):
        desk.answer(number, "again")
