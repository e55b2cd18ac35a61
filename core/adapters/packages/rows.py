"""Records as JSON objects and back, by the types of their fields; wrong values are errors, never guessed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

from core.domain import enums
from core.domain.json_types import Json, JsonObject
from core.domain.safe_text import storable
from core.domain.schema import Column, ColumnFormat, ColumnRole, Compression

T = TypeVar("T")
_MAX_INT = 2**63


@dataclass(frozen=True, slots=True)
class _Codec:
    """How values of one type are written and read. Errors of `read`: ValueError."""

    write: Callable[[Any], Json]
    read: Callable[[Any], Any]


def _same(value: Any) -> Any:
    return value


def _of(kind: type | tuple[type, ...]) -> _Codec:
    def read(value: Any) -> Any:
        if isinstance(value, bool) is not (kind is bool) or not isinstance(value, kind):
            raise ValueError(f"{value!r:.40} is no {kind}")
        return value

    return _Codec(_same, read)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= _MAX_INT:
        raise ValueError(f"{value!r:.40} is no whole number")
    return value


def _real(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r:.40} is no number")
    return float(value)


def time_text(time: datetime) -> str:
    """A time as packages hold it: UTC, microseconds when there are any."""
    return time.astimezone(UTC).isoformat().replace("+00:00", "Z")


def time_of(value: Any) -> datetime:
    """The time of a text; without a zone it is UTC. Errors: ValueError."""
    if not isinstance(value, str):
        raise ValueError(f"{value!r:.40} is no time")  # noqa: TRY004 - what a file holds is a value
    time = datetime.fromisoformat(value)
    if not MINYEAR < time.year < MAXYEAR:  # at both ends of the calendar other zones lie beyond it
        raise ValueError(f"{value:.40} is no time")
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def _is_enum(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, StrEnum) and kind is not StrEnum


def _enum(kind: type[StrEnum]) -> _Codec:
    return _Codec(lambda value: kind(value).value, lambda value: kind(str(value)))


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"{value!r:.40} is no list of texts")
    return tuple(map(storable, value))


def _or_none(codec: _Codec) -> _Codec:
    return _Codec(
        lambda value: None if value is None else codec.write(value),
        lambda value: None if value is None else codec.read(value),
    )


def _columns(value: Any) -> tuple[Column, ...]:
    if not isinstance(value, list):
        raise ValueError("columns")  # noqa: TRY004
    return tuple(read_record(Column, each) for each in value)


_TEXT = _Codec(_same, lambda value: storable(_of(str).read(value)))
_TIME = _Codec(time_text, time_of)
_OBJECT = _Codec(dict, lambda value: dict(_of(dict).read(value)))
_CODECS: dict[str, _Codec] = {
    **dict.fromkeys(("str", "MemoryId", "TypeId", "RelationId"), _TEXT),
    **dict.fromkeys(("int", "FolderPk", "MemoryPk", "DocumentPk"), _Codec(_same, _whole)),
    "float": _Codec(_same, _real),
    "bool": _of(bool),
    "datetime": _TIME,
    **dict.fromkeys(("JsonObject", "Labels", "Mapping[str, Setting]"), _OBJECT),
    "tuple[str, ...]": _Codec(list, _texts),
    "tuple[Column, ...]": _Codec(lambda value: [write_record(each) for each in value], _columns),
    "Compression": _Codec(
        lambda value: write_record(value, "pk"), lambda value: read_record(Compression, value)
    ),
    **{name: _enum(kind) for name, kind in vars(enums).items() if _is_enum(kind)},
    **{kind.__name__: _enum(kind) for kind in (ColumnRole, ColumnFormat)},
}


def _codec(hint: str) -> _Codec:
    plain = hint.removesuffix(" | None")
    codec = _CODECS[plain]
    return codec if plain == hint else _or_none(codec)


_BY_CLASS: dict[type, dict[str, _Codec]] = {}


def _table(kind: type) -> dict[str, _Codec]:
    """The codecs of a record class by field, without keys of the store."""
    if kind not in _BY_CLASS:
        _BY_CLASS[kind] = {
            item.name: _codec(str(item.type))
            for item in fields(kind)
            if item.name != "pk" and str(item.type).removesuffix(" | None") in _CODECS
        }
    return _BY_CLASS[kind]


def write_record(record: Any, *leave_out: str) -> dict[str, Json]:
    """A record as an object, without its key and the fields named."""
    return {
        name: codec.write(getattr(record, name))
        for name, codec in _table(type(record)).items()
        if name not in leave_out
    }


def read_record(kind: type[T], value: Json, /, **given: object) -> T:
    """The record of an object; `given` are fields that it does not hold. Unknown names are left out.

    Errors: ValueError naming the field that is missing or wrong.
    """
    if not isinstance(value, Mapping):
        raise ValueError(f"no {kind.__name__}")  # noqa: TRY004
    values: dict[str, Any] = dict(given)
    for name, codec in _table(kind).items():
        if name in values or name not in value:
            continue
        try:
            values[name] = codec.read(value[name])
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    missing = [
        item.name
        for item in fields(kind)  # type: ignore[arg-type]  # record classes only
        if item.name not in values and item.default is MISSING and item.default_factory is MISSING
    ]
    if missing:
        raise ValueError(f"{', '.join(missing)}: missing")
    return kind(**values)


def text_at(row: JsonObject, name: str) -> str:
    """A text that must be there. Errors: ValueError."""
    value = row.get(name)
    if not isinstance(value, str):
        raise ValueError(f"{name}: {value!r:.40} is no text")  # noqa: TRY004
    return storable(value)


def texts_at(row: JsonObject, name: str) -> tuple[str, ...]:
    """A list of texts, empty when it is not there. Errors: ValueError."""
    return _texts(row.get(name, []))


def optional_text_at(row: JsonObject, name: str) -> str | None:
    """A text, None when it is not there. Errors: ValueError."""
    return None if row.get(name) is None else text_at(row, name)
