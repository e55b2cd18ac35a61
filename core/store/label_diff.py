"""The smallest row changes that turn the tags or aliases of a memory into the wanted ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from core.domain.enums import TagKind
from core.domain.ids import MemoryPk
from core.domain.memory import Alias, Tag, TagSet

T = TypeVar("T", Tag, Alias)


@dataclass(slots=True)
class LabelChanges(Generic[T]):
    """Rows to drop, positions to set by key, rows to add."""

    dropped: list[int] = field(default_factory=list)
    moved: dict[int, dict[str, object]] = field(default_factory=dict)
    added: list[T] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.dropped or self.moved or self.added)


def tag_changes(memory: MemoryPk, old: Sequence[Tag], wanted: TagSet) -> LabelChanges[Tag]:
    """Changes from the old tag rows to the wanted set."""
    changes: LabelChanges[Tag] = LabelChanges()
    kept: dict[tuple[TagKind, str], Tag] = {}
    for tag in old:
        if kept.setdefault((tag.kind, tag.value), tag) is not tag:
            changes.dropped.append(tag.pk)
    for kind in TagKind:
        for position, value in enumerate(wanted.group(kind)):
            tag_or_none = kept.pop((kind, value), None)
            if tag_or_none is None:
                changes.added.append(Tag(memory=memory, kind=kind, value=value, position=position))
            elif tag_or_none.position != position:
                changes.moved[tag_or_none.pk] = {"position": position}
    changes.dropped += [tag.pk for tag in kept.values()]
    return changes


def alias_changes(memory: MemoryPk, old: Sequence[Alias], wanted: Sequence[str]) -> LabelChanges[Alias]:
    """Changes from the old alias rows to the wanted names."""
    changes: LabelChanges[Alias] = LabelChanges()
    kept: dict[str, Alias] = {}
    for alias in old:
        if kept.setdefault(alias.value, alias) is not alias:
            changes.dropped.append(alias.pk)
    for position, value in enumerate(dict.fromkeys(wanted)):
        alias_or_none = kept.pop(value, None)
        if alias_or_none is None:
            changes.added.append(Alias(memory=memory, value=value, position=position))
        elif alias_or_none.position != position:
            changes.moved[alias_or_none.pk] = {"position": position}
    changes.dropped += [alias.pk for alias in kept.values()]
    return changes
