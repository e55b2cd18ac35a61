"""The end of a folder: merged into another one, or deleted with its memories in the trash."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.domain.commands_folders import DeleteFolder, MergeFolders
from core.domain.enums import Kind
from core.domain.errors import Invalid
from core.domain.folder import DEFAULT_FOLDER, SEPARATOR, Folder
from core.domain.ids import DocumentPk, FolderPk, MemoryPk
from core.domain.queries import MemoryFilter, Sort, SortKey, TrashScope
from core.domain.recall import RecallCase
from core.ports.store import Reader, UnitOfWork
from core.services.chat_branches import leave_branches, own_all_floors
from core.services.chat_floors import branch_of
from core.services.folders import folders_below, moved_below
from core.services.lookup import CHUNK, check_unlocked, chunks, default_folder, folder_of
from core.services.moving import put_into
from core.services.outcome import Outcome
from core.services.saved_searches import follow_folders


def merge(uow: UnitOfWork, command: MergeFolders) -> Outcome:
    """All that `source` and the folders below it hold goes to `target`; `source` is gone.

    A sub-folder takes its place below the target, or is merged into the one of that name.
    Errors: NotFound; Invalid for one folder with itself, or two chats with the same floors.
    """
    source, target = folder_of(uow, command.source), folder_of(uow, command.target)
    if source.pk == target.pk:
        raise Invalid("error.folder.merge_self")
    below = [
        folder
        for folder in folders_below(uow, source.name)
        if folder.pk != target.pk and not folder.name.startswith(target.name + SEPARATOR)
    ]
    moved = _merge_one(uow, source, target)
    for folder in below:
        name = moved_below(folder.name, source.name, target.name)
        same = uow.folder_named(name)
        if same is None:
            uow.update(Kind.FOLDER, [folder.pk], {"name": name})
        else:
            moved += _merge_one(uow, folder, same)
    follow_folders(
        uow, {each.name: moved_below(each.name, source.name, target.name) for each in (source, *below)}
    )
    uow.label(count=moved, title=source.name, folder=target.name)
    return Outcome(changed=moved + 1, counts={"memories": moved})


def _merge_one(uow: UnitOfWork, source: Folder, target: Folder) -> int:
    """Number of memories that went over."""
    if branch_of(source)[0] != target.pk:
        own_all_floors(uow, source)
    _check_floors(uow, source, target)
    leave_branches(uow, source.pk, target.pk)
    memories = _memories(uow, source.pk)
    put_into(uow, memories, target.pk)
    for kind, pks in _holdings(uow, source.pk):
        for start in range(0, len(pks), CHUNK):
            uow.update(kind, pks[start : start + CHUNK], {"folder": target.pk})
            uow.checkpoint(start, len(pks))
    pointer = max(source.last_processed_seq, target.last_processed_seq)
    # Written anew: merging another folder of the same command may have changed the target already.
    current = folder_of(uow, target.pk)
    reads = _replaced((*current.also_reads, *source.also_reads), source.pk, target.pk, owner=target.pk)
    uow.update(Kind.FOLDER, [target.pk], {"last_processed_seq": pointer, "also_reads": reads})
    _forget_folder(uow, source.pk, target.pk)
    return len(memories)


def _check_floors(uow: UnitOfWork, source: Folder, target: Folder) -> None:
    floors = {message.seq for message in uow.messages_of(target.pk)}
    if floors and any(message.seq in floors for message in uow.messages_of(source.pk)):
        raise Invalid("error.folder.merge_chats", source=source.name, target=target.name)


def delete(uow: UnitOfWork, command: DeleteFolder) -> Outcome:
    """The folder is gone, its memories lie in the trash of the default folder.

    Its messages, documents and memos go with it. Errors: NotFound; Invalid for the default folder.
    """
    folder = folder_of(uow, command.folder)
    if folder.name == DEFAULT_FOLDER:
        raise Invalid("error.folder.default")
    home = default_folder(uow)
    memories = _memories(uow, folder.pk)
    live = [state.pk for state in uow.states(memories) if not state.trashed]
    for part in chunks(live):
        uow.update(Kind.MEMORY, part, {"deleted_at": uow.now})
    put_into(uow, memories, home.pk)
    leave_branches(uow, folder.pk, None)
    _leave_documents(uow, {document.pk for document in uow.documents_of(folder.pk)})
    for kind, pks in _holdings(uow, folder.pk):
        for start in range(0, len(pks), CHUNK):
            uow.delete(kind, pks[start : start + CHUNK])
            uow.checkpoint(start, len(pks))
    _forget_folder(uow, folder.pk, None)
    uow.label(count=len(live), folder=folder.name)
    return Outcome(changed=len(live) + 1, counts={"memories": len(live)})


def _memories(uow: UnitOfWork, folder: FolderPk) -> list[MemoryPk]:
    memories = [MemoryPk(pk) for pk in uow.memories_in(folder)]
    check_unlocked(uow, uow.states(memories) if uow.by_program else [])
    return memories


def _holdings(reader: Reader, folder: FolderPk) -> list[tuple[Kind, Sequence[int]]]:
    """What a folder holds besides memories."""
    return [
        (Kind.MESSAGE, [message.pk for message in reader.messages_of(folder)]),
        (Kind.DOCUMENT, [document.pk for document in reader.documents_of(folder)]),
        (Kind.MEMO, [memo.pk for memo in reader.memos_of(folder)]),
    ]


def _leave_documents(uow: UnitOfWork, documents: set[DocumentPk]) -> None:
    """Memories cut from documents that are about to go keep their text, not the reference."""
    pieces: list[MemoryPk] = []
    for document in sorted(documents):
        where = MemoryFilter(document=document, trash=TrashScope.BOTH)
        pieces += [MemoryPk(pk) for pk in uow.memory_ids(where, Sort(SortKey.CREATED))]
    for part in chunks(pieces):
        uow.update(Kind.MEMORY, part, {"document": None})


def _forget_folder(uow: UnitOfWork, folder: FolderPk, instead: FolderPk | None) -> None:
    """Delete the row; folders that read it read `instead`, saved recall cases ask there (None = everywhere)."""
    for other in uow.all_records(Folder):
        if folder in other.also_reads and other.pk != folder:
            reads = _replaced(other.also_reads, folder, instead, owner=other.pk)
            uow.update(Kind.FOLDER, [other.pk], {"also_reads": reads})
    cases = [case.pk for case in uow.all_records(RecallCase) if case.folder == folder]
    uow.update(Kind.RECALL_CASE, cases, {"folder": instead})
    uow.delete(Kind.FOLDER, [folder])


def _replaced(
    reads: Iterable[FolderPk], old: FolderPk, new: FolderPk | None, owner: FolderPk
) -> tuple[FolderPk, ...]:
    changed = (new if pk == old else pk for pk in reads)
    return tuple(dict.fromkeys(pk for pk in changed if pk is not None and pk != owner))
