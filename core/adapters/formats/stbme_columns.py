"""Which column of an ST-BME node is our title and which our body: by the roles of the type schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.adapters.formats.values import text
from core.domain.json_types import Json, JsonObject
from core.domain.schema import ColumnRole, Schema

VISIBILITY = "visibility"
_TITLE_NAMES = ("name", "title")
_BODY_NAMES = ("summary", "content", "text", "description", "insight")


@dataclass(frozen=True, slots=True)
class Columns:
    """Names of the columns that hold title and body, "" = none, and the order of all columns."""

    title: str = ""
    body: str = ""
    order: tuple[str, ...] = ()


def all_columns(schema: Schema) -> Mapping[str, Columns]:
    """Columns of every type that the schema has."""
    found: dict[str, Columns] = {}
    for memory_type in schema.types:
        title, body = memory_type.column_of(ColumnRole.TITLE), memory_type.column_of(ColumnRole.BODY)
        found[memory_type.id] = Columns(
            title.name if title else "",
            body.name if body else "",
            tuple(column.name for column in memory_type.columns),
        )
    return found


def guess_columns(fields: Mapping[str, Json]) -> Columns:
    """Columns of a node of an unknown type, by the names that ST-BME types use."""
    title = next((name for name in _TITLE_NAMES if isinstance(fields.get(name), str)), "")
    body = next((name for name in _BODY_NAMES if isinstance(fields.get(name), str)), "")
    return Columns(title, body, tuple(fields))


def split_fields(raw: Mapping[str, Json], columns: Columns) -> tuple[str, str, dict[str, Json]]:
    """Title, body and the remaining fields of a node."""
    fields = {key: value for key, value in raw.items() if key != VISIBILITY}
    title = text(fields.pop(columns.title, None)) if columns.title else ""
    body = text(fields.pop(columns.body, None)) if columns.body else ""
    return title, body, fields


def join_fields(
    title: str, body: str, fields: JsonObject, visibility: tuple[str, ...], columns: Columns
) -> dict[str, Json]:
    """A node's fields: title and body under their column names, in the order of the type's columns.

    A title or body that the type has no column for goes out as `title` and `summary` (`content` if taken).
    """
    found = dict(fields)
    if title:
        found[columns.title or _free("title", "name", found)] = title
    if body:
        found[columns.body or _free("summary", "content", found)] = body
    ordered = {name: found[name] for name in columns.order if name in found}
    ordered |= {name: value for name, value in found.items() if name not in ordered}
    if visibility:
        ordered[VISIBILITY] = list[Json](visibility)
    return ordered


def _free(first: str, second: str, taken: Mapping[str, Json]) -> str:
    return first if first not in taken else second
