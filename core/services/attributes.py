"""One attribute of many memories: tags, aliases, importance, type, visibility, lock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from core.domain.commands import (
    ChangeTags,
    SetAliases,
    SetImportance,
    SetLocked,
    SetTags,
    SetType,
    SetVisibility,
)
from core.domain.enums import Kind, TagKind
from core.domain.errors import UserError
from core.domain.ids import MemoryPk
from core.domain.memory import Memory, TagSet
from core.domain.tags import check_triple, clean
from core.ports.store import UnitOfWork
from core.services import content
from core.services.lookup import (
    changeable,
    check_not_trashed,
    chunks_by_row,
    follow_merged,
    op_title,
    states_of,
    type_of,
)
from core.services.outcome import Outcome

UNNAMED = "…"
"""Stands for the title when one of many was changed: which one, the versions tell."""


def change_tags(uow: UnitOfWork, command: ChangeTags) -> Outcome:
    """Add and remove tags of one group. Errors: Invalid when a triple would be left half filled."""
    add = clean(_group(command.kind, command.add)).group(command.kind)
    remove = set(clean(_group(command.kind, command.remove)).group(command.kind))

    def changed(tags: TagSet) -> TagSet:
        kept = (tag for tag in tags.group(command.kind) if tag not in remove)
        return _with_group(tags, command.kind, tuple(dict.fromkeys((*kept, *add))))

    return _each_tag_set(uow, command.memories, changed)


def set_tags(uow: UnitOfWork, command: SetTags) -> Outcome:
    """Replace all tags. Errors: Invalid for a half-filled triple."""
    tags = clean(command.tags)
    check_triple(tags)
    return _each_tag_set(uow, command.memories, lambda _old: tags)


def _each_tag_set(
    uow: UnitOfWork, memories: Sequence[MemoryPk], change: Callable[[TagSet], TagSet]
) -> Outcome:
    def write(part: Sequence[MemoryPk]) -> int:
        new: dict[MemoryPk, TagSet] = {}
        for pk, tags in uow.tag_sets(part).items():
            new[pk] = change(tags)
            if new[pk] != tags:
                check_triple(new[pk])
        return uow.replace_tags(new)

    return in_chunks(uow, memories, write)


def _group(kind: TagKind, values: tuple[str, ...]) -> TagSet:
    return _with_group(TagSet(), kind, values)


def _with_group(tags: TagSet, kind: TagKind, values: tuple[str, ...]) -> TagSet:
    groups = {each: tags.group(each) for each in TagKind} | {kind: values}
    return TagSet(
        general=groups[TagKind.GENERAL],
        core=groups[TagKind.CORE],
        diffusion=groups[TagKind.DIFFUSION],
        opposing=groups[TagKind.OPPOSING],
    )


def set_aliases(uow: UnitOfWork, command: SetAliases) -> Outcome:
    """Replace the aliases of one memory."""
    names = content.clean_names(command.aliases)
    return in_chunks(uow, [command.memory], lambda part: uow.replace_aliases(dict.fromkeys(part, names)))


def set_importance(uow: UnitOfWork, command: SetImportance) -> Outcome:
    """Importance of many. Errors: Invalid outside 0..10."""
    return _same_values(uow, command.memories, {"importance": content.checked_importance(command.importance)})


def set_visibility(uow: UnitOfWork, command: SetVisibility) -> Outcome:
    """Who may recall them."""
    names = content.clean_names(command.visibility)
    return _same_values(uow, command.memories, {"visibility": names})


def _same_values(uow: UnitOfWork, memories: Sequence[MemoryPk], values: Mapping[str, object]) -> Outcome:
    return in_chunks(uow, memories, lambda part: uow.update(Kind.MEMORY, part, values))


def set_type(uow: UnitOfWork, command: SetType) -> Outcome:
    """Type of many; all keep their fields. Errors: Invalid when the new type requires what one lacks."""
    memory_type = type_of(uow, command.type)

    def write(part: Sequence[MemoryPk]) -> int:
        for memory in uow.records(Memory, part):
            if memory.type != memory_type.id:
                content.check_required(memory_type, memory.title, memory.body, memory.fields)
                content.check_person(memory_type, memory.fields)
        return uow.update(Kind.MEMORY, part, {"type": memory_type.id})

    return in_chunks(uow, command.memories, write)


def set_locked(uow: UnitOfWork, command: SetLocked) -> Outcome:
    """Lock or unlock. Errors: UserError when a program wants to unlock."""
    memories = list(dict.fromkeys(command.memories))
    changed = 0
    done = 0
    for part in chunks_by_row(memories):
        states = states_of(uow, part)
        check_not_trashed(states)
        if uow.by_program and not command.locked and (held := sum(state.locked for state in states)):
            raise UserError("error.memory.locked", count=held)
        changed += uow.update(Kind.MEMORY, part, {"locked": command.locked})
        done += len(part)
        uow.checkpoint(done, len(memories))
    label_memories(uow, memories, changed)
    return Outcome(changed=changed)


def in_chunks(
    uow: UnitOfWork, memories: Sequence[MemoryPk], write: Callable[[Sequence[MemoryPk]], int]
) -> Outcome:
    """Run `write` on the memories (survivors instead of merged ones), a chunk at a time.

    Errors: NotFound, Invalid (trash), UserError (locked).
    """
    ends = follow_merged(uow, memories)
    targets = list(dict.fromkeys(ends.values()))
    changed = done = 0
    for part in chunks_by_row(targets):
        changeable(uow, part)
        changed += write(part)
        done += len(part)
        uow.checkpoint(done, len(targets))
    label_memories(uow, targets, changed)
    followed = sum(pk != end for pk, end in ends.items())
    return Outcome(changed=changed, counts={"followed": followed} if followed else {})


def label_memories(uow: UnitOfWork, memories: Sequence[MemoryPk], changed: int, **more: object) -> None:
    """Name the op in the history: how many, and the title when it is only one."""
    title = ""
    if changed == 1:
        found = uow.records(Memory, memories) if len(memories) == 1 else []
        title = op_title(found[0]) if found else UNNAMED
    uow.label(count=changed, title=title, **more)
