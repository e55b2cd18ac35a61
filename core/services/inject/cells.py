"""What a memory says, column by column, and how it is kept inside its cell."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from core.algos import js_values
from core.domain.json_types import Json, canonical
from core.domain.memory import Memory
from core.domain.schema import Column, ColumnFormat, ColumnRole, MemoryType

CUT_MARK = "…"
ID_COLUMN = "id"
TITLE_COLUMN = "title"
BODY_COLUMN = "content"

_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
"""Control characters, marks that turn the direction of what follows, also outside the cell, and tag characters: a
model reads orders written in them that no person sees."""
_HEADING = re.compile(r"(?:(?<=\s)|^)#{1,6}(?=\s|$)")
_FENCE = re.compile(r"`{3,}|~{3,}")
_RULE = re.compile(r":?-{2,}:?")
_SPECIAL = re.compile(r"[\\|\[\]]")
_TO_ESCAPE = re.compile(r"[\\|\[\]#`~]|^[:-]")
"""Quick look: most texts need nothing."""


def one_line(text: str) -> str:
    """The text on one line: every kind of white space is one blank, invisible marks are gone."""
    visible = _INVISIBLE.sub("", text) if _INVISIBLE.search(text) else text
    return " ".join(visible.split())


def escaped(text: str) -> str:
    """A text of one line that can neither end its cell nor look like a heading, a fence or a table.

    A bar, a bracket heading (`[Memory - Core]`), a heading mark or a fence is shown with a backslash before
    it; the backslash itself too, so that none of the text's own can undo one of ours.
    """
    if not _TO_ESCAPE.search(text):
        return text
    text = _SPECIAL.sub(lambda found: "\\" + found[0], text)
    text = _HEADING.sub(lambda found: "\\" + found[0], text)
    text = _FENCE.sub(lambda found: "".join("\\" + mark for mark in found[0]), text)
    return "\\" + text if _RULE.fullmatch(text) else text


def clipped(text: str, limit: int | None) -> str:
    """At most `limit` characters, the last one a mark when something is missing (None = all)."""
    if limit is None or len(text) <= limit:
        return text
    return text[: max(0, limit - 1)].rstrip() + CUT_MARK


def named_fields(memory: Memory, memory_type: MemoryType | None) -> dict[str, Json]:
    """All values under the names of their columns: an event's body is its `summary` again."""
    values = dict(memory.fields)
    for role, text, name in (
        (ColumnRole.TITLE, memory.title, TITLE_COLUMN),
        (ColumnRole.BODY, memory.body, BODY_COLUMN),
    ):
        column = memory_type.column_of(role) if memory_type is not None else None
        if column is not None or memory_type is None:
            key = column.name if column is not None else name
            if text or key not in values:  # a body that was no text when it came stayed among the fields
                values[key] = text
    return values


def shown_cells(memory: Memory, memory_type: MemoryType | None) -> dict[str, str]:
    """Text of each column in schema order, on one line, not escaped; "" where there is nothing.

    A memory whose type the schema does not know shows title and content; a text that has no column of its own
    (the title of a reflection, say) is put before the first one rather than left out.
    """
    values = named_fields(memory, memory_type)
    if memory_type is None:
        return {name: _shown(values.get(name), None) for name in (TITLE_COLUMN, BODY_COLUMN)}
    cells = {column.name: _shown(values.get(column.name), column) for column in memory_type.columns}
    extra = {}
    if memory.title and memory_type.column_of(ColumnRole.TITLE) is None:
        extra[TITLE_COLUMN] = one_line(memory.title)
    if memory.body and memory_type.column_of(ColumnRole.BODY) is None:
        extra[BODY_COLUMN] = one_line(memory.body)
    return {**{name: text for name, text in extra.items() if not cells.get(name)}, **cells}


def _shown(value: Json, column: Column | None) -> str:
    """A value as a person would write it."""
    if value is None or value == "":
        return ""
    if column is not None and column.format is ColumnFormat.TIME:
        return _time_text(value)
    if isinstance(value, Mapping):
        return one_line(canonical(value))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(filter(None, (_shown(item, None) for item in value)))
    return one_line(js_values.text(value))


def _time_text(value: Json) -> str:
    """Unix seconds as date and time (UTC); 0 is no time, what is no number is shown as it stands."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return one_line(js_values.text(value))
    if not value:
        return ""
    try:
        return datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%d %H:%M")
    except (OverflowError, OSError, ValueError):
        return js_values.text(value)
