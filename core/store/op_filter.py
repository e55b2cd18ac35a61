"""The list of ops under a filter: by whom, about what, in which folder, with which words."""

from __future__ import annotations

from sqlalchemy import Connection

from core.domain.enums import ActorKind
from core.domain.queries_history import OpFilter
from core.domain.results import HistoryEntry
from core.store.filters import among, key_list
from core.store.history import entries

_TOUCHES = "EXISTS (SELECT 1 FROM journal j WHERE j.op = op.pk AND {what})"
IN_FOLDERS = (
    "(j.kind = 'folder' AND j.row_pk IN ({pks})"
    " OR j.memory IN (SELECT pk FROM memory WHERE folder IN ({pks}))"
    " OR j.kind = 'memo' AND j.row_pk IN (SELECT pk FROM memo WHERE folder IN ({pks}))"
    " OR j.kind = 'message' AND j.row_pk IN (SELECT pk FROM message WHERE folder IN ({pks}))"
    " OR j.kind = 'document' AND j.row_pk IN (SELECT pk FROM document WHERE folder IN ({pks}))"
    " OR j.kind IN ('memory', 'memo', 'message', 'document') AND json_extract(j.before, '$.folder') IN ({pks}))"
)
"""Rows that lie in the folders now, or lay there before the op moved or removed them."""
_ESCAPE = str.maketrans({"\\": "\\\\", "%": "\\%", "_": "\\_"})


def list_ops(connection: Connection, wanted: OpFilter) -> list[HistoryEntry]:
    """Complete ops that pass, newest first. Words are looked for in what an op names and in memories it touched."""
    conditions, values = ["state = 'complete'"], []
    if wanted.before is not None:
        conditions.append("pk < ?")
        values.append(str(int(wanted.before)))
    if wanted.writer is not None:
        kind, name = wanted.writer
        conditions.append(
            "actor_kind = ?" if kind is ActorKind.PERSON else "actor_kind = ? AND actor_name = ?"
        )
        values += [kind.value] if kind is ActorKind.PERSON else [kind.value, name]
    if wanted.kinds:
        conditions.append(_TOUCHES.format(what=among("j.kind")))
        values.append(key_list(sorted(kind.value for kind in wanted.kinds)))
    if wanted.after is not None:
        conditions.append("pk > ?")
        values.append(str(int(wanted.after)))
    if wanted.labels:
        conditions.append(among("label"))
        values.append(key_list(sorted(wanted.labels)))
    for folders in ((wanted.folder,) if wanted.folder is not None else (), wanted.folders):
        if folders:
            pks = ", ".join(str(int(pk)) for pk in folders)
            conditions.append(_TOUCHES.format(what=IN_FOLDERS.format(pks=pks)))
    for word in wanted.words.split():
        like = f"%{word.translate(_ESCAPE)}%"
        what = (
            "j.memory IN (SELECT pk FROM memory WHERE title LIKE ? ESCAPE '\\' OR body LIKE ? ESCAPE '\\')"
            " OR j.before LIKE ? ESCAPE '\\' OR j.after LIKE ? ESCAPE '\\'"
        )
        conditions.append(f"(args LIKE ? ESCAPE '\\' OR {_TOUCHES.format(what=f'({what})')})")
        values += [like] * 5
    return entries(connection, " AND ".join(conditions), tuple(values), wanted.limit)


def writers(connection: Connection) -> list[tuple[ActorKind, str]]:
    """Who has written: the person first, then programs by name."""
    rows = connection.exec_driver_sql("SELECT DISTINCT actor_kind, actor_name FROM op ORDER BY 1, 2")
    found = [(ActorKind(row[0]), str(row[1])) for row in rows]
    persons = [(ActorKind.PERSON, "")] if any(kind is ActorKind.PERSON for kind, _ in found) else []
    return [*persons, *(each for each in found if each[0] is ActorKind.PROGRAM)]
