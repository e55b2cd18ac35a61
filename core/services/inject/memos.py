"""Memos by chat stream, each with the time it still lives."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from core.algos.flashback import LifeUnit, remaining_life
from core.domain.folder import Memo
from core.services.inject.blocks import Block, Entry, ListForm
from core.services.inject.cells import escaped, one_line
from core.services.inject.types import InjectInput, InjectOptions
from core.services.inject.wording import Wording


def memo_block(given: InjectInput, options: InjectOptions, words: Wording, share: float) -> list[Block]:
    """The memos that still live, newest first within their stream; no block without any (spec/BOOKU §6)."""
    living = sorted(
        living_memos(given.extras.memos, given.now), key=lambda memo: memo.updated_at, reverse=True
    )
    if not living:
        return []
    streams = sorted(dict.fromkeys(memo.stream_id for memo in living), key=lambda stream: not stream)
    entries = [
        Entry(group=stream, cells={"left": _left(memo, given.now, words), "content": one_line(memo.content)})
        for stream in streams
        for memo in living
        if memo.stream_id == stream
    ]
    forms = {stream: ListForm(_stream_name(stream, given, words)) for stream in streams}
    block = Block(
        name="memos",
        part=words("part.memos"),
        heading=(words("section.memos"),),
        entries=tuple(entries),
        forms=forms,
        share=options.share_of("memos", share),
    )
    return [block]


def living_memos(memos: Iterable[Memo], now: datetime) -> list[Memo]:
    """The memos that have not expired."""
    return [memo for memo in memos if memo.expires_at > now]


def _left(memo: Memo, now: datetime, words: Wording) -> str:
    life = remaining_life((memo.expires_at - now).total_seconds())
    return words("left.minutes" if life.unit is LifeUnit.MINUTES else "left.hours", number=life.text)


def _stream_name(stream: str, given: InjectInput, words: Wording) -> str:
    if not stream:
        return words("stream.none")
    return words("stream.named", name=escaped(one_line(given.extras.streams.get(stream, stream))))
