"""What a search asks for: a small closed union of terms (written and read by core.algos.search_language)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Word:
    """A word as typed, or with `phrase` exactly these words in this order."""

    text: str
    phrase: bool = False


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression on title and body."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Meaning:
    """Near this text in meaning."""

    text: str


@dataclass(frozen=True, slots=True)
class Condition:
    """`key op value` in canonical form. `op` is one of : = != > >= < <=."""

    key: str
    op: str
    value: str


@dataclass(frozen=True, slots=True)
class Not:
    """Everything that the term does not hold for."""

    term: Term


@dataclass(frozen=True, slots=True)
class All:
    """All of these hold."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """At least one of these holds."""

    terms: tuple[Term, ...]


Term: TypeAlias = Word | Pattern | Meaning | Condition | Not | All | Either
