"""What a proposal meets in the library: memories by name, survivors of merges, values by column."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from core.algos.lexical import fold
from core.domain.commands import Unset
from core.domain.enums import Layer, Status
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.json_types import Json
from core.domain.memory import Memory
from core.domain.proposal import CreatePart, Obstacle
from core.domain.queries import MemoryFilter, Sort, SortKey
from core.domain.schema import ColumnRole, MemoryType, Schema
from core.ports.store import Reader
from core.services.lookup import follow_merged


def living(reader: Reader, pk: MemoryPk) -> MemoryPk | None:
    """The memory, or the one it was merged into; None when it is gone or lies in the trash."""
    states = reader.states([pk])
    if not states:
        return None
    end = follow_merged(reader, [pk])[pk]
    found = reader.states([end])
    return end if found and not found[0].trashed else None


def summed_obstacle(reader: Reader, part: CreatePart, own: Collection[MemoryPk | None]) -> Obstacle | None:
    """What stands against summing up: a memory that says something else now, or none that is left to be summed up."""
    ends = [MemoryPk(end) for end in part.sums if isinstance(end, int)]
    if len(ends) < len(part.sums) or not ends:
        return None  # some are only made by this proposal
    if not any(free_to_sum(memory) for memory in reader.records(Memory, ends)):
        return Obstacle.MISSING
    known = zip(ends, part.seen, strict=False)
    if any(pk not in own and reader.changed_since(pk, revision) for pk, revision in known):
        return Obstacle.CHANGED
    return None


def free_to_sum(memory: Memory) -> bool:
    """Whether it is in use: what lies in the trash, or was summed up elsewhere meanwhile, is left where it is."""
    return memory.deleted_at is None and memory.status is Status.ACTIVE and not memory.locked


class NamesThere:
    """Which memory of a folder a new one stands for, by title or alias, for types that keep only the newest version.

    A type without a title column has one memory in each folder (the synopsis). Cost: each type is read once.
    """

    def __init__(self, reader: Reader, folder: FolderPk) -> None:
        self._reader = reader
        self._folder = folder
        self._schema = reader.schema()
        self._names: dict[TypeId, dict[str, list[MemoryPk]]] = {}

    def same(self, part: CreatePart, leaving: Collection[MemoryPk] = ()) -> Memory | None:
        """The memory that the part stands for. `leaving`: memories that the same proposal archives; they do not count."""
        if not self._merges(part) or part.sums:
            return None
        wanted = "" if self._single(part.type) else fold(part.title).strip()
        if not wanted and not self._single(part.type):
            return None
        found = [pk for pk in self._of(part.type).get(wanted, []) if pk not in leaving]
        return self._reader.records(Memory, [found[-1]])[0] if found else None

    def add(self, part: CreatePart, pk: MemoryPk) -> None:
        """The part came to be this memory."""
        if self._merges(part):
            names = [""] if self._single(part.type) else [part.title, *part.aliases]
            for name in names:
                self._of(part.type)[fold(name).strip()].append(pk)

    def _merges(self, part: CreatePart) -> bool:
        known = self._schema.type(part.type)
        return known is not None and known.latest_only

    def _single(self, type_id: TypeId) -> bool:
        known = self._schema.type(type_id)
        return known is not None and known.column_of(ColumnRole.TITLE) is None

    def _of(self, type_id: TypeId) -> dict[str, list[MemoryPk]]:
        """Memories by folded name; titles come after aliases, so that they win."""
        if type_id not in self._names:
            found: dict[str, list[MemoryPk]] = defaultdict(list)
            memories = active_of(self._reader, self._folder, type_id)
            aliases = self._reader.aliases_of([memory.pk for memory in memories])
            for memory in memories:
                for alias in aliases.get(memory.pk, []):
                    found[fold(alias.value).strip()].append(memory.pk)
            for memory in memories:
                name = "" if self._single(type_id) else fold(memory.title).strip()
                if name or self._single(type_id):
                    found[name].append(memory.pk)
            self._names[type_id] = found
        return self._names[type_id]


def active_of(reader: Reader, folder: FolderPk, type_id: TypeId, *, level: int | None = None) -> list[Memory]:
    """Active memories of a type in a folder (documents left out), by floor and then by age."""
    where = MemoryFilter(
        folders=frozenset({folder}), types=frozenset({type_id}), statuses=frozenset({Status.ACTIVE})
    )
    pks = reader.memory_ids(where, Sort(SortKey.CREATED, descending=False))
    found = [memory for memory in reader.records(Memory, pks) if memory.layer is not Layer.KNOWLEDGE]
    if level is not None:
        found = [memory for memory in found if memory.level == level]
    return sorted(found, key=lambda memory: -1 if memory.seq is None else memory.seq)


def widened(memory: Memory, floor: int) -> tuple[int | Unset, int | Unset, int | Unset]:
    """The memory's main floor, first and last one with this floor among them; the main floor never goes back."""
    start = memory.seq_start if memory.seq_start is not None else memory.seq
    end = memory.seq_end if memory.seq_end is not None else memory.seq
    return (
        floor if memory.seq is None else max(memory.seq, floor),
        floor if start is None else min(start, floor),
        floor if end is None else max(end, floor),
    )


def shown_values(memory: Memory, schema: Schema) -> dict[str, Json]:
    """All values under the names of their columns, title and body too."""
    known: MemoryType | None = schema.type(memory.type)
    title = known.column_of(ColumnRole.TITLE) if known else None
    body = known.column_of(ColumnRole.BODY) if known else None
    values: dict[str, Json] = {}
    if title is not None or memory.title:
        values[title.name if title else "title"] = memory.title
    if body is not None or memory.body:
        values[body.name if body else "body"] = memory.body
    return values | dict(memory.fields)
