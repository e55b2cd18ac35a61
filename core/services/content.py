"""Rules for what a memory says: required columns, person ids, numbers, floors, visibility."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

from core.domain.errors import Invalid
from core.domain.ids import is_person_id
from core.domain.json_types import Json, JsonObject
from core.domain.memory import IMPORTANCE_RANGE
from core.domain.schema import Column, ColumnFormat, ColumnRole, MemoryType

PERSON = "person"
PERSON_ID = "person_id"
STARTS, ENDS = "event_start_at", "event_end_at"


def split_roles(
    memory_type: MemoryType, fields: Mapping[str, Json]
) -> tuple[str | None, str | None, dict[str, Json]]:
    """Title, body and the other fields of values by column name (an event's `summary` is its body).

    None = that column is not among the values. Errors: Invalid when a title or body is no text.
    """
    rest = dict(fields)
    found: dict[ColumnRole, str | None] = {}
    for role in (ColumnRole.TITLE, ColumnRole.BODY):
        column = memory_type.column_of(role)
        found[role] = None
        if column is not None and column.name in rest:
            value = rest.pop(column.name)
            if value is not None and not isinstance(value, str):
                raise Invalid("error.memory.field_text", column=column.name)
            found[role] = value or ""
    return found[ColumnRole.TITLE], found[ColumnRole.BODY], rest


def is_empty(value: Json) -> bool:
    """Whether a column counts as not filled in."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, Sequence) and not value)


def check_required(
    memory_type: MemoryType, title: str, body: str, fields: JsonObject, names: Collection[str] | None = None
) -> None:
    """Required columns are filled in, and none is longer than its limit (only those in `names`, when given).

    Errors: Invalid, naming the empty ones, or the one that is too long. Nothing is ever cut.
    """
    empty = [
        column.name
        for column in memory_type.columns
        if column.required
        and (names is None or column.name in names)
        and is_empty(_value(column, title, body, fields))
    ]
    if empty:
        raise Invalid("error.memory.required", columns=", ".join(empty), type=memory_type.id)
    check_limits(memory_type, title, body, fields, names)


def check_limits(
    memory_type: MemoryType, title: str, body: str, fields: JsonObject, names: Collection[str] | None = None
) -> None:
    """No text is longer than its column allows. Errors: Invalid, with both numbers."""
    for column in memory_type.columns:
        if not column.limit or (names is not None and column.name not in names):
            continue
        value = _value(column, title, body, fields)
        if isinstance(value, str) and len(value) > column.limit:
            raise Invalid("error.memory.too_long", column=column.name, length=len(value), limit=column.limit)


def _value(column: Column, title: str, body: str, fields: JsonObject) -> Json:
    match column.role:
        case ColumnRole.TITLE:
            return title
        case ColumnRole.BODY:
            return body
        case ColumnRole.FIELD:
            return fields.get(column.name)


def check_person(memory_type: MemoryType, fields: JsonObject) -> None:
    """A person has an account of the form `platform:id` (DESIGN §5). Errors: Invalid."""
    if memory_type.id != PERSON:
        return
    value = fields.get(PERSON_ID)
    if not isinstance(value, str) or not is_person_id(value):
        raise Invalid("error.memory.person_id", value="" if value is None else str(value))


def check_fields(memory_type: MemoryType, fields: JsonObject) -> None:
    """Values fit the formats of their columns and are plain JSON. Errors: Invalid.

    Choices are advice, not a limit: models write other words (spec/BOOKU §1.1).
    """
    formats = {column.name: column.format for column in memory_type.field_columns}
    for name, value in fields.items():
        if not name.strip():
            raise Invalid("error.memory.field_name")
        _check_json(name, value)
        if formats.get(name) in {ColumnFormat.NUMBER, ColumnFormat.TIME}:
            _check_number(name, value)
    start, end = _number(fields.get(STARTS)), _number(fields.get(ENDS))
    if start is not None and end is not None and 0 < end < start:
        raise Invalid("error.memory.time_order")


def _number(value: Json) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _check_number(name: str, value: Json) -> None:
    if not is_empty(value) and _number(value) is None:
        raise Invalid("error.memory.field_number", column=name)


def _check_json(name: str, value: Json) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise Invalid("error.memory.field_number", column=name)
    if isinstance(value, Mapping):
        for item in value.values():
            _check_json(name, item)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for item in value:
            _check_json(name, item)


def checked_importance(value: float) -> float:
    """The importance as a float. Errors: Invalid outside 0..10."""
    low, high = IMPORTANCE_RANGE
    if not math.isfinite(value) or not low <= value <= high:
        raise Invalid("error.memory.importance", low=int(low), high=int(high))
    return float(value)


def checked_novelty(value: float) -> float:
    """The novelty as a float. Errors: Invalid outside 0..1."""
    if not 0 <= value <= 1:
        raise Invalid("error.memory.novelty")
    return float(value)


def check_floors(seq: int | None, start: int | None, end: int | None) -> None:
    """Floors are not negative and in order. Errors: Invalid."""
    if any(floor is not None and floor < 0 for floor in (seq, start, end)):
        raise Invalid("error.memory.floor_negative")
    if start is not None and end is not None and start > end:
        raise Invalid("error.memory.floor_order", start=start, end=end)


def unless_blank(title: str) -> str:
    """A title of nothing but spaces is none: no list could show it, and files have no place for it."""
    return title if title.strip() else ""


def clean_names(names: Iterable[str]) -> tuple[str, ...]:
    """Names (visibility, aliases) stripped, without blanks and repeats, in order."""
    return tuple(dict.fromkeys(name for text in names if (name := text.strip())))
