"""The file that a folder came from, and how many changes of it are not in the file yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from core.domain.commands_transfer import ApplyImport, NoteWritten
from core.domain.enums import Kind, OpRole
from core.domain.folder import Folder
from core.domain.ids import FolderPk, OpId
from core.domain.json_types import Json, JsonObject
from core.domain.queries_history import OpFilter
from core.domain.queries_write_back import SourceChangesOf
from core.domain.results import HistoryEntry, OpInfo
from core.domain.source_file import (
    IDS_KEY,
    PATH_KEY,
    READ_KEY,
    SHOWN,
    FolderSource,
    SourceChange,
    SourceChanges,
)
from core.domain.transfer import Format
from core.ports.store import Reader, Store, UnitOfWork
from core.services.lookup import folder_of
from core.services.outcome import Outcome

_MOST_OPS = 1_000_000


def note_written(uow: UnitOfWork, command: NoteWritten) -> Outcome:
    """The folders know their file as it was written, and which memory stands where in it."""
    given: dict[FolderPk, dict[str, Json]] = {folder: {} for folder in command.folders}
    for state in uow.states(command.ids):
        if state.folder in given:
            given[state.folder][command.ids[state.pk]] = state.id
    for folder in uow.records(Folder, command.folders):
        origin = {**folder.origin, READ_KEY: command.mark.as_json(), IDS_KEY: given[folder.pk]}
        if not given[folder.pk]:
            del origin[IDS_KEY]
        uow.update(Kind.FOLDER, [folder.pk], {"origin": origin})
    uow.label(file=command.file)
    return Outcome(changed=len(command.folders))


def read_again(uow: UnitOfWork, folder: Folder, theirs: JsonObject, *, follows: bool = True) -> None:
    """A folder that is filled from its file again knows the file as it is now; it `follows` one that was moved."""
    mine = folder.origin
    if mine.get("format") != theirs.get("format") or READ_KEY not in theirs:
        return
    same_place = mine.get(PATH_KEY) == theirs[PATH_KEY]
    if (follows and not same_place) or (same_place and _digest(mine) != _digest(theirs)):
        uow.update(Kind.FOLDER, [folder.pk], {"origin": {**mine, **theirs}})


def _digest(origin: Mapping[str, object]) -> object:
    mark = origin.get(READ_KEY)
    return mark.get("digest") if isinstance(mark, Mapping) else None


def source_of_folder(store: Store, pk: FolderPk) -> FolderSource | None:
    """The source of a folder; all folders from the same file belong together. Errors: NotFound."""
    with store.read() as reader:
        folder = folder_of(reader, pk)
        kind = _format(folder)
        if kind not in SHOWN:
            return None
        folders = _together(reader, folder)
    pks = tuple(each.pk for each in folders)
    base = _base(store, pks)
    if base is None:
        return None
    lead = folders[0]
    path = lead.origin.get(PATH_KEY)
    file = lead.origin.get("file")
    return FolderSource(
        format=_format(lead) or kind,
        file=file if isinstance(file, str) else "",
        path=Path(path) if isinstance(path, str) and path else None,
        folders=pks,
        names=tuple(each.name for each in folders),
        changes=_changes(store, pks, base, str(file)),
        since=base.at,
        op=base.id,
        written=base.label == NoteWritten.LABEL,
    )


def source_changes(store: Store, query: SourceChangesOf) -> SourceChanges | None:
    """What was changed since the base; taking the file in again is no change. Errors: NotFound."""
    source = source_of_folder(store, query.folder)
    if source is None:
        return None
    found = store.ops(OpFilter(limit=_MOST_OPS, folders=source.folders, after=source.op))
    ops = {entry.op.id: entry.op for entry in found}
    skip = {op.id for op in ops.values() if _is_import_of(op, source.file)}
    rows, total = store.changed_since(source.folders, source.op, skip, query.limit)
    standing = standing_changes([entry for entry in found if entry.op.id not in skip])
    listed = []
    for row, made in rows:
        known = [op for op in made if op in ops]
        newest = next((op for op in known if op in standing), known[0] if known else None)
        if newest is not None:
            listed.append(SourceChange(row, ops[newest]))
    return SourceChanges(source, tuple(listed), total)


def _format(folder: Folder) -> Format | None:
    name = folder.origin.get("format")
    return Format(name) if isinstance(name, str) and name in set(Format) else None


def _together(reader: Reader, folder: Folder) -> list[Folder]:
    """All folders from the file of this one; that of the card before its lorebook."""
    path = folder.origin.get(PATH_KEY)
    if not path or folder.origin.get("format") in (Format.CHAT, Format.STBME):
        return [folder]
    found = [each for each in reader.all_records(Folder) if each.origin.get(PATH_KEY) == path]
    return sorted(found, key=lambda each: (_format(each) is not Format.CARD, each.pk))


def _base(store: Store, folders: tuple[FolderPk, ...]) -> OpInfo | None:
    """The change with which folder and file said the same: the last writing, else the import."""
    written = store.ops(OpFilter(limit=1, folders=folders, labels=frozenset({NoteWritten.LABEL})))
    if written:
        return written[0].op
    imports = store.ops(OpFilter(limit=_MOST_OPS, folders=folders, labels=frozenset({ApplyImport.LABEL})))
    return imports[-1].op if imports else None


def _changes(store: Store, folders: tuple[FolderPk, ...], base: OpInfo, file: str) -> int:
    """How many changes stand that were not there at `base`; taking the file in again is none."""
    found = store.ops(OpFilter(limit=_MOST_OPS, folders=folders, after=base.id))
    own = [entry for entry in found if not _is_import_of(entry.op, file)]
    return len(standing_changes(own))


def _is_import_of(op: OpInfo, file: str) -> bool:
    return op.label == ApplyImport.LABEL and op.args.get("file") == file


def standing_changes(entries: Sequence[HistoryEntry]) -> set[OpId]:
    """The changes whose effect is another one now than before the oldest of these ops.

    An undo takes away the change that it undoes, and gives it back when it is undone itself (redo).
    """
    ops = {entry.op.id: entry.op for entry in entries}
    changed: set[OpId] = set()
    for op in sorted(ops.values(), key=lambda each: each.id):
        root, at = op, op.id
        while root.role is not OpRole.CHANGE and root.of is not None:
            at = root.of
            if at not in ops:
                break
            root = ops[at]
        changed ^= {at}  # each undo and redo turns the effect of its change round
    return changed
