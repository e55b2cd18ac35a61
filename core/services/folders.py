"""Create, rename and edit folders, and what they read besides their own memories."""

from __future__ import annotations

from collections.abc import Iterable

from core.domain.commands import Unset
from core.domain.commands_folders import CreateFolder, EditFolder, RenameFolder, SetAlsoReads
from core.domain.enums import Kind
from core.domain.errors import Invalid
from core.domain.folder import SEPARATOR, Folder, clean_folder_name
from core.domain.ids import FolderPk
from core.ports.store import Reader, UnitOfWork
from core.services.lookup import folder_of
from core.services.outcome import Outcome
from core.services.saved_searches import follow_folders


def create(uow: UnitOfWork, command: CreateFolder) -> Outcome:
    """A new folder. Errors: Invalid for an empty or taken name."""
    name = clean_folder_name(command.name)
    check_free(uow, [name])
    folder = Folder(name=name, kind=command.kind, character=command.character.strip(), created_at=uow.now)
    pk = FolderPk(uow.insert([folder])[0])
    uow.label(count=1, folder=name)
    return Outcome(changed=1, created_folder=pk)


def rename(uow: UnitOfWork, command: RenameFolder) -> Outcome:
    """Another name; folders below it follow. Errors: NotFound, Invalid for an empty or taken name."""
    folder = folder_of(uow, command.folder)
    name = clean_folder_name(command.name)
    below_it = folders_below(uow, folder.name)
    names = {folder.pk: name} | {below.pk: moved_below(below.name, folder.name, name) for below in below_it}
    check_free(uow, [clean_folder_name(new) for new in names.values()], except_for=names)
    changed = rename_all(uow, names)
    follow_folders(uow, {below.name: names[below.pk] for below in below_it} | {folder.name: name})
    uow.label(count=changed, title=folder.name, folder=name)
    return Outcome(changed=changed)


def folders_below(reader: Reader, name: str) -> list[Folder]:
    """Folders whose name starts with `name/`."""
    start = name + SEPARATOR
    return [folder for folder in reader.all_records(Folder) if folder.name.startswith(start)]


def moved_below(name: str, old: str, new: str) -> str:
    """The name of a sub-folder of `old` after that folder got the name `new`."""
    return new + name[len(old) :]


def check_free(reader: Reader, names: Iterable[str], except_for: Iterable[FolderPk] = ()) -> None:
    """Errors: Invalid when a folder outside `except_for` has one of the names."""
    own = set(except_for)
    for name in names:
        found = reader.folder_named(name)
        if found is not None and found.pk not in own:
            raise Invalid("error.folder.exists", folder=name)


def rename_all(uow: UnitOfWork, names: dict[FolderPk, str]) -> int:
    """Give folders new names, even when one takes the name that another gives up."""
    old = {folder.pk: folder.name for folder in uow.records(Folder, names)}
    changed = {pk: name for pk, name in names.items() if old.get(pk) != name}
    count = len(changed)
    # Names are unique row by row: whoever leaves a name goes first.
    while changed:
        held = {name for pk, name in old.items() if pk in changed}
        free = {pk: name for pk, name in changed.items() if name not in held}
        if not free:
            raise Invalid("error.folder.exists", folder=next(iter(changed.values())))
        for pk, name in free.items():
            uow.update(Kind.FOLDER, [pk], {"name": name})
            del changed[pk]
            old[pk] = name
    return count


def set_also_reads(uow: UnitOfWork, command: SetAlsoReads) -> Outcome:
    """Folders that this one reads too. Errors: NotFound, Invalid when it would read itself."""
    folder = folder_of(uow, command.folder)
    others = tuple(dict.fromkeys(command.others))
    if command.folder in others:
        raise Invalid("error.folder.reads_itself")
    for other in others:
        folder_of(uow, other)
    changed = uow.update(Kind.FOLDER, [command.folder], {"also_reads": others})
    uow.label(count=len(others), folder=folder.name)
    return Outcome(changed=changed)


def edit(uow: UnitOfWork, command: EditFolder) -> Outcome:
    """Character, kind, pointer, settings. Errors: NotFound, Invalid for a pointer below -1."""
    folder = folder_of(uow, command.folder)
    values: dict[str, object] = {}
    if not isinstance(command.character, Unset):
        values["character"] = command.character.strip()
    if command.kind is not Unset.UNSET:
        values["kind"] = command.kind
    if not isinstance(command.last_processed_seq, Unset):
        if command.last_processed_seq < -1:
            raise Invalid("error.folder.pointer")
        values["last_processed_seq"] = command.last_processed_seq
    if not isinstance(command.settings, Unset):
        values["settings"] = command.settings
    changed = uow.update(Kind.FOLDER, [command.folder], values) if values else 0
    uow.label(count=1, folder=folder.name)
    return Outcome(changed=changed)
