"""Layout `budgeted`: which section a memory belongs to, and how the memories of a section rank."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from core.domain.enums import Layer
from core.domain.ids import MemoryPk
from core.domain.memory import Memory
from core.domain.schema import Schema
from core.services.inject.blocks import Block, Entry, TableForm
from core.services.inject.budget import most_entries
from core.services.inject.cells import BODY_COLUMN, ID_COLUMN, TITLE_COLUMN, shown_cells
from core.services.inject.memos import memo_block
from core.services.inject.types import InjectInput, InjectMemory, InjectOptions, Part
from core.services.inject.wording import Wording

SHARES: Mapping[str, float] = {
    "inherent": 0.15,
    "summaries": 0.10,
    "core": 0.15,
    "state": 0.15,
    "episodic": 0.20,
    "reflective": 0.05,
    "rules": 0.08,
    "knowledge": 0.08,
    "memos": 0.04,
}
"""Sections in order, each with its part of the budget."""

_CORE_PART = ("inherent", "summaries", "core")
_BY_TYPE = {
    "synopsis": "summaries",
    "character": "state",
    "location": "state",
    "person": "state",
    "place": "state",
    "asset": "state",
    "event": "episodic",
    "thread": "episodic",
    "pov_memory": "episodic",
    "reflection": "reflective",
    "rule": "rules",
}
_UPDATE = re.compile(r"\s*\S{1,80} 状态更新：.* -> ", re.DOTALL)
"""How ST-BME writes the event of a change (spec/STBME §3.6); ours has the same form."""


def is_update_event(memory: Memory) -> bool:
    """Whether it is an event that was written by itself when the fields of another memory changed."""
    return memory.type == "event" and _UPDATE.match(memory.body) is not None


def section_of(item: InjectMemory) -> str:
    """The section that shows the memory."""
    memory = item.memory
    if memory.layer is Layer.INHERENT:
        return "inherent"
    if memory.layer is Layer.KNOWLEDGE:
        return "knowledge"
    section = _BY_TYPE.get(memory.type, "knowledge")
    if section == "episodic" and memory.level > 0:
        return "summaries"
    if item.part is Part.CORE and section not in {"rules", "summaries"}:
        return "core"
    return section


def budgeted_blocks(given: InjectInput, options: InjectOptions, words: Wording) -> list[Block]:
    """The sections that have something to show, in their order."""
    sorted_in: dict[str, list[InjectMemory]] = {name: [] for name in SHARES}
    for item in _each_once(given.memories):
        sorted_in[section_of(item)].append(item)
    blocks = [
        _block(name, sorted_in[name], given.schema, options, words) for name in SHARES if sorted_in[name]
    ]
    return [*blocks, *memo_block(given, options, words, SHARES["memos"])]


def _each_once(items: Iterable[InjectMemory]) -> list[InjectMemory]:
    """A memory that is core and was recalled too counts as recalled: its score says more."""
    best: dict[MemoryPk, InjectMemory] = {}
    for item in items:
        known = best.get(item.memory.pk)
        if known is None or (known.part is Part.CORE and item.part is Part.RECALLED):
            best[item.memory.pk] = item
    return list(best.values())


def _rank(item: InjectMemory) -> tuple[float, float, float, float]:
    """Recalled before core, then by score, then important and new ones first."""
    memory = item.memory
    return (-float(item.part is Part.RECALLED), -item.score, -memory.importance, -_floor(memory))


def _floor(memory: Memory) -> float:
    ends = (memory.seq_end, memory.seq)
    return next((float(seq) for seq in ends if seq is not None), -1.0)


def _block(
    name: str, items: list[InjectMemory], schema: Schema, options: InjectOptions, words: Wording
) -> Block:
    ranked = sorted(items, key=_rank)
    most = most_entries(options.budget_tokens)
    entries = [_entry(item, schema, options, words) for item in ranked[:most]]
    groups = dict.fromkeys(entry.group for entry in entries)
    return Block(
        name=name,
        part=words("part.core" if name in _CORE_PART else "part.recalled"),
        heading=(words(f"section.{name}"),),
        entries=tuple(entries),
        forms={group: TableForm(_table_name(group, schema)) for group in groups},
        share=options.share_of(name, SHARES[name]),
        beyond=() if most is None else tuple(item.memory.pk for item in ranked[most:]),
    )


def _table_name(type_id: str, schema: Schema) -> str:
    known = schema.type(type_id)
    return known.table_name if known is not None else f"{type_id}_table"


def _entry(item: InjectMemory, schema: Schema, options: InjectOptions, words: Wording) -> Entry:
    memory = item.memory
    cells = shown_cells(memory, schema.type(memory.type))
    late = is_update_event(memory)
    if late:
        body = next((name for name, text in cells.items() if " -> " in text), BODY_COLUMN)
        cells[body] = f"{words('automatic')} {cells.get(body, '')}"
    if not any(cells.values()):
        cells = {TITLE_COLUMN: memory.id}
    if options.ids:
        cells = {ID_COLUMN: memory.id, **cells}
    return Entry(group=memory.type, cells=cells, memory=memory.pk, late=late, score=item.score)
