"""Chats as a person reads them: the list, floors with those of a branch's parent, what came from which floor."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator

from core.domain import queries_chat as q
from core.domain.chat import FLOORS_CHANGED_KEY
from core.domain.commands_chat import MoveChatPointer
from core.domain.enums import FolderKind, Kind
from core.domain.errors import Invalid, NotFound
from core.domain.folder import Folder, Message
from core.domain.ids import FolderPk
from core.domain.proposal import ProposalState
from core.ports.store import Reader, UnitOfWork
from core.services.chat_floors import branch_of
from core.services.outcome import Outcome


def chats(reader: Reader, _query: q.Chats) -> tuple[q.ChatRow, ...]:
    """Folders that hold floors, or were made for a chat, with their sizes, by name."""
    counts = reader.floor_counts()
    nodes = {node.folder.pk: node for node in reader.folder_nodes()}
    rows = []
    for pk, node in nodes.items():
        if pk not in counts and node.folder.kind is not FolderKind.CHAT:
            continue
        parent, shared = branch_of(node.folder)
        named = nodes[parent].folder.name if parent in nodes else ""
        own = counts.get(pk, q.FloorCounts(last_seq=shared - 1))
        rows.append(q.ChatRow(node.folder, own, node.memories, parent, named, shared if named else 0))
    return tuple(rows)


def floor_numbers(reader: Reader, query: q.FloorNumbers) -> array[int]:
    """Numbers of the floors, ascending. Errors: NotFound."""
    parts = [reader.floor_numbers(pk, start, stop) for pk, start, stop in _parts(reader, query.folder)]
    found: array[int] = array("q")
    for part in parts:
        found.extend(part)
    return found


def floors_of(reader: Reader, query: q.FloorsOf) -> tuple[Message, ...]:
    """Floors of a stretch. Errors: NotFound."""
    found: list[Message] = []
    for pk, start, stop in _parts(reader, query.folder):
        first, end = max(start, query.start), query.stop if stop is None else min(stop, query.stop)
        if first < end:
            found.extend(reader.messages_of(pk, first, end))
    return tuple(found)


def find_floors(reader: Reader, query: q.FindFloors) -> array[int]:
    """Numbers of the floors that hold a text. Errors: NotFound."""
    found: array[int] = array("q")
    wanted = query.text.strip()
    for pk, start, stop in _parts(reader, query.folder):
        found.extend(reader.floors_with(pk, wanted, start, stop) if wanted else [])
    return found


def floor_marks(reader: Reader, query: q.FloorMarksOf) -> q.FloorMarks:
    """First and last floor of each memory of the folder. Errors: NotFound."""
    _folder(reader, query.folder)
    return q.FloorMarks(
        reader.floor_spans(query.folder),
        tuple(reader.with_extra(query.folder, FLOORS_CHANGED_KEY)),
        tuple(_proposed(reader, query.folder)),
    )


def _proposed(reader: Reader, folder: FolderPk) -> Iterator[q.FloorProposal]:
    """Groups of open proposals that were made from floors."""
    for row in reader.proposal_rows(None, folder):
        found = reader.proposal(row.pk) if row.state is ProposalState.OPEN else None
        if found is None:
            continue
        waiting = Counter(part.group for part in found.waiting)
        for group in found.groups:
            if waiting[group.key] and group.start is not None and group.end is not None:
                yield q.FloorProposal(row.pk, group.start, group.end, waiting[group.key])


def move_pointer(uow: UnitOfWork, command: MoveChatPointer) -> Outcome:
    """Errors: NotFound; Invalid below -1 or behind the last floor."""
    folder = _folder(uow, command.folder)
    last = max(floor_numbers(uow, q.FloorNumbers(command.folder)), default=-1)
    if not -1 <= command.seq <= last:
        raise Invalid("error.chat.pointer", floor=command.seq, last=last)
    uow.label(folder=folder.name, floor=command.seq)
    return Outcome(changed=uow.update(Kind.FOLDER, [folder.pk], {"last_processed_seq": command.seq}))


def _folder(reader: Reader, pk: FolderPk) -> Folder:
    found = reader.records(Folder, [pk])
    if not found:
        raise NotFound("error.folder.missing")
    return found[0]


def _parts(reader: Reader, pk: FolderPk) -> list[tuple[FolderPk, int, int | None]]:
    """Where the floors of a chat are stored: (folder, first floor, floor after the last or None), in order."""
    parts: list[tuple[FolderPk, int, int | None]] = []
    stop: int | None = None
    seen: set[int] = set()
    folder: Folder | None = _folder(reader, pk)
    while folder is not None and folder.pk not in seen:
        seen.add(folder.pk)
        parent, shared = branch_of(folder)
        found = reader.records(Folder, [parent]) if parent is not None else []
        parts.append((folder.pk, shared if found else 0, stop))
        stop = shared if stop is None else min(stop, shared)
        folder = found[0] if found else None
    return parts[::-1]
