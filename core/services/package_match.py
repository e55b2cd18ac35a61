"""Which memory of the library a memory of a package or plain file is, and what the file would change of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

from core.domain.enums import Kind
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import Memory, TagSet
from core.domain.package import PackedMemory
from core.ports.store import Reader

_KEPT = frozenset({"pk", "id", "folder", "created_at", "revision", "parent", "merged_into", "document"})
COLUMNS = tuple(item.name for item in fields(Memory) if item.name not in _KEPT)
"""What a file may change of a memory; links to other memories are written when all are there."""
_TAG_COLUMNS = {"general": "tags", "core": "core", "diffusion": "diffusion", "opposing": "opposing"}


@dataclass(frozen=True, slots=True)
class Change:
    """What a file would change of a memory that is here; None = nothing of that."""

    columns: Mapping[str, object]
    tags: TagSet | None
    aliases: tuple[str, ...] | None

    def __bool__(self) -> bool:
        return bool(self.columns) or self.tags is not None or self.aliases is not None


def change_of(mine: Memory, tags: TagSet, names: tuple[str, ...], packed: PackedMemory) -> Change:
    """Columns, tags and aliases in which the file says something else; the time of a change alone is none."""
    given = packed.columns
    columns = {
        name: value
        for name in COLUMNS
        if (given is None or name in given) and (value := getattr(packed.memory, name)) != getattr(mine, name)
    }
    wanted = packed.tags
    if given is not None:
        kept = {group: getattr(tags, group) for group, name in _TAG_COLUMNS.items() if name not in given}
        wanted = replace(packed.tags, **kept)
    aliases = packed.aliases if given is None or "aliases" in given else names
    return Change(
        {} if columns.keys() <= {"updated_at"} else columns,
        None if wanted == tags else wanted,
        None if aliases == names else aliases,
    )


def find_memories(
    reader: Reader, chunk: Sequence[PackedMemory], folders: Mapping[str, FolderPk]
) -> dict[str, MemoryPk]:
    """Memories of a package that are in the library: by their id, or by their foreign id in their folder."""
    by_id = reader.keys_of(Kind.MEMORY, [each.memory.id for each in chunk])
    found = {name: MemoryPk(pk) for name, pk in by_id.items()}
    foreign: dict[FolderPk, dict[str, str]] = {}
    for each in chunk:
        folder = folders.get(each.folder)
        if each.memory.id not in found and each.memory.foreign_id and folder is not None:
            foreign.setdefault(folder, {})[each.memory.foreign_id] = each.memory.id
    for folder, names in foreign.items():
        pks = [pk for listed in reader.resolve(list(names), folder).values() for pk in listed]
        for state in reader.states(pks):
            if state.folder == folder and state.foreign_id in names:
                found[names[state.foreign_id]] = state.pk
    return found
