"""What one recall reads: a scope as arrays, in storage order (by pk). Everything else is an index into them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from core.algos.lexical import fold
from core.algos.neighbours import Timeline
from core.algos.reshape import TagGroups
from core.domain.enums import Layer, TagKind
from core.domain.ids import MemoryId, TypeId
from core.domain.memory import TITLE_FROM_BODY_CHARS, TagSet
from core.domain.schema import Schema
from core.ports.recall_store import ALWAYS, NEVER, StoredEdges
from core.services.recall.columns import LAYER_CODES, STATUS_CODES, Flags, Floats, Ints, MemoryColumns
from core.services.recall.names import NameIndex

__all__ = ["LAYER_CODES", "STATUS_CODES", "Corpus", "EdgeColumns", "Flags", "Floats", "Ints", "folded_tags"]

US_PER_DAY = 86_400_000_000.0
_NO_TAGS = TagGroups()
LONGEST_SORTED_ID = 64
"""Ids up to so many characters are sorted as an array of characters, without holding up other threads."""
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

    def moved(self, places: Ints) -> EdgeColumns:
        """The same where each memory stands at another row, without those of memories that are gone (-1)."""
        source, target = places[self.source], places[self.target]
        kept = (source >= 0) & (target >= 0)
        columns = {each.name: getattr(self, each.name)[kept] for each in fields(self)}
        return EdgeColumns(**columns | {"source": source[kept], "target": target[kept]})

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
        columns: MemoryColumns,
        edges: StoredEdges,
        aliases: Mapping[int, tuple[str, ...]],
        tags: Mapping[int, tuple[tuple[str, str], ...]],
        schema: Schema,
    ) -> None:
        self.columns = columns
        self.stored = columns.stored
        self.schema = schema
        self._aliases = aliases
        self._tags = tags
        self._raw_edges = edges
        self._timelines: dict[int, Timeline] = {}
        self.size = len(columns.pks)
        self.pks = columns.pks
        self.folders = columns.folders
        self.importance = columns.importance
        self.created = columns.created
        self.activations = columns.activations
        self.updated = columns.updated
        self.text_bytes = columns.text_bytes
        self.terms = columns.terms
        self.embeds = columns.embeds
        self.asks = columns.asks
        self.seq = columns.seq
        """Main floor, NaN where a memory has no place in a chat."""
        self.end_seq = columns.end_seq
        self.types, self.type_names = columns.types, columns.type_names
        self.layers = columns.layers
        self.statuses = columns.statuses
        self.compressed = columns.compressed
        self.merged = columns.merged
        self.parents = self.rows_of(columns.parent_pks)
        self.audiences, self.audience_names = columns.audiences, columns.audience_names

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
        return _edge_columns(self, self._raw_edges)

    @cached_property
    def tags(self) -> Mapping[int, TagGroups]:
        """Tag triples by row; rows without one are absent."""
        rows = self.rows_of(list(self._tags)).tolist()
        return {row: _groups(tags) for row, tags in zip(rows, self._tags.values(), strict=True) if row >= 0}

    def tag_groups(self, row: int) -> TagGroups:
        """The tag triple of a memory."""
        return self.tags.get(row, _NO_TAGS)

    @cached_property
    def origin_ranks(self) -> Ints:
        """Rank of each memory by the id it had in its file: decides between equal energies."""
        names = [memory.origin_id for memory in self.stored]
        short = max(map(len, names), default=0) <= LONGEST_SORTED_ID  # objects would be compared one by one
        ids = np.array(names, dtype=np.str_ if short else object)
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

    def take_over(self, before: Corpus, former: Ints, changed: Iterable[int], *, same_edges: bool) -> None:
        """Take what `before` has found out as far as it still holds, instead of finding it anew.

        `former`: the row that each row had there, -1 for none. `changed`: pks that may differ; all others are the same
        in both. Cost: O(names) where rows have moved.
        """
        moved = before.size != self.size or not np.array_equal(former, np.arange(self.size))
        places = np.full(before.size, -1, dtype=np.int64)
        places[former[former >= 0]] = np.flatnonzero(former >= 0)
        if same_edges and "edges" in before.__dict__ and not (former < 0).any():
            self.__dict__["edges"] = before.edges.moved(places) if moved else before.edges
        rows = [row for row in self.rows_of(list(changed)).tolist() if row >= 0]
        shift = places.tolist() if moved else None
        for index, names_in in (("name_index", Corpus.names_of), ("cast_index", Corpus._cast_of)):
            if (known := before.__dict__.get(index)) is None:
                continue
            known = known if shift is None else known.moved(shift)
            pairs = {row: (_names(names_in, before, int(former[row])), names_in(self, row)) for row in rows}
            other = {row: pair for row, pair in pairs.items() if pair[0] != pair[1]}
            self.__dict__[index] = known.changed(other) if other else known
        self._take_orders(before, rows, moved=moved)

    def _take_orders(self, before: Corpus, rows: Iterable[int], *, moved: bool) -> None:
        """Ranks and sessions, where nothing they follow from is other."""
        if moved:
            return
        if "origin_ranks" in before.__dict__ and all(
            self.stored[row].origin_id == before.stored[row].origin_id for row in rows
        ):
            self.__dict__["origin_ranks"] = before.origin_ranks
        if before._timelines and (
            np.array_equal(self.places, before.places)
            and np.array_equal(self.positions, before.positions, equal_nan=True)
            and np.array_equal(self.created, before.created)
        ):
            self._timelines = before._timelines

    @cached_property
    def places(self) -> Ints:
        """Which folder or document a memory's neighbours in time are looked for in."""
        documents = self.columns.documents
        return np.where(documents > 0, -documents, self.folders).astype(np.int64)

    @cached_property
    def positions(self) -> Floats:
        """Floor, or place in the document; NaN without either."""
        return np.where(self.places < 0, self.columns.spans, self.seq)

    def timeline(self, gap_minutes: int) -> Timeline:
        """The order of what happened, cut into sessions."""
        if gap_minutes not in self._timelines:
            built = Timeline.build(self.places, self.positions, self.created, gap_minutes)
            self._timelines = {gap_minutes: built}
        return self._timelines[gap_minutes]


def folded_tags(tags: TagSet) -> TagGroups:
    """The triple as sets of folded tags, so that case, width and traditional forms do not matter."""
    return TagGroups(_folded(tags.core), _folded(tags.diffusion), _folded(tags.opposing))


def _folded(tags: Iterable[str]) -> frozenset[str]:
    return frozenset(name for tag in tags if (name := fold(tag).strip()))


def _names(names_in: Callable[[Corpus, int], tuple[str, ...]], corpus: Corpus, row: int) -> tuple[str, ...]:
    """The names of a row, none where it was not there."""
    return names_in(corpus, row) if row >= 0 else ()


def _groups(tags: Iterable[tuple[str, str]]) -> TagGroups:
    by_kind: dict[str, list[str]] = {}
    for kind, value in tags:
        by_kind.setdefault(kind, []).append(value)
    core, diffusion, opposing = (
        _folded(by_kind.get(kind.value, ())) for kind in (TagKind.CORE, TagKind.DIFFUSION, TagKind.OPPOSING)
    )
    return TagGroups(core, diffusion, opposing)


def _edge_columns(corpus: Corpus, edges: StoredEdges) -> EdgeColumns:
    source, target = corpus.rows_of(edges["source"]), corpus.rows_of(edges["target"])
    inside = (source >= 0) & (target >= 0) & (source != target)
    edges = edges[inside]
    invalid_from, expired_at = edges["invalid_from"].copy(), edges["expired_at"].copy()
    return EdgeColumns(
        pks=edges["pk"].copy(),
        source=source[inside],
        target=target[inside],
        strength=edges["strength"].copy(),
        inhibits=edges["inhibits"].astype(np.bool_),
        valid_from=edges["valid_from"].copy(),
        invalid_from=invalid_from,
        expired_at=expired_at,
        from_seq=edges["from_seq"].copy(),
        ended_seq=edges["ended_seq"].copy(),
        invalid=invalid_from != NEVER,
        closed=(invalid_from != NEVER) | (expired_at != NEVER),
    )
