"""All rows that ops change, comparable: without what is outside images (DESIGN §3)."""

from __future__ import annotations

from core.domain.enums import Kind
from core.store.codecs import FIELDS
from core.store.journal import OUTSIDE
from core.store.store import SqlStore

Dump = dict[str, dict[int, tuple[object, ...]]]


def dump(store: SqlStore, *, with_updated: bool = False) -> Dump:
    """Rows by table and key."""
    hidden = OUTSIDE - {"updated_at"} if with_updated else OUTSIDE
    tables: Dump = {}
    with store._database.reading() as connection:
        for kind in Kind:
            names = [name for name in FIELDS[kind] if name not in hidden]
            listed = ", ".join(f'"{name}"' for name in ["pk", *names])
            rows = connection.exec_driver_sql(f"SELECT {listed} FROM {kind.value}")
            tables[kind.value] = {row[0]: tuple(row[1:]) for row in rows}
    return tables
