"""Memories at the other end of relations, without reading the relations as records."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from itertools import chain
from typing import Any

from core.domain.edge import EdgeEnds
from core.domain.ids import MemoryPk, RelationId
from core.store.codecs import to_micros
from core.store.filters import among, key_list

Rows = Callable[..., list[tuple[Any, ...]]]

_LIVES = (
    "(valid_from IS NULL OR valid_from <= ?) AND (invalid_from IS NULL OR invalid_from > ?)"
    " AND (expired_at IS NULL OR expired_at > ?)"
)
"""The one live rule (core.domain.edge.lives)."""


def neighbours(
    rows: Rows,
    memories: Sequence[MemoryPk],
    relations: Collection[RelationId],
    *,
    outward: bool,
    inward: bool,
    at: datetime | None,
) -> array[int]:
    """See core.ports.store.Reader. Cost: the relations of the memories."""
    ways = ([("source", "target")] if outward else []) + ([("target", "source")] if inward else [])
    found: set[int] = set()
    for own, other in ways:
        sql, values = f"SELECT {other} FROM edge WHERE {among(own)}", [key_list(memories)]
        if relations:
            sql += f" AND {among('relation')}"
            values.append(key_list(sorted(relations)))
        moment = [] if at is None else [to_micros(at)] * 3
        sql += f" AND {_LIVES}" if moment else ""
        found.update(chain.from_iterable(rows(sql, (*values, *moment))))
    return array("q", sorted(found))


def edge_ends(rows: Rows, memory: MemoryPk, at: datetime) -> list[EdgeEnds]:
    """All relations of a memory, by pk, and whether they live at a time. Cost: about 1 µs each."""
    found = rows(
        f"SELECT pk, source, target, relation, coalesce(from_seq, -1), created_at, {_LIVES} FROM edge"
        " WHERE source = ? OR target = ? ORDER BY pk",
        (*[to_micros(at)] * 3, memory, memory),
    )
    return [EdgeEnds(*row) for row in found]
