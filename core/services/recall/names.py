"""Which memories a message names: titles and aliases, longest match, folded.

Traditional and simplified Chinese are the same name, and so are upper and lower case (core.algos.lexical.fold).
Source: DESIGN §5 and the issue (aliases, names of one character with word boundaries, longest match); the original's
plain containment is core.algos.anchors (spec/STBME §4.5, §8.28).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from core.algos.bm25 import Flags
from core.algos.mentions import folded_names, folded_text, joins, stands_free

LONGEST_MESSAGE = 20_000
"""Characters of a message in which names are looked for, from its end."""
_START = 4


class NameIndex:
    """Names by their first characters; made once for a state of the library."""

    def __init__(self, names: Iterable[tuple[str, ...]]) -> None:
        rows: dict[str, list[int]] = defaultdict(list)
        for row, each in enumerate(names):
            for name in folded_names(each):
                rows[name].append(row)
        self._fill(dict(rows))

    def _fill(self, rows: dict[str, list[int]]) -> None:
        by_start: dict[str, list[str]] = defaultdict(list)
        for name in sorted(rows, key=len, reverse=True):
            by_start[name[:_START]].append(name)
        self._rows, self._by_start = rows, dict(by_start)

    def moved(self, places: Sequence[int]) -> NameIndex:
        """The same where each row stands at another place; -1 = it is gone. Cost: O(names), without folding them."""
        rows = {
            name: [places[row] for row in bearers if places[row] >= 0] for name, bearers in self._rows.items()
        }
        return self._with_names(rows, [name for name, bearers in rows.items() if not bearers], ())

    def _with_names(self, rows: dict[str, list[int]], idle: Iterable[str], new: Iterable[str]) -> NameIndex:
        """An index of these rows by name: of the names here nobody bears the idle ones any more, some are new."""
        by_start = dict(self._by_start)
        for name in idle:
            rows.pop(name, None)
            start = name[:_START]
            by_start[start] = [each for each in by_start.get(start, ()) if each != name]
        for name in new:
            start = name[:_START]
            by_start[start] = sorted([*by_start.get(start, ()), name], key=len, reverse=True)
        made = NameIndex(())
        made._rows, made._by_start = rows, by_start
        return made

    def with_names(self, more: Mapping[int, tuple[str, ...]]) -> NameIndex:
        """The same with more names for some rows. Cost: see `changed`."""
        return self.changed({row: ((), names) for row, names in more.items()})

    def changed(self, names: Mapping[int, tuple[tuple[str, ...], tuple[str, ...]]]) -> NameIndex:
        """The same where some rows bear other names: (before, after) by row. Cost: that of copying two dictionaries."""
        rows = dict(self._rows)
        touched: set[str] = set()
        for row, (before, after) in names.items():
            for name in folded_names(before):
                rows[name] = [each for each in rows.get(name, ()) if each != row]
                touched.add(name)
            for name in folded_names(after):
                rows[name] = sorted({*rows.get(name, ()), row})
                touched.add(name)
        idle = [name for name in touched if not rows[name]]
        return self._with_names(
            rows, idle, [name for name in touched if rows[name] and name not in self._rows]
        )

    def named_in(self, message: str, usable: Flags | None = None) -> dict[str, list[int]]:
        """Names that the message holds, in order, with the rows that bear them. Cost: O(characters).

        `usable`: by row, whose names count (None = everybody's). A longer name that only others bear does not
        stand in the way of a shorter one.
        """
        text = folded_text(message[-LONGEST_MESSAGE:])
        found: dict[str, list[int]] = {}
        at = 0
        while at < len(text):
            name = self._at(text, at, usable)
            if name is None:
                at += 1
                continue
            if name not in found:
                found[name] = [row for row in self._rows[name] if usable is None or usable[row]]
            at += len(name)
        return found

    def _at(self, text: str, at: int, usable: Flags | None) -> str | None:
        """The longest name that begins here, stands free and is borne by somebody who counts."""
        if at and joins(text[at - 1], text[at]):
            return None
        for length in range(min(_START, len(text) - at), 0, -1):
            for name in self._by_start.get(text[at : at + length], ()):
                if (
                    text.startswith(name, at)
                    and stands_free(text, at, at + len(name))
                    and (usable is None or any(usable[row] for row in self._rows[name]))
                ):
                    return name
        return None
