"""English words without their commonest endings, so that "studies" finds "studied", and "buy" finds "bought".

Light on purpose: plural, -ing, -ed and a last e only, and a table of irregular forms. Two words belong together
when their stems are equal.
"""

from __future__ import annotations

import functools
import importlib.resources
import re
from collections.abc import Mapping

SHORTEST = 4
"""Shorter words are left as they are."""
_IRREGULAR_FILE = "irregular_en.txt"
_LATIN = re.compile("[a-z]+")
_HISSING = ("s", "x", "z", "ch", "sh")
_SHORTEST_STEM = 3


def is_english(word: str) -> bool:
    """Whether the word is one that `stem` changes: small Latin letters, not too short."""
    return len(word) >= SHORTEST and _LATIN.fullmatch(word) is not None


@functools.cache
def _irregular() -> Mapping[str, tuple[str, ...]]:
    """Words with irregular forms, and these, the word first."""
    source = importlib.resources.files("resources").joinpath("text", _IRREGULAR_FILE)
    lines = source.read_text(encoding="utf-8").splitlines()
    return {line.split()[0]: tuple(line.split()) for line in lines if line and not line.startswith("#")}


@functools.cache
def _base_words() -> Mapping[str, str]:
    return {form: word for word, forms in _irregular().items() for form in forms}


def irregular_forms(word: str) -> tuple[str, ...]:
    """The word and its other forms, where it or one of them is irregular; else nothing."""
    return _irregular().get(_base_words().get(word, word), ())


def stem(word: str) -> str:
    """The word without its ending; words of other scripts and short ones as they are. Cost: O(1)."""
    word = _base_words().get(word, word)
    if not is_english(word):
        return word
    word = _singular(word)
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            word = _undoubled(word[: -len(ending)])
            break
    word = word.removesuffix("e") if len(word) > _SHORTEST_STEM else word
    return word[:-1] + "y" if word.endswith("i") and len(word) > _SHORTEST_STEM else word


def beginning(stemmed: str) -> str:
    """What all words with this stem begin with: the stem without a last y."""
    return stemmed[:-1] if stemmed.endswith("y") and len(stemmed) > _SHORTEST_STEM else stemmed


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) - 3 >= 2:
        return word[:-3] + "y"
    if word.endswith("es") and word[:-2].endswith(_HISSING):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _undoubled(word: str) -> str:
    doubled = len(word) > _SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "lsz"
    return word[:-1] if doubled else word
