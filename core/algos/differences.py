"""What two near-equal texts differ in: numbers, negations, names, words of which only one can hold, who does what.

A cosine sees none of these (MODELS.md), so they are looked for in the words. Ours; measured on the labelled pairs
of tests/data/duplicates (docs/UPKEEP.md).
"""

from __future__ import annotations

import functools
import importlib.resources
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.algos.function_words import function_words
from core.algos.lexical import fold
from core.algos.stems import stem

_FILE = "exclusive_words.txt"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_HAN}]|[a-z]+(?:['’][a-z]+)?|\d+(?:[.:/-]\d+)*|[^\W\d_{_HAN}]+")
_CLAUSES = re.compile(r"[,.;:!?，。；：！？、\n]+")
_CAPITALISED = re.compile(r"\b[A-Z][\w’'-]+")
_HAN_NUMBER = re.compile(r"[〇零一二两三四五六七八九十百千万亿]+")
_HAN_DIGITS = {char: at for at, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_NO_NUMBERS = ("十分", "千万不", "万一", "一", "万分", "百姓", "三心二意", "千方百计")
_ENGLISH_NUMBERS = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
}
_NEGATIONS_ZH = re.compile(
    r"不(?![错过管同仅久断但])|没(?!准)|未(?!来)|(?<!除)非(?!常)|无(?!论)|莫(?!非)|别(?=再|去|让|把|动|说)"
)
_NEGATIONS_EN = frozenset(
    [
        "no",
        "not",
        "never",
        "none",
        "nobody",
        "nothing",
        "neither",
        "nor",
        "cannot",
        "without",
        "hardly",
        "nowhere",
    ]
)
_LIGHT_ZH = frozenset(
    "的了是在着过地得就也都还和与跟把被呢吗啊吧个只条们而且很非常正现已经里上有将给对之其这那"
)
"""Characters that carry no fact of their own."""


CONTAINED = 0.8
"""Share of its pairs of characters and words that a text which is contained in another shares with it."""
CONTAINED_GRAMS = 2
"""A text of fewer is contained in too much."""


class Differs(StrEnum):
    """A difference that two texts of the same meaning do not have."""

    NUMBER = "number"
    NEGATION = "negation"
    NAME = "name"
    WORD = "word"
    ROLES = "roles"


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs, with the words of either side."""

    kind: Differs
    left: str = ""
    right: str = ""


_stem = functools.lru_cache(maxsize=65_536)(stem)

Names = Mapping[str, Sequence[tuple[Sequence[str], str]]]
"""Names that a library knows: by first token, all tokens and the name as it is shown."""


def known_names(names: Iterable[str]) -> Names:
    """The names, ready to be looked for in texts."""
    found: dict[str, list[tuple[list[str], str]]] = {}
    for name in sorted(names):
        if tokens := _TOKEN.findall(fold(name)):
            found.setdefault(tokens[0], []).append((tokens, name))
    return found


class Text:
    """A text with what is compared of it, computed once. `names`: names that the library knows."""

    def __init__(self, text: str, names: Names | None = None) -> None:
        self.raw = text
        self.folded = fold(text)
        self.tokens: list[str] = _TOKEN.findall(self.folded)
        self._names = names or {}

    @functools.cached_property
    def named(self) -> frozenset[str]:
        """The known names that stand in the text. Cost: O(n)."""
        return frozenset(
            name
            for start, token in enumerate(self.tokens)
            for tokens, name in self._names.get(token, ())
            if self.tokens[start : start + len(tokens)] == tokens
        )

    @functools.cached_property
    def plain(self) -> str:
        """The tokens alone: equal ones are the same text but for blanks, punctuation, width and script."""
        return " ".join(self.tokens)

    @functools.cached_property
    def content(self) -> Counter[str]:
        """Characters and stems of words that carry a fact, with counts."""
        words = function_words()
        kept = (
            _stem(token)
            for token in self.tokens
            if token not in _LIGHT_ZH and (len(token) == 1 or token not in words or token in _NEGATIONS_EN)
        )
        return Counter(kept)

    @functools.cached_property
    def clauses(self) -> Counter[str]:
        """The clauses without what carries no fact, in no order."""
        return Counter(
            " ".join(token for token in _TOKEN.findall(clause) if token not in _LIGHT_ZH)
            for clause in _CLAUSES.split(self.folded)
            if clause.strip()
        )

    @functools.cached_property
    def grams(self) -> frozenset[str]:
        """Pairs of Chinese characters that carry a fact, and stems of words."""
        pairs: set[str] = set()
        kept = [token for token in self.tokens if token not in _LIGHT_ZH]
        for before, token in zip(["", *kept], kept, strict=False):
            if len(token) > 1 or not _is_han(token):
                pairs.add(_stem(token))
            elif _is_han(before):
                pairs.add(before + token)
        return frozenset(pairs or self.tokens)

    @functools.cached_property
    def numbers(self) -> Counter[str]:
        """The numbers, however they are written; a Chinese 一 and an English one count for none."""
        found: Counter[str] = Counter()
        for token in self.tokens:
            if token[0].isdigit():
                found[token.removesuffix(".0")] += 1
            elif (number := _ENGLISH_NUMBERS.get(token, 1)) != 1:
                found[str(number)] += 1
        text = self.folded
        for phrase in _NO_NUMBERS:
            text = text.replace(phrase, " " if len(phrase) > 1 else phrase)
        for match in _HAN_NUMBER.findall(text):
            if match != "一":
                found[_han_number(match)] += 1
        return found

    @functools.cached_property
    def negations(self) -> int:
        """How often something is denied."""
        english = sum(token in _NEGATIONS_EN or token.endswith(("n't", "n’t")) for token in self.tokens)
        return english + len(_NEGATIONS_ZH.findall(self.folded))

    @functools.cached_property
    def capitalised(self) -> frozenset[str]:
        """Words written with a capital, folded, without those that say nothing about the subject."""
        words = (fold(word).removesuffix("'s").removesuffix("’s") for word in _CAPITALISED.findall(self.raw))
        return frozenset(word for word in words if word not in function_words())

    @functools.cached_property
    def exclusive(self) -> dict[int, frozenset[int]]:
        """By number of a set of words of which only one can hold: which of them stand here."""
        return _exclusive_in(self.folded, frozenset(_stem(token) for token in self.tokens))

    @functools.cached_property
    def is_han(self) -> bool:
        """Whether most of it is Chinese."""
        return 2 * sum(map(_is_han, self.tokens)) > len(self.tokens)


def _is_han(token: str) -> bool:
    return len(token) == 1 and ("\u3400" <= token <= "\u9fff" or "\uf900" <= token <= "\ufaff")


def _han_number(text: str) -> str:
    """A Chinese number as digits (三十二 -> 32); what is no plain number stays as it is."""
    total = part = 0
    for char in text:
        if char in _HAN_DIGITS:
            part = part * 10 + _HAN_DIGITS[char]
        else:
            unit = {"十": 10, "百": 100, "千": 1_000, "万": 10_000, "亿": 100_000_000}[char]
            if unit >= 10_000:
                total, part = (total + part or 1) * unit, 0
            else:
                total, part = total + (part or 1) * unit, 0
    return str(total + part)


@functools.cache
def _sets() -> tuple[tuple[tuple[str, ...], ...], ...]:
    source = importlib.resources.files("resources").joinpath("text", _FILE)
    lines = source.read_text(encoding="utf-8").splitlines()
    return tuple(
        tuple(tuple(group.split()) for group in line.split("|"))
        for line in lines
        if line.strip() and not line.startswith("#")
    )


@functools.cache
def _places() -> tuple[dict[str, list[tuple[int, int]]], tuple[tuple[str, int, int], ...]]:
    """Words by stem, and Chinese words, with the set and the place in it."""
    english: dict[str, list[tuple[int, int]]] = {}
    chinese = []
    for number, groups in enumerate(_sets()):
        for place, words in enumerate(groups):
            for word in words:
                if word.isascii():
                    english.setdefault(stem(word.rstrip("_")), []).append((number, place))
                else:
                    chinese.append((word, number, place))
    return english, tuple(chinese)


def _exclusive_in(folded: str, stems: Collection[str]) -> dict[int, frozenset[int]]:
    english, chinese = _places()
    found: dict[int, set[int]] = {}
    for word in stems:
        for number, place in english.get(word, ()):
            found.setdefault(number, set()).add(place)
    if not folded.isascii():
        for word, number, place in chinese:
            if word in folded:
                found.setdefault(number, set()).add(place)
    return {number: frozenset(places) for number, places in found.items()}


# --- comparing --------------------------------------------------------------------------------


def differences(left: Text, right: Text) -> list[Difference]:
    """What the texts differ in although two texts of one meaning would not.

    One that only says more than the other does not differ.
    """
    found: list[Difference] = []
    if pair := _only(left.numbers, right.numbers):
        found.append(Difference(Differs.NUMBER, *pair))
    if left.negations != right.negations:
        found.append(Difference(Differs.NEGATION))
    if pair := _names(left, right):
        found.append(Difference(Differs.NAME, *pair))
    for number in left.exclusive.keys() & right.exclusive.keys():
        ours, theirs = left.exclusive[number], right.exclusive[number]
        if ours - theirs and theirs - ours:
            groups = _sets()[number]
            shown = (groups[min(ours - theirs)][0].rstrip("_"), groups[min(theirs - ours)][0].rstrip("_"))
            found.append(Difference(Differs.WORD, *shown))
    if _roles(left, right):
        found.append(Difference(Differs.ROLES))
    return found


def _only(left: Counter[str], right: Counter[str]) -> tuple[str, str] | None:
    ours, theirs = left - right, right - left
    return (_joined(ours), _joined(theirs)) if ours and theirs else None


def _joined(words: Iterable[str]) -> str:
    return ", ".join(sorted(words))


def _names(left: Text, right: Text) -> tuple[str, str] | None:
    ours, theirs = set(left.named), set(right.named)
    ours |= {word for word in left.capitalised if word not in right.tokens}
    theirs |= {word for word in right.capitalised if word not in left.tokens}
    one, other = ours - theirs, theirs - ours
    one = {name for name in one if name not in right.folded}
    other = {name for name in other if name not in left.folded}
    if one and other and not (_all_start(left, one) or _all_start(right, other)):
        return _joined(one), _joined(other)
    return None


def _all_start(text: Text, words: Collection[str]) -> bool:
    """Whether these only stand at the beginning of a sentence, where any word has a capital, and are no subject."""
    first = text.tokens[0] if text.tokens else ""
    return False if first not in words else len(words) == 1 and first.endswith(("ing", "ed", "ly"))


def _roles(left: Text, right: Text) -> bool:
    """Whether the same words stand in another order around two names: who does it to whom."""
    if left.content != right.content or left.clauses == right.clauses:
        return False
    known = (left.named & right.named) | (left.capitalised & right.capitalised)
    places = sorted((left.folded.find(name), name) for name in known)
    again = sorted((right.folded.find(name), name) for name in known)
    return len(places) > 1 and [name for _, name in places] != [name for _, name in again]


def overlap(left: Text, right: Text) -> float:
    """Share of pairs of characters and words that both have (Dice), in [0, 1]."""
    total = len(left.grams) + len(right.grams)
    return 2 * len(left.grams & right.grams) / total if total else 0.0


def contained(left: Text, right: Text) -> bool:
    """Whether all that the shorter one says stands in the other, with nearly all of its pairs of characters."""
    short, long = sorted((left, right), key=lambda text: len(text.grams))
    if len(short.grams) < CONTAINED_GRAMS or short.content - long.content:
        return False
    return len(short.grams & long.grams) >= CONTAINED * len(short.grams)


def same_text(left: Text, right: Text) -> bool:
    """Whether they are one text but for blanks, punctuation, width, script and case."""
    return bool(left.tokens) and left.plain == right.plain


def same_words(left: Text, right: Text) -> bool:
    """Whether they say the same words but for those that carry no fact, clause by clause."""
    if not left.content or left.content != right.content:
        return False
    return left.clauses == right.clauses or _bare(left) == _bare(right)


def _bare(text: Text) -> Sequence[str]:
    return [_stem(token) for token in text.tokens if _stem(token) in text.content]
