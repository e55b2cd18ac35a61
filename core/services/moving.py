"""Move and copy memories between folders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from core.domain.commands import Border, CopyMemories, MoveMemories
from core.domain.edge import Edge
from core.domain.enums import Kind, Status, StatusReason
from core.domain.folder import Folder
from core.domain.ids import EdgePk, FolderPk, MemoryPk, new_edge_id, new_memory_id
from core.domain.memory import Memory, MemoryState
from core.ports.store import Reader, UnitOfWork
from core.services.attributes import label_memories
from core.services.lookup import CHUNK, changeable, check_not_trashed, chunks, folder_of, states_of
from core.services.outcome import Outcome

COPIED_FROM = "copied_from"
"""Key of `Memory.extra` that names the memory a copy was made of."""


def move(uow: UnitOfWork, command: MoveMemories) -> Outcome:
    """Move to a folder. Relations over the border are kept, cut, or take their other end along.

    Errors: NotFound, Invalid (trash), UserError (locked).
    """
    folder = folder_of(uow, command.folder)
    chosen = list(dict.fromkeys(command.memories))
    changeable(uow, chosen)
    counts: dict[str, int] = {}
    if command.border is not Border.LEAVE:
        edges, others = crossing(uow, chosen, command.folder)
        if command.border is Border.CUT:
            counts["cut"] = uow.delete(Kind.EDGE, [edge.pk for edge in edges])
        else:
            along = _free_to_go(uow, others)
            counts["along"] = len(along)
            chosen += along
    changed, renewed = put_into(uow, chosen, command.folder, **_with(command))
    if renewed:
        counts["ids_renewed"] = renewed
    label_memories(uow, chosen, changed, folder=folder.name)
    return Outcome(changed=changed, counts=counts)


def _with(command: MoveMemories) -> dict[str, object]:
    """Columns that are set along with the folder."""
    values: dict[str, object] = {} if command.layer is None else {"layer": command.layer}
    if command.status is not None:
        active = command.status is Status.ACTIVE
        values |= {"status": command.status, "status_reason": None if active else StatusReason.BY_HAND}
    return values


def crossing(
    reader: Reader, memories: Sequence[MemoryPk], target: FolderPk | None
) -> tuple[list[Edge], list[MemoryPk]]:
    """Relations with one end among the memories and the other end outside of them and of `target`.

    Returns the relations and those other ends.
    """
    inside = set(memories)
    edges: dict[EdgePk, Edge] = {}
    for part in chunks(memories):
        edges |= {edge.pk: edge for edge in reader.edges_touching(part)}
    ends = {
        edge.pk: edge.target if edge.source in inside else edge.source
        for edge in edges.values()
        if (edge.source in inside) != (edge.target in inside)
    }
    away = {state.pk for state in reader.states(set(ends.values())) if state.folder != target}
    crossed = [edges[pk] for pk in sorted(ends) if ends[pk] in away]
    return crossed, sorted(away)


def _free_to_go(uow: UnitOfWork, memories: Iterable[MemoryPk]) -> list[MemoryPk]:
    return [
        state.pk
        for state in uow.states(memories)
        if not state.trashed and not (uow.by_program and state.locked)
    ]


def put_into(
    uow: UnitOfWork, memories: Sequence[MemoryPk], folder: FolderPk, **more: object
) -> tuple[int, int]:
    """Set the folder (and `more` columns) of memories, a chunk at a time.

    An imported id that the folder has already is given up: (folder, foreign_id) is unique (DESIGN §4).
    Returns how many changed, and how many gave up their id.
    """
    changed = renewed = done = 0
    for part in chunks(memories):
        clashing = clashing_ids(uow, uow.states(part), folder)
        renewed += uow.update(Kind.MEMORY, clashing, {"foreign_id": None})
        changed += uow.update(Kind.MEMORY, part, {"folder": folder, **more})
        done += len(part)
        uow.checkpoint(done, len(memories))
    return changed, renewed


def clashing_ids(reader: Reader, states: Sequence[MemoryState], folder: FolderPk) -> list[MemoryPk]:
    """Those whose foreign id another memory of the folder, or an earlier one of these, has."""
    coming = [state for state in states if state.foreign_id is not None and state.folder != folder]
    taken = {
        state.foreign_id
        for found in reader.resolve(
            [state.foreign_id for state in coming if state.foreign_id], folder
        ).values()
        for state in reader.states(found)
        if state.folder == folder
    }
    clashing = []
    for state in coming:
        if state.foreign_id in taken:
            clashing.append(state.pk)
        taken.add(state.foreign_id)
    return clashing


def copy(uow: UnitOfWork, command: CopyMemories) -> Outcome:
    """Copies in a folder, with tags, aliases and the relations among them; `extra` names the origin.

    A copy is new: it has no imported id and was never recalled. Errors: NotFound, Invalid (trash).
    """
    folder = folder_of(uow, command.folder)
    chosen = list(dict.fromkeys(command.memories))
    check_not_trashed(states_of(uow, chosen))
    copies: dict[MemoryPk, MemoryPk] = {}
    for part in chunks(chosen):
        copies |= _copy_rows(uow, part, command.folder)
        uow.checkpoint(len(copies), len(chosen))
    _copy_parents(uow, copies)
    edges = _copy_edges(uow, copies)
    _label_copies(uow, chosen, folder)
    return Outcome(changed=len(copies), created=tuple(copies.values()), counts={"edges": edges})


def _copy_rows(uow: UnitOfWork, part: Sequence[MemoryPk], folder: FolderPk) -> dict[MemoryPk, MemoryPk]:
    originals = uow.records(Memory, part)
    pks = uow.insert([_copy_of(uow, memory, folder) for memory in originals])
    made = {memory.pk: MemoryPk(pk) for memory, pk in zip(originals, pks, strict=True)}
    tags = uow.tag_sets(part)
    uow.replace_tags({made[pk]: found for pk, found in tags.items() if found.general or found.has_triple})
    aliases = uow.aliases_of(part)
    uow.replace_aliases({made[pk]: [alias.value for alias in found] for pk, found in aliases.items()})
    return made


def _copy_of(uow: UnitOfWork, memory: Memory, folder: FolderPk) -> Memory:
    return replace(
        memory,
        id=new_memory_id(),
        foreign_id=None,
        folder=folder,
        activation_count=0,
        last_activated_at=None,
        parent=None,
        merged_into=None,
        created_at=uow.now,
        updated_at=uow.now,
        revision=1,
        extra={**memory.extra, COPIED_FROM: memory.id},
    )


def _copy_parents(uow: UnitOfWork, copies: Mapping[MemoryPk, MemoryPk]) -> None:
    values: dict[int, dict[str, object]] = {}
    for part in chunks(list(copies)):
        for memory in uow.records(Memory, part):
            if memory.parent is not None and memory.parent in copies:
                values[copies[memory.pk]] = {"parent": copies[memory.parent]}
    uow.update_each(Kind.MEMORY, values)


def _copy_edges(uow: UnitOfWork, copies: Mapping[MemoryPk, MemoryPk]) -> int:
    edges: dict[EdgePk, Edge] = {}
    for part in chunks(list(copies)):
        edges |= {
            edge.pk: edge
            for edge in uow.edges_touching(part)
            if edge.source in copies and edge.target in copies
        }
    copied = [
        replace(
            edge,
            id=new_edge_id(),
            foreign_id=None,
            source=copies[edge.source],
            target=copies[edge.target],
            created_at=uow.now,
        )
        for edge in edges.values()
    ]
    for start in range(0, len(copied), CHUNK):
        uow.insert(copied[start : start + CHUNK])
        uow.checkpoint(start, len(copied))
    return len(copied)


def _label_copies(uow: UnitOfWork, chosen: Sequence[MemoryPk], folder: Folder) -> None:
    label_memories(uow, chosen, len(chosen), folder=folder.name)
