"""Records and column values as JSON, so that a merge can keep what it moved beside the rows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from core.domain.edge import Edge
from core.domain.enums import Apart, Layer, Status, StatusReason, TagKind
from core.domain.folder import NotDuplicate
from core.domain.json_types import Json, JsonObject, canonical
from core.domain.memory import Alias, Tag
from core.domain.pin import Pin

Kept = TypeVar("Kept", Edge, Pin, NotDuplicate, Tag, Alias)

_TIMES = frozenset(
    {"created_at", "valid_from", "invalid_from", "expired_at", "last_activated_at", "deleted_at"}
)
_ENUMS: Mapping[tuple[type | None, str], type[StrEnum]] = {
    (Tag, "kind"): TagKind,
    (NotDuplicate, "about"): Apart,
    (None, "layer"): Layer,
    (None, "status"): Status,
    (None, "status_reason"): StatusReason,
}


def value_json(value: Any) -> Json:
    """A column's value as JSON."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, tuple | list):
        return [value_json(item) for item in value]
    if isinstance(value, Mapping):
        return {name: value_json(item) for name, item in value.items()}
    plain: Json = value
    return plain


def json_value(name: str, value: Json, record: type | None = None) -> Any:
    """A column's value from its JSON; None as `record` = of a memory."""
    if value is None:
        return None
    if name in _TIMES:
        return datetime.fromisoformat(str(value))
    if (kind := _ENUMS.get((record, name))) is not None:
        return kind(str(value))
    return tuple(value) if isinstance(value, list) else value


def record_json(record: Kept) -> JsonObject:
    """A whole record as JSON."""
    return {name: value_json(value) for name, value in asdict(record).items()}


def json_record(kind: type[Kept], data: Json) -> Kept:
    """A whole record from its JSON."""
    if not isinstance(data, Mapping):
        raise TypeError("no record")
    names = {item.name for item in fields(kind)}
    values: dict[str, Any] = {
        name: json_value(name, value, kind) if not isinstance(value, Mapping) else value
        for name, value in data.items()
        if name in names
    }
    return kind(**values)


def digest(value: Json) -> str:
    """Hash of a value: a record of a merge tells by it whether something is as the merge left it, without its text."""
    return hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()
