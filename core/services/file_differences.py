"""What is different between two files of the same kind, memory by memory: what writing one over the other changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.domain.edge import Edge
from core.domain.enums import TagKind
from core.domain.memory import Memory, TagSet, title_of_body
from core.domain.source_file import Becomes, Difference
from core.domain.transfer import ImportPlan, PlannedEdge, PlannedMemory

_COLUMNS = (
    "type",
    "layer",
    "status",
    "title",
    "body",
    "fields",
    "importance",
    "seq",
    "seq_start",
    "seq_end",
    "level",
    "visibility",
    "deleted_at",
)
Said = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class FileDifferences:
    """All differences, and how many relations came, went or changed."""

    memories: tuple[Difference, ...]
    relations: int

    @property
    def totals(self) -> dict[Becomes, int]:
        """How many memories of each kind."""
        counted = Counter(each.becomes for each in self.memories)
        return {becomes: counted[becomes] for becomes in Becomes}


def differences_of(now: ImportPlan, then: ImportPlan) -> FileDifferences:
    """What becomes of the memories of a file that says `now`, when it says `then` afterwards."""
    before, after = dict(_memories(now)), dict(_memories(then))
    found: list[Difference] = []
    for key, said in after.items():
        old = before.get(key)
        if old is None:
            found.append(_difference(Becomes.NEW, said))
        elif changed := tuple(name for name, value in said.items() if old.get(name) != value):
            found.append(_difference(Becomes.CHANGED, said, changed))
    found += [_difference(Becomes.GONE, said) for key, said in before.items() if key not in after]
    one, other = Counter(_edges(now)), Counter(_edges(then))
    relations = sum(((one - other) + (other - one)).values())
    return FileDifferences(tuple(found), relations)


def _difference(becomes: Becomes, said: Said, columns: tuple[str, ...] = ()) -> Difference:
    title = str(said["title"]) or title_of_body(str(said["body"]))
    return Difference(becomes, title, str(said["folder"]), columns)


def _memories(plan: ImportPlan) -> Iterator[tuple[tuple[str, str], Said]]:
    """Each memory under its folder and its id in the file."""
    if plan.content is not None:
        for packed in plan.content.memories():
            memory = packed.memory
            said = _said(memory, packed.tags, packed.aliases, packed.folder)
            yield ("", memory.foreign_id or memory.id), said
        return
    names = {folder.key: folder.name for folder in plan.folders}
    for planned in plan.memories:
        said = _said(planned, planned.tags, planned.aliases, names.get(planned.folder, planned.folder))
        yield (planned.folder, planned.foreign_id or planned.key), said


def _said(
    memory: Memory | PlannedMemory,
    tags: TagSet,
    aliases: tuple[str, ...],
    folder: str,
) -> Said:
    said: dict[str, object] = {name: getattr(memory, name) for name in _COLUMNS}
    said |= {"folder": folder, "aliases": tuple(aliases)}
    said |= {f"tags.{kind.value}": tags.group(kind) for kind in TagKind}
    return said


def _edges(plan: ImportPlan) -> Iterator[tuple[object, ...]]:
    if plan.content is not None:
        for packed in plan.content.edges():
            yield (packed.source, packed.target, *_edge(packed.edge))
        return
    for edge in plan.edges:
        yield (edge.source, edge.target, *_edge(edge))


def _edge(edge: Edge | PlannedEdge) -> tuple[object, ...]:
    return edge.relation, edge.strength, edge.invalid_from, edge.expired_at
