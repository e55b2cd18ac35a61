"""Which memories a message names: titles and aliases, longest match, folded.

Traditional and simplified Chinese are the same name, and so are upper and lower case (core.algos.lexical.fold).
Source: DESIGN §5 and the issue (aliases, names of one character with word boundaries, longest match); the original's
plain containment is core.algos.anchors (spec/STBME §4.5, §8.28).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from core.algos.bm25 import Flags
from core.algos.lexical import fold

LONGEST_MESSAGE = 20_000
"""Characters of a message in which names are looked for, from its end."""
_START = 4
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_AROUND_SHORT = frozenset(
    "的地得了着过吗呢吧啊呀嘛和与跟同对向给被把让叫替为在从到是有没不也都就又还才要会能想说问看见找等请听带让"
    "我你您他她它们这那谁哪"
)
"""Characters that stand beside a name of one character without making a word with it."""


class NameIndex:
    """Names by their first characters; made once for a state of the library."""

    def __init__(self, names: Iterable[tuple[str, ...]]) -> None:
        rows: dict[str, list[int]] = defaultdict(list)
        for row, each in enumerate(names):
            for name in _folded(each):
                rows[name].append(row)
        self._fill(dict(rows))

    def _fill(self, rows: dict[str, list[int]]) -> None:
        self._rows = rows
        self._by_start: dict[str, list[str]] = defaultdict(list)
        for name in sorted(rows, key=len, reverse=True):
            self._by_start[name[:_START]].append(name)

    def with_names(self, more: Mapping[int, tuple[str, ...]]) -> NameIndex:
        """The same with more names for some rows. Cost: O(names)."""
        return self.changed({row: ((), names) for row, names in more.items()})

    def changed(self, names: Mapping[int, tuple[tuple[str, ...], tuple[str, ...]]]) -> NameIndex:
        """The same where some rows bear other names: (before, after) by row. Cost: O(names), without folding them."""
        rows = dict(self._rows)
        for row, (before, after) in names.items():
            for name in _folded(before):
                rows[name] = [each for each in rows.get(name, ()) if each != row]
            for name in _folded(after):
                rows[name] = sorted({*rows.get(name, ()), row})
        other = NameIndex(())
        other._fill({name: bearers for name, bearers in rows.items() if bearers})
        return other

    def named_in(self, message: str, usable: Flags | None = None) -> dict[str, list[int]]:
        """Names that the message holds, in order, with the rows that bear them. Cost: O(characters).

        `usable`: by row, whose names count (None = everybody's). A longer name that only others bear does not
        stand in the way of a shorter one.
        """
        text = " ".join(fold(message[-LONGEST_MESSAGE:]).split())
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
        if at and _joins(text[at - 1], text[at]):
            return None
        for length in range(min(_START, len(text) - at), 0, -1):
            for name in self._by_start.get(text[at : at + length], ()):
                if (
                    text.startswith(name, at)
                    and _stands_free(text, at, at + len(name))
                    and (usable is None or any(usable[row] for row in self._rows[name]))
                ):
                    return name
        return None


def _folded(names: Iterable[str]) -> list[str]:
    """Names as they are compared, each once; a name without a letter or digit is none."""
    folded = dict.fromkeys(" ".join(fold(name).split()) for name in names if name)
    return [name for name in folded if any(char.isalnum() for char in name)]


def _stands_free(text: str, start: int, end: int) -> bool:
    before = text[start - 1] if start else ""
    after = text[end] if end < len(text) else ""
    if end - start == 1 and _UNSPACED.match(text[start]):
        return _beside_short(before) and _beside_short(after)
    return not (_joins(before, text[start]) or _joins(text[end - 1], after))


def _beside_short(char: str) -> bool:
    return not char or char in _AROUND_SHORT or not _UNSPACED.match(char)


def _joins(left: str, right: str) -> bool:
    """Whether two neighbouring characters belong to one word of a script that writes spaces."""
    return (
        bool(left and right)
        and left.isalnum()
        and right.isalnum()
        and not (_UNSPACED.match(left) or _UNSPACED.match(right))
    )
