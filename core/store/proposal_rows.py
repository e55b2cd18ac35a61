"""Proposals and their parts as rows: reading, writing outside ops, erasing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from core.domain.endpoints import Usage
from core.domain.ids import FolderPk, MemoryPk
from core.domain.json_types import Json, JsonObject, parse_object
from core.domain.proposal import (
    Decision,
    NewProposal,
    Part,
    PartGroup,
    PartVerdict,
    Proposal,
    ProposalKind,
    ProposalRow,
    ProposalState,
)
from core.domain.proposal_json import (
    group_json,
    group_of,
    memory_of,
    part_json,
    part_kind,
    part_of,
    problem_json,
    problems_of,
)
from core.domain.safe_text import storable
from core.store.codecs import from_micros, to_micros
from core.store.filters import among

_HEAD = "pk, kind, folder, source, data, request_tokens, reply_tokens, created_at, updated_at"


# --- reading ---------------------------------------------------------------------------------------------


def one(connection: Connection, pk: int) -> Proposal | None:
    """A proposal with its parts in order."""
    row = connection.exec_driver_sql(f"SELECT {_HEAD} FROM proposal WHERE pk = ?", (pk,)).one_or_none()
    if row is None:
        return None
    data: dict[str, Any] = dict(parse_object(row[4]))
    return Proposal(
        pk=row[0],
        kind=ProposalKind(row[1]),
        folder=None if row[2] is None else FolderPk(row[2]),
        source=row[3],
        parts=_parts(connection, pk),
        groups=tuple(group_of(group) for group in data.get("groups") or ()),
        args=data.get("args") or {},
        problems=problems_of(data.get("problems")),
        used=_used(data, row[5], row[6]),
        decided=_decided(connection, pk),
        created_at=from_micros(row[7]),
        updated_at=from_micros(row[8]),
    )


def _parts(connection: Connection, pk: int) -> tuple[Part, ...]:
    rows = connection.exec_driver_sql(
        "SELECT kind, key, part_group, ticked, data FROM proposal_part WHERE proposal = ? ORDER BY pk", (pk,)
    )
    return tuple(part_of(row[0], row[1], row[2], bool(row[3]), parse_object(row[4])) for row in rows)


def _decided(connection: Connection, pk: int) -> dict[str, Decision]:
    rows = connection.exec_driver_sql(
        "SELECT pk, part, verdict, memory, created_at FROM decision WHERE proposal = ?", (pk,)
    )
    return {
        row[1]: Decision(
            pk=row[0],
            proposal=pk,
            part=row[1],
            verdict=PartVerdict(row[2]),
            memory=None if row[3] is None else MemoryPk(row[3]),
            created_at=from_micros(row[4]),
        )
        for row in rows
    }


def listed(connection: Connection, kind: ProposalKind | None, folder: FolderPk | None) -> list[ProposalRow]:
    """Proposals with numbers of parts, newest first; those of removed folders are left out."""
    sql = (
        "SELECT p.pk, p.kind, p.folder, f.name, p.source, p.data, p.request_tokens, p.reply_tokens, p.created_at,"
        " p.updated_at, (SELECT count(*) FROM proposal_part t WHERE t.proposal = p.pk),"
        " (SELECT count(*) FROM proposal_part t WHERE t.proposal = p.pk AND NOT EXISTS"
        "  (SELECT 1 FROM decision d WHERE d.proposal = p.pk AND d.part = t.key)),"
        " (SELECT count(*) FROM decision d WHERE d.proposal = p.pk AND d.verdict = 'applied')"
        " FROM proposal p LEFT JOIN folder f ON f.pk = p.folder"
        " WHERE (p.folder IS NULL OR f.pk IS NOT NULL) AND (? IS NULL OR p.kind = ?)"
        " AND (? IS NULL OR p.folder = ?) ORDER BY p.pk DESC"
    )
    word = None if kind is None else kind.value
    return [_row(row) for row in connection.exec_driver_sql(sql, (word, word, folder, folder))]


def _row(row: Sequence[Any]) -> ProposalRow:
    data: dict[str, Any] = dict(parse_object(row[5]))
    parts, waiting, applied = row[10], row[11], row[12]
    state = ProposalState.OPEN if waiting else ProposalState.APPLIED
    return ProposalRow(
        pk=row[0],
        kind=ProposalKind(row[1]),
        state=ProposalState.DISMISSED if parts and not waiting and not applied else state,
        folder=None if row[2] is None else FolderPk(row[2]),
        folder_name=row[3] or "",
        args=data.get("args") or {},
        source=row[4],
        parts=parts,
        waiting=waiting,
        applied=applied,
        groups=len(data.get("groups") or ()),
        problems=len(data.get("problems") or ())
        + sum(len(group.get("problems") or ()) for group in data.get("groups") or ()),
        used=_used(data, row[6], row[7]),
        created_at=from_micros(row[8]),
        updated_at=from_micros(row[9]),
    )


# --- writing outside ops -----------------------------------------------------------------------------------


def add(connection: Connection, new: NewProposal, now: datetime) -> int:
    """A new proposal with its parts; its pk."""
    time = to_micros(now)
    data: dict[str, Json] = {
        "args": dict(new.args),
        "groups": [group_json(group) for group in new.groups],
        "problems": [problem_json(problem) for problem in new.problems],
        "used": _used_json(new.used),
    }
    pk: int = connection.exec_driver_sql(
        "INSERT INTO proposal (kind, folder, source, data, request_tokens, reply_tokens, created_at, updated_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING pk",
        (
            new.kind.value,
            new.folder,
            new.source,
            _text(data),
            new.used.tokens_in,
            new.used.tokens_out,
            time,
            time,
        ),
    ).scalar_one()
    _insert(connection, pk, new.parts)
    return pk


def append(
    connection: Connection,
    pk: int,
    groups: Sequence[PartGroup],
    parts: Sequence[Part],
    used: Usage,
    now: datetime,
) -> bool:
    """More groups with their parts and what they took; False when the proposal is gone. A group of a known key is replaced."""
    row = connection.exec_driver_sql("SELECT data FROM proposal WHERE pk = ?", (pk,)).one_or_none()
    if row is None:
        return False
    data: dict[str, Any] = dict(parse_object(row[0]))
    known = {group["key"]: group for group in data.get("groups") or ()}
    known |= {group.key: group_json(group) for group in groups}
    data["groups"] = list(known.values())
    data["used"] = _used_json(_used(data, 0, 0) + used)
    connection.exec_driver_sql(
        "UPDATE proposal SET data = ?, request_tokens = request_tokens + ?, reply_tokens = reply_tokens + ?,"
        " updated_at = ? WHERE pk = ?",
        (_text(data), used.tokens_in, used.tokens_out, to_micros(now), pk),
    )
    _insert(connection, pk, parts)
    return True


def _used(data: Mapping[str, Any], tokens_in: int, tokens_out: int) -> Usage:
    """Tokens have columns of their own; the rest lies in the data, and older proposals do not have it."""
    kept = data.get("used") or {}
    return Usage(
        int(kept.get("calls", 0)),
        tokens_in,
        tokens_out,
        float(kept.get("cost", 0)),
        bool(kept.get("counted")),
    )


def _used_json(used: Usage) -> dict[str, Json]:
    return {"calls": used.calls, "cost": used.cost, "counted": used.counted}


def _insert(connection: Connection, pk: int, parts: Iterable[Part]) -> None:
    rows = [
        (pk, part.key, part.group, part_kind(part), int(part.ticked), memory_of(part), _text(part_json(part)))
        for part in parts
    ]
    if rows:
        connection.exec_driver_sql(
            "INSERT INTO proposal_part (proposal, key, part_group, kind, ticked, memory, data)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            rows,
        )


_UNDECIDED = (
    " AND NOT EXISTS (SELECT 1 FROM decision d WHERE d.proposal = proposal_part.proposal"
    " AND d.part = proposal_part.key)"
)


def replace(connection: Connection, pk: int, parts: Sequence[Part], now: datetime) -> int:
    """Other contents for parts by key; decided ones stay. Returns how many were replaced."""
    changed = 0
    for part in parts:
        changed += connection.exec_driver_sql(
            "UPDATE proposal_part SET kind = ?, part_group = ?, ticked = ?, memory = ?, data = ?"
            f" WHERE proposal = ? AND key = ?{_UNDECIDED}",
            (
                part_kind(part),
                part.group,
                int(part.ticked),
                memory_of(part),
                _text(part_json(part)),
                pk,
                part.key,
            ),
        ).rowcount
    _touch(connection, pk, now)
    return changed


def tick(connection: Connection, pk: int, keys: Sequence[str], *, ticked: bool, now: datetime) -> int:
    """Tick parts or take the tick away; decided ones stay. Returns how many."""
    changed = connection.exec_driver_sql(
        f"UPDATE proposal_part SET ticked = ? WHERE proposal = ? AND {among('key')}{_UNDECIDED}",
        (int(ticked), pk, json.dumps(list(keys))),
    ).rowcount
    _touch(connection, pk, now)
    return changed


def _touch(connection: Connection, pk: int, now: datetime) -> None:
    connection.exec_driver_sql("UPDATE proposal SET updated_at = ? WHERE pk = ?", (to_micros(now), pk))


def erase_parts(connection: Connection, keys: str) -> None:
    """Forget all parts about memories (a key list) that are being erased, and those that these came from."""
    connection.exec_driver_sql(
        "DELETE FROM proposal_part WHERE EXISTS (SELECT 1 FROM decision d WHERE d.proposal = proposal_part.proposal"
        f" AND d.part = proposal_part.key AND {among('d.memory')})",
        (keys,),
    )
    connection.exec_driver_sql(f"DELETE FROM proposal_part WHERE {among('memory')}", (keys,))
    connection.exec_driver_sql(f"DELETE FROM decision WHERE {among('memory')}", (keys,))


def _text(data: JsonObject) -> str:
    return storable(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
