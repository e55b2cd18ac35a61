"""MemoryFilter and Sort as SQL over the table `memory` (alias m)."""

from __future__ import annotations

import json
import string
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from core.algos import lexical
from core.domain.folder import SEPARATOR
from core.domain.queries import MemoryFilter, Sort, SortKey, TrashScope
from core.store.search_sql import term_sql
from core.store.search_ways import Way, way_of

RANKED_MATCHES = 5_000
"""A ranked search scores at most this many matches (newest first), so that common words stay fast."""

_LIVE = "m.deleted_at IS NULL"
LIST_INDEX = "memory m INDEXED BY ix_memory_list"
"""Named, because SQLite cannot see that this index spares it the rows: 15 ms instead of 200 at 100,000."""
_TRASHED = "SELECT pk FROM memory WHERE deleted_at IS NOT NULL"
_SYNTAX = string.whitespace + '\u3000-－"＂“”「」『』'

_SORT_SQL = {
    SortKey.CREATED: "m.created_at",
    SortKey.UPDATED: "m.updated_at",
    SortKey.TITLE: "m.title COLLATE NOCASE",
    SortKey.TYPE: "m.type",
    SortKey.LAYER: "m.layer",
    SortKey.STATUS: "m.status",
    SortKey.FOLDER: "(SELECT name FROM folder WHERE folder.pk = m.folder)",
    SortKey.IMPORTANCE: "m.importance",
    SortKey.ACTIVATIONS: "m.activation_count",
    SortKey.LAST_USED: "m.last_activated_at",
    SortKey.SEQ: "m.seq",
    SortKey.LEVEL: "m.level",
}

_INLIST_INDEX = frozenset({SortKey.LAYER, SortKey.STATUS, SortKey.FOLDER, SortKey.LEVEL, SortKey.ACTIVATIONS})
"""Orders without an index of their own whose column is in the list's."""


@dataclass(slots=True)
class Where:
    """Conditions and their parameters, in order."""

    conditions: list[str] = field(default_factory=list)
    parameters: list[Any] = field(default_factory=list)
    source: str = "memory m"
    through_list: bool = False
    """Whether `ix_memory_list` holds all that the conditions look at."""
    in_its_order: bool = False
    """The same, but only for a list in that index's order; else SQLite does better by itself."""
    only_live_matches: bool = False
    """Whether nothing is asked but words, outside the trash."""

    def add(self, condition: str, *parameters: Any) -> None:
        """One more condition, with `?` places."""
        self.conditions.append(condition)
        self.parameters.extend(parameters)

    @property
    def sql(self) -> str:
        """The WHERE clause, "" when nothing filters."""
        return f" WHERE {' AND '.join(self.conditions)}" if self.conditions else ""


def among(column: str) -> str:
    """A condition that takes a JSON list of any length as its one parameter."""
    return f"{column} IN (SELECT value FROM json_each(?))"


def key_list(values: Iterable[object]) -> str:
    """The parameter of `among`."""
    return json.dumps(list(values), default=int)  # numpy's integers too


def _like(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def where_of(query: MemoryFilter) -> Where:
    """The conditions of a filter."""
    where = Where()
    match query.trash:
        case TrashScope.OUTSIDE:
            where.add(_LIVE)
        case TrashScope.INSIDE:
            where.add("m.deleted_at IS NOT NULL")
        case TrashScope.BOTH:
            pass
    _add_sets(where, query)
    _add_ranges(where, query)
    for kind, value in query.tags:
        of_kind = " AND tag.kind = ?" if kind is not None else ""
        where.add(
            f"m.pk IN (SELECT tag.memory FROM tag WHERE tag.value = ? COLLATE NOCASE{of_kind})",
            value,
            *([kind.value] if kind is not None else []),
        )
    if query.among is not None:
        where.add(among("m.pk"), key_list(query.among))
    if query.where is not None:
        condition, parameters = term_sql(query.where)
        where.add(condition, *parameters)
    where.only_live_matches = where.conditions == [_LIVE]
    # Folders, tags and documents have indexes of their own, which leave fewer memories to look at.
    way = Way.ALWAYS if query.where is None else way_of(query.where)
    if query.folders or query.tags or query.document is not None or query.among is not None:
        way = Way.NOT
    if query.trash is TrashScope.OUTSIDE:
        where.through_list = way is Way.ALWAYS
        where.in_its_order = way is Way.IN_ITS_ORDER and not query.text.strip(_SYNTAX)
    _add_text(where, query.text, key="+m.pk" if where.through_list else "m.pk")
    if where.through_list and len(where.conditions) > 1:
        where.source = LIST_INDEX
    return where


def _add_sets(where: Where, query: MemoryFilter) -> None:
    if query.folders:
        folders = key_list(sorted(query.folders))
        if query.with_subfolders:
            where.add(
                "m.folder IN (SELECT f.pk FROM folder f JOIN folder top"
                f" ON f.pk = top.pk OR substr(f.name, 1, length(top.name) + 1) = top.name || '{SEPARATOR}'"
                f" WHERE {among('top.pk')})",
                folders,
            )
        else:
            where.add(among("m.folder"), folders)
    for column, values in (
        ("m.type", query.types),
        ("m.layer", query.layers),
        ("m.status", query.statuses),
    ):
        if values:
            where.add(among(column), key_list(sorted(values)))


def _add_ranges(where: Where, query: MemoryFilter) -> None:
    for condition, value in (
        ("m.importance >= ?", query.importance_min),
        ("m.importance <= ?", query.importance_max),
        ("coalesce(m.seq_end, m.seq) >= ?", query.seq_min),
        ("coalesce(m.seq_start, m.seq) <= ?", query.seq_max),
        ("m.level >= ?", query.level_min),
        ("m.document = ?", query.document),
    ):
        if value is not None:
            where.add(condition, value)
    if query.never_recalled:
        where.add("m.activation_count = 0")
    if query.locked is not None:
        where.add("m.locked = ?", int(query.locked))


def _add_text(where: Where, text: str, key: str) -> None:
    """`key`: with a plus, SQLite does not look up each match by its key."""
    if not text.strip(_SYNTAX):
        return  # nothing typed yet but blanks, an opening quotation mark or a minus
    parsed = lexical.parse_query(text)
    match = lexical.fts_match(parsed, prefix=True)
    excluded = lexical.fts_exclude(parsed)
    if match:
        where.add(f"{key} IN (SELECT rowid FROM memory_fts WHERE memory_fts MATCH ?)", match)
    elif excluded:
        where.add(f"{key} NOT IN (SELECT rowid FROM memory_fts WHERE memory_fts MATCH ?)", excluded)
    else:  # nothing but signs, e.g. "?!": look for the characters themselves
        pattern = _like(text.strip())
        where.add("(m.title LIKE ? ESCAPE '\\' OR m.body LIKE ? ESCAPE '\\')", pattern, pattern)


def list_sql(query: MemoryFilter, sort: Sort) -> tuple[str, tuple[Any, ...]]:
    """SQL of the pks that pass a filter, in order, with its parameters."""
    where = where_of(query)
    if sort.key is SortKey.RELEVANCE and query.among is not None:
        order = key_list(query.among)
        return (
            f"SELECT m.pk FROM {where.source} JOIN json_each(?) place ON place.value = m.pk{where.sql}"
            " ORDER BY place.key"
        ), (order, *where.parameters)
    if sort.key is SortKey.RELEVANCE:
        match = lexical.fts_match(lexical.parse_query(query.text), prefix=True)
        if match:
            return _ranked(where, match)
        sort = Sort()
    in_order = sort.key in _INLIST_INDEX or sort.key is SortKey.UPDATED
    if (where.through_list and sort.key in _INLIST_INDEX) or (where.in_its_order and in_order):
        where.source = LIST_INDEX
    direction = "DESC" if sort.descending else "ASC"
    order = f" ORDER BY {_SORT_SQL[sort.key]} {direction}, m.pk {direction}"
    return f"SELECT m.pk FROM {where.source}{where.sql}{order}", tuple(where.parameters)


def _ranked(where: Where, match: str) -> tuple[str, tuple[Any, ...]]:
    """The best of the newest RANKED_MATCHES matches by bm25, then the older ones by age."""
    best = (
        "WITH best AS MATERIALIZED (SELECT rowid AS pk, bm25(memory_fts) AS score FROM memory_fts"
        f" WHERE memory_fts MATCH ? ORDER BY rowid DESC LIMIT {RANKED_MATCHES})"
    )
    if where.only_live_matches:  # the everyday search reads no row of the wide table
        older = "SELECT rowid, 1, -rowid FROM memory_fts WHERE memory_fts MATCH ? AND rowid < (SELECT min(pk) FROM best)"
        sql = (
            f"{best} SELECT pk FROM (SELECT pk, 0 AS late, score AS place FROM best UNION ALL {older})"
            f" WHERE pk NOT IN ({_TRASHED}) ORDER BY late, place, pk DESC"
        )
        return sql, (match, match)
    sql = (
        f"{best} SELECT m.pk FROM {where.source} LEFT JOIN best ON best.pk = m.pk{where.sql}"
        " ORDER BY best.score IS NULL, best.score, m.pk DESC"
    )
    return sql, (match, *where.parameters)
