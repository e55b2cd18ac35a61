"""Memories of one folder of the sample library, from the lines of its data files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from core.adapters.sample_data import Line, SampleFolder
from core.adapters.sample_times import SampleTimes
from core.algos.lexical import search_tokens
from core.domain.enums import Layer, Status, StatusReason
from core.domain.ids import TypeId
from core.domain.json_types import Json
from core.domain.memory import TagSet
from core.domain.schema import ColumnRole, MemoryType, Schema
from core.domain.transfer import PlannedMemory

INVOLVED_IN = "involved_in"
PARTICIPANTS = "participants"
_WRITTEN_WITHIN = timedelta(minutes=1)
"""How long after the chat line a memory of it is written."""


@dataclass(frozen=True, slots=True)
class Relation:
    """One word of a memory's `rel`: relation and the key of the other memory."""

    relation: str
    target: str


def full_key(directory: str, key: str) -> str:
    """The key of a memory within the whole sample; it is also its foreign id."""
    return f"{directory}-{key}"


def relations_of(line: Line) -> Iterator[Relation]:
    """What ``"rel": "involved_in su wen; occurred_at tea"`` says."""
    for group in line.text("rel").split(";"):
        relation, *targets = group.split() or [""]
        yield from (Relation(relation, target) for target in targets)


class MemoryMaker:
    """Makes the planned memories of one folder."""

    def __init__(self, folder: SampleFolder, times: SampleTimes, schema: Schema) -> None:
        self._folder = folder
        self._times = times
        self._schema = schema
        self._names = {line.text("key"): line.text("name") for _, line in folder.memories}
        self._floors = dict(self._spans())
        self._seen: set[str] = set()

    def memories(self) -> Iterator[PlannedMemory]:
        """All of them, in the order of the files."""
        for type_id, line in self._folder.memories:
            yield self._memory(type_id, line)

    def _memory(self, type_id: str, line: Line) -> PlannedMemory:
        memory_type = self._schema.type(type_id)
        if memory_type is None:
            raise ValueError(f"sample data: no type {type_id}")
        key = line.text("key")
        span = self._floors.get(key)
        created, updated = self._written(line, span, memory_type)
        status, reason = self._life(line)
        body = _column(line, memory_type, ColumnRole.BODY)
        title = _column(line, memory_type, ColumnRole.TITLE)
        fields = self._fields(line, memory_type)
        count, days = (*line.numbers("used"), 0.0, 0.0)[:2]
        return PlannedMemory(
            key=full_key(self._folder.directory, key),
            foreign_id=full_key(self._folder.directory, key),
            folder=self._folder.directory,
            type=TypeId(type_id),
            layer=Layer(line.text("layer", Layer.MEMORY.value)),
            status=status,
            status_reason=reason,
            title=title,
            body=body,
            fields=fields,
            importance=line.number("importance", 5),
            novelty=self._novelty([title, body, *(str(value) for value in fields.values())]),
            activation_count=int(count),
            last_activated_at=self._times.used(days, not_before=updated) if count else None,
            seq=span[1] if span else None,
            seq_start=span[0] if span else None,
            seq_end=span[1] if span else None,
            level=int(line.number("level")),
            parent=self._key_in(line, "parent"),
            merged_into=self._key_in(line, "merged_into"),
            visibility=line.texts("visibility"),
            locked=line.flag("locked"),
            source=line.text("source", "extraction" if span else "agent"),
            created_at=created,
            updated_at=updated,
            deleted_at=self._times.days_ago(line.number("trashed")) if line.has("trashed") else None,
            tags=_tags(line),
            aliases=line.texts("aliases"),
        )

    def _spans(self) -> Iterator[tuple[str, tuple[int, int]]]:
        """First and last floor by key; a summary spans what its children span."""
        own: dict[str, tuple[int, int]] = {}
        children: dict[str, list[str]] = {}
        for _, line in self._folder.memories:
            if at := line.numbers("at"):
                own[line.text("key")] = (int(at[0]), int(at[1]))
            if parent := line.text("parent"):
                children.setdefault(parent, []).append(line.text("key"))

        def span(key: str) -> tuple[int, int]:
            parts = [own[key]] if key in own else [span(child) for child in children[key]]
            return min(start for start, _ in parts), max(end for _, end in parts)

        for key in (*own, *(parent for parent in children if parent not in own)):
            yield key, span(key)

    def _written(
        self, line: Line, span: tuple[int, int] | None, memory_type: MemoryType
    ) -> tuple[datetime, datetime]:
        """When a memory was made and last changed; only a type with one row a thing is kept up to date."""
        if span is None:
            made = self._times.days_ago(line.number("age"))
            return made, made
        last = self._times.floor(span[1]) + _WRITTEN_WITHIN
        return (
            (self._times.floor(span[0]) + _WRITTEN_WITHIN, last) if memory_type.latest_only else (last, last)
        )

    def _life(self, line: Line) -> tuple[Status, StatusReason | None]:
        if line.has("life"):
            return Status(line.text("life")), StatusReason(line.text("life_reason"))
        if line.has("parent"):
            return Status.ARCHIVED, StatusReason.COMPRESSED
        return Status.ACTIVE, None

    def _fields(self, line: Line, memory_type: MemoryType) -> dict[str, Json]:
        fields = {
            column.name: line.data[column.name]
            for column in memory_type.field_columns
            if column.name in line.data
        }
        if line.has("start"):
            began = self._times.days_ago(line.number("start"))
            fields["event_start_at"] = began.timestamp()
            fields["event_end_at"] = (began + timedelta(hours=line.number("hours"))).timestamp()
        elif memory_type.column_of(ColumnRole.BODY) and any(
            column.name == PARTICIPANTS for column in memory_type.columns
        ):
            fields.setdefault(PARTICIPANTS, ", ".join(self._participants(line)))
        return {name: value for name, value in fields.items() if value not in ("", [])}

    def _participants(self, line: Line) -> Iterable[str]:
        return (self._names[item.target] for item in relations_of(line) if item.relation == INVOLVED_IN)

    def _key_in(self, line: Line, name: str) -> str | None:
        key = line.text(name)
        return full_key(self._folder.directory, key) if key else None

    def _novelty(self, texts: Iterable[str]) -> float:
        """Share of neighbouring word pairs that no earlier memory of the folder has.

        A stand-in by words for the novelty energy of vectors (spec/BOOKU §2.3), which the sample, made
        without an embedder, does not have; doubles come out low as they should.
        """
        tokens = search_tokens(" ".join(texts))
        pairs = {" ".join(pair) for pair in pairwise(tokens)} or set(tokens)
        fresh = len(pairs - self._seen) / len(pairs) if pairs else 1.0
        self._seen |= pairs
        return round(fresh, 3)


def _column(line: Line, memory_type: MemoryType, role: ColumnRole) -> str:
    """The value of the title or body column, under the column's name or its role's."""
    column = memory_type.column_of(role)
    return line.text(column.name) if column and line.has(column.name) else line.text(role.value)


def _tags(line: Line) -> TagSet:
    return TagSet(
        general=line.texts("tags"),
        core=line.texts("core"),
        diffusion=line.texts("diffusion"),
        opposing=line.texts("opposing"),
    )
