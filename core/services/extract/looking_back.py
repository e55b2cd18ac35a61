"""Synopsis and reflection: what happened so far, and what it shows.

Source: spec/STBME §3.8 (MemoRAG, Reflexion).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.algos.extractive import joined
from core.algos.js_values import number, truthy
from core.algos.js_values import text as shown_text
from core.domain.edge import Edge, lives
from core.domain.ids import MemoryPk, RelationId, TypeId
from core.domain.json_types import Json, JsonObject
from core.domain.proposal import (
    ChangePart,
    CreatePart,
    LinkPart,
    NewProposal,
    Part,
    ProposalKind,
)
from core.domain.queries_extract import PromptTask
from core.domain.results import Problem
from core.ports.clock import system_clock
from core.services.extract.request import facts
from core.services.extract.shelf import Known
from core.services.extract.task_job import EVENT, Job, Nothing, extracted, needed_type, sees_all, told_to
from core.services.prompts import frame_words

SOURCE = "extraction"
SYNOPSIS, REFLECTION = TypeId("synopsis"), TypeId("reflection")
CHARACTER, THREAD = TypeId("character"), TypeId("thread")
EVOLVES = RelationId("evolves")
EVOLVES_STRENGTH = 0.75
SYNOPSIS_EVENTS, SYNOPSIS_IMPORTANCE, SYNOPSIS_SHOWN = 3, 9.0, 200
SYNOPSIS_SCOPE = {"zh_CN": "楼 1 ~ {seq}", "en": "floors 1 ~ {seq}"}
REFLECTION_EVENTS, REFLECTION_LEAST = 6, 2
REFLECTION_CHARACTERS, REFLECTION_THREADS, REFLECTION_CONTRADICTIONS, REFLECTION_LINKS = 5, 4, 5, 3
REFLECTION_DEFAULT, REFLECTION_RANGE = 7.0, (5.0, 10.0)


def synopsis(job: Job, _memories: Sequence[MemoryPk], _edges: Sequence[Edge]) -> NewProposal:
    """The story so far; the synopsis that is there is changed, not doubled."""
    memory_type = needed_type(job, SYNOPSIS)
    events, audience = told_to(job.of_type(EVENT), SYNOPSIS_EVENTS)
    if len(events) < SYNOPSIS_EVENTS:
        raise Nothing("extract.why.few_events", (("least", SYNOPSIS_EVENTS), ("count", len(events))))
    seq = max(each.seq for each in events)
    notes: tuple[Problem, ...] = ()
    if job.model is None:
        text = extracted(job, [each.body for each in events])
        notes = (Problem("extract.note.extractive", {}, "info"),)
    else:
        asked = _synopsis_text(job, events, audience)
        text = shown_text(job.ask(PromptTask.SYNOPSIS, asked).get("summary") or "")
    if not text.strip():
        raise Nothing("extract.why.empty_reply")
    floor = None if seq < 0 else seq
    fields: dict[str, Json] = {}
    if any(column.name == "scope" for column in memory_type.field_columns) and floor is not None:
        fields["scope"] = SYNOPSIS_SCOPE[job.language].format(seq=floor)
    old = next(iter(reversed(job.of_type(SYNOPSIS))), None)
    part: Part
    if old is None:
        part = CreatePart(
            key="synopsis",
            notes=notes,
            type=SYNOPSIS,
            body=text.strip(),
            fields=fields,
            importance=SYNOPSIS_IMPORTANCE,
            seq=floor,
            visibility=audience,
            source=SOURCE,
        )
    else:
        change = _changed(old, "synopsis", text.strip(), fields, floor, notes)
        part = replace(change, visibility=audience if audience != old.visibility else None)
    return NewProposal(
        kind=ProposalKind.SYNOPSIS,
        folder=job.folder,
        source="",
        parts=(part,),
        args={"end": 0 if floor is None else floor},
    )


def _changed(
    old: Known,
    key: str,
    body: str,
    fields: Mapping[str, Json],
    floor: int | None,
    notes: tuple[Problem, ...],
) -> ChangePart:
    locked = (Problem("extract.note.locked", {"title": old.title or old.body[:60]}),) if old.locked else ()
    return ChangePart(
        key=key,
        ticked=not old.locked,
        notes=(*notes, *locked),
        memory=old.end,
        revision=old.revision,
        body=body if body != old.body else None,
        fields={name: value for name, value in fields.items() if old.fields.get(name) != value},
        floor=floor,
    )


def _synopsis_text(job: Job, events: Sequence[Known], audience: Sequence[str]) -> str:
    words = frame_words(job.language)
    before = next(iter(reversed(job.of_type(SYNOPSIS))), None)
    shown = events[-SYNOPSIS_SHOWN:]
    blocks = [f"## {words['events']}", *(f"#{each.seq} {each.body}" for each in shown)]
    if before is not None and len(shown) < len(events) and sees_all(before, audience):
        blocks = [f"## {words['synopsis']}", before.body, *blocks]
    characters = _known_to(job, CHARACTER, audience)
    if characters:
        blocks += [f"## {words['characters']}"]
        blocks += [f"{each.title}: {shown_text(each.fields.get('state') or '')}" for each in characters]
    threads = _known_to(job, THREAD, audience)
    if threads:
        blocks += [f"## {words['threads']}"]
        blocks += [f"{each.title}: {shown_text(each.fields.get('status') or '')}" for each in threads]
    return "\n".join(blocks)


def _known_to(job: Job, type_id: TypeId, audience: Sequence[str]) -> list[Known]:
    return [each for each in job.of_type(type_id) if sees_all(each, audience)]


def reflection(job: Job, _memories: Sequence[MemoryPk], edges: Sequence[Edge]) -> NewProposal:
    """A look back at the latest events, with relations to the newest ones."""
    needed_type(job, REFLECTION)
    events, audience = told_to(job.of_type(EVENT), REFLECTION_LEAST)
    events = events[-REFLECTION_EVENTS:]
    if len(events) < REFLECTION_LEAST:
        raise Nothing("extract.why.few_events", (("least", REFLECTION_LEAST), ("count", len(events))))
    notes: tuple[Problem, ...] = ()
    if job.model is None:
        said: JsonObject = {"insight": extracted(job, [each.body for each in events], wanted=2)}
        notes = (Problem("extract.note.extractive", {}, "info"),)
    else:
        said = job.ask(PromptTask.REFLECT, _reflection_text(job, events, edges, audience))
    if not truthy(said.get("insight")):
        raise Nothing("extract.why.empty_reply")
    low, high = REFLECTION_RANGE
    given = said.get("importance")
    importance = min(high, max(low, number(given) if given is not None else REFLECTION_DEFAULT))
    floor = None if events[-1].seq < 0 else events[-1].seq
    part = CreatePart(
        key="reflection",
        notes=notes,
        type=REFLECTION,
        body=shown_text(said["insight"]).strip(),
        fields={
            "trigger": shown_text(said.get("trigger") or events[-1].body),
            "suggestion": shown_text(said.get("suggestion") or ""),
        },
        importance=REFLECTION_DEFAULT if math.isnan(importance) else importance,
        seq=floor,
        visibility=audience,
        source=SOURCE,
    )
    links = [
        LinkPart(
            key=f"l{at}",
            source=part.key,
            target=event.end,
            relation=EVOLVES,
            strength=EVOLVES_STRENGTH,
            floor=floor,
        )
        for at, event in enumerate(events[-REFLECTION_LINKS:], start=1)
    ]
    return NewProposal(kind=ProposalKind.REFLECTION, folder=job.folder, source="", parts=(part, *links))


def _reflection_text(
    job: Job, events: Sequence[Known], edges: Sequence[Edge], audience: Sequence[str]
) -> str:
    words = frame_words(job.language)
    known = [each for each in job.shelf.known if sees_all(each, audience)]
    titles = {each.pk: each.title or each.body[:80] for each in known}
    now = system_clock()
    against = [
        f"{titles[edge.source]} <> {titles[edge.target]}"
        for edge in edges
        if lives(edge, now) and edge.source in titles and edge.target in titles
    ][-REFLECTION_CONTRADICTIONS:]
    blocks = [
        (words["events"], facts(events, job.shelf)),
        (words["characters"], facts(_known_to(job, CHARACTER, audience)[-REFLECTION_CHARACTERS:], job.shelf)),
        (words["threads"], facts(_known_to(job, THREAD, audience)[-REFLECTION_THREADS:], job.shelf)),
        (words["contradictions"], joined([f"{line}\n" for line in against])),
    ]
    return "\n\n".join(f"## {heading}\n{text}" for heading, text in blocks if text)
