"""Queries about models: requests for a person, endpoints, keys, tokens used."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from core.domain.api import Report
from core.domain.endpoints import Endpoint, Secret
from core.domain.model_answers import (
    EmbedderSwitch,
    EndpointReport,
    KeyPlace,
    ManualOutcome,
    ManualRequest,
    UsageRow,
)
from core.domain.queries import Query


@dataclass(frozen=True, slots=True)
class ManualRequests(Query[tuple[ManualRequest, ...]]):
    """Requests to the manual model that wait for a person, oldest first; they survive a restart."""


@dataclass(frozen=True, slots=True)
class AnswerManual(Query[None]):
    """Keep the reply to a request; ResumeManual goes on with it. Errors: NotFound when nobody waits for it, Invalid."""

    WRITES: ClassVar[bool] = True

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class ResumeManual(Query[ManualOutcome]):
    """Go on with the work that asked, with the reply that was handed in.

    Errors: NotFound, Invalid without a reply, WaitsForReply when it comes to the next request (`changed`: the reply
    was to something that is another by now), and those of the work.
    """

    WRITES: ClassVar[bool] = True

    number: int


@dataclass(frozen=True, slots=True)
class GiveUpManual(Query[None]):
    """Forget a request without a reply; what was done before it stays. Errors: NotFound."""

    WRITES: ClassVar[bool] = True

    number: int


@dataclass(frozen=True, slots=True)
class TestEndpoint(Query[EndpointReport]):
    """What works of an endpoint, saved or not. `key` None = the one that is kept for it. Calls it a few times."""

    __test__ = False

    endpoint: Endpoint
    key: Secret | None = None


@dataclass(frozen=True, slots=True)
class ListModels(Query[tuple[str, ...]]):
    """Names of the models that an endpoint lists. Errors: Unavailable, Invalid, Cancelled."""

    endpoint: Endpoint
    key: Secret | None = None


@dataclass(frozen=True, slots=True)
class KeepKey(Query[KeyPlace]):
    """Keep the key of an endpoint in the system's keyring, or for this session; an empty one forgets it.

    Errors: Invalid("error.endpoint.no_keyring") on a machine without one.
    """

    endpoint: Endpoint
    key: Secret
    session_only: bool = False


@dataclass(frozen=True, slots=True)
class WhereIsKey(Query[KeyPlace]):
    """Where the key of an endpoint lies, and its last characters."""

    endpoint: Endpoint


@dataclass(frozen=True, slots=True)
class ModelUsage(Query[tuple[UsageRow, ...]]):
    """Tokens and cost by endpoint and task, since counting began."""


@dataclass(frozen=True, slots=True)
class PlanEmbedderSwitch(Query[EmbedderSwitch]):
    """What a change to another embedder would take: `builtin`, `none` or an endpoint's id.

    A few texts are embedded to measure the speed. Errors: NotFound, Invalid when the endpoint was never tested,
    Unavailable when it does not answer.
    """

    to: str


@dataclass(frozen=True, slots=True)
class SwitchEmbedder(Query[EmbedderSwitch]):
    """Make the vectors of another embedder beside those in use, then use them.

    Cancelled or interrupted the old ones stay in use, and the next call goes on where this one stopped.
    Errors: as PlanEmbedderSwitch; Unavailable, Cancelled; LibraryInUse when another program holds the library.
    """

    WRITES: ClassVar[bool] = True

    to: str
    progress: Report | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class CheckWeights(Query[float | None]):
    """Mean cosine of five stored vectors and those made again: below .99 the model has other weights.

    None when nothing is stored. Errors: Unavailable.
    """
