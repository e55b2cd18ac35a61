"""What one op did, row by row, with columns before and after."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection

from core.domain.enums import Kind
from core.domain.errors import NotFound
from core.domain.ids import MemoryPk, OpId
from core.domain.json_types import Json
from core.domain.results import RowDiff
from core.store import journal
from core.store.codecs import CODECS, COLUMNS, COMPRESSION, JSON, LIST
from core.store.filters import among, key_list
from core.store.history import read_op
from core.store.journal import Net
from core.store.rows import Row

ACTIONS = {journal.INSERT: "created", journal.UPDATE: "changed", journal.DELETE: "removed"}
_TITLE = {
    Kind.FOLDER: "name",
    Kind.DOCUMENT: "title",
    Kind.MEMORY_TYPE: "id",
    Kind.RELATION_TYPE: "id",
    Kind.RECALL_CASE: "name",
    Kind.SAVED_SEARCH: "name",
    Kind.TAG: "value",
    Kind.ALIAS: "value",
}
_PARSED = (JSON, LIST, COLUMNS, COMPRESSION)


def of_op(connection: Connection, op: OpId, limit: int) -> list[RowDiff]:
    """The net change of the first `limit` rows, in the order first touched. Errors: NotFound."""
    if read_op(connection, op) is None:
        raise NotFound("error.undo.unknown", op=op)
    return diffs(connection, journal.fold(journal.read(connection, op))[:limit])


def diffs(connection: Connection, nets: Sequence[Net]) -> list[RowDiff]:
    """Net changes of rows, with what the rows are called."""
    owners = {(net.kind, net.pk): _owners(connection, net) for net in nets}
    wanted = {pk for pair in owners.values() for pk in pair if pk is not None}
    titles = _titles(connection, wanted)
    return [_diff(connection, net, owners[net.kind, net.pk], titles) for net in nets]


def _owners(connection: Connection, net: Net) -> tuple[int | None, int | None]:
    """The memories that a row is about: told by its image, or by the row itself."""
    if net.kind is Kind.MEMORY:
        return net.pk, None
    columns = journal.owner_columns(net.kind)
    row: Row = {**net.after, **net.before}
    if columns and not all(name in row for name in columns):
        listed = ", ".join(f'"{name}"' for name in columns)
        found = connection.exec_driver_sql(
            f'SELECT {listed} FROM "{net.kind.value}" WHERE pk = ?', (net.pk,)
        ).one_or_none()
        if found is None:
            return None, None
        row = dict(zip(columns, found, strict=True))
    return journal.owners(net.kind, {**row, "pk": net.pk}) if columns else (None, None)


def _titles(connection: Connection, pks: set[int]) -> dict[int, tuple[str, str]]:
    """Title and type of memories."""
    rows = connection.exec_driver_sql(
        "SELECT pk, CASE WHEN title <> '' THEN title ELSE trim(replace(substr(body, 1, 80), char(10), ' ')) END, type"
        f" FROM memory WHERE {among('pk')}",
        (key_list(sorted(pks)),),
    )
    return {row[0]: (row[1], row[2]) for row in rows}


def _diff(
    connection: Connection,
    net: Net,
    owners: tuple[int | None, int | None],
    titles: Mapping[int, tuple[str, str]],
) -> RowDiff:
    known = [titles.get(pk, ("", "")) for pk in owners if pk is not None]
    names = [name or str(net.before.get("title") or "") for name, _type in known]
    title = " → ".join(name for name in names if name) or _own_title(connection, net)
    first = owners[0]
    return RowDiff(
        kind=net.kind,
        pk=net.pk,
        action=ACTIONS[net.action],
        title=title,
        memory=MemoryPk(first) if first is not None and first in titles else None,
        before=_values(net.kind, net.before, owners),
        after=_values(net.kind, net.after, owners),
        type=known[0][1] if known and net.kind is Kind.MEMORY else "",
    )


def _own_title(connection: Connection, net: Net) -> str:
    column = _TITLE.get(net.kind)
    if column is None:
        return ""
    if column in net.before:
        return str(net.before[column])
    row: Sequence[object] | None = connection.exec_driver_sql(
        f'SELECT "{column}" FROM "{net.kind.value}" WHERE pk = ?', (net.pk,)
    ).one_or_none()
    return "" if row is None else str(row[0])


def _values(kind: Kind, row: Row, owners: tuple[int | None, int | None]) -> dict[str, Json]:
    """Columns as JSON values; keys of rows and what is outside comparison are left out."""
    hidden = (
        {"pk", "id", *journal.OUTSIDE, *journal.owner_columns(kind)}
        if owners[0] is not None
        else {
            "pk",
            *journal.OUTSIDE,
        }
    )
    return {name: _value(kind, name, value) for name, value in row.items() if name not in hidden}


def _value(kind: Kind, name: str, value: object) -> Json:
    if isinstance(value, str) and CODECS[kind].get(name) in _PARSED:
        try:
            parsed: Json = json.loads(value)
        except ValueError:
            return value
        return parsed
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
