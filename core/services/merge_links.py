"""What hangs on the losers of a merge goes over to the survivor; what was taken is noted for the way back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from core.domain.edge import Edge, lives
from core.domain.enums import Kind
from core.domain.folder import NotDuplicate
from core.domain.ids import EdgePk, MemoryPk, RelationId
from core.domain.json_types import Json, JsonObject
from core.domain.memory import Memory
from core.domain.merge import MergeRecord
from core.domain.recall import RecallCase
from core.ports.store import Reader, UnitOfWork
from core.services.merge_images import digest, json_record, record_json, value_json

JOINED_KEY = "merged_edges"
"""Under it a relation that stands for several keeps what the others carried."""
STRONGEST = 1.0


@dataclass(slots=True)
class Moved:
    """What was taken from each loser, the survivor's parent, and counts for the message."""

    parent: MemoryPk | None
    notes: dict[MemoryPk, dict[str, list[Json]]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def note(self, loser: MemoryPk, name: str, value: Json) -> None:
        """Note one thing that was taken."""
        self.notes.setdefault(loser, {}).setdefault(name, []).append(value)

    def of(self, loser: MemoryPk) -> JsonObject:
        """All that was taken from one loser."""
        return {**self.notes.get(loser, {})}


def take_over(uow: UnitOfWork, survivor: Memory, losers: Sequence[Memory]) -> Moved:
    """Relations, children, pins, recall tests and pairs told apart, in a few statements for all losers."""
    moved = Moved(survivor.parent)
    _Relations(uow, survivor.pk, [loser.pk for loser in losers], moved).take()
    _children(uow, survivor, losers, moved)
    _pins(uow, survivor.pk, [loser.pk for loser in losers], moved)
    _cases(uow, survivor.pk, [loser.pk for loser in losers], moved)
    _told(uow, survivor.pk, [loser.pk for loser in losers], moved)
    return moved


# --- relations ------------------------------------------------------------------------------

_Key = tuple[MemoryPk, MemoryPk, RelationId]


class _Relations:
    """Re-points relations: none to itself; of live doubles one stays, as early as the earliest, with the sum of
    their strengths (up to 1) and what the others carried in `extra`; ended ones stay ended."""

    def __init__(self, uow: UnitOfWork, survivor: MemoryPk, losers: Sequence[MemoryPk], moved: Moved) -> None:
        self._uow = uow
        self._survivor = survivor
        self._losers = frozenset(losers)
        self._moved = moved
        self._kept: dict[_Key, Edge] = {}
        self._changes: dict[int, dict[str, Any]] = defaultdict(dict)
        self._dropped: list[EdgePk] = []

    def take(self) -> None:
        """Do it."""
        edges = self._uow.edges_touching([self._survivor, *self._losers])
        own = [edge for edge in edges if not self._losers & {edge.source, edge.target}]
        for edge in own:
            if lives(edge, self._uow.now):
                self._kept.setdefault(_key(edge), edge)
        counts = self._moved.counts
        for edge in edges:
            if self._losers & {edge.source, edge.target}:
                name = self._one(edge)
                counts[name] = counts.get(name, 0) + 1
        self._uow.update_each(Kind.EDGE, self._changes)
        self._uow.delete(Kind.EDGE, self._dropped)

    def _one(self, edge: Edge) -> str:
        loser = edge.source if edge.source in self._losers else edge.target
        ends: dict[str, Any] = {
            name: self._survivor for name in ("source", "target") if getattr(edge, name) in self._losers
        }
        now = replace(edge, **ends)
        if now.source == now.target:
            self._drop(loser, edge, None)
            return "dropped"
        live = lives(edge, self._uow.now)
        if live and (kept := self._kept.get(_key(now))) is not None:
            self._join(loser, edge, kept)
            return "joined"
        self._changes[edge.pk] |= ends
        for name in ends:
            self._moved.note(getattr(edge, name), "edges", [edge.pk, name])
        if live:
            self._kept[_key(now)] = now
        return "relations"

    def _drop(self, loser: MemoryPk, edge: Edge, into: EdgePk | None) -> None:
        self._dropped.append(edge.pk)
        self._moved.note(loser, "dropped_edges", {"row": record_json(edge), "into": into})

    def _join(self, loser: MemoryPk, edge: Edge, kept: Edge) -> None:
        self._drop(loser, edge, kept.pk)
        joined = replace(kept, **joined_values(kept, edge))
        for name in ("strength", "valid_from", "from_seq", "created_at", "extra"):
            before, after = value_json(getattr(kept, name)), value_json(getattr(joined, name))
            if before != after:
                self._changes[kept.pk][name] = getattr(joined, name)
                self._moved.note(loser, "changes", [kept.pk, name, before, digest(after)])
        self._kept[_key(kept)] = joined


def _key(edge: Edge) -> _Key:
    return edge.source, edge.target, edge.relation


def joined_values(kept: Edge, other: Edge) -> dict[str, Any]:
    """Columns of a relation that stands for two of the same kind and ends."""
    floors = [floor for floor in (kept.from_seq, other.from_seq) if floor is not None]
    already = kept.extra.get(JOINED_KEY, ())
    carried: Mapping[str, Json] = {"id": other.foreign_id or other.id, **other.extra}
    listed = already if isinstance(already, list | tuple) else ()
    return {
        "strength": min(STRONGEST, kept.strength + other.strength),
        "valid_from": _earlier(kept.valid_from, other.valid_from),
        "from_seq": min(floors, default=None),
        "created_at": min(kept.created_at, other.created_at),
        "extra": {**kept.extra, JOINED_KEY: [*listed, carried]},
    }


def _earlier(one: datetime | None, other: datetime | None) -> datetime | None:
    """The earlier beginning; None is since ever."""
    return None if one is None or other is None else min(one, other)


# --- the rest -------------------------------------------------------------------------------


def _children(uow: UnitOfWork, survivor: Memory, losers: Sequence[Memory], moved: Moved) -> None:
    """Children of the losers get the survivor as parent; where that would be a ring, the losers' own parent."""
    by_pk = {loser.pk: loser for loser in losers}
    group = {survivor.pk, *by_pk}
    above = set(ancestors(uow, survivor.pk))
    rows: dict[int, Mapping[str, Any]] = {}
    children = [child for child in uow.children_of(by_pk) if child not in group]
    for child in uow.records(Memory, children):
        loser = by_pk[child.parent] if child.parent is not None else survivor
        if child.pk in above:
            parent = _above(uow, loser, group)
            rows[child.pk] = {"parent": parent}
            moved.note(loser.pk, "lifted", [child.pk, parent])
        else:
            rows[child.pk] = {"parent": survivor.pk}
            moved.note(loser.pk, "children", child.pk)
    if survivor.parent in by_pk:
        moved.parent = _above(uow, by_pk[survivor.parent], group)
    uow.update_each(Kind.MEMORY, rows)


def ancestors(reader: Reader, memory: MemoryPk) -> list[MemoryPk]:
    """The parent, its parent, and so on; a ring ends it."""
    found: list[MemoryPk] = []
    rows = reader.records(Memory, [memory])
    while rows and (parent := rows[0].parent) is not None and parent not in found:
        found.append(parent)
        rows = reader.records(Memory, [parent])
    return found


def _above(reader: Reader, loser: Memory, group: set[MemoryPk]) -> MemoryPk | None:
    """The first memory above the loser that is not being merged."""
    return next((pk for pk in ancestors(reader, loser.pk) if pk not in group), None)


def _pins(uow: UnitOfWork, survivor: MemoryPk, losers: Sequence[MemoryPk], moved: Moved) -> None:
    pins = uow.pins_on([survivor, *losers])
    places = {pin.place for pin in pins if pin.memory == survivor}
    taken, dropped = [], []
    for pin in pins:
        if pin.memory == survivor:
            continue
        if pin.place in places:
            dropped.append(pin.pk)
            moved.note(pin.memory, "dropped_pins", record_json(pin))
        else:
            places.add(pin.place)
            taken.append(pin.pk)
            moved.note(pin.memory, "pins", pin.pk)
    uow.delete(Kind.PIN, dropped)
    uow.update(Kind.PIN, taken, {"memory": survivor})


def _cases(uow: UnitOfWork, survivor: MemoryPk, losers: Sequence[MemoryPk], moved: Moved) -> None:
    """Recall tests expect the survivor in place of a loser; what a test expected at first is noted with each."""
    gone = set(losers)
    touched = [case for case in uow.all_records(RecallCase) if gone & {*case.expected}]
    first = _first_expected(uow) if touched else {}
    rows: dict[int, Mapping[str, Any]] = {}
    for case in touched:
        rows[case.pk] = {
            "expected": tuple(dict.fromkeys(survivor if pk in gone else pk for pk in case.expected))
        }
        base = first.get(case.pk, list(case.expected))
        for pk in case.expected:
            if pk in gone:
                moved.note(pk, "cases", [case.pk, base])
    uow.update_each(Kind.RECALL_CASE, rows)


def _first_expected(reader: Reader) -> dict[int, list[Json]]:
    """What tests expected before any merge that still stands, by test."""
    found: dict[int, list[Json]] = {}
    for record in reader.all_records(MergeRecord):
        listed = record.moved.get("cases", ())
        for item in listed if isinstance(listed, list | tuple) else ():
            if isinstance(item, list | tuple) and isinstance(item[0], int) and isinstance(item[1], list):
                found.setdefault(item[0], item[1])
    return found


def _told(uow: UnitOfWork, survivor: MemoryPk, losers: Sequence[MemoryPk], moved: Moved) -> None:
    """Pairs told apart: what was said of a loser holds for the survivor; what was said at first is noted."""
    gone = set(losers)
    pairs = uow.not_duplicates_of([survivor, *losers])
    touched = [pair for pair in pairs if gone & {pair.a, pair.b}]
    first = told_first(uow.all_records(MergeRecord)) if touched else {}
    for loser in {pk for pair in touched for pk in (pair.a, pair.b)} & gone:
        for pair in pairs:
            moved.note(loser, "told", record_json(first.get(pair.pk, pair)))
    known = set()
    rows: dict[int, Mapping[str, Any]] = {}
    dropped = []
    for pair in pairs:  # of doubles the first one stays, as when they are taken apart
        a, b = sorted(survivor if pk in gone else pk for pk in (pair.a, pair.b))
        if a == b or (a, b, pair.about) in known:
            dropped.append(pair.pk)
        else:
            known.add((a, b, pair.about))
            rows[pair.pk] = {"a": a, "b": b}
    uow.delete(Kind.NOT_DUPLICATE, dropped)
    uow.update_each(Kind.NOT_DUPLICATE, rows)


def told_first(records: Iterable[MergeRecord]) -> dict[int, NotDuplicate]:
    """Pairs told apart as they were before any of these merges, by key."""
    found: dict[int, NotDuplicate] = {}
    for record in records:
        listed = record.moved.get("told", ())
        for row in listed if isinstance(listed, list | tuple) else ():
            pair = json_record(NotDuplicate, row)
            found.setdefault(pair.pk, pair)
    return found
