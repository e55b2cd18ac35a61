"""What the library already holds of a package or of plain files that are about to come in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from core.domain.api import Cancel
from core.domain.folder import Folder
from core.domain.memory import Memory
from core.domain.package import Collision, PackageContent, PackedMemory
from core.domain.transfer import Format, ImportPlan
from core.ports.store import Reader
from core.services.package_match import change_of, find_memories
from core.services.plan_draft import INFO, PlanDraft

CHUNK = 500


def with_collisions(
    reader: Reader, plan: ImportPlan, content: PackageContent, cancel: Cancel | None = None
) -> ImportPlan:
    """The plan, with how many of its memories are here already and how many of these say something else.

    Plain files that a person edited replace what is here once that is confirmed; packages do not, unless told
    otherwise.
    Cost: reads the memories of the file once. Errors: BadFile, Cancelled.
    """
    draft = PlanDraft.of(plan)
    folders = {folder.name: folder.pk for folder in reader.all_records(Folder)}
    there = changed = new = 0
    ids: list[str] = []
    for chunk in _chunks(content.memories()):
        if cancel is not None:
            cancel.check()
        found = find_memories(reader, chunk, folders)
        records = {record.pk: record for record in reader.records(Memory, found.values())}
        tags, aliases = reader.tag_sets(records), reader.aliases_of(records)
        for each in chunk:
            if each.memory.id not in found:
                new += 1
                continue
            pk = found[each.memory.id]
            names = tuple(alias.value for alias in aliases.get(pk, ()))
            there += 1
            if change_of(records[pk], tags[pk], names, each):
                changed += 1
                ids.append(records[pk].id)
    if there:
        draft.counts["already_there"] = there
        draft.counts["differing"] = changed
        draft.counts["new_memories"] = new
        key = "package_differs" if changed else "package_same"
        severity = "warning" if changed else INFO
        draft.note(key, *ids[:CHUNK], severity=severity, count=there, differing=changed, new=new)
    collision = Collision.MINE if plan.format is Format.MCZ else Collision.THEIRS
    return replace(
        plan,
        counts=draft.counts,
        problems=tuple(draft.problems),
        needs_confirmation=plan.needs_confirmation or (changed > 0 and collision is Collision.THEIRS),
        collision=collision,
    )


def _chunks(rows: Iterator[PackedMemory]) -> Iterator[Sequence[PackedMemory]]:
    while chunk := list(islice(rows, CHUNK)):
        yield chunk
