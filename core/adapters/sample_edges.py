"""Relations of the sample library: the words of each memory's `rel`, and the lines of edges.jsonl."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from core.adapters.sample_data import Line, SampleFolder
from core.adapters.sample_memories import full_key, relations_of
from core.adapters.sample_times import SampleTimes
from core.domain.ids import RelationId
from core.domain.schema import Schema
from core.domain.transfer import PlannedEdge, PlannedMemory


class EdgeMaker:
    """Makes the planned relations of one folder, and those across folders."""

    def __init__(self, memories: Mapping[str, PlannedMemory], strengths: Line, schema: Schema) -> None:
        self._memories = memories
        self._strengths = strengths
        self._schema = schema

    def of_memories(self, folder: SampleFolder) -> Iterator[PlannedEdge]:
        """The relations that memories name in their `rel`; they begin when the younger end was written."""
        for _, line in folder.memories:
            source = full_key(folder.directory, line.text("key"))
            for item in relations_of(line):
                yield self._edge(
                    source,
                    full_key(folder.directory, item.target),
                    Line({"relation": item.relation}),
                    since=None,
                    from_seq=self._memories[source].seq,
                )

    def of_lines(self, folder: SampleFolder, times: SampleTimes) -> Iterator[PlannedEdge]:
        """The relations of edges.jsonl, with their floors or ages and their ends."""
        for line in folder.edges:
            yield self._edge(
                full_key(folder.directory, line.text("from")),
                full_key(folder.directory, line.text("to")),
                line,
                since=_moment(line, times, "floor", "age"),
                from_seq=_floor(line, "floor"),
                ended=_moment(line, times, "ended", "ended_age"),
                ended_seq=_floor(line, "ended"),
                expired=_moment(line, times, "expired", ""),
            )

    def across(self, lines: tuple[Line, ...]) -> Iterator[PlannedEdge]:
        """Relations between folders; their ends are ``folder/key``."""
        for line in lines:
            source, target = (full_key(*line.text(end).split("/")) for end in ("from", "to"))
            yield self._edge(source, target, line)

    def _edge(
        self,
        source: str,
        target: str,
        line: Line,
        *,
        since: datetime | None = None,
        from_seq: int | None = None,
        ended: datetime | None = None,
        ended_seq: int | None = None,
        expired: datetime | None = None,
    ) -> PlannedEdge:
        relation = self._schema.relation(line.text("relation"))
        if relation is None:
            raise ValueError(f"sample data: no relation {line.text('relation')!r} at {source}")
        ends = self._memories[source], self._memories[target]
        began = since or max(end.created_at for end in ends)
        return PlannedEdge(
            source=source,
            target=target,
            relation=RelationId(relation.id),
            strength=line.number("strength", self._strengths.number(relation.id)),
            inhibits=relation.inhibits,
            created_at=began,
            valid_from=began,
            invalid_from=ended,
            expired_at=expired,
            from_seq=from_seq,
            ended_seq=ended_seq,
        )


def _floor(line: Line, name: str) -> int | None:
    return int(line.number(name)) if line.has(name) else None


def _moment(line: Line, times: SampleTimes, floor: str, age: str) -> datetime | None:
    if line.has(floor):
        return times.floor(int(line.number(floor)))
    return times.days_ago(line.number(age)) if line.has(age) else None
