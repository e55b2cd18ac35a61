"""Rows that cannot be right, found in SQL, each with what would put it right (core.domain.health.Fault).

Most of it cannot come about through this program (references are checked at each commit): it comes from files
that another program wrote to, from damage, or from imports of what was wrong already. So nothing here decodes a
row: what is to be found may be what cannot be decoded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from core.domain.chat import FLOORS_CHANGED_KEY
from core.domain.enums import Kind, Status, StatusReason, TagKind
from core.domain.health import Fault, Faulty
from core.domain.ids import MemoryPk, is_person_id
from core.domain.schema import Column, ColumnRole, Compression, MemoryType
from core.domain.schema_data import default_schema
from core.store.codecs import CODECS, COLUMNS, COMPRESSION, JSON, LIST, to_micros
from core.store.references import REFERENCES

NOT_YET = timedelta(days=1)
"""Clocks of two machines may differ; what was made later than this is no matter of clocks."""
ONLY_COLUMN = (Column(name="title", role=ColumnRole.TITLE, required=True),)

_OWNED = (Kind.TAG, Kind.ALIAS, Kind.PIN, Kind.NOT_DUPLICATE)
_OPTIONAL = {
    Fault.PARENT: (Kind.MEMORY, "parent"),
    Fault.MERGED: (Kind.MEMORY, "merged_into"),
    Fault.DOCUMENT: (Kind.MEMORY, "document"),
}
_NAMED = {Kind.MEMORY: "id", Kind.EDGE: "id", Kind.FOLDER: "name", Kind.DOCUMENT: "title"}


def faulty(connection: Connection, fault: Fault, now: datetime) -> list[Faulty]:
    """All rows with a fault; none for faults that are not found in rows. Cost: O(n), a few statements."""
    find = _FINDERS.get(fault)
    return [] if find is None else list(find(connection, now))


def _rows(connection: Connection, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
    with connection.exec_driver_sql(sql, parameters) as result:
        return list(result.cursor.fetchall())


# --- what leads nowhere -------------------------------------------------------------------------


def _leads_nowhere(connection: Connection, kind: Kind, column: str, target: Kind) -> list[tuple[int, str]]:
    name = _NAMED.get(kind, "pk")
    sql = (
        f'SELECT t.pk, t."{name}" FROM "{kind.value}" t WHERE t."{column}" IS NOT NULL AND NOT EXISTS'
        f' (SELECT 1 FROM "{target.value}" o WHERE o.pk = t."{column}") ORDER BY t.pk'
    )
    return [(row[0], str(row[1])) for row in _rows(connection, sql)]


def _gone_targets(kinds: Iterable[Kind]) -> Callable[[Connection, datetime], Iterator[Faulty]]:
    """Rows that say nothing without what they point to: they go."""
    wanted = frozenset(kinds)

    def find(connection: Connection, _now: datetime) -> Iterator[Faulty]:
        seen: set[tuple[Kind, int]] = set()
        for each in REFERENCES:
            if each.kind not in wanted or each.optional:
                continue
            for pk, ref in _leads_nowhere(connection, each.kind, each.column, each.target):
                if (each.kind, pk) not in seen:
                    seen.add((each.kind, pk))
                    yield Faulty(each.kind, pk, ref=ref)

    return find


def _lost_folder(connection: Connection, _now: datetime) -> Iterator[Faulty]:
    """What lies in a folder that is gone; the value is filled in by the repair (the default folder)."""
    for each in REFERENCES:
        if each.column != "folder" or each.optional:
            continue
        for pk, ref in _leads_nowhere(connection, each.kind, each.column, each.target):
            memory = MemoryPk(pk) if each.kind is Kind.MEMORY else None
            yield Faulty(each.kind, pk, "folder", None, memory, ref)


def _optional(fault: Fault) -> Callable[[Connection, datetime], Iterator[Faulty]]:
    kind, column = _OPTIONAL[fault]
    target = next(each.target for each in REFERENCES if (each.kind, each.column) == (kind, column))

    def find(connection: Connection, _now: datetime) -> Iterator[Faulty]:
        for pk, ref in _leads_nowhere(connection, kind, column, target):
            yield Faulty(kind, pk, column, None, MemoryPk(pk), ref)

    return find


# --- loops --------------------------------------------------------------------------------------


def _loops(links: Mapping[int, int]) -> Iterator[list[int]]:
    """The closed chains of "a leads to b"."""
    done: set[int] = set()
    for start in links:
        chain: dict[int, int] = {}
        at: int | None = start
        while at is not None and at not in done and at not in chain:
            chain[at] = len(chain)
            at = links.get(at)
        if at is not None and at in chain:
            yield [pk for pk, place in chain.items() if place >= chain[at]]
        done.update(chain)


def _parent_loop(connection: Connection, _now: datetime) -> Iterator[Faulty]:
    """One link of each loop is cut: that of the memory on the highest level, which should be on top."""
    rows = _rows(connection, "SELECT pk, parent, id, level FROM memory WHERE parent IS NOT NULL")
    about = {row[0]: (row[2], row[3]) for row in rows}
    for loop in _loops({row[0]: row[1] for row in rows}):
        top = max(loop, key=lambda pk: (about[pk][1], -pk))
        yield Faulty(Kind.MEMORY, top, "parent", None, MemoryPk(top), about[top][0])


def _merged_loop(connection: Connection, _now: datetime) -> Iterator[Faulty]:
    """One memory of each loop becomes the survivor again: one that is in use, else the oldest."""
    rows = _rows(
        connection,
        "SELECT pk, merged_into, id, status, status_reason FROM memory WHERE merged_into IS NOT NULL",
    )
    about = {row[0]: row[2:] for row in rows}
    for loop in _loops({row[0]: row[1] for row in rows}):
        keeps = min(loop, key=lambda pk: (about[pk][1] != Status.ACTIVE.value, pk))
        ref, _status, reason = about[keeps]
        yield Faulty(Kind.MEMORY, keeps, "merged_into", None, MemoryPk(keeps), ref)
        if reason == StatusReason.MERGED.value:
            yield Faulty(Kind.MEMORY, keeps, "status", Status.ACTIVE, MemoryPk(keeps), ref)
            yield Faulty(Kind.MEMORY, keeps, "status_reason", None, MemoryPk(keeps), ref)


# --- times and floors ---------------------------------------------------------------------------


def _edge_times(connection: Connection, _now: datetime) -> Iterator[Faulty]:
    """Relations that end before they begin: the two change places."""
    sql = (
        "SELECT pk, id, source, valid_from, invalid_from, from_seq, ended_seq,"
        " coalesce(invalid_from < valid_from, 0), coalesce(ended_seq < from_seq, 0) FROM edge"
        " WHERE invalid_from < valid_from OR ended_seq < from_seq ORDER BY pk"
    )
    time = CODECS[Kind.EDGE]["valid_from"]
    for pk, ref, source, begins, ends, first, last, in_time, in_floors in _rows(connection, sql):
        about = MemoryPk(source)
        if in_time:
            yield Faulty(Kind.EDGE, pk, "valid_from", time.decode(ends), about, ref)
            yield Faulty(Kind.EDGE, pk, "invalid_from", time.decode(begins), about, ref)
        if in_floors:
            yield Faulty(Kind.EDGE, pk, "from_seq", last, about, ref)
            yield Faulty(Kind.EDGE, pk, "ended_seq", first, about, ref)


def _times(connection: Connection, now: datetime) -> Iterator[Faulty]:
    """Memories and relations made in the future: they were made now at the latest."""
    late = to_micros(now + NOT_YET)
    for kind in (Kind.MEMORY, Kind.EDGE):
        sql = f"SELECT pk, id FROM {kind.value} WHERE created_at > ? ORDER BY pk"
        for pk, ref in _rows(connection, sql, late):
            memory = MemoryPk(pk) if kind is Kind.MEMORY else None
            yield Faulty(kind, pk, "created_at", now, memory, ref)


def _floors(connection: Connection, _now: datetime) -> Iterator[Faulty]:
    """Negative floors mean none; a range that is the wrong way round is turned."""
    sql = (
        "SELECT pk, id, seq, seq_start, seq_end FROM memory"
        " WHERE seq < 0 OR seq_start < 0 OR seq_end < 0 OR seq_start > seq_end ORDER BY pk"
    )
    for pk, ref, seq, start, end in _rows(connection, sql):
        about = MemoryPk(pk)
        if seq is not None and seq < 0:
            yield Faulty(Kind.MEMORY, pk, "seq", None, about, ref)
        first, last = (None if floor is not None and floor < 0 else floor for floor in (start, end))
        if first is not None and last is not None and first > last:
            first, last = last, first
        for column, old, new in (("seq_start", start, first), ("seq_end", end, last)):
            if old != new:
                yield Faulty(Kind.MEMORY, pk, column, new, about, ref)


def _pointer(connection: Connection, _now: datetime) -> Iterator[Faulty]:
    """Chats processed beyond their last floor: back to it, or what is written next would never be read."""
    sql = (
        "SELECT f.pk, f.name, max(-1, min(f.last_processed_seq, m.last)) FROM folder f JOIN"
        " (SELECT folder, max(seq) last FROM message GROUP BY folder) m ON m.folder = f.pk"
        " WHERE f.last_processed_seq > m.last OR f.last_processed_seq < -1 ORDER BY f.pk"
    )
    for pk, name, last in _rows(connection, sql):
        yield Faulty(Kind.FOLDER, pk, "last_processed_seq", last, None, name)


# --- what cannot be read, or is missing ---------------------------------------------------------


def _unreadable(connection: Connection, _now: datetime) -> Iterator[Faulty]:
    """Columns whose JSON is broken or of another shape: emptied (a type's: as built in)."""
    for kind, codecs in CODECS.items():
        for column, codec in codecs.items():
            shape = "array" if codec in (LIST, COLUMNS) else "object" if codec in (JSON, COMPRESSION) else ""
            if not shape:
                continue
            name = _NAMED.get(kind, "id" if "id" in codecs else "pk")
            sql = (
                f'SELECT pk, "{name}" FROM "{kind.value}" WHERE "{column}" IS NOT NULL AND CASE WHEN'
                f' json_valid("{column}") THEN json_type("{column}") <> ? ELSE 1 END ORDER BY pk'
            )
            for pk, ref in _rows(connection, sql, shape):
                memory = MemoryPk(pk) if kind is Kind.MEMORY else None
                yield Faulty(kind, pk, column, _empty(kind, column, str(ref)), memory, str(ref))


def _empty(kind: Kind, column: str, ref: str) -> object:
    """A readable value in place of one that cannot be read."""
    schema = default_schema()
    known: object = None
    if kind is Kind.MEMORY_TYPE:
        known = schema.type(ref)
    elif kind is Kind.RELATION_TYPE:
        known = schema.relation(ref)
    if known is not None:
        return getattr(known, column)
    codec = CODECS[kind][column]
    if codec is COLUMNS:
        return ONLY_COLUMN
    if codec is COMPRESSION:
        return Compression()
    if column == "labels":
        return {"en": ref}
    return () if codec is LIST else {}


def _types(connection: Connection) -> list[MemoryType]:
    """The types whose columns can be read."""
    found = []
    for type_id, columns in _rows(connection, "SELECT id, columns FROM memory_type ORDER BY position, pk"):
        try:
            read = COLUMNS.decode(columns)
        except (ValueError, KeyError, TypeError):
            continue
        found.append(MemoryType(id=type_id, labels={}, table_name="", columns=read))
    return found


def _required(connection: Connection, _now: datetime) -> Iterator[Faulty]:
    """Memories in which a column stands empty that their type requires."""
    for item in _types(connection):
        tests = [_is_empty(column) for column in item.columns if column.required]
        if not tests:
            continue
        sql = (
            "SELECT pk, id FROM memory WHERE type = ? AND deleted_at IS NULL AND merged_into IS NULL AND ("
            + " OR ".join(test for test, _ in tests)
            + ") ORDER BY pk"
        )
        places = [path for _, path in tests if path is not None]
        for pk, ref in _rows(connection, sql, item.id, *places):
            yield Faulty(Kind.MEMORY, pk, "", None, MemoryPk(pk), ref)


def _is_empty(column: Column) -> tuple[str, str | None]:
    """A condition, and the JSON path that it asks for."""
    if column.role is ColumnRole.TITLE:
        return "trim(title) = ''", None
    if column.role is ColumnRole.BODY:
        return "trim(body) = ''", None
    value = "CASE WHEN json_valid(fields) THEN json_extract(fields, ?) END"
    return f"coalesce(trim({value}), '') IN ('', '[]')", _path(column.name)


def _path(name: str) -> str:
    return '$."' + name.replace('"', '\\"') + '"'


def _fields(connection: Connection, _now: datetime) -> Iterator[Faulty]:
    """Values under names that are no columns of their type. `ref` is the name."""
    for item in _types(connection):
        known = json.dumps([column.name for column in item.columns])
        sql = (
            "SELECT m.pk, f.key FROM memory m, json_each(CASE WHEN json_valid(m.fields) THEN m.fields"
            " ELSE '{}' END) f WHERE m.type = ? AND m.fields <> '{}' AND m.deleted_at IS NULL"
            " AND f.key NOT IN (SELECT value FROM json_each(?)) ORDER BY m.pk"
        )
        for pk, name in _rows(connection, sql, item.id, known):
            yield Faulty(Kind.MEMORY, pk, "fields", item.id, MemoryPk(pk), str(name))


def _unknown(kind: Kind, table: str) -> Callable[[Connection, datetime], Iterator[Faulty]]:
    """Rows of a type, or relations of a kind, that the library does not know. `value` is that id."""
    column = "type" if kind is Kind.MEMORY else "relation"
    about = "pk" if kind is Kind.MEMORY else "source"

    def find(connection: Connection, _now: datetime) -> Iterator[Faulty]:
        sql = (
            f'SELECT pk, id, "{column}", {about} FROM {kind.value}'
            f' WHERE "{column}" NOT IN (SELECT id FROM {table}) ORDER BY pk'
        )
        for pk, ref, value, memory in _rows(connection, sql):
            yield Faulty(kind, pk, column, value, MemoryPk(memory), ref)

    return find


def _persons(connection: Connection, _now: datetime) -> Iterator[Faulty]:
    sql = (
        "SELECT pk, id, CASE WHEN json_valid(fields) THEN json_extract(fields, '$.person_id') END"
        " FROM memory WHERE type = 'person' AND deleted_at IS NULL AND merged_into IS NULL ORDER BY pk"
    )
    for pk, ref, value in _rows(connection, sql):
        if not (isinstance(value, str) and is_person_id(value)):
            yield Faulty(Kind.MEMORY, pk, "", None, MemoryPk(pk), ref)


def _triples(connection: Connection, _now: datetime) -> Iterator[Faulty]:
    """Tags of a triple that is half filled: each becomes a general tag."""
    groups = ", ".join(f"'{kind.value}'" for kind in TagKind if kind is not TagKind.GENERAL)
    sql = (
        "SELECT t.pk, m.pk, m.id FROM tag t JOIN memory m ON m.pk = t.memory"
        f" WHERE t.kind IN ({groups}) AND t.memory IN (SELECT memory FROM tag WHERE kind IN ({groups})"
        " GROUP BY memory HAVING count(DISTINCT kind) < 3) ORDER BY m.pk, t.pk"
    )
    for pk, memory, ref in _rows(connection, sql):
        yield Faulty(Kind.TAG, pk, "kind", TagKind.GENERAL, MemoryPk(memory), ref)


def _floors_changed(connection: Connection, _now: datetime) -> Iterator[Faulty]:
    """The mark goes; the memory stays as it is."""
    key = FLOORS_CHANGED_KEY
    sql = (
        "SELECT pk, id, extra FROM memory WHERE instr(extra, ?) > 0 AND json_valid(extra)"
        " AND json_type(extra, ?) IS NOT NULL ORDER BY pk"
    )
    for pk, ref, extra in _rows(connection, sql, f'"{key}"', _path(key)):
        rest = {name: value for name, value in json.loads(extra).items() if name != key}
        yield Faulty(Kind.MEMORY, pk, "extra", rest, MemoryPk(pk), ref)


_FINDERS: Mapping[Fault, Callable[[Connection, datetime], Iterator[Faulty]]] = {
    Fault.UNREADABLE: _unreadable,
    Fault.EDGE_ENDS: _gone_targets([Kind.EDGE]),
    Fault.ORPHANS: _gone_targets(_OWNED),
    Fault.LOST_FOLDER: _lost_folder,
    Fault.DOCUMENT: _optional(Fault.DOCUMENT),
    Fault.PARENT: _optional(Fault.PARENT),
    Fault.PARENT_LOOP: _parent_loop,
    Fault.MERGED: _optional(Fault.MERGED),
    Fault.MERGED_LOOP: _merged_loop,
    Fault.EDGE_TIMES: _edge_times,
    Fault.TIMES: _times,
    Fault.FLOORS: _floors,
    Fault.POINTER: _pointer,
    Fault.TYPES: _unknown(Kind.MEMORY, "memory_type"),
    Fault.RELATIONS: _unknown(Kind.EDGE, "relation_type"),
    Fault.REQUIRED: _required,
    Fault.FIELDS: _fields,
    Fault.PERSON: _persons,
    Fault.TRIPLE: _triples,
    Fault.FLOORS_CHANGED: _floors_changed,
}
