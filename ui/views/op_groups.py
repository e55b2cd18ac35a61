"""Ops as a person remembers them: sittings of one writer, cut at pauses of half an hour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from core.domain.enums import OpRole
from core.domain.results import Actor, HistoryEntry

PAUSE = timedelta(minutes=30)
GROUP = "group"
"""Argument of an op that came in together with others."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """Ops of one writer without a long pause between them, newest first."""

    entries: tuple[HistoryEntry, ...]

    @property
    def actor(self) -> Actor:
        """Who worked."""
        return self.entries[0].op.actor

    @property
    def is_drop(self) -> bool:
        """Whether it is what one drop of files brought."""
        return bool(group_of(self.entries[0]))

    @property
    def undoable(self) -> tuple[HistoryEntry, ...]:
        """The changes that can be undone, newest first: neither undone yet nor undos themselves."""
        return tuple(
            entry
            for entry in self.entries
            if entry.op.undoable and entry.op.undone_by is None and entry.op.role is not OpRole.UNDO
        )


def group_of(entry: HistoryEntry) -> str:
    """The name of what an op came in with (one drop of files); "" = it stands for itself."""
    label = entry.op.args.get(GROUP)
    return label if isinstance(label, str) else ""


def sittings(entries: Sequence[HistoryEntry]) -> list[Sitting]:
    """Group ops (newest first) by writer and pause. Two writers at once have a sitting each.

    What came in by one drop is a sitting of its own, however long it took. In the order of their newest op.
    """
    groups: list[list[HistoryEntry]] = []
    current: dict[tuple[str, str, str], list[HistoryEntry]] = {}
    last: dict[tuple[str, str], str] = {}
    for entry in entries:
        actor, label = (entry.op.actor.kind.value, entry.op.actor.name), group_of(entry)
        group = current.get((*actor, label))
        broken = not label and last.get(actor, label) != label
        last[actor] = label
        writer = (*actor, label)
        if group is None or broken or (not label and group[-1].op.at - entry.op.at > PAUSE):
            group = []
            groups.append(group)
            current[writer] = group
        group.append(entry)
    return [Sitting(tuple(group)) for group in groups]
