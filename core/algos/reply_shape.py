"""What a schema asks a reply for, how well a value fits, and the items that it lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from core.domain.json_types import Json, JsonObject, canonical


@dataclass(slots=True)
class Wanted:
    """What a schema asks for: keys of the object, those that are required, those that are lists."""

    keys: frozenset[str] = frozenset()
    required: frozenset[str] = frozenset()
    lists: frozenset[str] = frozenset()
    is_list: bool = False
    any_of: tuple[Wanted, ...] = field(default=())

    @property
    def named(self) -> frozenset[str]:
        """All keys that are asked for, in any of the forms."""
        return self.keys.union(*(each.named for each in self.any_of))


def wanted_by(schema: JsonObject) -> Wanted:
    options = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(options, Sequence) and not isinstance(options, str):
        return Wanted(any_of=tuple(wanted_by(each) for each in options if isinstance(each, Mapping)))
    properties = schema.get("properties")
    properties = properties if isinstance(properties, Mapping) else {}
    required = schema.get("required")
    lists = {
        key for key, each in properties.items() if isinstance(each, Mapping) and each.get("type") == "array"
    }
    return Wanted(
        frozenset(properties),
        frozenset(map(str, required)) if isinstance(required, Sequence) else frozenset(),
        frozenset(lists),
        is_list=schema.get("type") == "array",
    )


def fit(value: Json, wanted: Wanted) -> tuple[int, int]:
    """How well a value fits, to be compared: all that is required (2), something of it (1), nothing."""
    if wanted.any_of:
        return max(fit(value, each) for each in wanted.any_of)
    if isinstance(value, Mapping):
        if not wanted.keys and not wanted.is_list:
            return (1, 0)
        present = len(wanted.keys & value.keys())
        required = wanted.required or (wanted.lists & value.keys())
        whole = bool(present) and required <= value.keys()
        return (2 if whole else 1 if present else 0, present)
    if isinstance(value, list):
        if wanted.is_list or not wanted.keys:
            return (2 if wanted.is_list else 1, 0)
        return (1 if wanted.lists and objects(value) else 0, 0)
    return (0, 0)


def items_of(value: Json, *keys: str) -> tuple[JsonObject, ...]:
    """The objects that a reply lists: under one of the keys, under another one, as a bare list, or the only one."""
    if isinstance(value, Mapping):
        listed = next((value[key] for key in keys if isinstance(value.get(key), list)), None)
        if listed is None:
            listed = next((each for each in value.values() if objects(each)), None)
        if listed is None:
            single = next((value[key] for key in keys if isinstance(value.get(key), Mapping)), None)
            return (cast("JsonObject", single),) if single is not None else ((value,) if value else ())
        return objects(listed)
    return objects(value)


def without_repeats(items: Sequence[Json]) -> tuple[tuple[Json, ...], int]:
    """Each item once, in order, and how many were left out: a model that loops repeats itself."""
    kept = {canonical(item): item for item in reversed(items)}
    first = {canonical(item): None for item in items}
    return tuple(kept[key] for key in first), len(items) - len(first)


def objects(value: Json) -> tuple[JsonObject, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(each for each in value if isinstance(each, Mapping))
