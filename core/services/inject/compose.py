"""Filled sections as one text, with what of it came from which memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.domain.recall import InjectedMemory, Injection, InjectionSection, LineSpan
from core.ports.token_counter import TokenCounter
from core.services.inject.blocks import Block, Filled, Line
from core.services.inject.budget import bare_text, best_entry, fit
from core.services.inject.types import InjectOptions

PREFACE_SHARE = 0.1
"""The sentence at the top is left out where it would take more of the budget than this."""


def compose(
    blocks: Sequence[Block], preface: str, options: InjectOptions, counter: TokenCounter
) -> Injection:
    """The text of the blocks within the budget (core.services.inject.budget).

    Where not even one entry fits below its headings, the best one stands alone and cut. Every memory that is
    not shown stands in `left_out` of its section.
    """
    budget = options.budget_tokens
    opening = _opening(preface, budget, counter)
    parts = dict.fromkeys(block.part for block in blocks if block.part)
    fixed = sum(counter.count_each([f"{line}\n" for line in [*opening, *parts]]))
    filled = fit(blocks, budget, counter, fixed)
    rendered = [list(item.lines()) for item in filled]
    text = _joined(filled, rendered, opening)
    while budget is not None and counter.count(_text(text)) > budget and _drop_last(filled):
        rendered = [list(item.lines()) for item in filled]
        text = _joined(filled, rendered, opening)
    if not any(item.shown for item in filled):
        return _bare(filled, options, counter)
    sections = [_section(item, lines, counter) for item, lines in zip(filled, rendered, strict=True)]
    return made(text, sections, options, counter)


def made(
    lines: Sequence[Line], sections: Sequence[InjectionSection], options: InjectOptions, counter: TokenCounter
) -> Injection:
    """The injection of these lines."""
    text = _text(lines)
    return Injection(
        text=text,
        layout=options.layout,
        sections=tuple(sections),
        spans=tuple(_spans(lines)),
        tokens=counter.count(text),
        token_family=counter.family.value,
        budget=options.budget_tokens,
        position=options.position.value,
        depth=options.depth,
        role=options.role.value,
    )


def _opening(preface: str, budget: int | None, counter: TokenCounter) -> list[str]:
    if not preface or (budget is not None and counter.count(preface) > budget * PREFACE_SHARE):
        return []
    return [preface]


def _joined(
    filled: Sequence[Filled], rendered: Sequence[Sequence[Line]], opening: Sequence[str]
) -> list[Line]:
    """The whole text: a part's heading stands above the first of its sections that shows something."""
    lines: list[Line] = []
    part = ""
    for item, own in zip(filled, rendered, strict=True):
        if own and item.block.part != part:
            part = item.block.part
            lines += [Line(part)] if part else []
        lines += own
    return [*map(Line, opening), *lines] if lines else []


def _text(lines: Iterable[Line]) -> str:
    return "\n".join(line.text for line in lines)


def _spans(lines: Iterable[Line]) -> Iterable[LineSpan]:
    start = 0
    for line in lines:
        end = start + len(line.text)
        if line.memory is not None:
            yield LineSpan(start, end, line.memory)
        start = end + 1


def _drop_last(filled: Sequence[Filled]) -> bool:
    """Take out the lowest entry of the section with the smallest share. False when nothing is left."""
    shown = [item for item in filled if item.shown]
    if not shown:
        return False
    item = min(shown, key=lambda item: item.block.share)
    del item.shown[max(item.shown)]
    return True


def _section(item: Filled, lines: Sequence[Line], counter: TokenCounter) -> InjectionSection:
    counts = counter.count_each([f"{line.text}\n" for line in lines])
    cut = {item.block.entries[at].memory for at, limit in item.shown.items() if limit is not None}
    memories = [
        InjectedMemory(memory=line.memory, tokens=tokens, cut=line.memory in cut)
        for line, tokens in zip(lines, counts, strict=True)
        if line.memory is not None
    ]
    return InjectionSection(
        name=item.block.name,
        tokens=sum(counts),
        budget=item.room,
        memories=tuple(memories),
        left_out=tuple(item.left_out),
    )


def _bare(filled: Sequence[Filled], options: InjectOptions, counter: TokenCounter) -> Injection:
    """One entry without headings, cut to the budget; an empty text when not one character fits."""
    best = best_entry([item.block for item in filled])
    text = "" if best is None else bare_text(best, options.budget_tokens or 0, counter)
    tokens = counter.count(text)
    sections = []
    for item in filled:
        mine = bool(text) and best is not None and best in item.block.entries
        shown = [best.memory] if mine and best is not None and best.memory is not None else []
        sections.append(
            InjectionSection(
                name=item.block.name,
                tokens=tokens if mine else 0,
                budget=item.room,
                memories=tuple(InjectedMemory(memory=pk, tokens=tokens, cut=True) for pk in shown),
                left_out=tuple(pk for pk in item.left_out if pk not in shown),
            )
        )
    lines = [Line(text, best.memory)] if text and best is not None else []
    return made(lines, sections, options, counter)
