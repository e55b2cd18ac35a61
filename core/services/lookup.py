"""What commands name must exist: one place that finds it or says in words what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from core.domain.edge import Edge
from core.domain.errors import Invalid, NotFound, UserError
from core.domain.folder import DEFAULT_FOLDER, Folder
from core.domain.ids import EdgePk, FolderPk, MemoryPk
from core.domain.memory import Memory, MemoryState
from core.domain.schema import MemoryType, RelationType
from core.ports.store import Reader, UnitOfWork

CHUNK = 500
"""Rows between two checkpoints (DESIGN §3)."""
OP_TITLE_CHARS = 80


def op_title(memory: Memory) -> str:
    """The memory's title as the history names it: one line, not too long."""
    return one_line(memory.named)


def one_line(text: str) -> str:
    """A text in one line, cut with an ellipsis where it is too long for a name."""
    line = " ".join(text.split())
    return line if len(line) <= OP_TITLE_CHARS else line[: OP_TITLE_CHARS - 1] + "…"


def chunks(pks: Sequence[MemoryPk]) -> Iterator[Sequence[MemoryPk]]:
    """The pks in runs of CHUNK, without repeats."""
    unique = list(dict.fromkeys(pks))
    for start in range(0, len(unique), CHUNK):
        yield unique[start : start + CHUNK]


def chunks_by_row(pks: Sequence[MemoryPk]) -> Iterator[Sequence[MemoryPk]]:
    """The same in the order in which the rows lie: a bulk change then writes each page of the file once."""
    return chunks(sorted(pks))


def memory_of(reader: Reader, pk: MemoryPk) -> Memory:
    """One memory. Errors: NotFound."""
    found = reader.records(Memory, [pk])
    if not found:
        raise NotFound("error.memory.missing", count=1)
    return found[0]


def memories_of(reader: Reader, pks: Iterable[MemoryPk]) -> list[Memory]:
    """All of the memories, in order. Errors: NotFound when one is missing."""
    wanted = list(dict.fromkeys(pks))
    found = reader.records(Memory, wanted)
    if len(found) < len(wanted):
        raise NotFound("error.memory.missing", count=len(wanted) - len(found))
    return found


def states_of(reader: Reader, pks: Iterable[MemoryPk]) -> list[MemoryState]:
    """States of all of the memories, in order. Errors: NotFound when one is missing."""
    wanted = list(dict.fromkeys(pks))
    found = reader.states(wanted)
    if len(found) < len(wanted):
        raise NotFound("error.memory.missing", count=len(wanted) - len(found))
    return found


def changeable(uow: UnitOfWork, pks: Iterable[MemoryPk]) -> list[MemoryState]:
    """States of memories whose content may be changed now.

    Errors: NotFound; Invalid when one lies in the trash, or is locked and a program writes.
    """
    states = states_of(uow, pks)
    check_not_trashed(states)
    check_unlocked(uow, states)
    return states


def check_not_trashed(states: Sequence[MemoryState]) -> None:
    """Errors: Invalid when one lies in the trash."""
    if trashed := sum(state.trashed for state in states):
        raise Invalid("error.memory.in_trash", count=trashed)


def check_unlocked(uow: UnitOfWork, states: Sequence[MemoryState]) -> None:
    """A locked memory is changed only by a person. Errors: UserError when a program writes one."""
    if not uow.by_program:
        return
    if locked := sum(state.locked for state in states):
        raise UserError("error.memory.locked", count=locked)


def follow_merged(reader: Reader, pks: Iterable[MemoryPk]) -> dict[MemoryPk, MemoryPk]:
    """For each memory itself, or the survivor that it was merged into (chains are followed).

    Errors: NotFound when a memory is missing.
    """
    states = {state.pk: state for state in states_of(reader, pks)}
    ends = {pk: pk for pk in states}
    open_ends = {pk for pk, state in states.items() if state.merged_into is not None}
    seen: dict[MemoryPk, set[MemoryPk]] = {pk: {pk} for pk in open_ends}
    while open_ends:
        nexts = {pk: states[ends[pk]].merged_into for pk in open_ends}
        missing = {target for target in nexts.values() if target is not None} - states.keys()
        states |= {state.pk: state for state in reader.states(missing)}
        for pk, target in nexts.items():
            if target is None or target not in states or target in seen[pk]:
                open_ends.discard(pk)
                continue
            ends[pk] = target
            seen[pk].add(target)
    return ends


def folder_of(reader: Reader, pk: FolderPk) -> Folder:
    """One folder. Errors: NotFound."""
    found = reader.records(Folder, [pk])
    if not found:
        raise NotFound("error.folder.missing")
    return found[0]


def default_folder(uow: UnitOfWork) -> Folder:
    """The folder `default`, made when the library has none."""
    found = uow.folder_named(DEFAULT_FOLDER)
    if found is None:
        uow.insert([Folder(name=DEFAULT_FOLDER, created_at=uow.now)])
        found = uow.folder_named(DEFAULT_FOLDER)
    if found is None:
        raise NotFound("error.folder.missing")
    return found


def type_of(reader: Reader, type_id: str) -> MemoryType:
    """One memory type. Errors: Invalid, naming the ones there are."""
    schema = reader.schema()
    found = schema.type(type_id)
    if found is None:
        known = ", ".join(item.id for item in schema.types)
        raise Invalid("error.schema.type_unknown", type=type_id, known=known)
    return found


def relation_of(reader: Reader, relation_id: str) -> RelationType:
    """One relation type. Errors: Invalid, naming the ones there are."""
    schema = reader.schema()
    found = schema.relation(relation_id)
    if found is None:
        known = ", ".join(item.id for item in schema.relations)
        raise Invalid("error.schema.relation_unknown", relation=relation_id, known=known)
    return found


def edge_of(reader: Reader, pk: EdgePk) -> Edge:
    """One relation. Errors: NotFound."""
    found = reader.records(Edge, [pk])
    if not found:
        raise NotFound("error.edge.missing", count=1)
    return found[0]
