"""Which entries fit: every section has its share of the budget, and what it does not use flows on."""

from __future__ import annotations

from collections.abc import Sequence

from core.ports.token_counter import TokenCounter
from core.services.inject.blocks import Block, Entry, Filled
from core.services.inject.cells import clipped, escaped

MIN_ROW_TOKENS = 4
"""A row costs at least this much (two bars and a text), so a budget bounds how many rows are looked at."""
MIN_CUT_TOKENS = 6
"""Less room is not worth trying to cut anything into."""
MIN_CUT_CHARS = 12
"""A memory is cut to no fewer characters per cell: less says nothing."""
CHARS_PER_TOKEN = 16
"""No family reads more characters into a token on average; a longer text is over any budget, uncounted."""
GREEDY_SHARE = 0.6
"""Where several compete, one long memory gets at most this part of its section's room."""


def most_entries(budget: int | None) -> int | None:
    """So many entries a budget can hold at most (None = any number)."""
    return None if budget is None else budget // MIN_ROW_TOKENS + 1


def fit(blocks: Sequence[Block], budget: int | None, counter: TokenCounter, fixed: int = 0) -> list[Filled]:
    """What of each block is shown within `budget` tokens (None = everything); `fixed` are spent already.

    The shares of blocks that need less flow to those that need more, in the ratio of their shares. Within a
    block the best come first; one that is too long for the room that is left is cut. Late entries come last of
    all, when there is room after everything else. Cost: O(entries that the budget could hold).
    """
    if budget is None:
        return [Filled(block, shown=dict.fromkeys(range(len(block.entries)))) for block in blocks]
    fillers = [_Filler(block, budget, counter) for block in blocks]
    rooms = shared_out(
        [filler.need for filler in fillers], [block.share for block in blocks], max(0, budget - fixed)
    )
    carry = 0
    for filler, room in zip(fillers, rooms, strict=True):
        filler.filled.room = room
        carry += room
        carry -= filler.fill(carry)
    for late in (False, True):
        for filler in sorted(fillers, key=lambda filler: -filler.block.share):
            carry -= filler.add(carry, late=late)
    return [filler.filled for filler in fillers]


def shared_out(needs: Sequence[int], shares: Sequence[float], budget: int) -> list[int]:
    """Room for each section: its need where its part suffices, and the rest by the shares of the others.

    The rooms never add up to more than the budget.
    """
    rooms = [0] * len(needs)
    open_ones = {at for at, need in enumerate(needs) if need > 0}
    left = budget
    while open_ones:
        total = sum(max(shares[at], 0.0) for at in open_ones)
        weight = {at: max(shares[at], 0.0) / total if total else 1 / len(open_ones) for at in open_ones}
        content = {at for at in open_ones if needs[at] <= left * weight[at]}
        if not content:
            for at in open_ones:
                rooms[at] = int(left * weight[at])
            break
        for at in content:
            rooms[at] = needs[at]
        left -= sum(needs[at] for at in content)
        open_ones -= content
    return rooms


class _Filler:
    """One block being filled. Costs of lines count their line end, so that they add up."""

    def __init__(self, block: Block, budget: int, counter: TokenCounter) -> None:
        self.block = block
        self.filled = Filled(block)
        self._counter = counter
        self._budget = budget
        self._looked_at = list(enumerate(block.entries))[: most_entries(budget)]
        seen = [entry for _, entry in self._looked_at]
        groups = dict.fromkeys(entry.group for entry in seen)
        self._columns = {group: block.columns(group, seen) for group in groups}
        self._headers = {
            group: self._count(block.forms[group].header(self._columns[group])) for group in groups
        }
        self._frame = self._count([*block.heading, *block.closing])
        self._costs = self._counted()
        self._open: set[str] = set()

    def _counted(self) -> dict[int, int]:
        """Cost of each entry; what comes after more than the budget holds is over it, uncounted."""
        costs: dict[int, int] = {}
        total = 0
        over = self._budget + 1
        for at, entry in self._looked_at:
            line = self._line(entry)
            uncounted = total > self._budget or len(line) > self._budget * CHARS_PER_TOKEN
            costs[at] = over if uncounted else self._count([line])
            total += costs[at] if costs[at] <= self._budget else 0
        return costs

    def _line(self, entry: Entry, limit: int | None = None) -> str:
        return self.block.forms[entry.group].line(entry, self._columns[entry.group], limit)

    def _count(self, lines: Sequence[str]) -> int:
        return sum(self._counter.count_each([f"{line}\n" for line in lines]))

    @property
    def need(self) -> int:
        """Tokens of all entries that are not late, with heading and table heads."""
        main = [(at, entry) for at, entry in self._looked_at if not entry.late]
        if not main:
            return 0
        groups = {entry.group for _, entry in main}
        return (
            self._frame
            + sum(self._headers[group] for group in groups)
            + sum(self._costs[at] for at, _ in main)
        )

    def _opening(self, entry: Entry) -> int:
        """What the entry costs beyond its own line: headings that are not there yet."""
        group = 0 if entry.group in self._open else self._headers[entry.group]
        return group + (0 if self._open else self._frame)

    def _show(self, at: int, entry: Entry, limit: int | None) -> None:
        self.filled.shown[at] = limit
        self._open.add(entry.group)

    def fill(self, room: int) -> int:
        """Fill by rank, cutting what is too long for what is left. Returns the tokens used."""
        main = [(at, entry) for at, entry in self._looked_at if not entry.late]
        greedy = self.need <= room or len(main) < 2
        most = room if greedy else int(room * GREEDY_SHARE)
        used = 0
        for at, entry in main:
            opening = self._opening(entry)
            left = min(most, room - used - opening)
            cost: int | None = self._costs[at]
            limit = None
            if self._costs[at] > left:
                limit, cost = self._cut(entry, left)
            if cost is not None:
                used += opening + cost
                self._show(at, entry, limit)
        return used

    def add(self, room: int, *, late: bool) -> int:
        """Use what other sections left: show more of what was cut or left out, by rank. Returns the tokens used."""
        used = 0
        for at, entry in self._looked_at:
            limit = self.filled.shown.get(at)
            if entry.late is not late or (at in self.filled.shown and limit is None):
                continue
            before = 0 if limit is None else self._count([self._line(entry, limit)])
            opening = self._opening(entry)
            left = room - used - opening + before
            cost: int | None = self._costs[at]
            limit = None
            if self._costs[at] > left:
                limit, cost = self._cut(entry, left)
            if cost is not None and cost > before:
                used += opening + cost - before
                self._show(at, entry, limit)
        return used

    def _cut(self, entry: Entry, room: int) -> tuple[int | None, int | None]:
        """The greatest limit at which the entry costs no more than `room`, and its cost then; None without one."""
        if room < MIN_CUT_TOKENS:
            return None, None
        longest = max(map(len, entry.cells.values()), default=0)
        low, high = MIN_CUT_CHARS, min(longest - 1, room * CHARS_PER_TOKEN)
        found: tuple[int | None, int | None] = (None, None)
        while low <= high:
            middle = (low + high) // 2
            cost = self._count([self._line(entry, middle)])
            if cost <= room:
                found = (middle, cost)
                low = middle + 1
            else:
                high = middle - 1
        return found


def bare_text(entry: Entry, budget: int, counter: TokenCounter) -> str:
    """The texts of an entry without any heading, cut to the budget; "" when not one character fits."""
    texts = [text for text in entry.cells.values() if text]
    whole = " · ".join(texts)
    low, high, found = 1, min(len(whole), max(0, budget) * CHARS_PER_TOKEN), ""
    while low <= high:
        middle = (low + high) // 2
        text = escaped(clipped(whole, middle))
        if counter.count(text) <= budget:
            found, low = text, middle + 1
        else:
            high = middle - 1
    return found


def best_entry(blocks: Sequence[Block]) -> Entry | None:
    """The entry that counts most: the best recalled memory, late ones last."""
    entries = [entry for block in blocks for entry in block.entries]
    return max(
        entries, key=lambda entry: (not entry.late, entry.memory is not None, entry.score), default=None
    )
