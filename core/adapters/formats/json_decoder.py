"""The one JSON decoder of files: numbers that no float holds are null, and no value of a doubled key is lost.

Programs take the last value of a key that stands twice in one object, and so do we; an earlier one that says
something else is kept beside it under a free name.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from core.adapters.formats.problems import INFO, WARNING, Problems
from core.domain.json_types import Json
from core.domain.safe_text import storable

LONGEST_INTEGER = 400
"""Digits: longer ones are no number that a file means, and Python refuses them above 4,300."""
KEY_TWICE = "import.problem.key_twice"
_MOST_PLACES = 1000
_SHOWN_KEYS = 5
_SHOWN_CHARS = 80
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],]', re.DOTALL)


def finite(digits: str) -> float | None:
    """The number of a JSON text; None for one that no float can hold (1e999)."""
    value = float(digits)
    return value if math.isfinite(value) else None


def whole(digits: str) -> int | None:
    """The integer of a JSON text; None for one of more digits than any use has."""
    return int(digits) if len(digits) <= LONGEST_INTEGER else None


class Decoder:
    """Decodes values and counts doubled keys. Where it is not strict, raw line feeds and tabs inside of texts pass."""

    def __init__(self, *, strict: bool = True) -> None:
        self.doubled = 0
        self.kept = ""
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_float=finite,
            parse_int=whole,
            parse_constant=lambda _: None,
            strict=strict,
        )

    def raw_decode(self, text: str, at: int = 0) -> tuple[Json, int]:
        """The value at `at` and where it ends. Errors: ValueError, RecursionError."""
        return self._decoder.raw_decode(text, at)

    def put(self, into: dict[str, Json], key: str, value: Json) -> None:
        """Add a member to an object that is read part by part."""
        if key in into:
            self.doubled += 1
            if into[key] != value:
                self.kept = _free(key, into)
                into[self.kept] = into[key]
        into[key] = value

    def _object(self, pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        found = dict(pairs)
        if len(found) < len(pairs):
            self._keep(pairs, found)
        return found

    def _keep(self, pairs: list[tuple[str, Json]], found: dict[str, Json]) -> None:
        """Put earlier values that differ from the last beside it."""
        self.doubled += len(pairs) - len(found)
        last = dict(found)
        for key, value in pairs:
            if value is not last[key] and value != last[key]:
                self.kept = _free(key, found)
                found[self.kept] = value


def _free(key: str, taken: Mapping[str, Json]) -> str:
    number = 1
    while (name := f"{key} ({number})") in taken:
        number += 1
    return name


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """Where a key stands for the second time in its object: keys and indices that lead there, and the line."""

    path: str
    line: int


@dataclass(slots=True)
class _Frame:
    """An object or list that is open. `index` of lists, `keys` of objects."""

    keys: set[str] | None
    key: str = ""
    index: int = 0
    key_due: bool = True

    @property
    def name(self) -> str:
        return self.key if self.keys is not None else str(self.index)


def doubled_keys(text: str, first_line: int = 1) -> Iterator[KeyPlace]:
    """Every key that stands in its object already, in a JSON text that may break off. Cost: one walk over the text."""
    frames: list[_Frame] = []
    line, counted = first_line, 0
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in "{[":
            frames.append(_Frame(set() if mark == "{" else None))
        elif not frames:
            continue
        elif mark in "}]":
            frames.pop()
        elif mark == ",":
            frames[-1].index += 1
            frames[-1].key_due = True
        else:
            frame = frames[-1]
            if frame.keys is None or not frame.key_due:
                continue
            frame.key, frame.key_due = _key(mark), False
            if frame.key in frame.keys:
                line += text.count("\n", counted, token.start())
                counted = token.start()
                yield KeyPlace(".".join(each.name for each in frames), line)
            frame.keys.add(frame.key)


def _key(token: str) -> str:
    if "\\" not in token:
        return token[1:-1]
    try:
        return str(json.loads(token))
    except ValueError:
        return token[1:-1]


@dataclass(slots=True)
class DoubledKeys:
    """The doubled keys of one file, as its parts are read."""

    count: int = 0
    kept: str = ""
    places: list[KeyPlace] = field(default_factory=list)

    def take(self, decoder: Decoder, text: str, first_line: int = 1) -> None:
        """What a decoder met in a text; it counts anew from here."""
        if not decoder.doubled:
            return
        room = max(0, _MOST_PLACES - len(self.places))
        places = list(islice(doubled_keys(text, first_line), room))
        self.count += len(places) if len(places) < room else decoder.doubled
        self.kept = self.kept or decoder.kept
        self.places += places
        decoder.doubled, decoder.kept = 0, ""

    def join(self, other: DoubledKeys) -> None:
        """Those of another part of the file too."""
        self.count += other.count
        self.kept = self.kept or other.kept
        self.places += other.places[: max(0, _MOST_PLACES - len(self.places))]

    def note(self, problems: Problems) -> None:
        """Say what was found."""
        if not self.count or not self.places:
            return
        paths = [storable(place.path[-_SHOWN_CHARS:]) for place in self.places]
        problems.add(
            KEY_TWICE,
            *(f"{place.line}: {path}" for place, path in zip(self.places, paths, strict=True)),
            severity=WARNING if self.kept else INFO,
            count=self.count,
            line=self.places[0].line,
            keys=", ".join(dict.fromkeys(paths[:_SHOWN_KEYS])) + (" …" if self.count > _SHOWN_KEYS else ""),
            kept=storable(self.kept[-_SHOWN_CHARS:]),
        )
