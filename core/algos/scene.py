"""Rounding recalled memories off to scenes: who and what was there, and what happened just before and after.

Source: spec/STBME §4.8. We differ (DESIGN §5): a seed that may not be used (archived, trashed, hidden) is skipped
altogether instead of being expanded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from core.algos.vectors import Vector

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
    """Indexes of the memories of all scenes in the order in which they come in, at most `limit`; see Cast."""
    cast = Cast(
        kinds=[actor.kind for actor in actors],
        seqs=np.array([actor.seq for actor in actors], dtype=np.float64),
        end_seqs=np.array([actor.end_seq for actor in actors], dtype=np.float64),
        importance=np.array([actor.importance for actor in actors], dtype=np.float64),
        usable=np.array([actor.usable for actor in actors], dtype=np.bool_),
    )
    return cast.scenes(seeds, linked, limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """All memories that may be in scenes, as columns of n values (see Actor)."""

    kinds: Sequence[SceneKind]
    seqs: Vector
    end_seqs: Vector
    importance: Vector
    usable: NDArray[np.bool_]
    events: NDArray[np.bool_] | None = None
    """Which are events, where the caller has that as an array."""

    def scenes(
        self, seeds: Iterable[int], linked: Callable[[int], Iterable[int]], limit: int = DEFAULT_LIMIT
    ) -> list[int]:
        """Indexes of the memories of all scenes in the order in which they come in, at most `limit`.

        An event brings the entities and companions linked to it, then the two events nearest in seq; an entity
        its two latest events and what they bring. `linked` gives the other ends of the usable edges in storage
        order. Cost: O(events log events + limit degree).
        """
        scene: dict[int, None] = {}
        events: _EventLine | None = None

        def add(items: Iterable[int]) -> None:
            for at in items:
                if len(scene) < limit and self.usable[at]:
                    scene.setdefault(at)

        def add_event(event: int) -> None:
            nonlocal events
            if events is None:
                events = _EventLine.of(self)
            add(at for at in linked(event) if self.kinds[at] in _BROUGHT)
            add(events.nearest(event))

        for seed in dict.fromkeys(seeds):
            if len(scene) >= limit:
                break
            if not self.usable[seed]:
                continue
            add([seed])
            if self.kinds[seed] is SceneKind.EVENT:
                add_event(seed)
            elif self.kinds[seed] is SceneKind.ENTITY:
                for event in self._latest(linked(seed)):
                    add([event])
                    add_event(event)
        return list(scene)

    def _latest(self, linked: Iterable[int]) -> list[int]:
        """The two newest of the linked events, of equally new ones the more important."""
        found = sorted(
            dict.fromkeys(at for at in linked if self.kinds[at] is SceneKind.EVENT and self.usable[at]),
            key=lambda at: (-self.end_seqs[at], -self.importance[at]),
        )
        return found[:_LATEST_EVENTS]


@dataclass(frozen=True, slots=True)
class _EventLine:
    """Usable events by seq, equal ones in storage order: `events` and `seqs` are parallel."""

    seqs_of: Vector
    events: NDArray[np.int64]
    seqs: Vector

    @classmethod
    def of(cls, cast: Cast) -> _EventLine:
        flags = cast.events
        if flags is None:
            flags = np.array([kind is SceneKind.EVENT for kind in cast.kinds], dtype=np.bool_)
        events = np.flatnonzero(flags & cast.usable)
        events = events[np.argsort(cast.seqs[events], kind="stable")]
        return cls(cast.seqs, events, cast.seqs[events])

    def nearest(self, event: int) -> list[int]:
        """The two events nearest in seq, of equally near ones the later."""
        here = float(self.seqs_of[event])
        start = int(np.searchsorted(self.seqs, here, side="left"))
        end = int(np.searchsorted(self.seqs, here, side="right"))
        found = self.events[start : min(end, start + _NEAREST_EVENTS + 1)].tolist()
        found += self.events[end : end + _NEAREST_EVENTS].tolist()
        found += self._before(start)
        others = sorted(
            (at for at in found if at != event),
            key=lambda at: (abs(self.seqs_of[at] - here), -self.seqs_of[at]),
        )
        return others[:_NEAREST_EVENTS]

    def _before(self, end: int) -> list[int]:
        """The nearest earlier ones; of those with the same seq the first in storage order."""
        found: list[int] = []
        while end > 0 and len(found) < _NEAREST_EVENTS:
            start = int(np.searchsorted(self.seqs, self.seqs[end - 1], side="left"))
            found += self.events[start : min(end, start + _NEAREST_EVENTS)].tolist()
            end = start
        return found
