"""The memories among which doubles and contradictions are looked for, read once, with their texts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.algos.differences import Names, Text, known_names
from core.algos.lexical import fold
from core.domain.embedding_text import EMBEDDED_TEXT_CHARS, embedded_text
from core.domain.enums import Apart, Status
from core.domain.folder import NotDuplicate
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.json_types import JsonObject
from core.domain.memory import Memory
from core.domain.queries import MemoryFilter, Sort, SortKey
from core.ports.progress import CancelToken
from core.ports.store import Reader

PAGE = 2_000
ENTITIES = frozenset({"character", "person", "location", "place", "asset"})
"""Types whose title is the name of one thing."""
NAME_CHARS = 24

VectorsOf = Callable[[Sequence[int]], tuple[NDArray[np.int64], NDArray[np.float32]]]
"""Vectors of some memories: pks of those that have one (k,), and unit vectors (k, d)."""


@dataclass(slots=True)
class Compared:
    """As much of a memory as is compared."""

    pk: MemoryPk
    type: TypeId
    folder: FolderPk
    title: str
    body: str
    fields: JsonObject
    written: str
    visibility: tuple[str, ...]
    seq: int | None
    parent: MemoryPk | None
    document: int | None
    importance: float
    activation_count: int
    created_at: Any
    key: str = ""
    aliases: frozenset[str] = field(default_factory=frozenset)

    @property
    def is_entity(self) -> bool:
        """Whether the title is a name."""
        return self.type in ENTITIES and bool(self.key)


class Stage:
    """Turns shares of stages into progress of the whole, and looks at cancel."""

    def __init__(
        self, progress: Callable[[int, int], None] | None, cancel: CancelToken | None, parts: Sequence[float]
    ) -> None:
        self._progress = progress
        self._cancel = cancel
        self._ends = np.cumsum([0.0, *parts])
        self._at = 0

    def next(self) -> None:
        """The next stage begins."""
        self._at += 1

    def __call__(self, share: float) -> None:
        """So much of the stage is done. Errors: Cancelled."""
        if self._cancel is not None:
            self._cancel.check()
        if self._progress is not None:
            begin, end = self._ends[self._at], self._ends[self._at + 1]
            self._progress(int(1000 * (begin + (end - begin) * min(1.0, share))), 1000)


class Bench:
    """All memories that are compared, and what is known beside them."""

    def __init__(self, memories: Sequence[Compared], told: Collection[tuple[MemoryPk, MemoryPk]]) -> None:
        self.memories = memories
        self.told = told
        self._texts: dict[int, Text] = {}

    @cached_property
    def names(self) -> Names:
        """Names of characters, places and other things, with their other names."""
        return known_names(
            name
            for memory in self.memories
            if memory.is_entity
            for name in (memory.key, *memory.aliases)
            if name and len(name) <= NAME_CHARS and not name.isdigit()
        )

    def text(self, at: int) -> Text:
        """The text of one memory, prepared once."""
        if at not in self._texts:
            self._texts[at] = Text(self.memories[at].written, self.names)
        return self._texts[at]


def read(
    reader: Reader,
    folder: FolderPk | None,
    types: Collection[TypeId],
    memories: Collection[MemoryPk],
    about: Apart,
    step: Stage,
) -> Bench:
    """Memories in use of a folder or of all. Cost: O(memories). Errors: Cancelled."""
    where = MemoryFilter(
        folders=frozenset() if folder is None else frozenset({folder}),
        types=frozenset(types),
        statuses=frozenset({Status.ACTIVE}),
    )
    pks = reader.memory_ids(where, Sort(SortKey.CREATED, descending=False))
    wanted = [pk for pk in pks if not memories or pk in memories]
    kinds = {item.id: item for item in reader.schema().types}
    found: list[Compared] = []
    for start in range(0, len(wanted), PAGE):
        page = wanted[start : start + PAGE]
        rows = reader.records(Memory, page)
        names = reader.aliases_of([MemoryPk(pk) for pk in page])
        found += [
            _compared(row, embedded_text(row, kinds.get(row.type)), names.get(row.pk, ())) for row in rows
        ]
        step((start + len(page)) / max(1, len(wanted)))
    pairs = reader.all_records(NotDuplicate)
    told = {(pair.a, pair.b) for pair in pairs if pair.about is about}
    return Bench(found, told)


def _compared(memory: Memory, written: str, aliases: Iterable[Any]) -> Compared:
    return Compared(
        pk=memory.pk,
        type=memory.type,
        folder=memory.folder,
        title=memory.title,
        body=memory.body,
        fields=memory.fields,
        written=written[:EMBEDDED_TEXT_CHARS],
        visibility=memory.visibility,
        seq=memory.seq,
        parent=memory.parent,
        document=memory.document,
        importance=memory.importance,
        activation_count=memory.activation_count,
        created_at=memory.created_at,
        key=normal_title(memory.title),
        aliases=frozenset(normal_title(alias.value) for alias in aliases),
    )


def normal_title(title: str) -> str:
    """A title as it is compared: NFKC, simplified, lower case, without punctuation and doubled blanks."""
    tokens = Text(title).tokens
    if all(len(token) == 1 and not token.isascii() for token in tokens):
        return "".join(tokens)
    return " ".join(tokens) or fold(title).strip()
