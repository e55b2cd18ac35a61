"""Bringing the floors of a chat up to date with its file, and everything that names floors with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from core.algos.floors import FloorChanges, compare_floors
from core.domain.chat import FLOORS_CHANGED_KEY
from core.domain.enums import Kind
from core.domain.folder import Folder, Message
from core.domain.ids import FolderPk, MemoryPk
from core.domain.json_types import Json
from core.domain.memory import Memory
from core.domain.transfer import PlannedMessage
from core.ports.store import Reader, UnitOfWork
from core.services.chat_branches import keep_for_branches
from core.services.chat_floors import CHUNK, messages_in, own_floors, planned_floors

_COMPARED = ("seq", "role", "name", "text", "hidden", "sent_at", "extra")


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
    uow: UnitOfWork, folder: FolderPk, messages: Sequence[PlannedMessage], from_floor: int = 0
) -> FloorChanges:
    """Make the stored floors those of the file; memories, relations and the pointer follow.

    `from_floor`: floors before it are the parent's and are not stored here.
    """
    new = [floor for floor in planned_floors(messages) if floor.seq >= from_floor]
    changes = compare_floors(own_floors(uow, folder), new)
    if changes.alters:
        keep_for_branches(uow, folder, changes)
    _write_messages(uow, folder, (m for m in messages if m.seq >= from_floor), changes)
    if changes.alters:
        _move_memories(uow, folder, changes)
        _move_edges(uow, folder, changes)
        _move_pointer(uow, folder, changes)
    return changes


def _write_messages(
    uow: UnitOfWork, folder: FolderPk, messages: Iterable[PlannedMessage], changes: FloorChanges
) -> None:
    stored = {message.seq: message.pk for message in messages_in(uow, folder)}
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
