"""Relations as windows and doors show them: with titles and types of their ends."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from core.domain.edge import Edge, lives
from core.domain.memory import Memory
from core.domain.results import EdgeView
from core.ports.clock import system_clock
from core.ports.store import Reader


def edge_views(reader: Reader, edges: Iterable[Edge], at: datetime | None = None) -> tuple[EdgeView, ...]:
    """The edges with titles and types of their ends; `live` = at the given time, or now."""
    listed = list(edges)
    ends = {pk for edge in listed for pk in (edge.source, edge.target)}
    found = {memory.pk: memory for memory in reader.records(Memory, sorted(ends))}
    time = at or system_clock()
    return tuple(
        EdgeView(
            edge=edge,
            source_title=found[edge.source].named,
            source_type=found[edge.source].type,
            target_title=found[edge.target].named,
            target_type=found[edge.target].type,
            live=lives(edge, time),
        )
        for edge in listed
    )
