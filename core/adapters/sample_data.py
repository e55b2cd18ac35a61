"""The files of the sample library (resources/samples) as typed values; nothing is computed here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TypeVar

from core.domain.enums import FolderKind
from core.domain.json_types import Json, JsonObject, parse_object

SAMPLES = "samples"
_LIBRARY = "library.json"
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Line:
    """One JSON object of a data file. A value of the wrong type is a fault of the data: TypeError."""

    data: JsonObject

    def text(self, name: str, default: str = "") -> str:
        """A string, `default` when absent."""
        return _of(str, self.data.get(name, default), name)

    def number(self, name: str, default: float = 0.0) -> float:
        """A number, `default` when absent."""
        value = self.data.get(name, default)
        return float(value) if isinstance(value, int) else _of(float, value, name)

    def has(self, name: str) -> bool:
        """Whether the object holds the key."""
        return name in self.data

    def flag(self, name: str) -> bool:
        """A truth value, False when absent."""
        return _of(bool, self.data.get(name, False), name)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings, () when absent."""
        return tuple(_of(str, item, name) for item in _items(self.data.get(name, ()), name))

    def numbers(self, name: str) -> tuple[float, ...]:
        """A list of numbers, () when absent."""
        return tuple(Line({name: item}).number(name) for item in _items(self.data.get(name, ()), name))

    def object(self, name: str) -> JsonObject:
        """An object. Errors: TypeError when absent."""
        return _of(dict, self.data.get(name), name)

    def lines(self, name: str) -> tuple[Line, ...]:
        """A list of objects, () when absent."""
        return tuple(Line(_of(dict, item, name)) for item in _items(self.data.get(name, ()), name))


@dataclass(frozen=True, slots=True)
class Floor:
    """One chat line: `days_ago` and `clock` are those of its scene, `place` counts within it."""

    seq: int
    name: str
    text: str
    days_ago: int
    clock: tuple[int, int]
    place: int


@dataclass(frozen=True)
class SampleFolder:
    """One folder of the sample, read when asked for."""

    directory: str
    name: str
    kind: FolderKind
    character: str
    user: str
    minutes_between_floors: float

    @cached_property
    def floors(self) -> tuple[Floor, ...]:
        """The chat, floor by floor. Scenes begin with ``# title | days ago HH:MM``."""
        file = _root() / self.directory / "chat.md"
        return tuple(_floors(file.read_text(encoding="utf-8"))) if file.is_file() else ()

    @cached_property
    def memories(self) -> tuple[tuple[str, Line], ...]:
        """(type, line) of all memories; a file is named after the type it holds."""
        directory = _root() / self.directory / "memories"
        if not directory.is_dir():
            return ()
        files = sorted((file for file in directory.iterdir()), key=lambda file: file.name)
        return tuple((file.name.removesuffix(".jsonl"), line) for file in files for line in _jsonl(file))

    @cached_property
    def edges(self) -> tuple[Line, ...]:
        """Relations that are more than a word in their memory's `rel`."""
        return self._own("edges.jsonl")

    @cached_property
    def memos(self) -> tuple[Line, ...]:
        """Short-lived notes."""
        return self._own("memos.jsonl")

    def text_of(self, file: str) -> str:
        """The text of a document of this folder."""
        return (_root() / self.directory / file).read_text(encoding="utf-8")

    def _own(self, name: str) -> tuple[Line, ...]:
        file = _root() / self.directory / name
        return tuple(_jsonl(file)) if file.is_file() else ()


def library() -> Line:
    """library.json: folders, documents, strengths by relation, relations across folders."""
    return Line(parse_object((_root() / _LIBRARY).read_text(encoding="utf-8")))


def folders(data: Line) -> tuple[SampleFolder, ...]:
    """The folders that library.json lists, in its order."""
    return tuple(
        SampleFolder(
            directory=line.text("directory"),
            name=line.text("name"),
            kind=FolderKind(line.text("kind")),
            character=line.text("character"),
            user=line.text("user"),
            minutes_between_floors=line.number("minutes_between_floors"),
        )
        for line in data.lines("folders")
    )


def _root() -> Traversable:
    return resources.files("resources") / SAMPLES


def _jsonl(file: Traversable) -> Iterator[Line]:
    for text in file.read_text(encoding="utf-8").splitlines():
        if text.strip():
            yield Line(_of(dict, json.loads(text), file.name))


def _floors(text: str) -> Iterator[Floor]:
    days, clock, place, seq = 0, (0, 0), 0, 0
    for line in text.splitlines():
        if line.startswith("#"):
            when = line.rpartition("|")[2].split()
            hour, minute = when[1].split(":")
            days, clock, place = int(when[0]), (int(hour), int(minute)), 0
        elif line.strip():
            name, said = _speaker(line)
            yield Floor(seq, name, said, days, clock, place)
            seq, place = seq + 1, place + 1


def _speaker(line: str) -> tuple[str, str]:
    """Name and words of a chat line; the first colon, plain or full-width, parts them."""
    at = min(index for index in (line.find("："), line.find(":")) if index > 0)
    return line[:at].strip(), line[at + 1 :].strip()


def _of(kind: type[_T], value: object, name: str) -> _T:
    if not isinstance(value, kind):
        raise TypeError(f"sample data: {name} should be {kind.__name__}, is {value!r}")
    return value


def _items(value: Json, name: str) -> Sequence[Json]:
    if isinstance(value, str):
        raise TypeError(f"sample data: {name} should be a list")
    return () if value == () else _of(list, value, name)
