"""Consolidation: memories of one type that say nearly the same become one, and can be taken apart again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.algos.js_values import text as shown_text
from core.algos.visibility import shared
from core.domain.edge import Edge
from core.domain.enums import StatusReason
from core.domain.ids import MemoryPk
from core.domain.json_types import Json
from core.domain.proposal import (
    ChangePart,
    NewProposal,
    Part,
    PartGroup,
    ProposalKind,
    RetirePart,
)
from core.domain.queries_extract import PromptTask
from core.domain.results import Problem
from core.domain.schema import ColumnRole
from core.services.extract.meaning import Meaning
from core.services.extract.request import facts
from core.services.extract.shelf import Known
from core.services.extract.task_job import Job, Nothing, list_of
from core.services.prompts import frame_words

ALIKE_GROUPS, ALIKE_SIZE = 20, 5


def consolidation(job: Job, _memories: Sequence[MemoryPk], _edges: Sequence[Edge]) -> NewProposal:
    """Memories of one type that say nearly the same become one, if a model (or a person) says so."""
    if job.meaning is None:
        raise Nothing("extract.why.no_embedder")
    groups = _alike(job, job.meaning)
    parts: list[Part] = []
    kept = []
    for at, group in enumerate(groups, start=1):
        made = _consolidated(job, group, f"g{at}")
        if made:
            kept.append(PartGroup(key=f"g{at}"))
            parts += made
    if not parts:
        raise Nothing("extract.why.nothing_alike")
    return NewProposal(
        kind=ProposalKind.CONSOLIDATION,
        folder=job.folder,
        source="",
        parts=tuple(parts),
        groups=tuple(kept),
        args={"count": sum(isinstance(part, RetirePart) for part in parts) + len(kept)},
    )


def _alike(job: Job, meaning: Meaning) -> list[list[Known]]:
    """Groups of memories of one type above the embedder's threshold for doubles. Cost: O(n^2 d) a type."""
    found: list[list[Known]] = []
    for memory_type in job.shelf.schema.types:
        own = [each for each in job.of_type(memory_type.id) if not each.locked]
        if len(own) < 2:
            continue
        rows = meaning.of([(each, each.type) for each in own], job.shelf.schema, job.cancel)
        near = rows @ rows.T >= meaning.thresholds.duplicate
        taken: set[int] = set()
        for at in range(len(own)):
            others = [other for other in range(at + 1, len(own)) if near[at, other] and other not in taken]
            if at not in taken and others:
                group = [at, *others][:ALIKE_SIZE]
                taken.update(group)
                found.append([own[place] for place in group])
    return found[:ALIKE_GROUPS]


def _consolidated(job: Job, group: Sequence[Known], key: str) -> list[Part]:
    notes: tuple[Problem, ...] = ()
    if job.model is None:
        keep, same, fields = group[0], list(group), dict[str, Json]()
        notes = (Problem("extract.note.by_likeness", {}, "info"),)
    else:
        words = frame_words(job.language)
        said = job.ask(PromptTask.CONSOLIDATE, f"## {words['alike']}\n{facts(group, job.shelf)}")
        shown = {each.label: each for each in group}
        listed = [job.shelf.find(label) for label in list_of(said.get("same"))]
        same = [each for each in listed if each is not None and each.label in shown]
        chosen = job.shelf.find(said.get("keep"))
        keep = chosen if chosen in same and chosen is not None else (same[0] if same else group[0])
        given = said.get("fields")
        fields = dict(given) if isinstance(given, Mapping) else {}
        reason = shown_text(said.get("reason") or "")[:300]
        notes = (Problem("extract.note.reason", {"reason": reason}, "info"),) if reason else ()
    audience = shared(each.visibility for each in same)
    if len(same) < 2 or audience is None:  # nobody may see all of them
        return []
    memory_type = job.shelf.schema.type(keep.type)
    title_column = memory_type.column_of(ColumnRole.TITLE) if memory_type else None
    body_column = memory_type.column_of(ColumnRole.BODY) if memory_type else None
    title = shown_text(fields.pop(title_column.name, "")) if title_column else ""
    body = shown_text(fields.pop(body_column.name, "")) if body_column else ""
    known = {column.name for column in memory_type.field_columns} if memory_type else set()
    losers = [each for each in same if each is not keep]
    change = ChangePart(
        key=f"{key}:keep",
        group=key,
        notes=notes,
        ticked=job.model is not None,
        memory=keep.end,
        revision=keep.revision,
        title=title if title and title != keep.title else None,
        body=body if body and body != keep.body else None,
        fields={
            name: value for name, value in fields.items() if name in known and keep.fields.get(name) != value
        },
        visibility=audience if audience != keep.visibility else None,
    )
    has_change = change.title is not None or change.body is not None or change.fields
    gone = [
        RetirePart(
            key=f"{key}:{at}",
            group=key,
            notes=notes,
            ticked=job.model is not None,
            memory=each.end,
            revision=each.revision,
            reason=StatusReason.MERGED,
            into=keep.end,
        )
        for at, each in enumerate(losers, start=1)
    ]
    return [*([change] if has_change else []), *gone]
