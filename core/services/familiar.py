"""Whether a file's memories are already in the library: said in the dry run, never decided for the person."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from core.domain.memory import Memory
from core.domain.results import Problem
from core.domain.transfer import Format, ImportPlan, PlannedMemory
from core.ports.store import Reader

COMPARED = frozenset({Format.STBME, Format.BOOKU})
"""Formats whose memories keep their ids; chats and lorebooks are compared by core.services.reimport."""
FAMILIAR_SHARE = 0.5
"""From this share on a file is another copy of what is here, not a graph that shares some ids."""


def with_familiar(reader: Reader, plan: ImportPlan) -> ImportPlan:
    """The plan, with a note for each folder of the library that already holds most of its memories.

    The same id, type, title and text count as the same memory: ids alone do not, since files of
    different chats may carry equal ones. Cost: O(memories of the plan).
    """
    if plan.format not in COMPARED:
        return plan
    planned = {each.foreign_id: each for each in plan.memories if each.foreign_id}
    known = reader.resolve(list(planned), None)
    records = reader.records(Memory, [pk for pks in known.values() for pk in pks])
    same = Counter(
        record.folder
        for record in records
        if (each := planned.get(record.foreign_id or record.id)) is not None and _same(each, record)
    )
    names = {node.folder.pk: node.folder.name for node in reader.folder_nodes()} if same else {}
    notes = tuple(
        _note(names[folder], count, len(planned))
        for folder, count in sorted(same.items())
        if count >= FAMILIAR_SHARE * len(planned)
    )
    return replace(plan, problems=(*notes, *plan.problems)) if notes else plan


def _same(planned: PlannedMemory, stored: Memory) -> bool:
    return (planned.type, planned.title, planned.body) == (stored.type, stored.title, stored.body)


def _note(folder: str, count: int, total: int) -> Problem:
    return Problem("import.problem.familiar", {"folder": folder, "count": count, "total": total})
