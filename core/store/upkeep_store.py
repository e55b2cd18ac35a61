"""Bulk reads for plans of upkeep (core.ports.upkeep_store.UpkeepStore)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.domain.enums import Status
from core.domain.ids import FolderPk, TypeId
from core.domain.queries import MemoryFilter
from core.domain.upkeep import TRIAL_UNTIL_KEY, PlanColumns
from core.ports.upkeep_store import Foldable, TrialColumns
from core.store.database import Database
from core.store.filters import among, key_list, where_of
from core.store.said_at import OUTDATED

_COLUMNS = (
    "m.pk, m.folder, m.type, m.importance, m.activation_count, m.created_at,"
    " coalesce(m.last_activated_at, -1)"
)
_UNTIL = f"CASE WHEN m.extra = '{{}}' THEN NULL ELSE json_extract(m.extra, '$.{TRIAL_UNTIL_KEY}') END"
_FOLDABLE = "m.pk, m.folder, m.type, m.level, m.locked, coalesce(m.seq, m.seq_end, m.seq_start, 0), m.created_at, m.pk"
_MICROS = 1e6


class SqlUpkeepStore:
    """Upkeep's side of the library file. Calls may come from any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def columns(self, where: MemoryFilter) -> PlanColumns:
        """The memories that pass a filter, oldest first. Cost: one pass, about 3 µs a row."""
        return _columns(self._rows(_COLUMNS, where, None))

    def trials(self, where: MemoryFilter, only: Collection[int] | None) -> TrialColumns:
        """The same with what was said about their trial; of these memories only."""
        rows = self._rows(f"{_COLUMNS}, {_UNTIL}", where, only)
        return TrialColumns(_columns(rows), np.array([_seconds(row[-1]) for row in rows], np.float64))

    def locked_and_idle(self, where: MemoryFilter) -> Mapping[str, int]:
        """How many memories outside the trash are locked and active, and how many are not active."""
        clause = where_of(replace(where, statuses=frozenset(), locked=None))
        sql = (
            "SELECT coalesce(sum(m.status = ? AND m.locked), 0), coalesce(sum(m.status <> ?), 0)"
            f" FROM memory m{clause.sql}"
        )
        active = Status.ACTIVE.value
        with self._database.reading() as connection:
            locked, idle = connection.exec_driver_sql(sql, (active, active, *clause.parameters)).one()
        return {"locked": int(locked), "not_active": int(idle)}

    def foldable(self, where: MemoryFilter) -> list[Foldable]:
        """The memories that pass a filter, in no order."""
        rows = self._rows(_FOLDABLE, where, None)
        return [Foldable(row[0], row[1], row[2], row[3], bool(row[4]), row[5:]) for row in rows]

    def outdated(self, folder: FolderPk | None) -> list[int]:
        """Memories in use with a child that says something else since they were written, oldest first.

        Or with one that is not for all who see them.
        """
        sql = (
            f"SELECT pk FROM memory WHERE pk IN ({OUTDATED}) AND (? IS NULL OR folder = ?)"
            " ORDER BY created_at, pk"
        )
        with self._database.reading() as connection:
            rows = connection.exec_driver_sql(sql, (folder, folder))
            return [int(row[0]) for row in rows]

    def _rows(self, columns: str, where: MemoryFilter, only: Collection[int] | None) -> list[tuple[Any, ...]]:
        clause = where_of(where)
        if only is not None:
            clause.add(among("m.pk"), key_list(only))
        sql = f"SELECT {columns} FROM memory m{clause.sql} ORDER BY m.created_at, m.pk"
        with (
            self._database.reading() as connection,
            connection.exec_driver_sql(sql, tuple(clause.parameters)) as result,
        ):
            return list(result.cursor.fetchall())


def _columns(rows: list[tuple[Any, ...]]) -> PlanColumns:
    columns = list(zip(*rows, strict=True)) if rows else [()] * 7
    codes: dict[str, int] = {}
    types = np.array([codes.setdefault(name, len(codes)) for name in columns[2]], np.int32)
    used = np.array(columns[6], np.float64)
    used[used < 0] = np.nan
    return PlanColumns(
        pks=np.array(columns[0], np.int64),
        folders=np.array(columns[1], np.int64),
        types=types,
        type_ids=tuple(TypeId(name) for name in codes),
        importances=np.array(columns[3], np.float64),
        activations=np.array(columns[4], np.int64),
        created=_micros(columns[5]),
        last_used=used / _MICROS,
    )


def _micros(values: Any) -> NDArray[np.float64]:
    return np.array(values, np.float64) / _MICROS


def _seconds(text: object) -> float:
    """Seconds of an ISO time; NaN for whatever is none."""
    try:
        return datetime.fromisoformat(text).timestamp() if isinstance(text, str) else float("nan")
    except ValueError:
        return float("nan")
