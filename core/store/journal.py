"""The journal: which rows an op touched, with changed columns before and after.

`revision`, `updated_at`, recall counters and derived columns are no part of what is compared.
`updated_at` travels beside the images of a memory, so that an undo can give it back.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter

from sqlalchemy import Connection

from core.domain.enums import Kind
from core.store.codecs import FIELDS
from core.store.rows import Row

INSERT, UPDATE, DELETE = "i", "u", "d"
OUTSIDE = frozenset({"pk", "revision", "updated_at", "activation_count", "last_activated_at"})
"""Columns that are never compared (DESIGN §3)."""

_IMAGED_INSERTS = frozenset({Kind.TAG, Kind.ALIAS})
"""Kinds whose inserts keep an image, so that a memory's versions can tell its tags."""

_IMAGES = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_DIGESTED = json.JSONEncoder(separators=(",", ":"))
_COMPARED = {
    kind: itemgetter(*(name for name in names if name not in OUTSIDE)) for kind, names in FIELDS.items()
}


@dataclass(slots=True)
class Entry:
    """One touched row."""

    kind: Kind
    pk: int
    action: str
    before: Row | None = None
    after: Row | None = None
    digest: str | None = None
    memory: int | None = None
    other: int | None = None
    op: int = 0


def digest(kind: Kind, row: Row) -> str:
    """Hash of the compared columns of a row."""
    values = _DIGESTED.encode(_COMPARED[kind](row))
    return hashlib.blake2b(values.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def owners(kind: Kind, row: Row) -> tuple[int | None, int | None]:
    """The memories that a row is about."""
    match kind:
        case Kind.MEMORY:
            return row["pk"], None
        case Kind.TAG | Kind.ALIAS | Kind.PIN | Kind.DECISION:
            return row["memory"], None
        case Kind.EDGE:
            return row["source"], row["target"]
        case Kind.NOT_DUPLICATE:
            return row["a"], row["b"]
        case Kind.MERGE:
            return row["survivor"], row["loser"]
        case _:
            return None, None


def owner_columns(kind: Kind) -> tuple[str, ...]:
    """The columns that `owners` looks at."""
    match kind:
        case Kind.TAG | Kind.ALIAS | Kind.PIN | Kind.DECISION:
            return ("memory",)
        case Kind.EDGE:
            return ("source", "target")
        case Kind.NOT_DUPLICATE:
            return ("a", "b")
        case Kind.MERGE:
            return ("survivor", "loser")
        case _:
            return ()


def inserted(kind: Kind, row: Row) -> Entry:
    """The entry of a new row."""
    memory, other = owners(kind, row)
    image = dict(row) if kind in _IMAGED_INSERTS else None
    return Entry(kind, row["pk"], INSERT, None, image, digest(kind, row), memory, other)


def write(connection: Connection, op: int, entries: Sequence[Entry]) -> None:
    """Append entries to an op."""
    connection.exec_driver_sql(
        'INSERT INTO journal (op, kind, row_pk, "action", before, after, digest, memory, other)'
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                op,
                entry.kind.value,
                entry.pk,
                entry.action,
                _dump(entry.before),
                _dump(entry.after),
                entry.digest,
                entry.memory,
                entry.other,
            )
            for entry in entries
        ],
    )


def rewrite_digests(connection: Connection, op: int, kind: Kind, digests: Iterable[tuple[int, str]]) -> None:
    """New digests of rows that this op inserted and then changed. Cost: O(rows of the op), not for each digest."""
    found = connection.exec_driver_sql(
        "SELECT row_pk, pk FROM journal WHERE op = ? AND kind = ? AND action = 'i'", (op, kind.value)
    )
    place = {row[0]: row[1] for row in found}
    changed = [(value, place[pk]) for pk, value in digests if pk in place]
    if changed:
        connection.exec_driver_sql("UPDATE journal SET digest = ? WHERE pk = ?", changed)


def read(connection: Connection, op: int) -> list[Entry]:
    """All entries of an op, in the order written."""
    rows = connection.exec_driver_sql(
        'SELECT kind, row_pk, "action", before, after, digest, memory, other, op FROM journal WHERE op = ? ORDER BY pk',
        (op,),
    )
    return [_entry(row) for row in rows]


def read_of_memory(connection: Connection, memory: int) -> list[Entry]:
    """All entries about a memory itself, its tags and aliases, newest op first, in order within."""
    rows = connection.exec_driver_sql(
        'SELECT kind, row_pk, "action", before, after, digest, memory, other, op FROM journal'
        " WHERE memory = ? AND kind IN ('memory', 'tag', 'alias') ORDER BY op DESC, pk",
        (memory,),
    )
    return [_entry(row) for row in rows]


def read_of_document(connection: Connection, pk: int) -> list[Entry]:
    """All entries about a document's own row, newest op first, in order within. Cost: the ops on documents."""
    rows = connection.exec_driver_sql(
        'SELECT kind, row_pk, "action", before, after, digest, memory, other, op FROM journal'
        " WHERE kind = 'document' AND row_pk = ?"
        " AND op IN (SELECT pk FROM op WHERE label LIKE 'op.document.%' OR label = 'op.import')"
        " ORDER BY op DESC, pk",
        (pk,),
    )
    return [_entry(row) for row in rows]


def read_where(connection: Connection, where: str, values: tuple[object, ...]) -> list[Entry]:
    """All entries (alias j) under a condition, which can say their order too."""
    rows = connection.exec_driver_sql(
        'SELECT j.kind, j.row_pk, j."action", j.before, j.after, j.digest, j.memory, j.other, j.op'
        f" FROM journal j WHERE {where}",
        values,
    )
    return [_entry(row) for row in rows]


def _entry(row: Sequence[object]) -> Entry:
    kind, pk, action, before, after, digest_, memory, other, op = row
    return Entry(
        Kind(str(kind)),
        int(str(pk)),
        str(action),
        None if before is None else json.loads(str(before)),
        None if after is None else json.loads(str(after)),
        None if digest_ is None else str(digest_),
        None if memory is None else int(str(memory)),
        None if other is None else int(str(other)),
        int(str(op)),
    )


def _dump(row: Row | None) -> str | None:
    return None if row is None else _IMAGES.encode(row)


@dataclass(slots=True)
class Net:
    """What an op did to one row altogether. `action` and images as in Entry."""

    kind: Kind
    pk: int
    action: str
    before: Row
    after: Row
    digest: str | None


def fold(entries: Iterable[Entry]) -> list[Net]:
    """The net change of each row, in the order first touched; rows that came and went are left out."""
    nets: dict[tuple[Kind, int], Net] = {}
    for entry in entries:
        key = (entry.kind, entry.pk)
        net = nets.get(key)
        if net is None:
            nets[key] = Net(
                entry.kind, entry.pk, entry.action, entry.before or {}, entry.after or {}, entry.digest
            )
        elif net.action == INSERT:
            if entry.action == DELETE:
                del nets[key]
        elif entry.action == UPDATE:
            net.before = (entry.before or {}) | net.before
            net.after = net.after | (entry.after or {})
        else:
            net.action = DELETE
            net.before = (entry.before or {}) | net.before
            net.after = {}
    return list(nets.values())
