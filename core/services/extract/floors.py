"""Which floors of a chat are read together (spec/STBME §3.1), and where segments end."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from core.algos.batching import ChatLine, next_batch, pending_turns
from core.algos.tokens import estimate_tokens
from core.algos.trigger import TriggerDecision, decide, split_patterns
from core.domain.chat import is_notice
from core.domain.enums import Role
from core.domain.errors import Invalid
from core.domain.folder import Folder, Message
from core.domain.folder_settings import FolderValues
from core.domain.queries_chat import FloorsOf
from core.domain.queries_extract import BatchPlan, Reach
from core.ports.store import Reader
from core.services.chats import floors_of

LAST_FLOOR = 2**62
LONGEST_SEGMENT = 10
"""Turns after which a batch ends, boundary or not."""
MESSAGE_CHARS = 8_000
"""More of a message is not shown to the model."""
_REQUEST_TOKENS = 1_200
"""About what prompt, types and overview take, for estimates."""


@dataclass(frozen=True, slots=True)
class ChatFloors:
    """All floors of a chat in order, and each as extraction sees it (index for index)."""

    messages: tuple[Message, ...]
    lines: tuple[ChatLine, ...]

    def index_after(self, floor: int) -> int:
        """Index of the last message up to a floor; -1 before all."""
        return sum(message.seq <= floor for message in self.messages) - 1

    def turns(self) -> list[int]:
        """Indexes of all turns."""
        return pending_turns(self.lines, -1)

    def pending(self, last_processed: int) -> list[int]:
        """Indexes of the turns after a floor."""
        return pending_turns(self.lines, self.index_after(last_processed))

    def of(self, floors: Collection[int]) -> list[Message]:
        """The messages of these floors, in order."""
        wanted = frozenset(floors)
        return [message for message in self.messages if message.seq in wanted]


def read_floors(reader: Reader, folder: Folder, values: FolderValues) -> ChatFloors:
    """The floors of a chat, those that a branch shares with its parent too.

    Hidden floors and notices are not read (hidden ones when the folder says so). In a chat in which nobody but the
    user speaks, every floor is a turn.
    """
    messages = floors_of(reader, FloorsOf(folder.pk, 0, LAST_FLOOR))
    hidden = values.flag("extract.hidden")
    usable = [_usable(message, with_hidden=hidden) for message in messages]
    answered = any(
        ok and message.role is Role.ASSISTANT for ok, message in zip(usable, messages, strict=True)
    )
    lines = tuple(
        ChatLine(message.text, answered and message.role is Role.USER, system=not ok)
        for ok, message in zip(usable, messages, strict=True)
    )
    return ChatFloors(messages, lines)


def _usable(message: Message, *, with_hidden: bool) -> bool:
    if message.role is Role.SYSTEM or is_notice(message) or not message.text.strip():
        return False
    return with_hidden or not message.hidden


def batches(
    chat: ChatFloors,
    last_processed: int,
    values: FolderValues,
    reach: Reach,
    stretch: tuple[int | None, int | None] = (None, None),
    starts: Collection[int] = (),
) -> list[BatchPlan]:
    """The batches to read, in order. `starts`: floors that begin a segment; a batch ends before each.

    Errors: Invalid for a range that is none, or holds no turn.
    """
    turns = _chosen(chat, last_processed, reach, stretch)
    groups = list(_groups(chat, turns, values, starts))
    if reach is Reach.NEXT:
        groups = groups[:1]
    return [planned(chat, group, values) for group in groups]


def _chosen(
    chat: ChatFloors, last_processed: int, reach: Reach, stretch: tuple[int | None, int | None]
) -> list[int]:
    match reach:
        case Reach.NEXT | Reach.ALL:
            return chat.pending(last_processed)
        case Reach.REBUILD:
            return chat.turns()
        case Reach.RANGE:
            start, end = stretch
            first, last = start or 0, LAST_FLOOR if end is None else end
            if first < 0 or last < first:
                raise Invalid("error.extract.range", start=first, end=last)
            found = [at for at in chat.turns() if first <= chat.messages[at].seq <= last]
            if not found:
                raise Invalid("error.extract.range_empty", start=first, end=last)
            return found


def _groups(
    chat: ChatFloors, turns: Sequence[int], values: FolderValues, starts: Collection[int]
) -> Iterator[list[int]]:
    """Runs of turns: as many as are wanted at once, or whole segments."""
    by_segment = bool(starts)
    most = (
        max(values.whole("extract.every"), LONGEST_SEGMENT) if by_segment else values.whole("extract.every")
    )
    group: list[int] = []
    for turn in turns:
        if group and (len(group) >= most or chat.messages[turn].seq in starts):
            yield group
            group = []
        group.append(turn)
    if group:
        yield group


def planned(chat: ChatFloors, turns: Sequence[int], values: FolderValues) -> BatchPlan:
    """A batch of these turns (indexes) with the window that is read for it."""
    context = values.whole("extract.context_turns")
    start = max(0, turns[0] - 2 * context)
    window = [at for at in range(start, turns[-1] + 1) if not chat.lines[at].system]
    texts = [shortened(chat.messages[at].text) for at in window]
    return BatchPlan(
        turns=tuple(chat.messages[at].seq for at in turns),
        window=tuple(chat.messages[at].seq for at in window),
        tokens=_REQUEST_TOKENS + sum(map(estimate_tokens, texts)),
    )


def automatic_batch(
    chat: ChatFloors, last_processed: int, values: FolderValues, starts: Collection[int] = ()
) -> tuple[BatchPlan | None, TriggerDecision | None]:
    """The batch that is read by itself now, if there are enough new turns or they are worth it (spec/STBME §3.1-3.2).

    With segments a batch waits until its segment has ended or is as long as it may be.
    """
    every, context = values.whole("extract.every"), values.whole("extract.context_turns")
    decision = trigger(chat, last_processed, values)
    if starts:
        pending = chat.pending(last_processed)
        first = next(_groups(chat, pending, values, starts), [])
        whole = len(first) >= max(every, LONGEST_SEGMENT) or len(first) < len(pending)
        if first and (whole or (decision is not None and decision.triggered)):
            return planned(chat, first, values), decision
        return None, decision
    batch = next_batch(
        chat.lines,
        chat.index_after(last_processed),
        every=every,
        context_turns=context,
        triggered=decision is not None and decision.triggered,
    )
    return (None if batch is None else planned(chat, batch.turns, values)), decision


def trigger(chat: ChatFloors, last_processed: int, values: FolderValues) -> TriggerDecision | None:
    """Whether what is new is worth an extraction now; None when the folder does not ask."""
    if not values.flag("extract.smart_trigger"):
        return None
    fresh = [
        (line.by_user is True, line.text)
        for message, line in zip(chat.messages, chat.lines, strict=True)
        if message.seq > last_processed and not line.system
    ]
    patterns = split_patterns(values.text("extract.trigger_patterns"))
    return decide(fresh, patterns, values.whole("extract.trigger_threshold"))


def shortened(text: str) -> str:
    """As much of a message as a model is shown."""
    return text if len(text) <= MESSAGE_CHARS else f"{text[:MESSAGE_CHARS]}…"
