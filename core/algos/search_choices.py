"""Values that can stand after a key of a search, and which of them fit what was typed."""

from __future__ import annotations

import heapq
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from core.algos.search_dates import date_choices
from core.algos.search_keys import KEYS, Key, ValueKind
from core.algos.search_signs import quoted
from core.domain.search import Suggestion

_NO_RANK = 3


@dataclass(frozen=True, slots=True)
class Choice:
    """A value with all words for it; `word` is the one that is put in where no other was typed.

    The others are as of Suggestion.
    """

    word: str
    words: tuple[str, ...]
    label: str = ""
    text: str = ""
    count: int | None = None
    type: str = ""

    def rank(self, typed: str) -> tuple[int, str]:
        """How well it fits what was typed (0 is best, 3 not at all), and the word that does."""
        if not typed:
            return 1, self.word
        best, word = _NO_RANK, self.word
        for each in self.words if self.word == self.words[0] else (self.word, *self.words):
            told = folded(each)
            if typed in told:
                rank = 0 if told == typed else 1 if told.startswith(typed) else 2
                if rank < best:
                    best, word = rank, each
        return best, word


def folded(text: str) -> str:
    """A text as it is compared: width and case do not matter."""
    return unicodedata.normalize("NFKC", text).casefold()


def fitting(choices: Iterable[Choice], typed: str, limit: int) -> list[Suggestion]:
    """What was typed as a whole first, then what begins with it, then what holds it; else in the order given."""
    ranked: list[tuple[int, int, Choice, str]] = []
    wanted = typed.strip("*")
    for place, choice in enumerate(choices):
        rank, word = choice.rank(wanted)
        if rank < _NO_RANK:
            ranked.append((rank, place, choice, word))
    return [_row(choice, word) for _, _, choice, word in heapq.nsmallest(limit, ranked)]


def _row(choice: Choice, word: str) -> Suggestion:
    own = word in (choice.word, choice.words[0]) or bool(choice.text)
    shown = word if own else choice.word
    label = choice.label if shown == choice.word else choice.word
    return Suggestion(quoted(shown), shown, label, choice.text, choice.count, choice.type)


def dates(key: Key, op: str, today: date) -> list[Choice]:
    """Dates after a key and a sign; for the use of memories never, too."""
    choices = [Choice(value, (value,), text=text) for value, text in date_choices(op, today)]
    if key.kind is ValueKind.USE and op == ":":
        choices.insert(0, Choice("0", ("0",), text="search.value.never.recalled"))
    return choices


def text_of_value(key: str, value: str) -> str:
    """The text that says what a fixed value means; layers, statuses and reasons have theirs already."""
    if key == "is":
        key = next((name for name in ("status", "layer") if value in KEYS[name].values), key)
    return f"{key}.{value}" if key in ("layer", "status", "reason") else f"search.value.{key}.{value}"
