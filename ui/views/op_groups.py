"""Ops as a person remembers them: sittings of one writer, cut at pauses of half an hour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from core.domain.enums import OpRole
from core.domain.results import Actor, HistoryEntry

PAUSE = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Sitting:
    """Ops of one writer without a long pause between them, newest first."""

    entries: tuple[HistoryEntry, ...]

    @property
    def actor(self) -> Actor:
        """Who worked."""
        return self.entries[0].op.actor

    @property
    def undoable(self) -> tuple[HistoryEntry, ...]:
        """The changes that can be undone, newest first: neither undone yet nor undos themselves."""
        return tuple(
            entry
            for entry in self.entries
            if entry.op.undoable and entry.op.undone_by is None and entry.op.role is not OpRole.UNDO
        )


def sittings(entries: Sequence[HistoryEntry]) -> list[Sitting]:
    """Group ops (newest first) by writer and pause. Two writers at once have a sitting each.

    In the order of their newest op.
    """
    groups: list[list[HistoryEntry]] = []
    current: dict[tuple[str, str], list[HistoryEntry]] = {}
    for entry in entries:
        writer = (entry.op.actor.kind.value, entry.op.actor.name)
        group = current.get(writer)
        if group is None or group[-1].op.at - entry.op.at > PAUSE:
            group = []
            groups.append(group)
            current[writer] = group
        group.append(entry)
    return [Sitting(tuple(group)) for group in groups]
