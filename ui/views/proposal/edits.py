"""Another value in a part: texts as a person types them, in the form that the part keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.domain.json_types import Json
from core.domain.proposal import ChangePart, CreatePart, FieldChange, Part

LISTS = ("tags", "aliases")
COMMAS = str.maketrans({"，": ",", "、": ","})


def editable(part: Part) -> bool:
    """Whether the part holds texts."""
    return isinstance(part, CreatePart | ChangePart)


def listed(text: str) -> tuple[str, ...]:
    """The parts of a text between commas, Chinese ones too."""
    return tuple(piece for each in text.translate(COMMAS).split(",") if (piece := each.strip()))


def value_of(text: str, before: Json) -> Json:
    """The typed text in the form that the value had: a list, a number, or text."""
    if isinstance(before, Sequence) and not isinstance(before, str):
        return list(listed(text))
    if isinstance(before, int | float) and not isinstance(before, bool):
        try:
            return float(text)
        except ValueError:
            return text
    return text


def with_value(part: Part, change: FieldChange, text: str) -> Part:
    """The part with another text for one of its values."""
    if not isinstance(part, CreatePart | ChangePart):
        return part
    match change.name:
        case "title":
            return replace(part, title=text)
        case "body":
            return replace(part, body=text)
        case "importance":
            value = value_of(text, change.after)
            return replace(part, importance=float(value)) if isinstance(value, int | float) else part
        case "tags" if part.tags is not None:
            return replace(part, tags=replace(part.tags, general=listed(text)))
        case "aliases":
            return replace(part, aliases=listed(text))
        case name:
            return replace(part, fields={**part.fields, name: value_of(text, change.after)})
