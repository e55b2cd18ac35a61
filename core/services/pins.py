"""What a person does on the graph's picture itself: pin, let go, group."""

from __future__ import annotations

import math

from core.domain.commands import ChangeTags
from core.domain.commands_graph import GroupMemories, PinMemories, UnpinMemories
from core.domain.enums import Kind
from core.domain.errors import Invalid
from core.domain.ids import MemoryPk
from core.domain.memory import Memory
from core.domain.pin import Pin
from core.ports.store import UnitOfWork
from core.services import attributes
from core.services.lookup import CHUNK, op_title, states_of
from core.services.outcome import Outcome


def pin(uow: UnitOfWork, command: PinMemories) -> Outcome:
    """Pin memories, or move those that are pinned. Errors: NotFound, Invalid for a place that is no number."""
    places = {memory: (float(x), float(y)) for memory, x, y in command.places}
    if not all(math.isfinite(value) for place in places.values() for value in place):
        raise Invalid("error.graph.place")
    states_of(uow, places)
    there = {each.memory: each for each in uow.pins_of(command.key)}
    moved = {there[memory].pk: {"x": x, "y": y} for memory, (x, y) in places.items() if memory in there}
    new = [
        Pin(place=command.key, memory=memory, x=x, y=y)
        for memory, (x, y) in places.items()
        if memory not in there
    ]
    changed = uow.update_each(Kind.PIN, moved) + len(new)
    for start in range(0, len(new), CHUNK):
        uow.insert(new[start : start + CHUNK])
        uow.checkpoint(start, len(new))
    _label(uow, list(places), changed)
    return Outcome(changed=changed)


def unpin(uow: UnitOfWork, command: UnpinMemories) -> Outcome:
    """Let pinned memories go; the others are left alone."""
    wanted = set(command.memories)
    pins = [each for each in uow.pins_of(command.key) if each.memory in wanted]
    for start in range(0, len(pins), CHUNK):
        uow.delete(Kind.PIN, [each.pk for each in pins[start : start + CHUNK]])
        uow.checkpoint(start, len(pins))
    _label(uow, [each.memory for each in pins], len(pins))
    return Outcome(changed=len(pins))


def group(uow: UnitOfWork, command: GroupMemories) -> Outcome:
    """One general tag for all of them. Errors: NotFound, Invalid for a blank name."""
    name = command.name.strip()
    if not name:
        raise Invalid("error.graph.group_name")
    outcome = attributes.change_tags(uow, ChangeTags(memories=command.memories, add=(name,)))
    uow.label(name=name, count=len(set(command.memories)))
    return outcome


def _label(uow: UnitOfWork, memories: list[MemoryPk], changed: int) -> None:
    found = uow.records(Memory, memories) if len(memories) == 1 else []
    uow.label(count=changed, title=op_title(found[0]) if found else attributes.UNNAMED)
