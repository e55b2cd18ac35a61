"""Layer, status and trash of many memories: every change goes through core.domain.lifecycle."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from core.domain.commands import (
    ArchiveMemories,
    DeletePermanently,
    EmptyTrash,
    RestoreMemories,
    SetLayer,
    SetStatus,
    TrashMemories,
    UntrashMemories,
)
from core.domain.enums import Kind, Layer, Status, StatusReason
from core.domain.errors import Invalid
from core.domain.ids import MemoryPk
from core.domain.lifecycle import LifeState, Verb, apply
from core.domain.memory import MemoryState
from core.domain.queries import MemoryFilter, Sort, SortKey, TrashScope
from core.ports.store import UnitOfWork
from core.services.attributes import label_memories
from core.services.lookup import check_unlocked, chunks_by_row, folder_of, states_of
from core.services.outcome import Outcome


def archive(uow: UnitOfWork, command: ArchiveMemories) -> Outcome:
    """Status archived, whatever the layer."""
    return _change(uow, command.memories, Verb.ARCHIVE, reason=command.reason)


def restore(uow: UnitOfWork, command: RestoreMemories) -> Outcome:
    """Back to active."""
    return _change(uow, command.memories, Verb.RESTORE)


def set_status(uow: UnitOfWork, command: SetStatus) -> Outcome:
    """Status with its reason (by hand, when none is given). Errors: Invalid for a reason with active."""
    if command.status is Status.ACTIVE and command.reason is not None:
        raise Invalid("error.life.reason", status=command.status.value, reason=command.reason.value)
    verb = {
        Status.ACTIVE: Verb.RESTORE,
        Status.ARCHIVED: Verb.ARCHIVE,
        Status.EXPIRED: Verb.EXPIRE,
    }[command.status]
    return _change(uow, command.memories, verb, reason=command.reason or StatusReason.BY_HAND)


def set_layer(uow: UnitOfWork, command: SetLayer) -> Outcome:
    """Layer; the status stays."""
    return _change(uow, command.memories, Verb.SET_LAYER, layer=command.layer)


def trash(uow: UnitOfWork, command: TrashMemories) -> Outcome:
    """Into the trash; those that lie there already are left alone."""
    return _change(uow, command.memories, Verb.TRASH)


def untrash(uow: UnitOfWork, command: UntrashMemories) -> Outcome:
    """Out of the trash; those that are not in it are left alone."""
    return _change(uow, command.memories, Verb.UNTRASH)


def _change(
    uow: UnitOfWork,
    memories: Sequence[MemoryPk],
    verb: Verb,
    *,
    reason: StatusReason = StatusReason.BY_HAND,
    layer: Layer | None = None,
) -> Outcome:
    """Errors: NotFound, UserError (locked), Invalid when the verb does not fit a memory's state."""
    chosen = list(dict.fromkeys(memories))
    changed = done = skipped = 0
    for part in chunks_by_row(chosen):
        states = states_of(uow, part)
        check_unlocked(uow, states)
        groups: dict[LifeState, list[MemoryPk]] = defaultdict(list)
        for state in states:
            if verb is Verb.RESTORE and state.merged_into is not None:
                raise Invalid("error.life.merged")
            if state.trashed == _trashed_after(verb):
                skipped += 1
            else:
                groups[apply(_life(state), verb, reason=reason, layer=layer)].append(state.pk)
        for after, pks in groups.items():
            changed += uow.update(Kind.MEMORY, pks, _columns(uow, after, verb))
        done += len(part)
        uow.checkpoint(done, len(chosen))
    label_memories(uow, chosen, changed)
    return Outcome(changed=changed, counts={"skipped": skipped} if skipped else {})


def _trashed_after(verb: Verb) -> bool | None:
    """The side of the trash on which the verb leaves a memory; None = the verb is not about it."""
    return {Verb.TRASH: True, Verb.UNTRASH: False}.get(verb)


def _life(state: MemoryState) -> LifeState:
    return LifeState(state.layer, state.status, state.status_reason, state.trashed)


def _columns(uow: UnitOfWork, after: LifeState, verb: Verb) -> dict[str, object]:
    """Only the columns that the verb is about, so that undoing it touches nothing else."""
    if verb in {Verb.TRASH, Verb.UNTRASH}:
        return {"deleted_at": uow.now if after.trashed else None}
    if verb is Verb.SET_LAYER:
        return {"layer": after.layer}
    return {"layer": after.layer, "status": after.status, "status_reason": after.reason}


def empty_trash(uow: UnitOfWork, command: EmptyTrash) -> Outcome:
    """Delete for ever what lies in the trash. Cannot be undone."""
    where = MemoryFilter(trash=TrashScope.INSIDE)
    if command.folder is not None:
        folder = folder_of(uow, command.folder)
        where = MemoryFilter(trash=TrashScope.INSIDE, folders=frozenset({command.folder}))
        uow.label(folder=folder.name)
    trashed = uow.memory_ids(where, Sort(SortKey.CREATED, descending=False))
    return _erase(uow, [MemoryPk(pk) for pk in trashed])


def delete_permanently(uow: UnitOfWork, command: DeletePermanently) -> Outcome:
    """Delete memories for ever. Cannot be undone. Errors: NotFound, UserError (locked)."""
    check_unlocked(uow, states_of(uow, command.memories))
    return _erase(uow, command.memories)


def _erase(uow: UnitOfWork, memories: Sequence[MemoryPk]) -> Outcome:
    """No title goes into the history: what is erased leaves no text behind."""
    chosen = list(dict.fromkeys(memories))
    erased = done = 0
    for part in chunks_by_row(chosen):
        erased += uow.erase(part)
        done += len(part)
        uow.checkpoint(done, len(chosen))
    uow.label(count=erased)
    return Outcome(changed=erased)
