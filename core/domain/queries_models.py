"""Queries about models: requests for a person, endpoints, keys, tokens used."""

from __future__ import annotations

from dataclasses import dataclass

from core.domain.model_answers import ManualRequest
from core.domain.queries import Query


@dataclass(frozen=True, slots=True)
class ManualRequests(Query[tuple[ManualRequest, ...]]):
    """Requests to the manual model that wait for a person, oldest first. Looks at no store."""


@dataclass(frozen=True, slots=True)
class AnswerManual(Query[None]):
    """Hand in the reply to a request. Errors: NotFound when nobody waits for it, Invalid."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class GiveUpManual(Query[None]):
    """End a request without a reply: who asked for it is cancelled. Errors: NotFound."""

    number: int
