"""Figures of a folder or of the library, and the numbers behind the plots of the Health page."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection

from core.domain.enums import Status
from core.domain.errors import NotFound
from core.domain.health import FolderCard, Plots
from core.domain.ids import FolderPk

_DAY = 86_400_000_000
_MEMORIES = "FROM memory m WHERE (:folder IS NULL OR m.folder = :folder)"


def card(connection: Connection, folder: FolderPk | None, model_key: str | None, now: int) -> FolderCard:
    """Counts of one folder, or of all. Errors: NotFound."""
    given = {"folder": folder, "key": model_key, "now": now}

    def rows(sql: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in connection.exec_driver_sql(sql, given)]

    def number(sql: str) -> int:
        return int(rows(sql)[0][0] or 0)

    name, processed = _folder(connection, folder)
    status = dict(rows(f"SELECT m.status, count(*) {_MEMORIES} AND m.deleted_at IS NULL GROUP BY 1"))
    edges = number(
        "SELECT count(*) FROM edge e JOIN memory m ON m.pk = e.source"
        " WHERE (:folder IS NULL OR m.folder = :folder)"
    )
    live = number(
        "SELECT count(*) FROM edge e JOIN memory m ON m.pk = e.source"
        " WHERE (:folder IS NULL OR m.folder = :folder) AND (e.valid_from IS NULL OR e.valid_from <= :now)"
        " AND (e.invalid_from IS NULL OR e.invalid_from > :now)"
        " AND (e.expired_at IS NULL OR e.expired_at > :now)"
    )
    where = "(:folder IS NULL OR folder = :folder)"
    last = rows(f"SELECT count(*), max(seq) FROM message WHERE {where}")[0]
    return FolderCard(
        folder=folder,
        name=name,
        active=status.get(Status.ACTIVE.value, 0),
        archived=status.get(Status.ARCHIVED.value, 0),
        expired=status.get(Status.EXPIRED.value, 0),
        trashed=number(f"SELECT count(*) {_MEMORIES} AND m.deleted_at IS NOT NULL"),
        live_edges=live,
        past_edges=edges - live,
        types=dict(
            rows(f"SELECT m.type, count(*) {_MEMORIES} AND m.deleted_at IS NULL GROUP BY 1 ORDER BY 2 DESC")
        ),
        layers=dict(
            rows(f"SELECT m.layer, count(*) {_MEMORIES} AND m.deleted_at IS NULL GROUP BY 1 ORDER BY 2 DESC")
        ),
        vectors=number(
            f"SELECT count(*) {_MEMORIES} AND m.deleted_at IS NULL AND m.text_hash <> '' AND EXISTS"
            " (SELECT 1 FROM vector v WHERE v.model_key = :key AND v.text_hash = m.text_hash)"
        ),
        messages=last[0],
        last_floor=last[1] if folder is not None else None,
        processed=processed,
        documents=number(f"SELECT count(*) FROM document WHERE {where}"),
    )


def _folder(connection: Connection, folder: FolderPk | None) -> tuple[str, int]:
    if folder is None:
        return "", -1
    row = connection.exec_driver_sql(
        "SELECT name, last_processed_seq FROM folder WHERE pk = ?", (folder,)
    ).one_or_none()
    if row is None:
        raise NotFound("error.folder.missing")
    return row[0], row[1]


def plots(connection: Connection, folder: FolderPk | None) -> Plots:
    """Memories by the day they were made, by times recalled, and kept recalls by day."""
    given = {"folder": folder}
    made = connection.exec_driver_sql(
        f"SELECT m.created_at / {_DAY} d, count(*) {_MEMORIES} AND m.deleted_at IS NULL GROUP BY 1 ORDER BY 1",
        given,
    ).all()
    recalled = connection.exec_driver_sql(
        f"SELECT m.activation_count, count(*) {_MEMORIES} AND m.deleted_at IS NULL GROUP BY 1 ORDER BY 1",
        given,
    ).all()
    runs = connection.exec_driver_sql(
        f'SELECT "at" / {_DAY} d, count(*) FROM recall_run WHERE (:folder IS NULL OR folder = :folder)'
        " GROUP BY 1 ORDER BY 1",
        given,
    ).all()
    return Plots(
        made=tuple((_day(row[0]), row[1]) for row in made),
        recalled=tuple((row[0], row[1]) for row in recalled),
        recalls=tuple((_day(row[0]), row[1]) for row in runs),
    )


def _day(number: int) -> datetime:
    return datetime.fromtimestamp(number * _DAY // 1_000_000, UTC)
