"""What is answered about models: requests for a person, tests of endpoints, tokens used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from core.domain.endpoints import Measured, ModelTask, Usage
from core.domain.results import Problem

SAME_WEIGHTS = 0.99
"""Mean cosine of texts embedded again: below it the model has other weights (DESIGN §6)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualRequest:
    """A request that waits for a person: `text` is to be copied, the reply comes back by `number`.

    `answered`: the reply is there, and the work has not gone on with it yet. `goes_on` False = nothing goes on by
    itself (a recall, a prompt that was tried): asked again it reads the reply.
    """

    number: int
    task: ModelTask
    text: str
    asked_at: datetime
    folder: str = ""
    answered: bool = False
    goes_on: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualOutcome:
    """What became of a reply: proposals, or why there is none (`why` and `args`, or `problems`)."""

    task: ModelTask
    proposals: tuple[int, ...] = ()
    why: str = ""
    args: Mapping[str, int | str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    done: bool = True
    goes_on: bool = True


class Outcome(StrEnum):
    """How one line of a test ended."""

    WORKS = "works"
    MISSING = "missing"
    """Not there, and the program does without it."""
    FAILS = "fails"


@dataclass(frozen=True, slots=True)
class TestLine:
    """One line of a connection's test: `text` is the key of its words, `args` fills their places."""

    __test__ = False

    outcome: Outcome
    text: str
    args: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EndpointReport:
    """What a test found. `models` as the server lists them; `measured` of an embedding endpoint."""

    lines: tuple[TestLine, ...]
    models: tuple[str, ...] = ()
    measured: Measured | None = None

    @property
    def usable(self) -> bool:
        """Whether the endpoint can be used for what it is there for."""
        return all(line.outcome is not Outcome.FAILS for line in self.lines)


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """Where the key of an endpoint lies: `place` is keyring, environment, session or nowhere."""

    place: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class UsageRow:
    """Tokens and cost of one endpoint for one task, since counting began."""

    endpoint: str
    task: str
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSwitch:
    """A change from one embedder to another: names, lengths of vectors, and how many there are of each.

    `agreement`: how well stored vectors of the new model agree with those it makes now (1 = the same
    weights, None = nothing stored); below `SAME_WEIGHTS` its old vectors are not used again. `tokens` and `seconds`
    to embed what is missing (estimated, at a speed measured on a few texts), `cost` at the endpoint's price.
    """

    old: str
    new: str
    old_dims: int
    new_dims: int
    memories: int
    old_vectors: int
    new_vectors: int
    agreement: float | None = None
    complete: bool = False
    tokens: int = 0
    seconds: float = 0.0
    cost: float = 0.0

    @property
    def to_embed(self) -> int:
        """Memories whose text the new model has to embed."""
        return self.memories - self.new_vectors

    @property
    def other_weights(self) -> bool:
        """Whether a model of the same name has other weights than before."""
        return self.agreement is not None and self.agreement < SAME_WEIGHTS
