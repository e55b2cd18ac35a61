"""Booku databases of every generation, made for tests."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

BASE = {
    "memory_id": "TEXT NOT NULL PRIMARY KEY",
    "title": "TEXT NOT NULL",
    "folder_id": "TEXT NOT NULL",
    "bucket": "TEXT NOT NULL",
    "content": "TEXT NOT NULL",
    "source": "TEXT NOT NULL",
    "novelty_energy": "FLOAT NOT NULL",
    "is_archived": "INTEGER NOT NULL",
    "is_deleted": "INTEGER NOT NULL",
    "deleted_at": "FLOAT NOT NULL",
    "created_at": "FLOAT NOT NULL",
    "updated_at": "FLOAT NOT NULL",
    "last_activated_at": "FLOAT NOT NULL",
    "activation_count": "INTEGER NOT NULL",
}
TYPED = {
    "memory_type": "TEXT NOT NULL DEFAULT 'knowledge'",
    "status": "TEXT NOT NULL DEFAULT 'active'",
    "person_id": "TEXT",
    "relation_memory_ids": "TEXT NOT NULL DEFAULT '[]'",
    "relation_aliases": "TEXT NOT NULL DEFAULT '[]'",
    "event_start_at": "REAL NOT NULL DEFAULT 0",
    "event_end_at": "REAL NOT NULL DEFAULT 0",
    "related_people": "TEXT NOT NULL DEFAULT '[]'",
    "knowledge_type": "TEXT NOT NULL DEFAULT ''",
    "address_or_coord": "TEXT NOT NULL DEFAULT ''",
    "place_type": "TEXT NOT NULL DEFAULT ''",
    "asset_type": "TEXT NOT NULL DEFAULT ''",
    "disposition_status": "TEXT NOT NULL DEFAULT ''",
    "procedure_type": "TEXT NOT NULL DEFAULT ''",
}
T0 = 1772500000.25


def record(memory_id: str, **values: Any) -> dict[str, Any]:
    """A clean row as the original writes it; columns of later generations only when named."""
    title = values.get("title", f"title {memory_id}")
    made = {
        "memory_id": memory_id,
        "title": title,
        "folder_id": "default",
        "bucket": "memory",
        "content": f"# {title}\nbody of {memory_id}",
        "source": "agent",
        "novelty_energy": 0.5,
        "is_archived": 0,
        "is_deleted": 0,
        "deleted_at": 0.0,
        "created_at": T0,
        "updated_at": T0 + 1.5,
        "last_activated_at": 0.0,
        "activation_count": 0,
    }
    return made | values


def booku(
    path: Path,
    records: list[dict[str, Any]],
    tags: Sequence[tuple[str, str, str]] = (),
    memos: list[tuple[Any, ...]] | None = None,
    *,
    typed: bool = True,
    drop: tuple[str, ...] = (),
) -> Path:
    """A metadata.db; `typed` False = of generation A; `drop` leaves columns out."""
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = {name: kind for name, kind in (BASE | (TYPED if typed else {})).items() if name not in drop}
    with closing(sqlite3.connect(path)) as connection, connection:
        declared = ", ".join(f"{name} {kind}" for name, kind in columns.items())
        connection.execute(f"CREATE TABLE booku_memory_records ({declared})")
        connection.execute(
            "CREATE TABLE booku_memory_tags (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_id TEXT,"
            " tag_type TEXT, tag_value TEXT)"
        )
        for values in records:
            row = {name: value for name, value in values.items() if name in columns}
            marks = ", ".join("?" * len(row))
            connection.execute(
                f"INSERT INTO booku_memory_records ({', '.join(row)}) VALUES ({marks})", list(row.values())
            )
        connection.executemany(
            "INSERT INTO booku_memory_tags (memory_id, tag_type, tag_value) VALUES (?, ?, ?)", tags
        )
        if memos is not None:
            connection.execute(
                "CREATE TABLE booku_temporary_memos (memo_id TEXT PRIMARY KEY, stream_id TEXT, content TEXT,"
                " expires_at FLOAT, created_at FLOAT, updated_at FLOAT)"
            )
            connection.executemany("INSERT INTO booku_temporary_memos VALUES (?, ?, ?, ?, ?, ?)", memos)
    return path
