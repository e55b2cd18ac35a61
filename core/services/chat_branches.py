"""Branches of chats: they hold only their own floors and read the others in their parent."""

from __future__ import annotations

from dataclasses import replace

from core.algos.floors import Floor, FloorChanges, common_start
from core.domain.chat import BRANCH_KEY, CHAT_KEY, chat_of
from core.domain.enums import Kind
from core.domain.folder import Folder
from core.domain.ids import FolderPk
from core.ports.store import Reader, UnitOfWork
from core.services.chat_floors import CHUNK, branch_of, own_floors


def write_branch(uow: UnitOfWork, folder: FolderPk, parent: FolderPk | None, shared: int) -> None:
    """Record whose first floors a chat shares (None: nobody's); it reads the parent's memories too."""
    found = uow.records(Folder, [folder])[0]
    chat = {key: value for key, value in chat_of(found).items() if key != BRANCH_KEY}
    if parent is not None:
        chat[BRANCH_KEY] = {"parent": parent, "shared": shared}
    reads = found.also_reads if parent is None or parent in found.also_reads else (*found.also_reads, parent)
    uow.update(Kind.FOLDER, [folder], {"extra": {**found.extra, CHAT_KEY: chat}, "also_reads": reads})


def branches_of(reader: Reader, parent: FolderPk) -> list[tuple[Folder, int]]:
    """Chats that share floors with this one, and how many."""
    found = ((folder, branch_of(folder)) for folder in reader.all_records(Folder))
    return [(folder, shared) for folder, (of, shared) in found if of == parent and folder.pk != parent]


def keep_for_branches(uow: UnitOfWork, parent: FolderPk, changes: FloorChanges) -> None:
    """Branches keep their own copy of shared floors that are about to change in the parent."""
    first = changes.first
    for branch, shared in branches_of(uow, parent):
        if first is not None and shared > first:
            _copy_floors(uow, parent, branch.pk, first, shared)
            write_branch(uow, branch.pk, parent, first)


def leave_branches(uow: UnitOfWork, parent: FolderPk, instead: FolderPk | None) -> None:
    """A chat is about to go: its branches share the floors of `instead` (it gets them), or keep them as their own."""
    for branch, shared in branches_of(uow, parent):
        if instead is not None and instead != branch.pk:
            write_branch(uow, branch.pk, instead, shared)
            continue
        if instead is None:
            _copy_floors(uow, parent, branch.pk, 0, shared)
        write_branch(uow, branch.pk, None, 0)


def own_all_floors(uow: UnitOfWork, folder: Folder) -> None:
    """Make a branch a chat of its own, with copies of the floors that it shares."""
    parent, shared = branch_of(folder)
    if parent is not None and uow.records(Folder, [parent]):
        _copy_floors(uow, parent, folder.pk, 0, shared)
        write_branch(uow, folder.pk, None, 0)


def _copy_floors(uow: UnitOfWork, source: FolderPk, target: FolderPk, start: int, stop: int) -> None:
    """Floors of a chat, those of its own parent too, as another chat's own."""
    parent, shared = branch_of(uow.records(Folder, [source])[0])
    if parent is not None and start < shared:
        _copy_floors(uow, parent, target, start, min(stop, shared))
    for first in range(start, stop, CHUNK):
        floors = uow.messages_of(source, first, min(stop, first + CHUNK))
        uow.insert([replace(message, folder=target) for message in floors])


def adopt_branches(uow: UnitOfWork, parent: FolderPk, file_stem: str) -> int:
    """Join branches that were imported before their parent; returns how many."""
    if not file_stem:
        return 0
    joined = 0
    floors: list[Floor] | None = None
    for branch in uow.all_records(Folder):
        chat = chat_of(branch)
        if branch.pk == parent or chat.get("main_chat") != file_stem or branch_of(branch)[0] is not None:
            continue
        floors = own_floors(uow, parent) if floors is None else floors
        shared = common_start(floors, own_floors(uow, branch.pk))
        if not shared:
            continue
        uow.delete(Kind.MESSAGE, [message.pk for message in uow.messages_of(branch.pk, 0, shared)])
        write_branch(uow, branch.pk, parent, shared)
        joined += 1
    return joined
