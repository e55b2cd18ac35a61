"""The built-in schema (resources/schema/default.json) and the JSON form of types and relation types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

from core.domain.errors import BadFile, Invalid
from core.domain.ids import RelationId, TypeId
from core.domain.json_types import Json, JsonObject, KeyTwice, parse_exactly, parse_object
from core.domain.schema import (
    Column,
    ColumnFormat,
    ColumnRole,
    Compression,
    Labels,
    MemoryType,
    RelationType,
    Schema,
)

DEFAULT_SCHEMA = "default.json"


@cache
def default_schema() -> Schema:
    """The types and relation types that every new library starts with (spec/STBME §2, BOOKU §1.2)."""
    file = resources.files("resources") / "schema" / DEFAULT_SCHEMA
    data = parse_object(file.read_text(encoding="utf-8"))
    return Schema(
        types=tuple(memory_type_from_json(item) for item in _objects(data, "types")),
        relations=tuple(relation_type_from_json(item) for item in _objects(data, "relations")),
    )


def schema_of_json(text: str, file: str = "") -> Schema:
    """The types and relation types of a JSON text: `types` and `relations`, or a list of types.

    Errors: BadFile when it is no JSON or holds none, Invalid when a value has the wrong type.
    """
    try:
        data = parse_exactly(text)
    except KeyTwice as error:
        raise BadFile("error.schema.key_twice", file=file, key=error.key) from error
    except ValueError as error:
        raise BadFile("error.schema.unreadable", file=file, details=str(error)) from error
    whole = data if isinstance(data, Mapping) else {"types": data}
    schema = Schema(
        types=tuple(memory_type_from_json(item) for item in _objects(whole, "types")),
        relations=tuple(relation_type_from_json(item) for item in _objects(whole, "relations")),
    )
    if not schema.types and not schema.relations:
        raise BadFile("error.schema.nothing", file=file)
    return schema


def memory_type_to_json(memory_type: MemoryType) -> dict[str, Json]:
    """All of a type but its `pk`, as JSON."""
    return {
        "id": memory_type.id,
        "labels": dict(memory_type.labels),
        "table_name": memory_type.table_name,
        "columns": [_column_to_json(column) for column in memory_type.columns],
        "always_inject": memory_type.always_inject,
        "latest_only": memory_type.latest_only,
        "force_update": memory_type.force_update,
        "key_column": memory_type.key_column,
        "compression": _compression_to_json(memory_type.compression),
        "color": memory_type.color,
        "color_dark": memory_type.color_dark,
        "icon": memory_type.icon,
        "position": memory_type.position,
        "built_in": memory_type.built_in,
    }


def memory_type_from_json(data: JsonObject, *, pk: int = 0) -> MemoryType:
    """The type of a JSON object; keys that are absent take their defaults.

    Errors: Invalid when a value has the wrong type. The rules of a schema (unique names, a required
    column ...) are checked elsewhere.
    """
    plain = MemoryType(id=TypeId(""), labels={}, table_name="", columns=())
    return MemoryType(
        pk=pk,
        id=TypeId(_text(data, "id")),
        labels=_labels(data, "labels"),
        table_name=_text(data, "table_name"),
        columns=tuple(_column_from_json(item) for item in _objects(data, "columns")),
        always_inject=_flag(data, "always_inject"),
        latest_only=_flag(data, "latest_only"),
        force_update=_flag(data, "force_update"),
        key_column=_text(data, "key_column") or None,
        compression=_compression_from_json(data),
        color=_text(data, "color", plain.color),
        color_dark=_text(data, "color_dark", plain.color_dark),
        icon=_text(data, "icon", plain.icon),
        position=_number(data, "position"),
        built_in=_flag(data, "built_in"),
    )


def relation_type_to_json(relation: RelationType) -> dict[str, Json]:
    """All of a relation type but its `pk`, as JSON."""
    return {
        "id": relation.id,
        "labels": dict(relation.labels),
        "inverse": dict(relation.inverse),
        "inhibits": relation.inhibits,
        "color": relation.color,
        "position": relation.position,
        "built_in": relation.built_in,
    }


def relation_type_from_json(data: JsonObject, *, pk: int = 0) -> RelationType:
    """The relation type of a JSON object. Errors: Invalid when a value has the wrong type."""
    return RelationType(
        pk=pk,
        id=RelationId(_text(data, "id")),
        labels=_labels(data, "labels"),
        inverse=_labels(data, "inverse"),
        inhibits=_flag(data, "inhibits"),
        color=_text(data, "color", "#8A93A1"),
        position=_number(data, "position"),
        built_in=_flag(data, "built_in"),
    )


def _column_to_json(column: Column) -> dict[str, Json]:
    return {
        "name": column.name,
        "labels": dict(column.labels),
        "hint": dict(column.hint),
        "required": column.required,
        "role": column.role.value,
        "format": column.format.value,
        "choices": list(column.choices),
        "embed": column.embed,
        **({"limit": column.limit} if column.limit else {}),
    }


def _column_from_json(data: JsonObject) -> Column:
    try:
        role = ColumnRole(_text(data, "role", ColumnRole.FIELD.value))
        kind = ColumnFormat(_text(data, "format", ColumnFormat.TEXT.value))
    except ValueError as error:
        raise Invalid("error.schema.json", name=_text(data, "name"), details=str(error)) from error
    choices = data.get("choices", ())
    if isinstance(choices, str) or not isinstance(choices, Sequence):
        raise Invalid("error.schema.json", name="choices")
    return Column(
        name=_text(data, "name"),
        labels=_labels(data, "labels"),
        hint=_labels(data, "hint"),
        required=_flag(data, "required"),
        role=role,
        format=kind,
        choices=tuple(str(choice) for choice in choices),
        embed=_flag(data, "embed"),
        limit=_number(data, "limit"),
    )


def _compression_to_json(compression: Compression) -> dict[str, Json]:
    return {
        "threshold": compression.threshold,
        "fan_in": compression.fan_in,
        "max_depth": compression.max_depth,
        "keep_recent": compression.keep_recent,
        "instruction": dict(compression.instruction),
    }


def _compression_from_json(owner: JsonObject) -> Compression:
    data = owner.get("compression")
    if data is None:
        return Compression()
    if not isinstance(data, Mapping):
        raise Invalid("error.schema.json", name="compression")
    return Compression(
        threshold=_number(data, "threshold"),
        fan_in=_number(data, "fan_in"),
        max_depth=_number(data, "max_depth"),
        keep_recent=_number(data, "keep_recent"),
        instruction=_labels(data, "instruction"),
    )


def _objects(data: JsonObject, name: str) -> list[JsonObject]:
    items = data.get(name, ())
    if isinstance(items, str) or not isinstance(items, Sequence):
        raise Invalid("error.schema.json", name=name)
    objects: list[JsonObject] = []
    for item in items:
        if not isinstance(item, Mapping):
            raise Invalid("error.schema.json", name=name)
        objects.append(item)
    return objects


def _labels(data: JsonObject, name: str) -> Labels:
    value = data.get(name)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise Invalid("error.schema.json", name=name)
    return {language: str(text) for language, text in value.items()}


def _text(data: JsonObject, name: str, default: str = "") -> str:
    value = data.get(name)
    if value is None:
        return default
    if not isinstance(value, str):
        raise Invalid("error.schema.json", name=name)
    return value


def _flag(data: JsonObject, name: str) -> bool:
    value = data.get(name, False)
    if not isinstance(value, bool):
        raise Invalid("error.schema.json", name=name)
    return value


def _number(data: JsonObject, name: str) -> int:
    value = data.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int):
        raise Invalid("error.schema.json", name=name)
    return value
