"""Layout `booku`: what Booku reminds its model of, and what this message recalled (spec/BOOKU §6)."""

from __future__ import annotations

from collections.abc import Iterable

from core.domain.enums import Layer
from core.domain.memory import Memory
from core.services.inject.blocks import Block, Entry, ListForm
from core.services.inject.cells import BODY_COLUMN, ID_COLUMN, TITLE_COLUMN, one_line, shown_cells
from core.services.inject.memos import memo_block
from core.services.inject.types import InjectInput, InjectMemory, InjectOptions, Part
from core.services.inject.wording import Wording

SHARES = {"inherent": 0.15, "recalled": 0.50, "overview": 0.12, "memos": 0.13, "titles": 0.10}
"""Sections in order, each with its part of the budget."""
_ONE_GROUP = ""


def booku_blocks(given: InjectInput, options: InjectOptions, words: Wording) -> list[Block]:
    """The sections that have something to show, in their order.

    Memories of the layer that is always injected come whole (the original's inherent note), then the recalled
    ones, then the ones used last by title and id, memos by stream, and the titles of documents.
    """
    inherent, recalled = _parted(given.memories)
    overview = [_overview_entry(memory) for memory in given.extras.overview]
    titles = [Entry(group=_ONE_GROUP, cells={TITLE_COLUMN: one_line(title)}) for title in given.extras.titles]
    memos = memo_block(given, options, words, SHARES["memos"])
    return [
        *_block("inherent", [_entry(item, given, options) for item in inherent], options, words),
        *_block("recalled", [_entry(item, given, options) for item in recalled], options, words),
        *_block("overview", overview, options, words),
        *memos,
        *_block("titles", titles, options, words, closing=(words("titles.how"),)),
    ]


def _parted(items: Iterable[InjectMemory]) -> tuple[list[InjectMemory], list[InjectMemory]]:
    """What is always injected, and what was recalled, best first; each memory once."""
    unique: dict[int, InjectMemory] = {}
    for item in items:
        known = unique.get(item.memory.pk)
        if known is None or known.part is Part.CORE:
            unique[item.memory.pk] = item
    inherent = [item for item in unique.values() if item.memory.layer is Layer.INHERENT]
    others = [item for item in unique.values() if item.memory.layer is not Layer.INHERENT]
    return inherent, sorted(others, key=lambda item: (item.part is Part.CORE, -item.score))


def _block(
    name: str, entries: list[Entry], options: InjectOptions, words: Wording, closing: tuple[str, ...] = ()
) -> list[Block]:
    if not entries:
        return []
    block = Block(
        name=name,
        part=words("part.booku"),
        heading=(words(f"section.{name}"),),
        entries=tuple(entries),
        forms={_ONE_GROUP: ListForm()},
        share=options.share_of(name, SHARES[name]),
        closing=closing,
    )
    return [block]


def _entry(item: InjectMemory, given: InjectInput, options: InjectOptions) -> Entry:
    memory = item.memory
    cells = shown_cells(memory, given.schema.type(memory.type))
    if not any(cells.values()):
        cells = {TITLE_COLUMN: memory.id}
    if options.ids:
        cells = {ID_COLUMN: memory.id, **cells}
    return Entry(group=_ONE_GROUP, cells=cells, memory=memory.pk, score=item.score)


def _overview_entry(memory: Memory) -> Entry:
    cells = {TITLE_COLUMN: one_line(memory.shown_title), BODY_COLUMN: memory.id}
    return Entry(group=_ONE_GROUP, cells=cells, memory=memory.pk, score=-1.0)
