"""Marks of memories whose floors say something else now."""

from __future__ import annotations

from collections.abc import Mapping

from core.domain.chat import FLOORS_CHANGED_KEY
from core.domain.commands_floors import MarkLookedAt
from core.domain.enums import Kind
from core.domain.memory import Memory
from core.ports.store import UnitOfWork
from core.services.lookup import chunks, op_title, states_of
from core.services.outcome import Outcome


def looked_at(uow: UnitOfWork, command: MarkLookedAt) -> Outcome:
    """Take the mark off. Errors: NotFound."""
    states_of(uow, command.memories)
    changed = 0
    title = ""
    for pks in chunks(command.memories):
        values: dict[int, Mapping[str, object]] = {}
        for memory in uow.records(Memory, pks):
            if FLOORS_CHANGED_KEY in memory.extra:
                rest = {name: kept for name, kept in memory.extra.items() if name != FLOORS_CHANGED_KEY}
                values[memory.pk] = {"extra": rest, "updated_at": memory.updated_at}
                title = op_title(memory)
        changed += uow.update_each(Kind.MEMORY, values)
        uow.checkpoint(changed, len(command.memories))
    uow.label(count=changed, title=title)
    return Outcome(changed=changed)
