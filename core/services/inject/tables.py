"""Layout `tables`: ST-BME's own text, character for character (spec/STBME §5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.algos.injection import (
    CELL_UNITS,
    CORE_HEADING,
    RECALLED_HEADING,
    Bucket,
    Row,
    Table,
    bucket_of,
    injection_lines,
    into_buckets,
    whole_cell,
)
from core.algos.js_values import trim, utf16_length
from core.domain.ids import MemoryId
from core.domain.json_types import Json
from core.domain.recall import InjectedMemory, Injection, InjectionSection
from core.domain.schema import Schema
from core.ports.token_counter import TokenCounter
from core.services.inject.blocks import Line
from core.services.inject.cells import named_fields
from core.services.inject.compose import made
from core.services.inject.types import InjectInput, InjectMemory, InjectOptions, Part

_CORE = "core"


def tables_injection(given: InjectInput, options: InjectOptions, counter: TokenCounter) -> Injection:
    """The original's text of these memories in their order, without the blanks that its caller trims off.

    It knows no budget and no ids. Memories that it does not show (a type unknown to the schema, a table in which
    no column says anything) stand in `left_out`.
    """
    core = [_row(item, given.schema) for item in given.memories if item.part is Part.CORE]
    recalled = into_buckets(_row(item, given.schema) for item in given.memories if item.part is Part.RECALLED)
    tables = {
        str(item.id): Table(item.table_name, tuple(column.name for column in item.columns))
        for item in given.schema.types
    }
    pks = {item.memory.id: item.memory.pk for item in given.memories}
    raw = injection_lines(core, recalled, tables)
    lines = _trimmed([Line(line.text, pks[MemoryId(line.id)] if line.id else None) for line in raw])
    return made(lines, _sections(given, lines, tables, counter), options, counter)


def _row(item: InjectMemory, schema: Schema) -> Row:
    memory = item.memory
    return Row(memory.id, memory.type, named_fields(memory, schema.type(memory.type)))


def _trimmed(lines: Sequence[Line]) -> list[Line]:
    """The lines of the trimmed text: blank ones at both ends go, the ends of the others too."""
    kept = list(lines)
    while kept and not trim(kept[0].text):
        kept.pop(0)
    while kept and not trim(kept[-1].text):
        kept.pop()
    return kept


def _sections(
    given: InjectInput, lines: Sequence[Line], tables: dict[str, Table], counter: TokenCounter
) -> list[InjectionSection]:
    """Tokens by section; the heading of the recalled part counts to its first section."""
    cut = {item.memory.pk for item in given.memories if _is_cut(item, given.schema, tables)}
    shown = {line.memory for line in lines}
    sections = []
    for name, rows in _by_section(lines).items():
        counts = counter.count_each([f"{line.text}\n" for line in rows])
        memories = [
            InjectedMemory(memory=line.memory, tokens=tokens, cut=line.memory in cut)
            for line, tokens in zip(rows, counts, strict=True)
            if line.memory is not None
        ]
        left_out = [
            item.memory.pk
            for item in given.memories
            if item.memory.pk not in shown and _section_name(item) == name
        ]
        sections.append(
            InjectionSection(
                name=name,
                tokens=sum(counts),
                memories=tuple(memories),
                left_out=tuple(dict.fromkeys(left_out)),
            )
        )
    return sections


def _section_name(item: InjectMemory) -> str:
    return _CORE if item.part is Part.CORE else bucket_of(item.memory.type).name.lower()


def _by_section(lines: Iterable[Line]) -> dict[str, list[Line]]:
    headings = {CORE_HEADING: _CORE, **{bucket.value: bucket.name.lower() for bucket in Bucket}}
    sections: dict[str, list[Line]] = {}
    waiting: list[Line] = []
    name = ""
    for line in lines:
        name = headings.get(line.text, name)
        if line.text in headings:
            sections.setdefault(name, []).extend(waiting)
            waiting = []
        if line.text in {RECALLED_HEADING, ""}:
            waiting.append(line)
        else:
            sections[name].append(line)
    return sections


def _is_cut(item: InjectMemory, schema: Schema, tables: dict[str, Table]) -> bool:
    """Whether a cell of it is longer than the original shows."""
    table = tables.get(item.memory.type)
    if table is None:
        return False
    values = named_fields(item.memory, schema.type(item.memory.type))
    return any(_is_long(values.get(name)) for name in table.columns)


def _is_long(value: Json) -> bool:
    """Whether the original cuts the cell. A short text cannot be: escaping at most doubles it, and so do pairs."""
    if value is None or (isinstance(value, str) and 4 * len(value) <= CELL_UNITS):
        return False
    return utf16_length(whole_cell(value)) > CELL_UNITS
