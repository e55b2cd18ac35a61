"""Which chat messages the next extraction reads.

Source: spec/STBME §3.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChatLine:
    """A message as extraction sees it; its floor is its index. `by_user` None = the file does not say."""

    text: str
    by_user: bool | None
    system: bool = False

    @property
    def by_assistant(self) -> bool:
        """Whether it is a turn of the assistant that extraction counts."""
        return self.by_user is False and not self.system


@dataclass(frozen=True, slots=True)
class Batch:
    """Floors of the turns to extract from, and of all messages that are read (context before them too)."""

    turns: tuple[int, ...]
    window: tuple[int, ...]

    @property
    def first(self) -> int:
        """Floor of the first turn."""
        return self.turns[0]

    @property
    def last(self) -> int:
        """Floor of the last turn; it becomes the last processed one."""
        return self.turns[-1]


def pending_turns(chat: Sequence[ChatLine], last_processed: int) -> list[int]:
    """Floors of the assistant's turns after the last processed one."""
    return [floor for floor, line in enumerate(chat) if floor > last_processed and line.by_assistant]


def next_batch(
    chat: Sequence[ChatLine],
    last_processed: int,
    *,
    every: int = 1,
    context_turns: int = 2,
    triggered: bool = False,
) -> Batch | None:
    """The next `every` pending turns (all of them when triggered); None when there are not enough.

    The window reaches back 2 x `context_turns` messages, those of the system are counted but not read.
    """
    pending = pending_turns(chat, last_processed)
    if not pending or (len(pending) < every and not triggered):
        return None
    turns = pending if triggered else pending[:every]
    start = max(0, turns[0] - 2 * context_turns)
    window = [floor for floor in range(start, turns[-1] + 1) if not chat[floor].system]
    return Batch(tuple(turns), tuple(window))
