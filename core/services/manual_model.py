"""The manual model: a person carries the request to whatever model they like, and its reply back."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.domain.endpoints import ModelTask, Usage
from core.domain.errors import Cancelled, Invalid, NotFound
from core.domain.json_types import JsonObject, canonical
from core.domain.model_answers import ManualRequest
from core.ports.clock import system_clock
from core.ports.language_model import ChatMessage
from core.ports.progress import CancelToken

POLL_S = 0.05
"""How soon a cancelled request is given up."""
MAX_REPLY = 10_000_000


@dataclass(slots=True)
class _Open:
    request: ManualRequest
    done: threading.Event
    reply: str | None = None


class ManualDesk:
    """Requests that wait for a person, oldest first. May be used from any thread.

    Who asks waits in `ask`; who answers calls `answer` or `give_up` with the request's number.
    """

    def __init__(self, clock: Callable[[], datetime] = system_clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._open: dict[int, _Open] = {}
        self._numbers = itertools.count(1)
        self._closed = False
        self.on_change: Callable[[], None] = lambda: None

    def requests(self) -> tuple[ManualRequest, ...]:
        """What waits for a person now."""
        with self._lock:
            return tuple(each.request for each in self._open.values())

    def ask(
        self,
        task: ModelTask,
        messages: Sequence[ChatMessage],
        schema: JsonObject | None,
        cancel: CancelToken | None,
    ) -> str:
        """The person's reply; waits for it. Errors: Cancelled when the request was given up."""
        with self._lock:
            if self._closed:
                raise Cancelled
            number = next(self._numbers)
            waiting = _Open(
                ManualRequest(number, task, request_text(messages, schema), self._clock()), threading.Event()
            )
            self._open[number] = waiting
        self.on_change()
        try:
            while not waiting.done.wait(POLL_S):
                if cancel is not None:
                    cancel.check()
        finally:
            with self._lock:
                self._open.pop(number, None)
            self.on_change()
        if waiting.reply is None:
            raise Cancelled
        return waiting.reply

    def answer(self, number: int, text: str) -> None:
        """Hand in the reply. Errors: NotFound when nobody waits for it, Invalid for an empty or endless one."""
        if not text.strip():
            raise Invalid("error.manual.empty")
        if len(text) > MAX_REPLY:
            raise Invalid("error.manual.too_long", millions=MAX_REPLY // 1_000_000)
        self._end(number, text)

    def give_up(self, number: int) -> None:
        """End the request without a reply; whoever asked sees it as cancelled. Errors: NotFound."""
        self._end(number, None)

    def close(self) -> None:
        """Give up all requests, and every later one at once."""
        with self._lock:
            self._closed = True
            waiting = tuple(self._open.values())
        for each in waiting:
            each.done.set()

    def _end(self, number: int, reply: str | None) -> None:
        with self._lock:
            waiting = self._open.pop(number, None)
        if waiting is None:
            raise NotFound("error.manual.gone", number=number)
        waiting.reply = reply
        waiting.done.set()


class ManualModel:
    """A language model whose replies a person hands in."""

    def __init__(self, desk: ManualDesk, task: ModelTask) -> None:
        self._desk, self._task = desk, task
        self._calls = 0

    @property
    def name(self) -> str:
        """Name of the model, for messages."""
        return "manual"

    @property
    def used(self) -> Usage:
        """Calls alone: nobody knows the tokens of another program."""
        return Usage(calls=self._calls)

    def complete(
        self,
        messages: Sequence[ChatMessage],
        json_schema: JsonObject | None = None,
        max_tokens: int | None = None,  # noqa: ARG002 - the protocol's; a person is not cut off
        cancel: CancelToken | None = None,
    ) -> str:
        """The reply that a person handed in. Errors: Cancelled."""
        reply = self._desk.ask(self._task, messages, json_schema, cancel)
        self._calls += 1
        return reply


def request_text(messages: Sequence[ChatMessage], schema: JsonObject | None) -> str:
    """The request as one text to copy: the messages under their roles, then the form of the reply."""
    parts = [
        message.text if len(messages) == 1 else f"[{message.role}]\n{message.text}" for message in messages
    ]
    if schema is not None:
        parts.append(f"Reply with one JSON value of this JSON schema and nothing else:\n{canonical(schema)}")
    return "\n\n".join(parts)
