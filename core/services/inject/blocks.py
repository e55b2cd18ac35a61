"""Blocks of the text: a heading and entries, shown as tables or as lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from core.domain.ids import MemoryPk
from core.services.inject.cells import clipped, escaped


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Something to be shown on one line, with its texts by column (on one line, not escaped).

    `late`: it comes only after everything else fits (update events). `score` decides what is shown when the
    budget holds not even one entry with its headings.
    """

    group: str
    cells: Mapping[str, str]
    memory: MemoryPk | None = None
    late: bool = False
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the text, and the memory it shows (None: a heading, a memo)."""

    text: str
    memory: MemoryPk | None = None


class Form(Protocol):
    """How the entries of a group look."""

    def header(self, columns: Sequence[str]) -> list[str]:
        """Lines above the entries."""

    def line(self, entry: Entry, columns: Sequence[str], limit: int | None = None) -> str:
        """The entry; texts longer than `limit` characters are cut."""


@dataclass(frozen=True, slots=True)
class TableForm:
    """A Markdown table with its name above it."""

    name: str

    def header(self, columns: Sequence[str]) -> list[str]:
        """Name, column names and rule."""
        names = [escaped(column) for column in columns]
        return [f"{self.name}:", _row(names), _row(["---"] * len(columns))]

    def line(self, entry: Entry, columns: Sequence[str], limit: int | None = None) -> str:
        """A row."""
        return _row([escaped(clipped(entry.cells.get(column, ""), limit)) for column in columns])


@dataclass(frozen=True, slots=True)
class ListForm:
    """A bulleted list; `joint` stands between the texts of an entry."""

    title: str = ""
    joint: str = " · "

    def header(self, columns: Sequence[str]) -> list[str]:  # noqa: ARG002 - a list has no columns
        """The name of the group, if it has one."""
        return [self.title] if self.title else []

    def line(self, entry: Entry, columns: Sequence[str], limit: int | None = None) -> str:
        """A bullet."""
        texts = (escaped(clipped(entry.cells.get(column, ""), limit)) for column in columns)
        return "- " + self.joint.join(filter(None, texts))


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A section: entries by rank, best first. `share` is its part of the budget.

    `part` is the heading of the part of the text to which it belongs, shown above the first section of it.
    `beyond`: memories that rank after more entries than the budget could hold; they are left out unseen.
    """

    name: str
    part: str = ""
    heading: tuple[str, ...]
    entries: tuple[Entry, ...]
    forms: Mapping[str, Form]
    share: float
    closing: tuple[str, ...] = ()
    beyond: tuple[MemoryPk, ...] = ()

    def columns(self, group: str, entries: Iterable[Entry]) -> list[str]:
        """Columns of a group in which one of these entries says something, in the order first met."""
        names: dict[str, bool] = {}
        for entry in entries:
            if entry.group == group:
                for name, text in entry.cells.items():
                    names[name] = names.get(name, False) or bool(text)
        return [name for name, filled in names.items() if filled]


@dataclass(slots=True)
class Filled:
    """A block with what of it is shown: entries with the limit to which they are cut (None = whole)."""

    block: Block
    room: int | None = None
    shown: dict[int, int | None] = field(default_factory=dict)

    @property
    def entries(self) -> list[Entry]:
        """The entries shown, by rank."""
        return [self.block.entries[at] for at in sorted(self.shown)]

    @property
    def left_out(self) -> list[MemoryPk]:
        """The memories that did not fit."""
        entries = (entry for at, entry in enumerate(self.block.entries) if at not in self.shown)
        return [*(entry.memory for entry in entries if entry.memory is not None), *self.block.beyond]

    def lines(self) -> Iterator[Line]:
        """Heading, then each group in order of first appearance; nothing when nothing is shown."""
        entries = self.entries
        if not entries:
            return
        yield from map(Line, self.block.heading)
        for group in dict.fromkeys(entry.group for entry in entries):
            form, columns = self.block.forms[group], self.block.columns(group, entries)
            yield from map(Line, form.header(columns))
            for at in sorted(self.shown):
                entry = self.block.entries[at]
                if entry.group == group:
                    yield Line(form.line(entry, columns, self.shown[at]), entry.memory)
        yield from map(Line, self.block.closing)
