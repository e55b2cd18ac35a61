"""The manual model: a person carries the request to whatever model they like, and its reply back.

A request is a row, so it outlives the call that asked: that call ends with WaitsForReply. When the reply is there,
the work is done once more from its beginning or its last kept step, and finds the reply by the text of the request
(core/services/manual_work.py). The same work on the same memories asks the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.domain.endpoints import ModelTask, Usage
from core.domain.errors import Invalid, NotFound, WaitsForReply
from core.domain.json_types import JsonObject, canonical
from core.ports.language_model import ChatMessage
from core.ports.manual_requests import KeptRequest, ManualRows
from core.ports.progress import CancelToken

MAX_REPLY = 10_000_000
RECALL = "recall"
"""Work of requests of a recall: nothing goes on with their reply, the next recall of the same message reads it."""
KEPT_RECALLS = 50
"""Replies to recalls that are kept, the newest."""


class ManualDesk:
    """Requests and replies of one library. May be used from any thread."""

    def __init__(self, rows: ManualRows) -> None:
        self.rows = rows

    def ask(self, task: ModelTask, messages: Sequence[ChatMessage], schema: JsonObject | None) -> str:
        """The person's reply. Errors: WaitsForReply when there is none yet; the request is a row then."""
        text = request_text(messages, schema)
        kept = self.rows.with_text(text)
        if kept is not None and kept.reply is not None:
            self.rows.mark_used(kept.number)
            return kept.reply
        if task is ModelTask.RECALL:
            self._forget_recalls()
            raise WaitsForReply(self.rows.add(task, text, RECALL))
        raise WaitsForReply(self.rows.add(task, text))

    def _forget_recalls(self) -> None:
        """A recall that was overtaken asks nothing any more; of old replies some are kept."""
        own = [each for each in self.rows.all() if each.work == RECALL]
        replied = [each.number for each in own if each.reply is not None]
        gone = [each.number for each in own if each.reply is None] + replied[:-KEPT_RECALLS]
        if gone:
            self.rows.remove(gone)

    def answer(self, number: int, text: str) -> None:
        """Keep the reply. Errors: NotFound when nobody waits for it, Invalid for an empty or endless one."""
        if not text.strip():
            raise Invalid("error.manual.empty")
        if len(text) > MAX_REPLY:
            raise Invalid("error.manual.too_long", millions=MAX_REPLY // 1_000_000)
        if not self.rows.answer(number, text):
            raise NotFound("error.manual.gone", number=number)

    def give_up(self, number: int) -> None:
        """Forget the request and what its work asked before. Errors: NotFound."""
        kept = self.one(number)
        self.rows.remove([number])
        if kept.rest and kept.work:
            self.rows.remove_work(kept.work)

    def one(self, number: int) -> KeptRequest:
        """A request. Errors: NotFound."""
        kept = self.rows.one(number)
        if kept is None:
            raise NotFound("error.manual.gone", number=number)
        return kept


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
        """The reply that a person handed in. Errors: WaitsForReply, Cancelled."""
        if cancel is not None:
            cancel.check()
        reply = self._desk.ask(self._task, messages, json_schema)
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
