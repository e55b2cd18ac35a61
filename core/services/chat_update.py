"""Bringing the floors of a chat up to date with its file, and everything that names floors with them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.algos.floors import Floor, FloorChanges, common_start, compare_floors
from core.domain.chat import BRANCH_KEY, CHAT_KEY, FLOORS_CHANGED_KEY, chat_of, raw_text
from core.domain.enums import Kind, Role
from core.domain.folder import Folder, Message
from core.domain.ids import FolderPk, MemoryPk
from core.domain.json_types import Json, JsonObject
from core.domain.memory import Memory
from core.domain.transfer import PlannedMessage
from core.ports.store import Reader, UnitOfWork

CHUNK = 500
_COMPARED = ("seq", "role", "name", "text", "hidden", "sent_at", "extra")
_HINT_KEY = "send_date"


# --- reading floors ---


def floor_of(seq: int, role: Role, name: str, text: str, extra: JsonObject) -> Floor:
    """A floor as it is compared: by role, speaker and the text of the file."""
    said = f"{role.value}\n{name}\n{raw_text(text, extra)}"
    digest = hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    date = extra.get(_HINT_KEY)
    return Floor(seq, digest, f"{date}\n{name}" if date else "")


def planned_floors(messages: Iterable[PlannedMessage], folder: str) -> list[Floor]:
    """The floors of one folder of a plan."""
    return [floor_of(m.seq, m.role, m.name, m.text, m.extra) for m in messages if m.folder == folder]


def own_floors(reader: Reader, folder: FolderPk) -> list[Floor]:
    """The floors that are stored in a folder."""
    return [floor_of(m.seq, m.role, m.name, m.text, m.extra) for m in _messages(reader, folder)]


def all_floors(reader: Reader, folder: Folder) -> list[Floor]:
    """The floors of a chat, those before a branch from its parent."""
    parent, shared = branch_of(folder)
    if parent is None:
        return own_floors(reader, folder.pk)
    found = reader.records(Folder, [parent])
    before = all_floors(reader, found[0]) if found and found[0].pk != folder.pk else []
    return [floor for floor in before if floor.seq < shared] + own_floors(reader, folder.pk)


def branch_of(folder: Folder) -> tuple[FolderPk | None, int]:
    """The parent of a branch and how many first floors are the parent's; (None, 0) of other chats."""
    branch = chat_of(folder).get(BRANCH_KEY)
    if not isinstance(branch, Mapping):
        return None, 0
    parent, shared = branch.get("parent"), branch.get("shared")
    if not isinstance(parent, int) or not isinstance(shared, int):
        return None, 0
    return FolderPk(parent), shared


def first_floors(reader: Reader, folder: Folder, count: int) -> list[Floor]:
    """The first floors of a chat, at most `count`."""
    parent, shared = branch_of(folder)
    found = [] if parent is None else reader.records(Folder, [parent])
    if found and found[0].pk != folder.pk and shared >= count:
        return first_floors(reader, found[0], count)
    if parent is not None:
        return all_floors(reader, folder)[:count]
    messages = reader.messages_from(folder.pk, 0, count)
    return [floor_of(m.seq, m.role, m.name, m.text, m.extra) for m in messages]


def _messages(reader: Reader, folder: FolderPk) -> Iterator[Message]:
    """All messages, some at a time."""
    start = 0
    while chunk := reader.messages_from(folder, start, 4 * CHUNK):
        yield from chunk
        start = chunk[-1].seq + 1


# --- what would change ---


def touched_memories(reader: Reader, folder: FolderPk, changes: FloorChanges) -> list[MemoryPk]:
    """Memories of the folder that came from floors that are changed or removed now."""
    bad = {*changes.changed, *changes.removed}
    if not bad:
        return []
    return [memory.pk for memory in _memories(reader, folder) if _sources(memory, bad)]


def _memories(reader: Reader, folder: FolderPk) -> Iterator[Memory]:
    pks = reader.memories_in(folder)
    for start in range(0, len(pks), CHUNK):
        yield from reader.records(Memory, pks[start : start + CHUNK])


def _range(memory: Memory) -> tuple[int, int] | None:
    """First and last floor that a memory came from."""
    ends = [end for end in (memory.seq_start, memory.seq_end, memory.seq) if end is not None]
    if memory.seq_start is not None and memory.seq_end is not None:
        ends = [memory.seq_start, memory.seq_end]
    return (min(ends), max(ends)) if ends else None


def _sources(memory: Memory, floors: set[int]) -> list[int]:
    """Those of the floors from which the memory came."""
    found = _range(memory)
    if found is None:
        return []
    return sorted(floor for floor in floors if found[0] <= floor <= found[1])


# --- writing ---


def update_chat(
    uow: UnitOfWork, folder: FolderPk, messages: Sequence[PlannedMessage], key: str, from_floor: int = 0
) -> FloorChanges:
    """Make the stored floors those of the file; memories, relations and the pointer follow.

    `from_floor`: floors before it are the parent's and are not stored here.
    """
    new = [floor for floor in planned_floors(messages, key) if floor.seq >= from_floor]
    changes = compare_floors(own_floors(uow, folder), new)
    if changes.alters:
        _keep_for_branches(uow, folder, changes)
    _write_messages(uow, folder, (m for m in messages if m.folder == key and m.seq >= from_floor), changes)
    if changes.alters:
        _move_memories(uow, folder, changes)
        _move_edges(uow, folder, changes)
        _move_pointer(uow, folder, changes)
    return changes


def _write_messages(
    uow: UnitOfWork, folder: FolderPk, messages: Iterable[PlannedMessage], changes: FloorChanges
) -> None:
    stored = {message.seq: message.pk for message in _messages(uow, folder)}
    pk_at = {new: stored[old] for old, new in changes.place.items() if new is not None}
    uow.delete(Kind.MESSAGE, [stored[old] for old in changes.removed])
    done, total = 0, len(pk_at) + len(changes.added)
    for chunk in _chunked(messages):
        old = {
            message.pk: message
            for message in uow.records(Message, [pk_at[each.seq] for each in chunk if each.seq in pk_at])
        }
        values: dict[int, Mapping[str, object]] = {}
        for each in chunk:
            if each.seq in pk_at and (differing := _differing(old[pk_at[each.seq]], each)):
                values[pk_at[each.seq]] = differing
        uow.update_each(Kind.MESSAGE, values)
        uow.insert([message_of(each, folder) for each in chunk if each.seq not in pk_at])
        done += len(chunk)
        uow.checkpoint(done, total)


def _chunked(messages: Iterable[PlannedMessage]) -> Iterator[list[PlannedMessage]]:
    chunk: list[PlannedMessage] = []
    for message in messages:
        chunk.append(message)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _differing(old: Message, new: PlannedMessage) -> dict[str, object]:
    return {name: getattr(new, name) for name in _COMPARED if getattr(old, name) != getattr(new, name)}


def message_of(planned: PlannedMessage, folder: FolderPk) -> Message:
    """The record of a planned message."""
    return Message(
        folder=folder,
        seq=planned.seq,
        role=planned.role,
        name=planned.name,
        text=planned.text,
        hidden=planned.hidden,
        sent_at=planned.sent_at,
        extra=planned.extra,
    )


def _move_memories(uow: UnitOfWork, folder: FolderPk, changes: FloorChanges) -> None:
    """New floor numbers, and a mark on memories whose floors say something else now."""
    changed, removed = set(changes.changed), set(changes.removed)
    values: dict[int, Mapping[str, object]] = {}
    for memory in _memories(uow, folder):
        new: dict[str, Any] = {}
        for name in ("seq", "seq_start", "seq_end"):
            old = getattr(memory, name)
            if old is not None and (place := _place(changes, old, at_start=name == "seq_start")) != old:
                new[name] = place
        start, end = new.get("seq_start", memory.seq_start), new.get("seq_end", memory.seq_end)
        if start is not None and end is not None and start > end:
            new["seq_start"] = end
        if sources := _sources(memory, changed | removed):
            places = (changes.place[floor] for floor in sources if floor in changed)
            now: list[Json] = [place for place in places if place is not None]
            gone: list[Json] = [floor for floor in sources if floor in removed]
            mark: dict[str, Json] = {"changed": now, "removed": gone, "at": uow.now.isoformat()}
            new["extra"] = {**memory.extra, FLOORS_CHANGED_KEY: mark}
        if new:
            values[memory.pk] = new
    for start in range(0, len(values), CHUNK):
        part = list(values.items())[start : start + CHUNK]
        uow.update_each(Kind.MEMORY, dict(part))


def _place(changes: FloorChanges, old: int, *, at_start: bool = False) -> int:
    """Where a floor is now; of a removed one the neighbour within what it belonged to. Unknown floors stay."""
    if old not in changes.place:
        return old
    exact = changes.place[old]
    if exact is not None:
        return exact
    sides = (changes.after, changes.before) if at_start else (changes.before, changes.after)
    return next((place for side in sides if (place := side(old)) is not None), 0)


def _move_edges(uow: UnitOfWork, folder: FolderPk, changes: FloorChanges) -> None:
    values: dict[int, Mapping[str, object]] = {}
    for edge in uow.edges_in(folder):
        new = {
            name: place
            for name, old in (("from_seq", edge.from_seq), ("ended_seq", edge.ended_seq))
            if old is not None and (place := _place(changes, old)) != old
        }
        if new:
            values[edge.pk] = new
    uow.update_each(Kind.EDGE, values)


def _move_pointer(uow: UnitOfWork, folder: FolderPk, changes: FloorChanges) -> None:
    """The pointer of what was processed stays behind the last floor that was processed and still is."""
    pointer = uow.records(Folder, [folder])[0].last_processed_seq
    if pointer < 0 or not changes.place:
        return
    place = changes.before(pointer) if pointer <= max(changes.place) else pointer
    if place != pointer:
        uow.update(Kind.FOLDER, [folder], {"last_processed_seq": -1 if place is None else place})


# --- branches ---


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


def _keep_for_branches(uow: UnitOfWork, parent: FolderPk, changes: FloorChanges) -> None:
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
