"""What a search asks for: a small closed union of terms (written and read by core.algos.search_language).

And what is offered while one is typed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
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
class Listed:
    """Exactly these memories: what `text` comes to where SQL alone cannot tell."""

    text: str
    pks: tuple[int, ...]


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


Term: TypeAlias = Word | Pattern | Meaning | Condition | Listed | Not | All | Either


class ValuesOf(StrEnum):
    """Values of keys that are looked up in the library."""

    TAG = "tag"
    CORE = "core"
    DIFFUSION = "diffusion"
    OPPOSING = "opposing"
    PERSON = "person"
    RELATED = "related"
    PARENT = "parent"
    ALIAS = "alias"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class NamedValue:
    """One value in use: how many memories it finds (None = not counted), and of which type the one it names is.

    `label`: what that one is called, where the value is another name.
    """

    value: str
    count: int | None = None
    type: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One row of a completion: `insert` is put in place of what was typed, `shown` is read.

    What it means is `label`, or the text of the key `text`. `type`: of the memory it names.
    """

    insert: str
    shown: str
    label: str = ""
    text: str = ""
    count: int | None = None
    type: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """What may stand at the cursor of a search: rows for the characters from `start` to before `end`.

    `key`: the key whose values these are, "" for keys. `typed`: what stands before the cursor. `more`: so many
    fit that not all are listed. `unfinished`: what is typed there cannot be searched for as it is.
    """

    start: int = 0
    end: int = 0
    key: str = ""
    typed: str = ""
    rows: tuple[Suggestion, ...] = ()
    more: bool = False
    unfinished: bool = False


@dataclass(frozen=True, slots=True)
class KeyWords:
    """A key, or a value of one, with its other words, the key of the text that says what it is, and its values."""

    name: str
    words: tuple[str, ...]
    text: str
    values: tuple[KeyWords, ...] = ()
