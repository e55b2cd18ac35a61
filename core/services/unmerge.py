"""Take merged memories apart again, from what the merge noted; the order of merging does not matter.

A note holds what was before and a hash of what the merge made of it. What still is as the merge left it goes
back; where a later merge built on it, that merge's note takes over the older "before"; what a person changed
since stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.domain.commands_merge import UnmergeMemories
from core.domain.enums import Kind, Status, StatusReason
from core.domain.errors import Invalid, NotFound
from core.domain.folder import Folder
from core.domain.ids import FolderPk, MemoryPk
from core.domain.json_types import Json
from core.domain.memory import Alias, Memory, MemoryState, Tag
from core.domain.merge import MergeRecord
from core.domain.tags import TRIPLE
from core.ports.store import UnitOfWork
from core.services.lookup import check_not_trashed, check_unlocked, memory_of, op_title, states_of
from core.services.merge_images import digest, json_record, json_value, value_json
from core.services.merge_notes import Note, heirs_of
from core.services.moving import clashing_ids
from core.services.outcome import Outcome
from core.services.unmerge_links import Links


def unmerge(uow: UnitOfWork, command: UnmergeMemories) -> Outcome:
    """The newest merges first. Errors: see UnmergeMemories."""
    wanted = list(dict.fromkeys(command.memories))
    states = states_of(uow, wanted)
    check_not_trashed(states)
    check_unlocked(uow, states)
    if any(state.merged_into is None for state in states):
        raise Invalid("error.merge.not_merged", count=sum(state.merged_into is None for state in states))
    merges = uow.merges(losers=wanted)
    check_unlocked(uow, uow.states({record.survivor for record in merges}))
    records = {record.loser: record.pk for record in merges}
    counts = {"kept": 0, "gone": 0}
    for state in sorted(states, key=lambda each: records.get(each.pk, 0), reverse=True):
        if state.pk in records:
            _TakingOut(uow, state, records[state.pk], counts).run()
        else:
            _let_go(uow, state)
    uow.label(count=len(wanted), title=op_title(memory_of(uow, wanted[0])))
    return Outcome(changed=len(wanted), counts={name: count for name, count in counts.items() if count})


def _let_go(uow: UnitOfWork, state: MemoryState) -> None:
    """A merged memory of which nothing is noted (it was imported so) comes back by itself."""
    values: dict[str, object] = {"merged_into": None}
    if state.status_reason is StatusReason.MERGED:
        values |= {"status": Status.ACTIVE, "status_reason": None}
    uow.update(Kind.MEMORY, [state.pk], values)


class _TakingOut:
    """One memory out of its survivor."""

    def __init__(self, uow: UnitOfWork, state: MemoryState, record: int, counts: dict[str, int]) -> None:
        self._uow = uow
        self._state = state
        found = uow.records(MergeRecord, [record])
        if not found:
            raise NotFound("error.memory.missing", count=1)
        self._note = Note.of(found[0])
        self._survivor = found[0].survivor
        self._others = [
            Note.of(other) for other in uow.merges(survivors=[self._survivor]) if other.pk != record
        ]
        self._counts = counts

    def run(self) -> None:
        """Do it."""
        uow = self._uow
        self._loser_back()
        heirs = heirs_of(uow, self._survivor)
        links = Links(uow, self._note, self._others, heirs)
        self._counts["gone"] += links.give_back()
        self._survivor_back()
        uow.delete(Kind.MERGE, [self._note.record.pk])
        changed = {
            note.record.pk: {"moved": note.moved, "image": note.image}
            for note in [*self._others, *links.elsewhere]
        }
        uow.update_each(Kind.MERGE, changed)

    def _loser_back(self) -> None:
        moved = self._note.moved
        values: dict[str, object] = {"merged_into": None}
        if self._state.status_reason is StatusReason.MERGED:
            values["status"] = json_value("status", moved["status"])
            values["status_reason"] = json_value("status_reason", moved["status_reason"])
        self._uow.update(Kind.MEMORY, [self._state.pk], values)

    # --- the survivor ------------------------------------------------------------------------

    def _survivor_back(self) -> None:
        last = not any(note.record.batch == self._note.record.batch for note in self._others)
        survivor = memory_of(self._uow, self._survivor)
        count = self._note.moved["count"]
        values: dict[str, Any] = {
            "activation_count": max(0, survivor.activation_count - (count if isinstance(count, int) else 0))
        }
        if last:
            values |= self._columns_back(survivor)
        self._uow.update(Kind.MEMORY, [survivor.pk], values)
        self._labels_back("tags", Tag, last)
        self._labels_back("aliases", Alias, last)

    def _columns_back(self, survivor: Memory) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name, before, after in self._note.changes:
            if digest(value_json(getattr(survivor, name))) == after:
                values[name] = json_value(name, before)
            elif not self._handed_on(name, before, after) and name != "last_activated_at":
                self._counts["kept"] += 1
        return self._possible(survivor, values)

    def _handed_on(self, name: str, before: Json, after: str) -> bool:
        """Whether a later merge built on what this one left; it now keeps what was before this one."""
        found = False
        for note in self._others:
            for place, (other, its_before, its_after) in enumerate(note.changes):
                if other == name and digest(its_before) == after and not found:
                    note.set_change(place, name, before, its_after)
                    found = True
            if found:
                batch = note.record.batch
                for twin in self._others:
                    if twin.record.batch == batch:
                        twin.image["changes"] = note.image["changes"]
                return True
        return False

    def _possible(self, survivor: Memory, values: dict[str, Any]) -> dict[str, Any]:
        """Without a folder or parent that is gone, or an imported id that another memory has taken."""
        folder = values.get("folder")
        if folder is not None and not self._uow.records(Folder, [folder]):
            del values["folder"]
            self._counts["kept"] += 1
        parent = values.get("parent")
        if parent is not None and not self._uow.records(Memory, [parent]):
            values["parent"] = None
        foreign = values.get("foreign_id", survivor.foreign_id)
        if foreign and ("folder" in values or "foreign_id" in values):
            place = FolderPk(values.get("folder", survivor.folder))
            state = replace(self._uow.states([survivor.pk])[0], foreign_id=str(foreign), folder=FolderPk(0))
            if [
                pk
                for pk in self._uow.resolve([str(foreign)], place).get(str(foreign), ())
                if pk != survivor.pk
            ]:
                values["foreign_id"] = None if clashing_ids(self._uow, [state], place) else foreign
        return values

    # --- tags and names ------------------------------------------------------------------------

    def _labels_back(self, name: str, kind: type[Tag | Alias], last: bool) -> None:
        """Tags or names without what came from this memory alone; untouched since: exactly those of before."""
        present = self._labels(kind)
        image, after = self._note.image, f"{name}_after"
        own = {_label(row) for row in self._earliest(name)}
        came = {_said(item) for item in _list(self._note.moved[name])} - own
        others = {_said(item) for note in self._others for item in _list(note.moved[name])}
        before = _rows(kind, image[name])
        digested = _digest(present)
        if last and digested == image[after]:
            kept = {_label(row) for row in before}
            rest = [row for row in present if _label(row) in others - kept]
            target = [*before, *rest]
        else:
            target = [row for row in present if _label(row) not in came - others]
        if _whole(target):
            _rows_back(self._uow, kind.KIND, present, target)
        for note in self._others:
            note.image[name] = [
                row for row in _list(note.image[name]) if _label(_rows(kind, [row])[0]) not in came
            ]
            if note.image[after] == digested:
                note.image[after] = _digest(self._labels(kind))

    def _labels(self, kind: type[Tag | Alias]) -> list[Any]:
        rows: dict[MemoryPk, list[Any]]
        rows = self._uow.tags_of([self._survivor]) if kind is Tag else self._uow.aliases_of([self._survivor])
        return rows.get(self._survivor, [])

    def _earliest(self, name: str) -> list[Any]:
        """What the survivor had before any of the merges that are noted."""
        first = min([self._note, *self._others], key=lambda note: note.record.pk)
        return _rows(Tag if name == "tags" else Alias, first.image[name])


def _list(value: Json) -> list[Json]:
    return list(value) if isinstance(value, list | tuple) else []


def _rows(kind: type[Tag | Alias], listed: Json) -> list[Any]:
    if kind is Tag:
        return [json_record(Tag, row) for row in _list(listed)]
    return [json_record(Alias, row) for row in _list(listed)]


def _label(row: Tag | Alias) -> tuple[str, str]:
    return (row.kind.value if isinstance(row, Tag) else "", row.value)


def _said(item: Json) -> tuple[str, str]:
    """A tag (group and value) or a name as a memory's note lists it."""
    return (str(item[0]), str(item[1])) if isinstance(item, list | tuple) else ("", str(item))


def _digest(rows: Sequence[Tag | Alias]) -> str:
    """As the merge digested them: tags with their groups, names alone."""
    return digest([list(_label(row)) if isinstance(row, Tag) else row.value for row in rows])


def _whole(rows: Sequence[Tag | Alias]) -> bool:
    """The three tag groups are filled all or none."""
    filled = {row.kind for row in rows if isinstance(row, Tag) and row.kind in TRIPLE}
    return not filled or len(filled) == len(TRIPLE)


def _rows_back(uow: UnitOfWork, kind: Kind, present: Sequence[Any], target: Sequence[Any]) -> None:
    """Exactly these rows, in this order, with their keys."""
    there, places = {row.pk: row for row in present}, Counter[str]()
    wanted = {}
    for row in target:
        group = _label(row)[0]
        wanted[row.pk] = replace(row, position=places[group])
        places[group] += 1
    uow.delete(kind, [pk for pk in there if pk not in wanted])
    uow.bring_back([row for pk, row in wanted.items() if pk not in there])
    uow.update_each(
        kind,
        {
            pk: {"value": row.value, "position": row.position}
            for pk, row in wanted.items()
            if pk in there and there[pk] != row
        },
    )
