"""Evolution: new memories may change what their nearest neighbours say.

Source: A-MEM; spec/STBME §3.8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.algos.js_values import text as shown_text
from core.algos.js_values import truthy
from core.algos.vectors import cosines
from core.domain.edge import Edge
from core.domain.ids import MemoryPk, RelationId
from core.domain.json_types import JsonObject
from core.domain.memory import TagSet
from core.domain.proposal import (
    ChangePart,
    LinkPart,
    NewProposal,
    Part,
    PartGroup,
    ProposalKind,
)
from core.domain.queries_extract import PromptTask
from core.domain.results import Problem
from core.domain.schema import ColumnRole
from core.services.extract.request import facts
from core.services.extract.shelf import Known
from core.services.extract.task_job import Job, Nothing, list_of
from core.services.prompts import frame_words

RELATED = RelationId("related")
EVOLUTION_STRENGTH = 0.7
CONTEXT_FIELDS = ("state", "summary", "core_note")
NEW_MEMORIES = 10
"""Of how many of the newest memories the evolution is looked at when none are named."""


def evolution(job: Job, memories: Sequence[MemoryPk], _edges: Sequence[Edge]) -> NewProposal:
    """New memories may change what their nearest neighbours say (A-MEM)."""
    if job.meaning is None:
        raise Nothing("extract.why.no_embedder")
    known = [each for each in job.shelf.known if not each.automatic]
    wanted = set(memories)
    fresh = [each for each in known if each.pk in wanted] if wanted else _newest(known)
    if len(known) < 2 or not fresh:
        raise Nothing("extract.why.few", (("least", 2),))
    bank = job.meaning.of([(each, each.type) for each in known], job.shelf.schema, job.cancel)
    parts: list[Part] = []
    groups = []
    for at, each in enumerate(fresh, start=1):
        row = bank[known.index(each)]
        near = _nearest(job, each, known, cosines(row, bank))
        if near:
            group = f"g{at}"
            made = _evolved(job, each, near, group)
            if made:
                groups.append(PartGroup(key=group, start=each.seq, end=each.seq))
                parts += made
    if not parts:
        raise Nothing("extract.why.nothing_evolves")
    return NewProposal(
        kind=ProposalKind.EVOLUTION,
        folder=job.folder,
        source="",
        parts=tuple(parts),
        groups=tuple(groups),
        args={"count": len(groups)},
    )


def _newest(known: Sequence[Known]) -> list[Known]:
    return sorted(known, key=lambda each: (each.seq, each.pk or 0))[-NEW_MEMORIES:]


def _nearest(job: Job, each: Known, known: Sequence[Known], scores: object) -> list[tuple[Known, float]]:
    listed = [
        (other, float(score))
        for other, score in zip(known, scores, strict=True)  # type: ignore[call-overload]  # a numpy row
        if other is not each and score > 0
    ]
    listed.sort(key=lambda pair: -pair[1])
    return listed[: job.values.whole("evolution.neighbours")]


def _evolved(job: Job, each: Known, near: Sequence[tuple[Known, float]], group: str) -> list[Part]:
    if job.model is None:
        assert job.meaning is not None
        alike = [other for other, score in near if score >= job.meaning.thresholds.related]
        return _connections(each, alike, group, Problem("extract.note.by_likeness", {}, "info"))
    words = frame_words(job.language)
    text = "\n\n".join(
        [
            f"## {words['new']}\n{facts([each], job.shelf)}",
            f"## {words['neighbours']}\n{facts([other for other, _ in near], job.shelf)}",
        ]
    )
    said = job.ask(PromptTask.EVOLVE, text)
    if not truthy(said.get("should_evolve")):
        return []
    reason = Problem("extract.note.reason", {"reason": shown_text(said.get("reason") or "")[:300]}, "info")
    shown = {other.label for other, _ in near}
    linked = [job.shelf.find(label) for label in list_of(said.get("suggested_connections"))]
    parts = _connections(
        each, [other for other in linked if other is not None and other is not each], group, reason
    )
    for place, update in enumerate(list_of(said.get("neighbor_updates")), start=1):
        old = job.shelf.find(update.get("nodeId")) if isinstance(update, Mapping) else None
        if old is not None and old.label in shown and isinstance(update, Mapping):
            part = _rewritten(job, old, update, f"{group}:u{place}", group, reason)
            parts += [part] if part is not None else []
    return parts


def _connections(each: Known, others: Sequence[Known], group: str, note: Problem) -> list[Part]:
    return [
        LinkPart(
            key=f"{group}:l{at}",
            group=group,
            notes=(note,),
            source=each.end,
            target=other.end,
            relation=RELATED,
            strength=EVOLUTION_STRENGTH,
        )
        for at, other in enumerate({other.label: other for other in others}.values(), start=1)
    ]


def _rewritten(
    job: Job, old: Known, update: JsonObject, key: str, group: str, reason: Problem
) -> ChangePart | None:
    """The new text goes into the first column that is there of condition, summary and remark."""
    memory_type = job.shelf.schema.type(old.type)
    context, tags = update.get("newContext"), update.get("newTags")
    values = old.values(memory_type)
    name = next((name for name in CONTEXT_FIELDS if name in values), None)
    body_column = memory_type.column_of(ColumnRole.BODY) if memory_type else None
    body, fields = None, {}
    if isinstance(context, str) and context.strip() and name is not None:
        if body_column is not None and body_column.name == name:
            body = context.strip() if context.strip() != old.body else None
        elif old.fields.get(name) != context.strip():
            fields = {name: context.strip()}
    words = tuple(tag.strip() for tag in list_of(tags) if isinstance(tag, str) and tag.strip())
    if body is None and not fields and not words:
        return None
    locked = (Problem("extract.note.locked", {"title": old.title}),) if old.locked else ()
    return ChangePart(
        key=key,
        group=group,
        ticked=not old.locked,
        notes=(reason, *locked),
        memory=old.end,
        revision=old.revision,
        body=body,
        fields=fields,
        tags=TagSet(general=words) if words else None,
    )
