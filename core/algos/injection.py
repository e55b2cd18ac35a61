"""The text for the prompt as ST-BME writes it: tables of core memories and of recalled ones.

Source: spec/STBME §4.10, §5; text exactly as the original's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from core.algos.js_values import text, utf16_cut
from core.domain.json_types import Json

CELL_UNITS = 200
"""UTF-16 units of a cell, counted after escaping; longer ones are cut without a sign."""
CORE_HEADING = "[Memory - Core]"
RECALLED_HEADING = "[Memory - Recalled]"


class Bucket(Enum):
    """Part of the recalled section, in order; the value is its heading."""

    STATE = "## 当前状态记忆"
    EPISODIC = "## 情景事件记忆"
    REFLECTIVE = "## 反思与长期锚点"
    RULE = "## 规则与约束"
    OTHER = "## 其他关联记忆"


_BUCKETS = {
    "character": Bucket.STATE,
    "location": Bucket.STATE,
    "event": Bucket.EPISODIC,
    "thread": Bucket.EPISODIC,
    "reflection": Bucket.REFLECTIVE,
    "synopsis": Bucket.REFLECTIVE,
    "rule": Bucket.RULE,
}


@dataclass(frozen=True, slots=True)
class Table:
    """How a type is shown: table name and columns in their order."""

    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A memory to show; one without an id is never shown."""

    id: str | None
    type: str
    fields: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the text; `id` is the memory it shows, None for headings."""

    text: str
    id: str | None = None


def bucket_of(memory_type: str) -> Bucket:
    """The part of the recalled section to which a type belongs."""
    return _BUCKETS.get(memory_type, Bucket.OTHER)


def into_buckets(rows: Iterable[Row]) -> dict[Bucket, list[Row]]:
    """The rows by part, each in the order given; every part is there."""
    buckets: dict[Bucket, list[Row]] = {bucket: [] for bucket in Bucket}
    for row in rows:
        buckets[bucket_of(row.type)].append(row)
    return buckets


def injection_lines(
    core: Sequence[Row], recalled: Mapping[Bucket, Sequence[Row]], tables: Mapping[str, Table]
) -> list[Line]:
    """The lines of the text; a memory is shown once, types without a table are not shown (their heading is).

    A text with recalled memories only begins with an empty line, as in the original: callers trim it.
    """
    lines: list[Line] = []
    shown: set[str] = set()
    if core:
        lines += [Line(CORE_HEADING), *_tables(core, tables, shown)]
    if any(recalled.values()):
        lines += [Line(""), Line(RECALLED_HEADING)]
        for bucket in Bucket:
            if rows := recalled.get(bucket, ()):
                lines += [Line(bucket.value), *_tables(rows, tables, shown)]
    return lines


def injection_text(lines: Iterable[Line]) -> str:
    """The lines as one text."""
    return "\n".join(line.text for line in lines)


def _tables(rows: Sequence[Row], tables: Mapping[str, Table], shown: set[str]) -> list[Line]:
    """A table for each type in order of first appearance."""
    lines: list[Line] = []
    for memory_type in dict.fromkeys(row.type for row in rows):
        table = tables.get(memory_type)
        fresh: dict[str, Row] = {}
        for row in rows:
            if row.type == memory_type and row.id and row.id not in shown:
                fresh.setdefault(row.id, row)
        shown.update(fresh)
        if table is not None:
            lines += _table(list(fresh.values()), table)
    return lines


def _table(rows: Sequence[Row], table: Table) -> list[Line]:
    columns = [name for name in table.columns if any(row.fields.get(name) not in (None, "") for row in rows)]
    if not columns:
        return []
    return [
        Line(f"{table.name}:"),
        Line(_row_text(columns)),
        Line(_row_text(["---"] * len(columns))),
        *(Line(_row_text([cell(row.fields.get(name)) for name in columns]), row.id) for row in rows),
    ]


def _row_text(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def cell(value: Json) -> str:
    """A value in a table: bars escaped, line feeds as blanks, cut."""
    return utf16_cut(whole_cell(value), CELL_UNITS)


def whole_cell(value: Json) -> str:
    """The same before it is cut."""
    shown = "" if value is None else text(value)
    return shown.replace("|", "\\|").replace("\n", " ")
