"""What follows an extraction: evolution, synopsis, reflection and consolidation, each as a proposal.

Source: spec/STBME §3.8. We differ (DESIGN §5): each is a proposal, vectors follow by themselves, inputs have a limit,
and without a model the same is done from the memories' own sentences and their likeness, and labelled so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.algos.extractive import joined, summary, weights_of
from core.algos.js_values import number, truthy
from core.algos.js_values import text as shown_text
from core.algos.lexical import search_tokens
from core.algos.vectors import cosines
from core.domain.edge import Edge, lives
from core.domain.enums import StatusReason
from core.domain.errors import Invalid
from core.domain.folder_settings import FolderValues
from core.domain.ids import FolderPk, MemoryPk, RelationId, TypeId
from core.domain.json_types import Json, JsonObject
from core.domain.memory import TagSet
from core.domain.proposal import (
    BUILT_IN,
    ChangePart,
    CreatePart,
    LinkPart,
    NewProposal,
    Part,
    PartGroup,
    ProposalKind,
    RetirePart,
)
from core.domain.queries_extract import PromptTask, RunTask, TaskReport
from core.domain.results import Problem
from core.domain.schema import ColumnRole, MemoryType
from core.ports.clock import system_clock
from core.ports.language_model import ChatMessage, LanguageModel
from core.ports.progress import CancelToken
from core.ports.proposals import Proposals
from core.ports.store import Reader, Store
from core.services.extract.asking import ask
from core.services.extract.meaning import Meaning
from core.services.extract.request import facts, language_of
from core.services.extract.shelf import Known, Shelf, open_shelf
from core.services.lookup import folder_of
from core.services.prompts import PromptBook, frame_words

SOURCE = "extraction"
EVENT, SYNOPSIS, REFLECTION = TypeId("event"), TypeId("synopsis"), TypeId("reflection")
CHARACTER, THREAD = TypeId("character"), TypeId("thread")
CONTRADICTS, EVOLVES, RELATED = RelationId("contradicts"), RelationId("evolves"), RelationId("related")
EVOLUTION_STRENGTH, EVOLVES_STRENGTH = 0.7, 0.75
CONTEXT_FIELDS = ("state", "summary", "core_note")
SYNOPSIS_EVENTS, SYNOPSIS_IMPORTANCE, SYNOPSIS_SHOWN = 3, 9.0, 200
SYNOPSIS_SCOPE = {"zh_CN": "楼 1 ~ {seq}", "en": "floors 1 ~ {seq}"}
REFLECTION_EVENTS, REFLECTION_LEAST = 6, 2
REFLECTION_CHARACTERS, REFLECTION_THREADS, REFLECTION_CONTRADICTIONS, REFLECTION_LINKS = 5, 4, 5, 3
REFLECTION_DEFAULT, REFLECTION_RANGE = 7.0, (5.0, 10.0)
NEW_MEMORIES = 10
"""Of how many of the newest memories the evolution is looked at when none are named."""
ALIKE_GROUPS, ALIKE_SIZE = 20, 5
BUILT_IN_CHARS = 400

_OBJECT: JsonObject = {"type": "object"}
SCHEMAS: Mapping[PromptTask, JsonObject] = {
    PromptTask.EVOLVE: {
        **_OBJECT,
        "properties": {
            "should_evolve": {"type": "boolean"},
            "reason": {"type": "string"},
            "suggested_connections": {"type": "array", "items": {"type": "string"}},
            "neighbor_updates": {"type": "array", "items": _OBJECT},
        },
        "required": ["should_evolve"],
    },
    PromptTask.SYNOPSIS: {**_OBJECT, "properties": {"summary": {"type": "string"}}, "required": ["summary"]},
    PromptTask.REFLECT: {
        **_OBJECT,
        "properties": {
            "insight": {"type": "string"},
            "trigger": {"type": "string"},
            "suggestion": {"type": "string"},
            "importance": {"type": "number"},
        },
        "required": ["insight"],
    },
    PromptTask.CONSOLIDATE: {
        **_OBJECT,
        "properties": {
            "same": {"type": "array", "items": {"type": "string"}},
            "keep": {"type": "string"},
            "fields": _OBJECT,
            "reason": {"type": "string"},
        },
        "required": ["same"],
    },
}


@dataclass(frozen=True, slots=True)
class _Nothing(Exception):
    """There is nothing to propose, and why."""

    why: str
    args: tuple[tuple[str, int | str], ...] = ()


@dataclass(slots=True)
class _Job:
    """One task on one folder. `tokens` grow with each question."""

    book: PromptBook
    model: LanguageModel | None
    meaning: Meaning | None
    values: FolderValues
    folder: FolderPk
    shelf: Shelf
    language: str
    cancel: CancelToken | None
    tokens: tuple[int, int] = (0, 0)

    def ask(self, task: PromptTask, text: str) -> JsonObject:
        """The object that the model replies with. Errors: Unavailable, BadReply, Cancelled."""
        assert self.model is not None
        messages = (
            ChatMessage("system", self.book.of(task, self.language).text),
            ChatMessage("user", text),
        )
        answered = ask(self.model, messages, SCHEMAS[task], self.language, self.cancel)
        self.tokens = (self.tokens[0] + answered.tokens[0], self.tokens[1] + answered.tokens[1])
        return answered.value if isinstance(answered.value, Mapping) else {}

    def of_type(self, type_id: TypeId) -> list[Known]:
        """Active memories of a type, by floor, without events that were written by themselves."""
        found = [each for each in self.shelf.known if each.type == type_id and not each.automatic]
        return sorted(found, key=lambda each: each.seq)

    def embed(self, texts: Sequence[str]) -> object:
        """Unit rows of texts."""
        assert self.meaning is not None
        return self.meaning.embed(texts, self.cancel)


class Tasks:
    """Makes proposals of what follows an extraction. Calls may come from any thread."""

    def __init__(
        self,
        store: Store,
        proposals: Proposals,
        book: PromptBook,
        model: Callable[[PromptTask], LanguageModel | None],
        meaning: Callable[[], Meaning | None],
    ) -> None:
        self._store = store
        self._proposals = proposals
        self._book = book
        self._model = model
        self._meaning = meaning

    def run(self, query: RunTask, cancel: CancelToken | None = None) -> TaskReport:
        """One task; see RunTask."""
        maker = _MAKERS.get(query.task)
        if maker is None:
            raise Invalid("error.extract.task", task=query.task.value)
        model = None if query.built_in else self._model(query.task)
        with self._store.read() as reader:
            job = self._job(reader, query.folder, model, cancel)
            edges = [edge for edge in reader.edges_in(query.folder) if edge.relation == CONTRADICTS]
        name = BUILT_IN if model is None else model.name
        try:
            made = maker(job, query.memories, edges)
        except _Nothing as nothing:
            return TaskReport(task=query.task, why=nothing.why, args=dict(nothing.args), model=name)
        pk = self._proposals.add(
            replace(
                made,
                folder=query.folder,
                source=name,
                request_tokens=job.tokens[0],
                reply_tokens=job.tokens[1],
            )
        )
        return TaskReport(task=query.task, proposal=pk, model=name)

    def _job(
        self, reader: Reader, folder: FolderPk, model: LanguageModel | None, cancel: CancelToken | None
    ) -> _Job:
        values = FolderValues(folder_of(reader, folder).settings)
        shelf = open_shelf(reader, folder)
        sample = " ".join(f"{each.title} {each.body}" for each in shelf.known[:40])
        language = language_of(values, sample)
        return _Job(self._book, model, self._meaning(), values, folder, shelf, language, cancel)


# --- evolution -----------------------------------------------------------------------------------------------


def _evolution(job: _Job, memories: Sequence[MemoryPk], _edges: Sequence[Edge]) -> NewProposal:
    """New memories may change what their nearest neighbours say (A-MEM)."""
    if job.meaning is None:
        raise _Nothing("extract.why.no_embedder")
    known = [each for each in job.shelf.known if not each.automatic]
    wanted = set(memories)
    fresh = [each for each in known if each.pk in wanted] if wanted else _newest(known)
    if len(known) < 2 or not fresh:
        raise _Nothing("extract.why.few", (("least", 2),))
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
        raise _Nothing("extract.why.nothing_evolves")
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


def _nearest(job: _Job, each: Known, known: Sequence[Known], scores: object) -> list[tuple[Known, float]]:
    listed = [
        (other, float(score))
        for other, score in zip(known, scores, strict=True)  # type: ignore[call-overload]  # a numpy row
        if other is not each and score > 0
    ]
    listed.sort(key=lambda pair: -pair[1])
    return listed[: job.values.whole("evolution.neighbours")]


def _evolved(job: _Job, each: Known, near: Sequence[tuple[Known, float]], group: str) -> list[Part]:
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
    linked = [job.shelf.find(label) for label in _list(said.get("suggested_connections"))]
    parts = _connections(
        each, [other for other in linked if other is not None and other is not each], group, reason
    )
    for place, update in enumerate(_list(said.get("neighbor_updates")), start=1):
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
    job: _Job, old: Known, update: JsonObject, key: str, group: str, reason: Problem
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
    words = tuple(tag.strip() for tag in _list(tags) if isinstance(tag, str) and tag.strip())
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


# --- synopsis ------------------------------------------------------------------------------------------------


def _synopsis(job: _Job, _memories: Sequence[MemoryPk], _edges: Sequence[Edge]) -> NewProposal:
    """The story so far; the synopsis that is there is changed, not doubled."""
    memory_type = _needed_type(job, SYNOPSIS)
    events = job.of_type(EVENT)
    if len(events) < SYNOPSIS_EVENTS:
        raise _Nothing("extract.why.few_events", (("least", SYNOPSIS_EVENTS), ("count", len(events))))
    seq = max(each.seq for each in events)
    notes: tuple[Problem, ...] = ()
    if job.model is None:
        text = _extract(job, [each.body for each in events])
        notes = (Problem("extract.note.extractive", {}, "info"),)
    else:
        text = shown_text(job.ask(PromptTask.SYNOPSIS, _synopsis_text(job, events)).get("summary") or "")
    if not text.strip():
        raise _Nothing("extract.why.empty_reply")
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
            source=SOURCE,
        )
    else:
        part = _changed(old, "synopsis", text.strip(), fields, floor, notes)
    return NewProposal(
        kind=ProposalKind.SYNOPSIS,
        folder=job.folder,
        source="",
        parts=(part,),
        args={"end": 0 if floor is None else floor},
    )


def _needed_type(job: _Job, type_id: TypeId) -> MemoryType:
    memory_type = job.shelf.schema.type(type_id)
    if memory_type is None:
        raise _Nothing("extract.why.no_type", (("type", type_id),))
    return memory_type


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


def _synopsis_text(job: _Job, events: Sequence[Known]) -> str:
    words = frame_words(job.language)
    before = next(iter(reversed(job.of_type(SYNOPSIS))), None)
    shown = events[-SYNOPSIS_SHOWN:]
    blocks = [f"## {words['events']}", *(f"#{each.seq} {each.body}" for each in shown)]
    if before is not None and len(shown) < len(events):
        blocks = [f"## {words['synopsis']}", before.body, *blocks]
    characters = job.of_type(CHARACTER)
    if characters:
        blocks += [f"## {words['characters']}"]
        blocks += [f"{each.title}: {shown_text(each.fields.get('state') or '')}" for each in characters]
    threads = job.of_type(THREAD)
    if threads:
        blocks += [f"## {words['threads']}"]
        blocks += [f"{each.title}: {shown_text(each.fields.get('status') or '')}" for each in threads]
    return "\n".join(blocks)


def _extract(job: _Job, texts: Sequence[str], wanted: int = 5) -> str:
    """The texts' own sentences, as many as fit."""
    weights = weights_of([search_tokens(text) for text in texts])
    meaning = job.meaning
    embed = None if meaning is None else (lambda each: meaning.embed(each, job.cancel))
    return summary(list(texts), weights, embed, wanted=wanted, most_chars=BUILT_IN_CHARS)


# --- reflection ----------------------------------------------------------------------------------------------


def _reflection(job: _Job, _memories: Sequence[MemoryPk], edges: Sequence[Edge]) -> NewProposal:
    """A look back at the latest events, with relations to the newest ones."""
    _needed_type(job, REFLECTION)
    events = job.of_type(EVENT)[-REFLECTION_EVENTS:]
    if len(events) < REFLECTION_LEAST:
        raise _Nothing("extract.why.few_events", (("least", REFLECTION_LEAST), ("count", len(events))))
    notes: tuple[Problem, ...] = ()
    if job.model is None:
        said: JsonObject = {"insight": _extract(job, [each.body for each in events], wanted=2)}
        notes = (Problem("extract.note.extractive", {}, "info"),)
    else:
        said = job.ask(PromptTask.REFLECT, _reflection_text(job, events, edges))
    if not truthy(said.get("insight")):
        raise _Nothing("extract.why.empty_reply")
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


def _reflection_text(job: _Job, events: Sequence[Known], edges: Sequence[Edge]) -> str:
    words = frame_words(job.language)
    titles = {each.pk: each.title or each.body[:80] for each in job.shelf.known}
    now = system_clock()
    against = [
        f"{titles[edge.source]} <> {titles[edge.target]}"
        for edge in edges
        if lives(edge, now) and edge.source in titles and edge.target in titles
    ][-REFLECTION_CONTRADICTIONS:]
    blocks = [
        (words["events"], facts(events, job.shelf)),
        (words["characters"], facts(job.of_type(CHARACTER)[-REFLECTION_CHARACTERS:], job.shelf)),
        (words["threads"], facts(job.of_type(THREAD)[-REFLECTION_THREADS:], job.shelf)),
        (words["contradictions"], joined([f"{line}\n" for line in against])),
    ]
    return "\n\n".join(f"## {heading}\n{text}" for heading, text in blocks if text)


# --- consolidation -------------------------------------------------------------------------------------------


def _consolidation(job: _Job, _memories: Sequence[MemoryPk], _edges: Sequence[Edge]) -> NewProposal:
    """Memories of one type that say nearly the same become one, if a model (or a person) says so."""
    if job.meaning is None:
        raise _Nothing("extract.why.no_embedder")
    groups = _alike(job, job.meaning)
    parts: list[Part] = []
    kept = []
    for at, group in enumerate(groups, start=1):
        made = _consolidated(job, group, f"g{at}")
        if made:
            kept.append(PartGroup(key=f"g{at}"))
            parts += made
    if not parts:
        raise _Nothing("extract.why.nothing_alike")
    return NewProposal(
        kind=ProposalKind.CONSOLIDATION,
        folder=job.folder,
        source="",
        parts=tuple(parts),
        groups=tuple(kept),
        args={"count": sum(isinstance(part, RetirePart) for part in parts) + len(kept)},
    )


def _alike(job: _Job, meaning: Meaning) -> list[list[Known]]:
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


def _consolidated(job: _Job, group: Sequence[Known], key: str) -> list[Part]:
    notes: tuple[Problem, ...] = ()
    if job.model is None:
        keep, same, fields = group[0], list(group), dict[str, Json]()
        notes = (Problem("extract.note.by_likeness", {}, "info"),)
    else:
        words = frame_words(job.language)
        said = job.ask(PromptTask.CONSOLIDATE, f"## {words['alike']}\n{facts(group, job.shelf)}")
        shown = {each.label: each for each in group}
        listed = [job.shelf.find(label) for label in _list(said.get("same"))]
        same = [each for each in listed if each is not None and each.label in shown]
        chosen = job.shelf.find(said.get("keep"))
        keep = chosen if chosen in same and chosen is not None else (same[0] if same else group[0])
        given = said.get("fields")
        fields = dict(given) if isinstance(given, Mapping) else {}
        reason = shown_text(said.get("reason") or "")[:300]
        notes = (Problem("extract.note.reason", {"reason": reason}, "info"),) if reason else ()
    if len(same) < 2:
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


def _list(value: Json) -> list[Json]:
    return list(value) if isinstance(value, list | tuple) else []


_MAKERS: Mapping[PromptTask, Callable[[_Job, Sequence[MemoryPk], Sequence[Edge]], NewProposal]] = {
    PromptTask.EVOLVE: _evolution,
    PromptTask.SYNOPSIS: _synopsis,
    PromptTask.REFLECT: _reflection,
    PromptTask.CONSOLIDATE: _consolidation,
}
