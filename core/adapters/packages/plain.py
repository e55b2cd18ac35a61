"""A content that is held as lists: what plain files (Markdown, mem0) give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.domain.folder import Folder
from core.domain.json_types import Json
from core.domain.package import (
    PackedCase,
    PackedDocument,
    PackedEdge,
    PackedFolder,
    PackedMemo,
    PackedMemory,
    PackedMessage,
    PackedPair,
    PackedPin,
    VectorSet,
)
from core.domain.saved_search import SavedSearch
from core.domain.schema import MemoryType, RelationType


@dataclass(frozen=True, slots=True)
class PlainContent:
    """Memories and relations (core.domain.package.PackageContent); folders are those of the memories.

    `origin`: the file that they came from.
    """

    listed: Sequence[PackedMemory]
    relations: Sequence[PackedEdge] = ()
    origin: Mapping[str, Json] = field(default_factory=dict)

    def types(self) -> Iterator[MemoryType]:
        """None."""
        return iter(())

    def relation_types(self) -> Iterator[RelationType]:
        """None."""
        return iter(())

    def folders(self) -> Iterator[PackedFolder]:
        """The folders of the memories, by name."""
        first = {each.folder: each.memory.created_at for each in reversed(self.listed)}
        for name in sorted(first):
            yield PackedFolder(folder=Folder(name=name, created_at=first[name], origin=dict(self.origin)))

    def documents(self) -> Iterator[PackedDocument]:
        """None."""
        return iter(())

    def memories(self) -> Iterator[PackedMemory]:
        """The memories."""
        return iter(self.listed)

    def edges(self) -> Iterator[PackedEdge]:
        """The relations."""
        return iter(self.relations)

    def messages(self) -> Iterator[PackedMessage]:
        """None."""
        return iter(())

    def memos(self) -> Iterator[PackedMemo]:
        """None."""
        return iter(())

    def pairs(self) -> Iterator[PackedPair]:
        """None."""
        return iter(())

    def cases(self) -> Iterator[PackedCase]:
        """None."""
        return iter(())

    def pins(self) -> Iterator[PackedPin]:
        """None."""
        return iter(())

    def searches(self) -> Iterator[SavedSearch]:
        """None."""
        return iter(())

    def vectors(self) -> Iterator[VectorSet]:
        """None."""
        return iter(())
