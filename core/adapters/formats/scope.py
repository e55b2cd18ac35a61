"""Place scopes of newer ST-BME graphs, which models write in every shape, as clean lists of names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.adapters.formats.values import text
from core.domain.json_types import Json

_STEPS = re.compile(r"[>＞/／\\→›»|｜,，、]")
_NAME_KEYS = ("name", "title", "label", "value", "region")
_TEXT_KEYS = {
    "layer": "layer",
    "ownerType": "owner_type",
    "ownerId": "owner_id",
    "ownerName": "owner_name",
}


def clean_scope(raw: Json) -> dict[str, Json]:
    """Layer, owner and regions of a scope in whatever form; empty parts are left out.

    A plain text is a path when it has steps in it, else the primary region.
    """
    if isinstance(raw, str):
        path = region_path(raw)
        if len(path) > 1:
            return {"region_path": list[Json](path)}
        return {"region_primary": path[0]} if path else {}
    if isinstance(raw, list):
        path = region_path(raw)
        return {"region_path": list[Json](path)} if path else {}
    if not isinstance(raw, dict):
        return {}
    found: dict[str, Json] = {}
    for key, ours in _TEXT_KEYS.items():
        if value := text(raw.get(key)).strip():
            found[ours] = value.lower() if key in ("layer", "ownerType") else value
    primary = region_path(raw.get("regionPrimary"))
    if primary:
        found["region_primary"] = primary[-1]
    for key, ours in (("regionPath", "region_path"), ("regionSecondary", "region_secondary")):
        if path := region_path(raw.get(key)):
            found[ours] = list[Json](path)
    return found


def region_path(raw: Json) -> list[str]:
    """Names of a path in order: texts cut at their steps, nested lists and objects opened, repeats dropped."""
    steps: list[str] = []
    for name in _names(raw):
        if not steps or steps[-1] != name:
            steps.append(name)
    return steps


def _names(raw: Json) -> Iterator[str]:
    match raw:
        case str():
            yield from (part for step in _STEPS.split(raw) if (part := step.strip()))
        case list():
            for item in raw:
                yield from _names(item)
        case dict():
            named = next((raw[key] for key in _NAME_KEYS if raw.get(key)), None)
            if named is not None:
                yield from _names(named)
        case _:
            return
