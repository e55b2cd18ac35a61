"""Who writes: the person at this process's window, or a program."""

from __future__ import annotations

import uuid

from core.domain.enums import ActorKind
from core.domain.results import Actor


def person() -> Actor:
    """The person at a window of this process."""
    return Actor(ActorKind.PERSON, "", uuid.uuid4().hex)


def program(name: str) -> Actor:
    """A program that writes under that name."""
    return Actor(ActorKind.PROGRAM, name, uuid.uuid4().hex)
