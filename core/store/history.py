"""Reading ops: single ones, the list, and what undo and redo would take next."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from core.domain.enums import ActorKind, Kind, OpRole, OpState
from core.domain.ids import OpId
from core.domain.json_types import Json
from core.domain.queries_drop import DocumentVersion
from core.domain.results import Actor, HistoryEntry, OpInfo, RowVersion
from core.store import journal
from core.store.codecs import CODECS, JSON, LIST, from_micros
from core.store.rows import Row

_COLUMNS = (
    'pk, label, args, actor_kind, actor_name, session, "at", role, state, undoable, of_op, undone_by,'
    ' "rows", memories'
)


def _info(row: Sequence[Any]) -> OpInfo:
    return OpInfo(
        id=OpId(row[0]),
        label=row[1],
        args=json.loads(row[2]),
        actor=Actor(ActorKind(row[3]), row[4], row[5]),
        at=from_micros(row[6]),
        role=OpRole(row[7]),
        state=OpState(row[8]),
        undoable=bool(row[9]),
        of=None if row[10] is None else OpId(row[10]),
        undone_by=None if row[11] is None else OpId(row[11]),
    )


def read_op(connection: Connection, op: OpId) -> OpInfo | None:
    """The op of that id."""
    row = connection.exec_driver_sql(f"SELECT {_COLUMNS} FROM op WHERE pk = ?", (op,)).one_or_none()
    return None if row is None else _info(row)


def entries(connection: Connection, where: str, values: tuple[object, ...], limit: int) -> list[HistoryEntry]:
    """Ops under a condition, newest first."""
    rows = connection.exec_driver_sql(
        f"SELECT {_COLUMNS} FROM op WHERE {where} ORDER BY pk DESC LIMIT ?", (*values, limit)
    )
    return [HistoryEntry(_info(row), row[12], row[13]) for row in rows]


def list_ops(connection: Connection, limit: int, before: OpId | None) -> list[HistoryEntry]:
    """Ops, newest first."""
    rows = connection.exec_driver_sql(
        f"SELECT {_COLUMNS} FROM op WHERE state = 'complete' AND (? IS NULL OR pk < ?) ORDER BY pk DESC LIMIT ?",
        (before, before, limit),
    )
    return [HistoryEntry(_info(row), row[12], row[13]) for row in rows]


def ops_after(connection: Connection, op: OpId) -> list[OpInfo]:
    """Complete ops newer than one, oldest first."""
    rows = connection.exec_driver_sql(
        f"SELECT {_COLUMNS} FROM op WHERE state = 'complete' AND pk > ? ORDER BY pk", (op,)
    )
    return [_info(row) for row in rows]


def last_op(connection: Connection) -> OpId:
    """Highest op id, 0 in a new library."""
    return OpId(connection.exec_driver_sql("SELECT coalesce(max(pk), 0) FROM op").scalar_one())


def next_undo(connection: Connection, actor: Actor) -> OpInfo | None:
    """The newest change of this writer (whichever session) that stands and can be undone."""
    row = connection.exec_driver_sql(
        f"SELECT {_COLUMNS} FROM op WHERE actor_kind = ? AND actor_name = ? AND role IN ('change', 'redo')"
        " AND state = 'complete' AND undoable AND undone_by IS NULL ORDER BY pk DESC LIMIT 1",
        (actor.kind.value, actor.name),
    ).one_or_none()
    return None if row is None else _info(row)


def next_redo(connection: Connection, actor: Actor) -> OpInfo | None:
    """The newest undo of this writer that stands, unless a newer change of theirs cleared it."""
    row = connection.exec_driver_sql(
        f"SELECT {_COLUMNS} FROM op WHERE actor_kind = ? AND actor_name = ? AND role = 'undo'"
        " AND state = 'complete' AND undone_by IS NULL"
        " AND pk > coalesce((SELECT max(pk) FROM op WHERE actor_kind = ? AND actor_name = ?"
        " AND role = 'change' AND undoable), 0) ORDER BY pk DESC LIMIT 1",
        (actor.kind.value, actor.name, actor.kind.value, actor.name),
    ).one_or_none()
    return None if row is None else _info(row)


def versions_of(connection: Connection, memory: int) -> list[RowVersion]:
    """What each op changed on a memory, its tags and aliases, newest first."""
    by_op: dict[int, list[journal.Entry]] = {}
    for entry in journal.read_of_memory(connection, memory):
        by_op.setdefault(entry.op, []).append(entry)
    versions = []
    for op, entries in by_op.items():
        info = read_op(connection, OpId(op))
        if info is not None and info.state is OpState.COMPLETE:
            versions.append(_version(info, entries))
    return versions


def document_versions(connection: Connection, document: int) -> list[DocumentVersion]:
    """Changes of a document's text, newest first; the first one from nothing."""
    found: list[DocumentVersion] = []
    now = connection.exec_driver_sql("SELECT text, version FROM document WHERE pk = ?", (document,)).first()
    text, version = (str(now[0]), int(now[1])) if now is not None else ("", 0)
    for entry in journal.read_of_document(connection, document):
        after, before = entry.after or {}, entry.before or {}
        inserted = entry.action == journal.INSERT
        if not inserted and "version" not in before:
            continue
        info = read_op(connection, OpId(entry.op))
        if info is None or info.state is not OpState.COMPLETE:
            continue
        text, version = str(after.get("text", text)), int(str(after.get("version", version)))
        earlier = "" if inserted else str(before.get("text", text))
        found.append(DocumentVersion(info, version, earlier, text))
        text, version = earlier, int(str(before.get("version", 0)))
    return found


def _version(info: OpInfo, entries: Sequence[journal.Entry]) -> RowVersion:
    before: dict[str, Json] = {}
    after: dict[str, Json] = {}
    lost: dict[str, list[str]] = {}
    gained: dict[str, list[str]] = {}
    for entry in entries:
        if entry.kind is Kind.MEMORY:
            before |= _plain(entry.before)
            after |= _plain(entry.after)
            continue
        gone, new = entry.action == journal.DELETE, entry.action == journal.INSERT
        row = entry.before if gone else entry.after
        if row is not None and (gone or new):
            name = "alias" if entry.kind is Kind.ALIAS else str(row["kind"])
            (lost if gone else gained).setdefault(name, []).append(row["value"])
    for name in lost.keys() | gained.keys():
        before[name] = lost.get(name, [])
        after[name] = gained.get(name, [])
    return RowVersion(info, before, after)


def _plain(row: Row | None) -> dict[str, Json]:
    """An image as JSON values: JSON columns parsed, the rest as stored (times: UTC microseconds)."""
    codecs = CODECS[Kind.MEMORY]
    return {
        name: json.loads(value) if value is not None and codecs[name] in (JSON, LIST) else value
        for name, value in (row or {}).items()
        if name not in journal.OUTSIDE
    }
