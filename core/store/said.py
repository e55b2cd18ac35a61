"""When memories came to say what they say, and what they said before: read from the journal.

A move or a lock changes nothing of what a memory says; what was undone never happened, what was redone did.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core.domain.ids import MemoryPk, OpId
from core.domain.json_types import Json
from core.domain.sayings import SaidChange
from core.store.codecs import from_micros
from core.store.filters import among, key_list
from core.store.said_at import SAID_AT, STANDS, TEXT

Rows = Callable[..., list[tuple[Any, ...]]]


def said_at(rows: Rows, memories: Sequence[MemoryPk]) -> dict[MemoryPk, OpId]:
    """That op for each of the memories. Cost: the changes of each."""
    sql = f"SELECT m.pk, ({SAID_AT.format('m')}) FROM memory m WHERE {among('m.pk')}"
    return {MemoryPk(pk): OpId(op) for pk, op in rows(sql, (key_list(memories),))}


def said_changes(rows: Rows, memory: MemoryPk, limit: int) -> list[SaidChange]:
    """What a memory said before, newest change first. Cost: its changes."""
    found = rows(
        'SELECT j.op, o."at", o.label, j.before, j.after FROM journal j JOIN op o ON o.pk = j.op'
        f" WHERE j.memory = ? AND j.kind = 'memory' AND j.\"action\" = 'u' AND {STANDS}"
        f" AND ({' OR '.join(_told(name) for name in TEXT)}) ORDER BY j.op DESC, j.pk DESC LIMIT ?",
        (memory, limit),
    )
    return [_change(*row) for row in found]


def _told(name: str) -> str:
    return f"json_type(j.after, '$.{name}') IS NOT NULL"


def _change(op: int, at: int, label: str, before: str, after: str) -> SaidChange:
    old, new = json.loads(before), json.loads(after)
    return SaidChange(
        op=OpId(op),
        at=from_micros(at),
        label=label,
        title_before=_text(old, "title"),
        title_after=_text(new, "title"),
        body_before=_text(old, "body"),
        body_after=_text(new, "body"),
        fields_before=_fields(old),
        fields_after=_fields(new),
        floor=_floor(new),
    )


def _text(image: Mapping[str, Any], name: str) -> str | None:
    value = image.get(name)
    return value if isinstance(value, str) else None


def _fields(image: Mapping[str, Any]) -> Mapping[str, Json]:
    raw = image.get("fields")
    try:
        fields = json.loads(raw) if isinstance(raw, str) else {}
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}


def _floor(image: Mapping[str, Any]) -> int | None:
    found = (image.get(name) for name in ("seq_end", "seq"))
    return next((floor for floor in found if isinstance(floor, int)), None)
