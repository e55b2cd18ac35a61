"""A lorebook that comes again with other content, entry by entry: same, changed, new, gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.domain.enums import Kind, Layer, Status
from core.domain.folder import Folder
from core.domain.ids import FolderPk, MemoryPk
from core.domain.json_types import Json
from core.domain.memory import Memory, title_of_body
from core.domain.package import Collision
from core.domain.source_file import ids_given
from core.domain.transfer import ImportPlan, PlannedFolder, PlannedMemory, PlannedUpdate
from core.ports.store import Reader, UnitOfWork

LORE_KEY = "lorebook"
"""In `Memory.extra`: the entry as its file has it (core.adapters.formats.lore_read)."""
TAKEN_KEY = "taken"
"""In that: the revision that taking the entry from its file made; a later one is a person's."""
_COLUMNS = ("title", "body", "layer", "status", "status_reason")


@dataclass(slots=True)
class Entries:
    """What became of the entries of one book."""

    new: list[PlannedMemory] = field(default_factory=list)
    updates: list[PlannedUpdate] = field(default_factory=list)
    same: int = 0
    gone: list[str] = field(default_factory=list)
    refreshed: list[PlannedUpdate] = field(default_factory=list)
    """Entries that say the same, in another form than the one that is kept: that becomes the kept one."""

    @property
    def edited(self) -> list[MemoryPk]:
        """Entries that changed both here and in the file."""
        return [each.pk for each in self.updates if each.edited]


def compare_entries(reader: Reader, folder: FolderPk, planned: Sequence[PlannedMemory]) -> Entries:
    """The entries of a file against those of the folder that an earlier file became."""
    memories = reader.records(Memory, reader.memories_in(folder))
    stored = {
        memory.foreign_id: memory
        for memory in memories
        if memory.foreign_id is not None and _entry(memory.extra) is not None
    }
    own: dict[str, Memory] = {memory.id: memory for memory in memories}
    given = {
        name: own[mine]
        for record in reader.records(Folder, [folder])
        for name, mine in ids_given(record.origin).items()
        if mine in own
    }
    aliases = reader.aliases_of([memory.pk for memory in memories])
    found = Entries()
    for each in planned:
        memory = given.get(each.foreign_id or "") or stored.pop(each.foreign_id or "", None)
        if memory is None:
            found.new.append(each)
            continue
        names = [alias.value for alias in aliases.get(memory.pk, [])]
        if _said(memory.extra) == _said(each.extra):
            found.same += 1
        elif _reads(memory, names) == _reads(each, each.aliases):
            found.same += 1  # as it was written back, say, or with numbers of which memories know nothing
            found.refreshed.append(PlannedUpdate(memory.pk, each))
        else:
            found.updates.append(PlannedUpdate(memory.pk, each, edited=is_edited(memory)))
    found.gone = [memory.id for memory in stored.values() if memory.deleted_at is None]
    return found


def _reads(memory: Memory | PlannedMemory, names: Sequence[str]) -> tuple[object, ...]:
    """What an entry says to a reader. A name that is only the title adds nothing."""
    title = memory.title or title_of_body(memory.body)
    constant, off = memory.layer is Layer.INHERENT, memory.status is not Status.ACTIVE
    return title, memory.body, constant, off, frozenset(names) - {title}, memory.deleted_at is None


def is_edited(memory: Memory) -> bool:
    """Whether somebody changed an entry since it was taken from its file."""
    taken = (_entry(memory.extra) or {}).get(TAKEN_KEY)
    return memory.revision > (taken if isinstance(taken, int) else 1)


def write_updates(uow: UnitOfWork, plan: ImportPlan) -> int:
    """Bring entries up to date; those that were edited here only when the file is to win. Returns how many."""
    wanted = [each for each in plan.updates if not each.edited or plan.collision is Collision.THEIRS]
    records = {record.pk: record for record in uow.records(Memory, [each.pk for each in wanted])}
    values: dict[int, Mapping[str, object]] = {}
    for each in wanted:
        mine = records[each.pk]
        entry: dict[str, Json] = {**(_entry(each.memory.extra) or {}), TAKEN_KEY: mine.revision + 1}
        columns: dict[str, object] = {name: getattr(each.memory, name) for name in _COLUMNS}
        values[each.pk] = {**columns, "extra": {**mine.extra, **each.memory.extra, LORE_KEY: entry}}
    uow.update_each(Kind.MEMORY, values)
    uow.replace_aliases({each.pk: each.memory.aliases for each in wanted})
    return len(wanted)


def write_book(uow: UnitOfWork, folder: Folder, planned: PlannedFolder) -> None:
    """The folder of a book that came again knows its newest file; the name that it was given stays."""
    values = {"origin": {**folder.origin, **planned.origin}, "extra": {**folder.extra, **planned.extra}}
    uow.update(Kind.FOLDER, [folder.pk], values)


def _entry(extra: Mapping[str, Json]) -> Mapping[str, Json] | None:
    found = extra.get(LORE_KEY)
    return found if isinstance(found, Mapping) else None


def _said(extra: Mapping[str, Json]) -> dict[str, Json]:
    """What the file said, without what was noted here."""
    return {name: value for name, value in (_entry(extra) or {}).items() if name != TAKEN_KEY}
