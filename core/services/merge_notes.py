"""A merge's record as something that can be worked on."""

from __future__ import annotations

from dataclasses import dataclass

from core.domain.ids import MemoryPk
from core.domain.json_types import Json
from core.domain.merge import MergeRecord
from core.ports.store import Reader


@dataclass(slots=True)
class Note:
    """A record with its two objects opened for changes."""

    record: MergeRecord
    moved: dict[str, Json]
    image: dict[str, Json]

    @classmethod
    def of(cls, record: MergeRecord) -> Note:
        """The record, opened."""
        return cls(record, dict(record.moved), dict(record.image))

    @property
    def changes(self) -> list[tuple[str, Json, str]]:
        """Columns of the survivor: name, value before, hash of the value after."""
        return [(str(name), before, str(after)) for name, before, after in _triples(self.image["changes"])]

    def set_change(self, place: int, name: str, before: Json, after: str) -> None:
        """Another one in the place of a change."""
        changes = list(_triples(self.image["changes"]))
        changes[place] = (name, before, after)
        self.image["changes"] = [list(change) for change in changes]

    def listed(self, name: str) -> list[Json]:
        """What was noted under a name."""
        value = self.moved.get(name)
        return list(value) if isinstance(value, list | tuple) else []

    def add(self, name: str, value: Json) -> None:
        """Note one more thing."""
        self.moved[name] = [*self.listed(name), value]


def _triples(value: Json) -> list[tuple[Json, Json, Json]]:
    rows = value if isinstance(value, list | tuple) else ()
    return [(row[0], row[1], row[2]) for row in rows if isinstance(row, list | tuple)]


def heirs_of(reader: Reader, survivor: MemoryPk) -> list[MemoryPk]:
    """The survivor, what it was merged into itself, and so on."""
    heirs = [survivor]
    while True:
        states = reader.states([heirs[-1]])
        after = states[0].merged_into if states else None
        if after is None or after in heirs:
            return heirs
        heirs.append(after)
