"""Whether a text holds a name: where scripts write spaces it stands as words of its own, elsewhere as it is.

Traditional and simplified Chinese are the same name, and so are upper and lower case (core.algos.lexical.fold). A
name of one Chinese character counts only where it makes no word with its neighbours. Source: DESIGN §5 (aliases).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from core.algos.lexical import fold

_UNSPACED = re.compile(  # hangul writes blanks, but its particles stand at the names
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff"
    "\uf900-\ufaff\U00020000-\U0003ffff]"
)
_AROUND_SHORT = frozenset(
    "的地得了着过吗呢吧啊呀嘛和与跟同对向给被把让叫替为在从到是有没不也都就又还才要会能想说问看见找等请听带让"
    "我你您他她它们这那谁哪"
)
"""Characters that stand beside a name of one character without making a word with it."""


def folded_text(text: str) -> str:
    """A text as names are looked for in it. Cost: O(n)."""
    return " ".join(fold(text).split())


def folded_names(names: Iterable[str]) -> list[str]:
    """Names as they are compared, each once; a name without a letter or digit is none."""
    folded = dict.fromkeys(folded_text(name) for name in names if name)
    return [name for name in folded if any(char.isalnum() for char in name)]


def holds_name(text: str, names: Sequence[str], within: Sequence[str] = ()) -> bool:
    """Whether a text holds one of the names; all of them folded. Not where it is a part of one of `within`."""
    for name in names:
        at = text.find(name)
        while at >= 0:
            if stands_free(text, at, at + len(name)) and not _inside(text, name, at, within):
                return True
            at = text.find(name, at + 1)
    return False


def _inside(text: str, name: str, at: int, within: Sequence[str]) -> bool:
    """Whether the name that stands at a place is a part of a longer one there."""
    for longer in within:
        shift = longer.find(name)
        while shift >= 0:
            if text.startswith(longer, at - shift) and at >= shift:
                return True
            shift = longer.find(name, shift + 1)
    return False


def stands_free(text: str, start: int, end: int) -> bool:
    """Whether what stands between two places of a folded text is no part of a longer word."""
    before = text[start - 1] if start else ""
    after = text[end] if end < len(text) else ""
    if end - start == 1 and _UNSPACED.match(text[start]):
        return _beside_short(before) and _beside_short(after)
    return not (joins(before, text[start]) or joins(text[end - 1], after))


def _beside_short(char: str) -> bool:
    return not char or char in _AROUND_SHORT or not _UNSPACED.match(char)


def joins(left: str, right: str) -> bool:
    """Whether two neighbouring characters belong to one word of a script that writes spaces."""
    return (
        bool(left and right)
        and left.isalnum()
        and right.isalnum()
        and not (_UNSPACED.match(left) or _UNSPACED.match(right))
    )
