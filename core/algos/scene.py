"""Rounding recalled memories off to scenes: who and what was there, and what happened just before and after.

Source: spec/STBME §4.8. We differ (DESIGN §5): a seed that may not be used (archived, trashed, hidden) is skipped
altogether instead of being expanded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

DEFAULT_LIMIT = 16
_NEAREST_EVENTS = 2
_LATEST_EVENTS = 2


class SceneKind(Enum):
    """The part that a memory can play in a scene."""

    EVENT = "event"
    ENTITY = "entity"
    """Character or location: stands for the events it is in."""
    COMPANION = "companion"
    """Thread or reflection: comes with an event, brings nothing itself."""
    OTHER = "other"


SCENE_KINDS = {
    "event": SceneKind.EVENT,
    "character": SceneKind.ENTITY,
    "location": SceneKind.ENTITY,
    "thread": SceneKind.COMPANION,
    "reflection": SceneKind.COMPANION,
}
_BROUGHT = frozenset({SceneKind.ENTITY, SceneKind.COMPANION})


@dataclass(frozen=True, slots=True)
class Actor:
    """A memory as the scene sees it. `end_seq` is the end of its range, `usable` = live and visible."""

    kind: SceneKind
    seq: float
    end_seq: float
    importance: float
    usable: bool = True


def reconstruct(
    actors: Sequence[Actor],
    seeds: Iterable[int],
    linked: Callable[[int], Iterable[int]],
    limit: int = DEFAULT_LIMIT,
) -> list[int]:
    """Indexes of the memories of all scenes in the order in which they come in, at most `limit`.

    An event brings the entities and companions linked to it, then the two events nearest in seq; an entity its
    two latest events and what they bring. `linked` gives the other ends of the usable edges in storage order.
    Cost: O(limit (degree + events)).
    """
    scene: dict[int, None] = {}
    events = [at for at, actor in enumerate(actors) if actor.kind is SceneKind.EVENT and actor.usable]

    def add(items: Iterable[int]) -> None:
        for at in items:
            if len(scene) < limit and actors[at].usable:
                scene.setdefault(at)

    def add_event(event: int) -> None:
        add(at for at in linked(event) if actors[at].kind in _BROUGHT)
        add(_nearest(actors, events, event))

    for seed in dict.fromkeys(seeds):
        if len(scene) >= limit:
            break
        if not actors[seed].usable:
            continue
        add([seed])
        if actors[seed].kind is SceneKind.EVENT:
            add_event(seed)
        elif actors[seed].kind is SceneKind.ENTITY:
            for event in _latest(actors, events, linked(seed)):
                add([event])
                add_event(event)
    return list(scene)


def _nearest(actors: Sequence[Actor], events: Sequence[int], event: int) -> list[int]:
    """The two events nearest in seq, of equally near ones the later."""
    here = actors[event].seq
    others = sorted(
        (at for at in events if at != event), key=lambda at: (abs(actors[at].seq - here), -actors[at].seq)
    )
    return others[:_NEAREST_EVENTS]


def _latest(actors: Sequence[Actor], events: Sequence[int], linked: Iterable[int]) -> list[int]:
    """The two newest of the linked events, of equally new ones the more important."""
    known = set(events)
    found = sorted(
        dict.fromkeys(at for at in linked if at in known),
        key=lambda at: (-actors[at].end_seq, -actors[at].importance),
    )
    return found[:_LATEST_EVENTS]
