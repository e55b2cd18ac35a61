"""What the sidebar can choose: the part of the library that the table shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from core.domain.enums import Layer, TagKind
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.queries import MemoryFilter, TrashScope


class Part(StrEnum):
    """Kinds of entries in the sidebar."""

    ALL = "all"
    FOLDER = "folder"
    LAYER = "layer"
    TYPE = "type"
    TAG = "tag"
    RECENT = "recent"
    SAVED = "saved"
    TRASH = "trash"


@dataclass(frozen=True, slots=True)
class Scope:
    """One entry: its kind and what it names."""

    part: Part = Part.ALL
    folder: FolderPk | None = None
    name: str = ""
    tag_kind: TagKind | None = None
    memory: MemoryPk | None = None
    search: int | None = None

    @property
    def key(self) -> str:
        """Text that names the entry for good (kept over refreshes and in settings)."""
        named = self.folder or self.memory or self.search or self.name
        return f"{self.part.value}:{self.tag_kind.value if self.tag_kind else ''}:{named}"

    def narrow(self, base: MemoryFilter, *, with_subfolders: bool) -> MemoryFilter:
        """The filter narrowed to this part."""
        trash = TrashScope.INSIDE if self.part is Part.TRASH else TrashScope.OUTSIDE
        base = replace(base, trash=trash)
        match self.part:
            case Part.FOLDER if self.folder is not None:
                return replace(base, folders=frozenset({self.folder}), with_subfolders=with_subfolders)
            case Part.LAYER:
                return replace(base, layers=frozenset({Layer(self.name)}))
            case Part.TYPE:
                return replace(base, types=frozenset({TypeId(self.name)}))
            case Part.TAG:
                return replace(base, tags=(*base.tags, (self.tag_kind, self.name)))
        return base
