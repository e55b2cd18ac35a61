"""The graph in bulk, straight into arrays (core.ports.graph_store.GraphStore).

Rows are fetched in pages and become columns of numbers at once, so that the rows of a hundred thousand
memories are never all there as Python objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from sqlalchemy import Connection

from core.domain.edge import alive
from core.domain.graph import LAYERS, STATUSES, GraphData, GraphEdges, GraphFilter, GraphNodes, micros
from core.domain.ids import FolderPk, MemoryPk, RelationId, TypeId
from core.domain.memory import cut_title
from core.domain.queries import MemoryFilter, TrashScope
from core.ports.clock import Clock
from core.store.database import Database
from core.store.filters import LIST_INDEX, Where, among, key_list, where_of
from core.store.graph_floors import floors_of

PAGE_ROWS = 20_000
WHOLE_SHARE = 0.2
"""From this share of the library on, whole tables are read instead of looking rows up."""

Array = NDArray[Any]


class _Codes(dict[str, int]):
    """Small numbers for names, given out as they come."""

    def __missing__(self, name: str) -> int:
        return self.setdefault(name, len(self))


_LAYER_CODES = _Codes({layer.value: number for number, layer in enumerate(LAYERS)})
_STATUS_CODES = _Codes({status.value: number for number, status in enumerate(STATUSES)})


class SqlGraphStore:
    """Reads of the graph, and the positions that layouts found."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    # --- the graph -----------------------------------------------------------------------

    def graph(self, where: GraphFilter, key: str, only: Iterable[int] | None = None) -> GraphData:
        """The graph under a filter. Cost: a few scans of indexes, and the edges once."""
        now = micros(where.live_at or self._clock())
        with self._database.reading() as connection:
            total = _count(
                connection,
                MemoryFilter(
                    folders=where.memories.folders,
                    trash=where.memories.trash,
                    with_subfolders=where.memories.with_subfolders,
                ),
            )
            types, folders, relations = _Codes(), _Codes(), _Codes()
            nodes = _nodes(connection, where.memories, only, types, folders)
            edges = _edges(connection, where, nodes, relations, now)
            positions, pinned = _places(connection, key, nodes.pks)
        return GraphData(
            nodes=nodes,
            edges=edges,
            types=tuple(TypeId(name) for name in types),
            relations=tuple(RelationId(name) for name in relations),
            folders=tuple(FolderPk(int(name)) for name in folders),
            positions=positions,
            pinned=pinned,
            total=total,
            key=key,
        )

    def around(self, memories: Sequence[MemoryPk], hops: int, where: GraphFilter, limit: int) -> list[int]:
        """Pks at most `hops` relations away. Cost: two statements a hop."""
        now = micros(where.live_at or self._clock())
        with self._database.reading() as connection:
            found = dict.fromkeys(_passing(connection, where.memories, memories))
            front = list(found)
            for _ in range(hops):
                if not front or len(found) >= limit:
                    break
                ends = _beside(connection, where, front, now)
                front = _passing(connection, where.memories, [pk for pk in ends if pk not in found])
                found.update(dict.fromkeys(front))
        return list(found)[:limit]

    def titles(self, memories: Sequence[int]) -> list[str]:
        """Shown titles in the order asked."""
        sql = f"SELECT pk, title, substr(body, 1, 400) FROM memory WHERE {among('pk')}"
        with self._database.reading() as connection:
            rows = connection.exec_driver_sql(sql, (key_list(memories),)).all()
        found = {row[0]: row[1] or cut_title(" ".join(row[2].split())) for row in rows}
        return [found.get(int(pk), "") for pk in memories]

    # --- kept positions --------------------------------------------------------------------

    def keep(self, key: str, memories: NDArray[np.int64], positions: NDArray[np.float32]) -> None:
        """Keep positions; those of other memories under the same key stay. Not where the library is only read."""
        if self._database.read_only is not None:
            return
        with self._database.writing() as connection:
            old_keys, old = _picture(connection, key)
            others = ~np.isin(old_keys, memories)
            there = np.isfinite(positions).all(axis=1)
            keys = np.concatenate([old_keys[others], np.asarray(memories, dtype=np.int64)[there]])
            both = np.concatenate([old[others], np.asarray(positions, dtype=np.float32)[there]])
            order = np.argsort(keys, kind="stable")
            connection.exec_driver_sql(
                "INSERT INTO picture (place, pks, positions) VALUES (?, ?, ?) ON CONFLICT (place)"
                " DO UPDATE SET pks = excluded.pks, positions = excluded.positions",
                (key, keys[order].astype("<i8").tobytes(), both[order].astype("<f4").tobytes()),
            )


# --- columns --------------------------------------------------------------------------------------


def _read(
    connection: Connection,
    sql: str,
    parameters: tuple[Any, ...],
    columns: Sequence[tuple[DTypeLike, Mapping[str, int] | None]],
) -> list[Array]:
    """The columns of an answer: of a type each, names turned into their codes."""
    pages: list[list[Array]] = [[] for _ in columns]
    with connection.exec_driver_sql(sql, parameters) as result:
        cursor = result.cursor
        while rows := cursor.fetchmany(PAGE_ROWS):
            for page, values, (dtype, codes) in zip(pages, zip(*rows, strict=True), columns, strict=True):
                if codes is None:
                    page.append(np.array(values, dtype=dtype))
                else:
                    page.append(np.fromiter(map(codes.__getitem__, values), dtype=dtype, count=len(values)))
    return [
        np.concatenate(page) if page else np.empty(0, dtype=dtype)
        for page, (dtype, _) in zip(pages, columns, strict=True)
    ]


def _count(connection: Connection, where: MemoryFilter) -> int:
    clause = where_of(where)
    source = LIST_INDEX if where.trash is TrashScope.OUTSIDE and not where.folders else clause.source
    sql = f"SELECT count(*) FROM {source}{clause.sql}"
    return int(connection.exec_driver_sql(sql, tuple(clause.parameters)).scalar_one())


def _narrowed(where: MemoryFilter, only: Iterable[int] | None) -> tuple[Where, bool]:
    """The conditions, and whether the list's index is enough to answer them."""
    clause = where_of(where)
    if only is not None:
        clause.add(among("m.pk"), key_list(only))
        clause.source = "memory m"
        return clause, False
    if where.trash is TrashScope.OUTSIDE and not (where.folders or where.tags or where.document is not None):
        clause.source = LIST_INDEX
        return clause, True
    return clause, False


_FROM_LIST: tuple[tuple[str, DTypeLike], ...] = (
    ("m.importance", np.float32),
    ("m.activation_count", np.int32),
    ("m.updated_at", np.int64),
    ("coalesce(m.seq_end, m.seq, -1)", np.int32),
    ("m.level", np.int16),
    ("m.locked", np.bool_),
)
_FROM_ROW: tuple[tuple[str, str, str], ...] = (
    ("m.created_at", "ix_memory_live_created_at", "m.deleted_at IS NULL"),
    (
        "m.last_activated_at",
        "ix_memory_live_last_activated_at",
        "m.deleted_at IS NULL AND m.last_activated_at > 0",
    ),
    ("m.parent", "ix_memory_parent", "m.parent IS NOT NULL"),
)


def _nodes(
    connection: Connection, where: MemoryFilter, only: Iterable[int] | None, types: _Codes, folders: _Codes
) -> GraphNodes:
    clause, by_list = _narrowed(where, only)
    listed = ", ".join(name for name, _ in _FROM_LIST)
    head = f"SELECT m.pk, m.type, m.layer, m.status, m.folder, {listed}"
    kinds: list[tuple[DTypeLike, Mapping[str, int] | None]] = [
        (np.int64, None),
        (np.int16, types),
        (np.int16, _LAYER_CODES),
        (np.int16, _STATUS_CODES),
        (np.int32, folders),
        *((dtype, None) for _, dtype in _FROM_LIST),
    ]
    parameters = tuple(clause.parameters)
    if by_list:
        columns = _read(connection, f"{head} FROM {clause.source}{clause.sql}", parameters, kinds)
        columns += [_by_index(connection, columns[0], *each) for each in _FROM_ROW]
    else:
        more = ", ".join(f"coalesce({name}, 0)" for name, *_ in _FROM_ROW)
        sql = f"{head}, {more} FROM {clause.source}{clause.sql}"
        columns = _read(connection, sql, parameters, [*kinds, *[(np.int64, None)] * len(_FROM_ROW)])
    order = np.argsort(columns[0], kind="stable")
    (
        pks,
        type_,
        layer,
        status,
        folder,
        importance,
        used,
        updated,
        seq,
        level,
        locked,
        created,
        last,
        parent,
    ) = (column[order] for column in columns)
    return GraphNodes(
        pks=pks,
        type=type_,
        layer=layer,
        status=status,
        folder=folder,
        importance=importance,
        activation_count=used,
        last_activated_at=last,
        created_at=created,
        updated_at=updated,
        seq=seq,
        level=level,
        parent=_index_of(pks, parent),
        locked=locked,
    )


def _by_index(connection: Connection, pks: Array, column: str, index: str, condition: str) -> Array:
    """A column of the wide rows, read from the narrow index that holds it; 0 where there is none."""
    sql = f"SELECT m.pk, {column} FROM memory m INDEXED BY {index} WHERE {condition}"
    keys, values = _read(connection, sql, (), [(np.int64, None), (np.int64, None)])
    order = np.argsort(keys, kind="stable")
    at = _index_of(keys[order], pks)
    return np.where(at >= 0, values[order][at] if len(values) else 0, 0).astype(np.int64)


def _index_of(sorted_keys: Array, wanted: Array) -> NDArray[np.int32]:
    """Index of each key in a sorted array, -1 where it is not there."""
    if not len(sorted_keys):
        return np.full(len(wanted), -1, dtype=np.int32)
    at = np.minimum(np.searchsorted(sorted_keys, wanted), len(sorted_keys) - 1)
    return np.where(sorted_keys[at] == wanted, at, -1).astype(np.int32)


# --- edges ----------------------------------------------------------------------------------------

_EDGE_COLUMNS: tuple[tuple[str, DTypeLike], ...] = (
    ("e.strength", np.float32),
    ("e.inhibits", np.bool_),
    ("coalesce(e.valid_from, -9223372036854775808)", np.int64),
    ("coalesce(e.invalid_from, 9223372036854775807)", np.int64),
    ("coalesce(e.expired_at, 9223372036854775807)", np.int64),
    ("coalesce(e.from_seq, -1)", np.int64),
    ("coalesce(e.ended_seq, -1)", np.int64),
)


def _edge_conditions(where: GraphFilter) -> Where:
    conditions = Where()
    if where.relations:
        conditions.add(among("e.relation"), key_list(sorted(where.relations)))
    if where.strength_min > 0:
        conditions.add("e.strength >= ?", where.strength_min)
    return conditions


def _edges(
    connection: Connection, where: GraphFilter, nodes: GraphNodes, relations: _Codes, now: int
) -> GraphEdges:
    conditions = _edge_conditions(where)
    known = connection.exec_driver_sql("SELECT coalesce(max(pk), 0) FROM memory").scalar_one()
    if len(nodes) < WHOLE_SHARE * known:
        conditions.add(among("e.source"), key_list(nodes.pks.tolist()))
    columns = ", ".join(name for name, _ in _EDGE_COLUMNS)
    kinds: list[tuple[DTypeLike, Mapping[str, int] | None]] = [
        (np.int64, None),
        (np.int64, None),
        (np.int64, None),
        (np.int16, relations),
        *((dtype, None) for _, dtype in _EDGE_COLUMNS),
    ]
    found = _read(
        connection,
        f"SELECT e.pk, e.source, e.target, e.relation, {columns} FROM edge e{conditions.sql}",
        tuple(conditions.parameters),
        kinds,
    )
    found[1], found[2] = _index_of(nodes.pks, found[1]), _index_of(nodes.pks, found[2])
    live = alive(found[6], found[7], found[8], now)
    kept = (found[1] >= 0) & (found[2] >= 0)
    if where.live_at is not None:
        kept &= live
    order = np.argsort(found[0][kept], kind="stable")
    pks, source, target, relation, strength, inhibits, begins, ends, expires, seq, ended, live = (
        column[kept][order] for column in (*found, live)
    )
    from_seq, until_seq = floors_of(nodes, source, target, seq, ended, np.minimum(ends, expires), now)
    return GraphEdges(
        pks=pks,
        source=source,
        target=target,
        relation=relation,
        strength=strength,
        inhibits=inhibits,
        valid_from=begins,
        invalid_from=ends,
        expired_at=expires,
        from_seq=from_seq,
        until_seq=until_seq,
        live=live,
    )


def _beside(connection: Connection, where: GraphFilter, front: Sequence[int], now: int) -> list[int]:
    """Other ends of live relations of some memories, without repeats, by pk."""
    conditions = _edge_conditions(where)
    conditions.add("coalesce(e.valid_from, ?) <= ?", -(2**63), now)
    conditions.add("coalesce(e.invalid_from, ?) > ?", 2**63 - 1, now)
    conditions.add("coalesce(e.expired_at, ?) > ?", 2**63 - 1, now)
    halves = " UNION ".join(
        f"SELECT e.{other} AS pk FROM edge e{conditions.sql} AND {among('e.' + end)}"
        for end, other in (("source", "target"), ("target", "source"))
    )
    parameters = (*conditions.parameters, key_list(front))
    return [row[0] for row in connection.exec_driver_sql(f"{halves} ORDER BY pk", parameters * 2)]


def _passing(connection: Connection, where: MemoryFilter, pks: Sequence[int]) -> list[int]:
    """Those of the memories that pass the filter, in the order given."""
    clause, _ = _narrowed(where, pks)
    sql = f"SELECT m.pk FROM {clause.source}{clause.sql}"
    passing = {row[0] for row in connection.exec_driver_sql(sql, tuple(clause.parameters))}
    return [pk for pk in pks if pk in passing]


# --- positions ------------------------------------------------------------------------------------


def _picture(connection: Connection, key: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    sql = "SELECT pks, positions FROM picture WHERE place = ?"
    row = connection.exec_driver_sql(sql, (key,)).one_or_none()
    if row is None or len(row[0]) != len(row[1]):
        return np.empty(0, dtype=np.int64), np.empty((0, 2), dtype=np.float32)
    return np.frombuffer(row[0], dtype="<i8"), np.frombuffer(row[1], dtype="<f4").reshape(-1, 2)


def _places(
    connection: Connection, key: str, pks: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Kept positions of the nodes, NaN where there are none, and which are pinned (their pin counts)."""
    positions = np.full((len(pks), 2), np.nan, dtype=np.float32)
    pinned = np.zeros(len(pks), dtype=np.bool_)
    keys, kept = _picture(connection, key)
    at = _index_of(keys, pks)
    if len(keys):
        positions[at >= 0] = kept[at[at >= 0]]
    sql = "SELECT memory, x, y FROM pin WHERE place = ? ORDER BY memory"
    memories, x, y = _read(
        connection, sql, (key,), [(np.int64, None), (np.float32, None), (np.float32, None)]
    )
    at = _index_of(pks, memories)
    there = at >= 0
    positions[at[there]] = np.stack([x[there], y[there]], axis=1)
    pinned[at[there]] = True
    positions[~np.isfinite(positions).all(axis=1)] = np.nan
    return positions, pinned
