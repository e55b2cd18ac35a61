"""What Booku does to an old `metadata.db` when it opens it: missing columns filled, old layers folded into two buckets.

Source: spec/BOOKU §1.5. Our importer reads old files without touching them and applies this to the rows it read.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from core.algos.booku_names import KNOWLEDGE, MEMORY

RECORDS = "booku_memory_records"
_ARCHIVED_LAYER = "archived"
_ARCHIVED_STATUSES = frozenset({"archived", "expired"})


@dataclass(frozen=True, slots=True)
class AddedColumn:
    """A column that old tables lack: SQL type, and the value of old rows (None = may be null)."""

    name: str
    sql_type: str
    default: str | float | None


ADDED_COLUMNS = (
    AddedColumn("memory_type", "TEXT", "knowledge"),
    AddedColumn("status", "TEXT", "active"),
    AddedColumn("person_id", "TEXT", None),
    AddedColumn("relation_memory_ids", "TEXT", "[]"),
    AddedColumn("relation_aliases", "TEXT", "[]"),
    AddedColumn("event_start_at", "REAL", 0),
    AddedColumn("event_end_at", "REAL", 0),
    AddedColumn("related_people", "TEXT", "[]"),
    AddedColumn("knowledge_type", "TEXT", ""),
    AddedColumn("address_or_coord", "TEXT", ""),
    AddedColumn("place_type", "TEXT", ""),
    AddedColumn("asset_type", "TEXT", ""),
    AddedColumn("disposition_status", "TEXT", ""),
    AddedColumn("procedure_type", "TEXT", ""),
)


def upgrade_statements(columns: Collection[str]) -> list[str]:
    """The statements that give a table of records with these columns the missing ones (no index is added)."""
    return [_statement(column) for column in ADDED_COLUMNS if column.name not in columns]


def _statement(column: AddedColumn) -> str:
    rule = ""
    if column.default is not None:
        value = f"'{column.default}'" if isinstance(column.default, str) else str(column.default)
        rule = f" NOT NULL DEFAULT {value}"
    return f"ALTER TABLE {RECORDS} ADD COLUMN {column.name} {column.sql_type}{rule}"


def upgraded_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with all columns and with a bucket of today.

    A bucket that is not exactly `memory` or `knowledge` becomes `memory`; `archived` becomes a status unless the
    row has another one. Rows already in a bucket of today keep everything, a wrong `is_archived` too.
    """
    upgraded = {**{column.name: column.default for column in ADDED_COLUMNS}, **row}
    bucket = upgraded.get("bucket")
    if bucket in (MEMORY, KNOWLEDGE):
        return upgraded
    status = upgraded["status"]
    if bucket == _ARCHIVED_LAYER and status in (None, "", "active"):
        status = "archived"
    archived = int(str(status or "").lower() in _ARCHIVED_STATUSES)
    return {**upgraded, "bucket": MEMORY, "status": status, "is_archived": archived}
