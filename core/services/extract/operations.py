"""What a reply asks for, read with care: each operation by itself, odd ones noted, nothing carried out.

Source: spec/STBME §3.4. Other programs' forms of the same are read too: `event` ADD / UPDATE / DELETE / NONE with a
text, and a list of facts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.algos.js_values import text as shown_text
from core.algos.model_reply import items_of, without_repeats
from core.domain.json_types import Json, JsonObject
from core.domain.results import Problem

_ACTIONS: Mapping[str, str] = {
    **dict.fromkeys(("create", "add", "new", "insert"), "create"),
    **dict.fromkeys(("update", "modify", "edit", "change"), "update"),
    **dict.fromkeys(("delete", "remove", "archive"), "delete"),
    **dict.fromkeys(("link", "relate", "connect"), "link"),
    **dict.fromkeys(("none", "noop", "no_op", "skip", "keep"), "none"),
}
_LISTS = ("operations", "ops", "memory", "memories", "facts", "actions")
MOST = 200
"""Operations of one reply that are read; a model that loops gives more."""


@dataclass(frozen=True, slots=True)
class Link:
    """A relation that an operation asks for: to an id, or to a ref of the same reply."""

    target: str
    is_ref: bool
    relation: str
    strength: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation as it was said. `text`: what a form without columns says."""

    action: str
    type: str = ""
    node: str = ""
    ref: str = ""
    source: str = ""
    fields: JsonObject = field(default_factory=dict)
    text: str = ""
    importance: float | None = None
    seq: int | None = None
    temporal_strength: float | None = None
    tags: tuple[str, ...] | None = None
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadOperations:
    """Operations in order, and what was odd. `listed` False = the reply holds no list of operations at all."""

    operations: tuple[Operation, ...]
    problems: tuple[Problem, ...]
    listed: bool


def read_operations(value: Json) -> ReadOperations:
    """All operations of a reply's value; what is none is left out and said."""
    problems: list[Problem] = []
    said, listed = _items(value)
    items, repeats = without_repeats(said)
    if repeats:
        problems.append(Problem("extract.note.repeats", {"count": repeats}, "info"))
    if len(items) > MOST:
        problems.append(Problem("extract.note.too_many", {"count": len(items) - MOST}))
    found = []
    for item in items[:MOST]:
        operation = _operation(item)
        if operation is None:
            problems.append(Problem("extract.note.unreadable", {"text": shown_text(item)[:120]}))
        else:
            found.append(operation)
    return ReadOperations(tuple(found), tuple(problems), listed)


def _items(value: Json) -> tuple[Sequence[Json], bool]:
    """The list in a reply, texts in it too, and whether there is one (an empty list is one)."""
    if isinstance(value, list):
        return value, True
    if not isinstance(value, Mapping):
        return (), False
    held = [value[key] for key in _LISTS if isinstance(value.get(key), list)]
    if held:
        return [item for each in held if isinstance(each, list) for item in each], True
    objects = items_of(value, *_LISTS)
    usable = [item for item in objects if _operation(item) is not None]
    return usable, bool(usable)


def _operation(item: Json) -> Operation | None:
    if isinstance(item, str):
        return Operation(action="create", text=item.strip()) if item.strip() else None
    if not isinstance(item, Mapping):
        return None
    said = next((item[key] for key in ("action", "event", "op", "operation") if _word(item.get(key))), "")
    action = _ACTIONS.get(str(said).strip().lower(), "")
    fields = item.get("fields")
    text = next((_word(item.get(key)) for key in ("text", "fact", "content") if _word(item.get(key))), "")
    if not action and (isinstance(fields, Mapping) or text) and not said:
        action = "update" if _id(item, "nodeId") else "create"
    if not action:
        return None
    links = item.get("links")
    return Operation(
        action=action,
        type=_word(item.get("type")),
        node=_id(item, "nodeId", "node_id", "id", "targetNodeId" if action != "link" else "nodeId"),
        ref=_id(item, "ref"),
        source=_id(item, "sourceNodeId", "sourceRef", "from"),
        fields=dict(fields) if isinstance(fields, Mapping) else {},
        text=text,
        importance=_number(item.get("importance")),
        seq=_whole(item.get("seq")),
        temporal_strength=_number(item.get("temporalStrength")),
        tags=_tags(item.get("clusters", item.get("tags"))),
        links=_links(links, item) if action in {"create", "update", "link"} else (),
    )


def _word(value: Json) -> str:
    return value.strip() if isinstance(value, str) else ""


def _id(item: JsonObject, *keys: str) -> str:
    for key in keys:
        value = item.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""


def _number(value: Json) -> float | None:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _whole(value: Json) -> int | None:
    number = _number(value)
    return int(number) if number is not None and 0 <= number < 2**53 else None


def _tags(value: Json) -> tuple[str, ...] | None:
    if isinstance(value, str):
        value = value.replace("，", ",").split(",")
    if not isinstance(value, list):
        return None
    return tuple(word for item in value if (word := _word(item)))


def _links(value: Json, item: JsonObject) -> tuple[Link, ...]:
    listed: Sequence[Json] = value if isinstance(value, list) else [value]
    if item.get("action") == "link" or _id(item, "targetRef"):
        listed = [*listed, item]
    found = []
    for each in listed:
        if isinstance(each, Mapping):
            target, ref = _id(each, "targetNodeId", "target", "to"), _id(each, "targetRef")
            if target or ref:
                strength = _number(each.get("strength"))
                found.append(Link(target or ref, not target, _word(each.get("relation")), strength))
    return tuple(found)
