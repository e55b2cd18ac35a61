"""What one recall reads: a scope as arrays, in storage order (by pk). Everything else is an index into them."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.algos.lexical import fold
from core.algos.neighbours import Timeline
from core.algos.reshape import TagGroups
from core.domain.enums import Layer, Status, StatusReason, TagKind
from core.domain.ids import MemoryId, TypeId
from core.domain.memory import TITLE_FROM_BODY_CHARS, TagSet
from core.domain.schema import Schema
from core.domain.tags import TRIPLE
from core.ports.recall_store import StoredEdge, StoredMemory
from core.services.recall.names import NameIndex

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
V = TypeVar("V", bound=Hashable)

NEVER = np.iinfo(np.int64).max
ALWAYS = np.iinfo(np.int64).min
US_PER_DAY = 86_400_000_000.0
_NO_TAGS = TagGroups()
_TRIPLE = frozenset(kind.value for kind in TRIPLE)
_BETWEEN_NAMES = re.compile(r'[,，、;；/|&"\[\]\n]+')


@dataclass(frozen=True, slots=True)
class EdgeColumns:
    """Relations inside the scope, by pk; `source` and `target` are rows. Missing times are ALWAYS or NEVER.

    `closed`: an end is set at all, even a future one (ST-BME's stricter tests).
    """

    pks: Ints
    source: Ints
    target: Ints
    strength: Floats
    inhibits: Flags
    valid_from: Ints
    invalid_from: Ints
    expired_at: Ints
    from_seq: Ints
    ended_seq: Ints
    invalid: Flags
    closed: Flags

    def live(self, now: int, as_of: int | None) -> Flags:
        """The one live rule (DESIGN §4) at a time; where floors are known they decide for `as_of`."""
        started = self.valid_from <= now
        ended = (self.invalid_from <= now) | (self.expired_at <= now)
        if as_of is None:
            return started & ~ended
        known_start, known_end = self.from_seq != ALWAYS, self.ended_seq != NEVER
        started = np.where(known_start, self.from_seq <= as_of, started)
        ended = np.where(known_end, self.ended_seq <= as_of, ended)
        return np.asarray(started & ~ended)


class Corpus:
    """A scope at one state of the library. Never changed after it is made, so threads share it."""

    def __init__(
        self,
        memories: Sequence[StoredMemory],
        edges: Iterable[StoredEdge],
        aliases: Mapping[int, tuple[str, ...]],
        tags: Mapping[int, tuple[tuple[str, str], ...]],
        schema: Schema,
    ) -> None:
        self.stored = memories
        self.schema = schema
        self._aliases = aliases
        self._tags = tags
        self._raw_edges = edges
        self._timelines: dict[int, Timeline] = {}
        column = _Columns(memories)
        self.size = len(memories)
        self.pks = column.whole("pk")
        self.folders = column.whole("folder")
        self.importance = column.real("importance")
        self.created = column.whole("created_at")
        self.activations = column.whole("activations")
        self.updated = column.whole("updated_at")
        self.text_bytes = column.whole("text_bytes")
        self.terms = column.real("terms")
        self.embeds = column.flag("embeds")
        self.asks = column.flag("asks")
        self.seq = column.optional("seq")
        """Main floor, NaN where a memory has no place in a chat."""
        self.end_seq = np.where(np.isnan(ends := column.optional("seq_end")), self.seq, ends)
        self.types, self.type_names = column.types()
        self.layers = column.coded("layer", Layer)
        self.statuses = column.coded("status", Status)
        self.compressed = column.equal("reason", StatusReason.COMPRESSED)
        self.merged = column.equal("reason", StatusReason.MERGED)
        self.parents = self.rows_of(column.optional("parent"))
        self.audiences, self.audience_names = column.audiences()

    def rows_of(self, pks: Floats | Ints | Sequence[int]) -> Ints:
        """Rows of these pks, -1 for those outside the scope."""
        asked = np.nan_to_num(np.asarray(pks, dtype=np.float64), nan=-1.0).astype(np.int64)
        if not self.size:
            return np.full(len(asked), -1, dtype=np.int64)
        places = np.minimum(np.searchsorted(self.pks, asked), self.size - 1)
        return np.where(self.pks[places] == asked, places, -1).astype(np.int64)

    def is_type(self, names: Iterable[str]) -> Flags:
        """Which memories have one of these types."""
        wanted = set(names)
        chosen = np.array([name in wanted for name in self.type_names], dtype=np.bool_)
        return chosen[self.types] if self.size else np.zeros(0, dtype=np.bool_)

    def age_days(self, now: int) -> Floats:
        """Days since creation at a time in microseconds."""
        return np.asarray((now - self.created) / US_PER_DAY)

    def names_of(self, row: int) -> tuple[str, ...]:
        """Title and aliases."""
        memory = self.stored[row]
        return (memory.title, *self._aliases.get(memory.pk, ()))

    def id_of(self, row: int) -> MemoryId:
        """The memory's public id."""
        return MemoryId(self.stored[row].id)

    def type_of(self, row: int) -> TypeId:
        """The memory's type."""
        return TypeId(self.stored[row].type)

    def shown_title(self, row: int) -> str:
        """The title, or the first characters of the body where a type has no title column."""
        memory = self.stored[row]
        if memory.title:
            return memory.title
        lines = (line.strip() for line in memory.beginning.splitlines())
        return next((line for line in lines if line), "")[:TITLE_FROM_BODY_CHARS]

    @cached_property
    def always(self) -> Flags:
        """Memories of types that are always injected, and those of the layer that is."""
        types = self.is_type(item.id for item in self.schema.types if item.always_inject)
        return np.asarray(types | (self.layers == LAYER_CODES[Layer.INHERENT]))

    @cached_property
    def edges(self) -> EdgeColumns:
        """Relations with both ends in the scope."""
        return _edge_columns(self)

    @cached_property
    def tags(self) -> Mapping[int, TagGroups]:
        """Tag triples by row; rows without one are absent."""
        rows = {memory.pk: row for row, memory in enumerate(self.stored)}
        triples = {pk: tags for pk, tags in self._tags.items() if any(kind in _TRIPLE for kind, _ in tags)}
        return {rows[pk]: _groups(tags) for pk, tags in triples.items() if pk in rows}

    def tag_groups(self, row: int) -> TagGroups:
        """The tag triple of a memory."""
        return self.tags.get(row, _NO_TAGS)

    @cached_property
    def origin_ranks(self) -> Ints:
        """Rank of each memory by the id it had in its file: decides between equal energies."""
        ids = np.array([memory.origin_id for memory in self.stored], dtype=object)
        return np.argsort(np.argsort(ids, kind="stable"), kind="stable").astype(np.int64)

    @cached_property
    def name_index(self) -> NameIndex:
        """Titles and aliases, for anchors."""
        return NameIndex(self.names_of(row) for row in range(self.size))

    @cached_property
    def cast_index(self) -> NameIndex:
        """Who took part in what."""
        return NameIndex(map(self._cast_of, range(self.size)))

    def _cast_of(self, row: int) -> tuple[str, ...]:
        return tuple(map(str.strip, _BETWEEN_NAMES.split(str(self.stored[row].cast))))

    def take_over(self, before: Corpus, changed: Iterable[int], *, same_edges: bool) -> None:
        """Take what `before` has found out as far as it still holds. Nothing when rows have moved.

        `changed`: pks that may differ; all others are the same in both. Cost: O(names), instead of folding every name
        and reading every relation anew.
        """
        kept = before.size
        if self.size < kept or not np.array_equal(self.pks[:kept], before.pks):
            return
        if same_edges and "edges" in before.__dict__:
            self.__dict__["edges"] = before.edges
        touched = [*self.rows_of(list(changed)).tolist(), *range(kept, self.size)]
        rows = [row for row in dict.fromkeys(touched) if row >= 0]
        for index, names_in in (("name_index", Corpus.names_of), ("cast_index", Corpus._cast_of)):
            if (known := before.__dict__.get(index)) is None:
                continue
            pairs = {row: (names_in(before, row) if row < kept else (), names_in(self, row)) for row in rows}
            other = {row: pair for row, pair in pairs.items() if pair[0] != pair[1]}
            self.__dict__[index] = known.changed(other) if other else known

    @cached_property
    def places(self) -> Ints:
        """Which folder or document a memory's neighbours in time are looked for in."""
        documents = np.array([memory.document or 0 for memory in self.stored], dtype=np.int64)
        return np.where(documents > 0, -documents, self.folders).astype(np.int64)

    @cached_property
    def positions(self) -> Floats:
        """Floor, or place in the document; NaN without either."""
        spans = np.array(
            [np.nan if memory.span_start is None else memory.span_start for memory in self.stored],
            dtype=np.float64,
        )
        return np.where(self.places < 0, spans, self.seq)

    def timeline(self, gap_minutes: int) -> Timeline:
        """The order of what happened, cut into sessions."""
        if gap_minutes not in self._timelines:
            built = Timeline.build(self.places, self.positions, self.created, gap_minutes)
            self._timelines = {gap_minutes: built}
        return self._timelines[gap_minutes]


LAYER_CODES = {layer: code for code, layer in enumerate(Layer)}
STATUS_CODES = {status: code for code, status in enumerate(Status)}


class _Columns:
    """Columns of the records as arrays."""

    def __init__(self, memories: Sequence[StoredMemory]) -> None:
        columns = zip(*memories, strict=True) if memories else ([] for _ in StoredMemory._fields)
        self._columns = dict(zip(StoredMemory._fields, columns, strict=True))

    def whole(self, name: str) -> Ints:
        return np.array(self._columns[name], dtype=np.int64)

    def real(self, name: str) -> Floats:
        return np.array(self._columns[name], dtype=np.float64)

    def flag(self, name: str) -> Flags:
        return np.array(self._columns[name], dtype=np.bool_)

    def optional(self, name: str) -> Floats:
        return np.array(self._columns[name], dtype=np.float64)  # None becomes NaN

    def equal(self, name: str, value: str) -> Flags:
        return np.array([item == value for item in self._columns[name]], dtype=np.bool_)

    def types(self) -> tuple[Ints, list[str]]:
        return _coded(self._columns["type"])

    def audiences(self) -> tuple[Ints, list[tuple[str, ...]]]:
        return _coded(self._columns["visibility"])

    def coded(self, name: str, kind: type[Layer | Status]) -> Ints:
        codes = {str(member.value): code for code, member in enumerate(kind)}
        return np.array([codes[value] for value in self._columns[name]], dtype=np.int64)


def _coded(values: Iterable[V]) -> tuple[Ints, list[V]]:
    """Numbers for the values in order of first appearance, and the values."""
    codes: dict[V, int] = {}
    coded = [codes.setdefault(value, len(codes)) for value in values]
    return np.array(coded, dtype=np.int64), list(codes)


def folded_tags(tags: TagSet) -> TagGroups:
    """The triple as sets of folded tags, so that case, width and traditional forms do not matter."""
    return TagGroups(_folded(tags.core), _folded(tags.diffusion), _folded(tags.opposing))


def _folded(tags: Iterable[str]) -> frozenset[str]:
    return frozenset(name for tag in tags if (name := fold(tag).strip()))


def _groups(tags: Iterable[tuple[str, str]]) -> TagGroups:
    by_kind: dict[str, list[str]] = {}
    for kind, value in tags:
        by_kind.setdefault(kind, []).append(value)
    core, diffusion, opposing = (
        _folded(by_kind.get(kind.value, ())) for kind in (TagKind.CORE, TagKind.DIFFUSION, TagKind.OPPOSING)
    )
    return TagGroups(core, diffusion, opposing)


def _edge_columns(corpus: Corpus) -> EdgeColumns:
    edges = sorted(corpus._raw_edges)  # noqa: SLF001 - the builder of its own part
    columns = list(zip(*edges, strict=True)) if edges else [()] * len(StoredEdge._fields)
    source, target = (corpus.rows_of(np.array(columns[at], dtype=np.int64)) for at in (1, 2))
    inside = (source >= 0) & (target >= 0) & (source != target)

    def times(at: int, missing: int) -> Ints:
        values = [missing if value is None else value for value in columns[at]]
        column: Ints = np.array(values, dtype=np.int64)[inside]
        return column

    invalid_from, expired_at = times(6, NEVER), times(7, NEVER)
    return EdgeColumns(
        pks=np.array(columns[0], dtype=np.int64)[inside],
        source=source[inside],
        target=target[inside],
        strength=np.array(columns[3], dtype=np.float64)[inside],
        inhibits=np.array(columns[4], dtype=np.bool_)[inside],
        valid_from=times(5, ALWAYS),
        invalid_from=invalid_from,
        expired_at=expired_at,
        from_seq=times(8, ALWAYS),
        ended_seq=times(9, NEVER),
        invalid=invalid_from != NEVER,
        closed=(invalid_from != NEVER) | (expired_at != NEVER),
    )
