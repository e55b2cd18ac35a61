"""Make one memory of several: the survivor says what all said, the losers lead to it (DESIGN §3, §4)."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.domain.commands import Unset
from core.domain.commands_merge import MergeMemories
from core.domain.enums import Kind, StatusReason, TagKind
from core.domain.errors import Conflict, Invalid, UserError
from core.domain.ids import MemoryPk
from core.domain.json_types import Json
from core.domain.lifecycle import LifeState, Verb, apply
from core.domain.memory import Alias, Memory, Tag, TagSet
from core.domain.merge import MergeRecord
from core.ports.store import Reader, UnitOfWork
from core.services.lookup import (
    check_not_trashed,
    folder_of,
    follow_merged,
    memories_of,
    op_title,
    states_of,
    type_of,
)
from core.services.merge_images import digest, record_json, value_json
from core.services.merge_links import Moved, take_over
from core.services.merge_values import Member, Merged, merged
from core.services.moving import clashing_ids
from core.services.outcome import Outcome

_UNCOUNTED = frozenset({"activation_count"})
"""Taken back by subtraction, since recalls go on counting."""


def merge(uow: UnitOfWork, command: MergeMemories) -> Outcome:
    """One op. Errors: see MergeMemories."""
    pks = chosen(uow, command.survivor, command.losers)
    check_not_trashed(states_of(uow, pks))
    members = members_of(uow, pks)
    memories = [member.memory for member in members]
    _check(memories, command)
    result = result_of(uow, members, command)
    survivor, losers = memories[0], memories[1:]
    uow.delete(Kind.MERGE, [record.pk for record in uow.merges(losers=pks[1:])])  # of merges given up since
    moved = take_over(uow, survivor, losers)
    image = _write_survivor(uow, survivor, result, moved.parent)
    _archive(uow, survivor.pk, losers)
    uow.insert(_records(uow, members, moved, image))
    uow.label(count=len(memories), title=op_title(memories_of(uow, [survivor.pk])[0]))
    counts = {name: count for name, count in moved.counts.items() if count}
    return Outcome(changed=len(memories), counts=counts)


def chosen(reader: Reader, survivor: MemoryPk, losers: Iterable[MemoryPk]) -> list[MemoryPk]:
    """The survivor and the losers, once each, merged ones as what they were merged into.

    Errors: NotFound; Invalid when only one memory is left.
    """
    ends = follow_merged(reader, [survivor, *losers])
    pks = list(dict.fromkeys(ends[pk] for pk in (survivor, *losers)))
    if len(pks) < 2:
        raise Invalid("error.merge.one")
    return pks


def members_of(reader: Reader, pks: Sequence[MemoryPk]) -> list[Member]:
    """The memories with tags and names, in order. Errors: NotFound."""
    tags, aliases = reader.tag_sets(pks), reader.aliases_of(pks)
    return [
        Member(
            memory, tags.get(memory.pk, TagSet()), tuple(each.value for each in aliases.get(memory.pk, ()))
        )
        for memory in memories_of(reader, pks)
    ]


def result_of(reader: Reader, members: Sequence[Member], command: MergeMemories) -> Merged:
    """What the survivor will be. Errors: Invalid, NotFound (folder)."""
    wanted = members[0].memory.type if isinstance(command.type, Unset) else command.type
    if not isinstance(command.folder, Unset):
        folder_of(reader, command.folder)
    return merged(members, command, type_of(reader, wanted))


def _check(memories: Sequence[Memory], command: MergeMemories) -> None:
    if locked := [memory for memory in memories if memory.locked]:
        raise UserError("error.merge.locked", count=len(locked), title=op_title(locked[0]))
    expected = command.expected_revisions
    changed = [memory for memory in memories if expected.get(memory.pk, memory.revision) != memory.revision]
    if changed:
        raise Conflict("error.memory.changed", [each.pk for each in changed], title=op_title(changed[0]))


def _write_survivor(
    uow: UnitOfWork, survivor: Memory, result: Merged, parent: MemoryPk | None
) -> dict[str, Json]:
    """The survivor's row, tags and names; returns what it was, with hashes of what it is."""
    pk = survivor.pk
    columns = result.columns | {"parent": parent}
    if clashing_ids(uow, uow.states([pk]), columns["folder"]):
        columns["foreign_id"] = None  # the folder has that imported id already
    changes: list[Json] = []
    for name, value in columns.items():
        before, after = value_json(getattr(survivor, name)), value_json(value)
        if before != after and name not in _UNCOUNTED:
            changes.append([name, before, digest(after)])
    tags: list[Tag] = uow.tags_of([pk]).get(pk, [])
    names: list[Alias] = uow.aliases_of([pk]).get(pk, [])
    uow.update(Kind.MEMORY, [pk], columns)
    uow.replace_tags({pk: result.tags})
    uow.replace_aliases({pk: result.aliases})
    return {
        "changes": changes,
        "tags": [record_json(tag) for tag in tags],
        "tags_after": digest(tag_pairs(result.tags)),
        "aliases": [record_json(alias) for alias in names],
        "aliases_after": digest(list(result.aliases)),
    }


def tag_pairs(tags: TagSet) -> list[Json]:
    """Group and value of all tags, in order."""
    return [[kind.value, value] for kind in TagKind for value in tags.group(kind)]


def _archive(uow: UnitOfWork, survivor: MemoryPk, losers: Sequence[Memory]) -> None:
    rows: dict[int, Mapping[str, Any]] = {}
    for loser in losers:
        life = LifeState(loser.layer, loser.status, loser.status_reason, loser.deleted_at is not None)
        after = apply(life, Verb.ARCHIVE, reason=StatusReason.MERGED)
        rows[loser.pk] = {
            "status": after.status,
            "status_reason": after.reason,
            "merged_into": survivor,
        }
    uow.update_each(Kind.MEMORY, rows)


def _records(
    uow: UnitOfWork, members: Sequence[Member], moved: Moved, image: dict[str, Json]
) -> list[MergeRecord]:
    survivor, batch = members[0], uuid.uuid4().hex
    records = []
    for member in members[1:]:
        loser = member.memory
        record: dict[str, Json] = {
            **moved.of(loser.pk),
            "status": loser.status.value,
            "status_reason": value_json(loser.status_reason),
            "count": loser.activation_count,
            "tags": tag_pairs(member.tags),
            "aliases": [name for name in dict.fromkeys((loser.title, *member.aliases)) if name],
        }
        records.append(
            MergeRecord(
                batch=batch,
                survivor=survivor.memory.pk,
                loser=loser.pk,
                moved=record,
                image=image,
                created_at=uow.now,
            )
        )
    return records
