"""New memories that look like old ones: a model says which they are (spec/STBME §3.5).

We differ: only memories of the same type are compared, the three nearest are shown, the threshold belongs to the
embedder (the spec's 0.85 only where the folder asks for it), and a new fact may end an old one without losing it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.algos.js_values import text as shown_text
from core.algos.vectors import Matrix, cosines
from core.domain.enums import StatusReason
from core.domain.ids import RelationId
from core.domain.json_types import Json, JsonObject
from core.domain.proposal import ChangePart, CreatePart, LinkPart, Part, RetirePart
from core.domain.results import Problem
from core.domain.schema import ColumnRole, MemoryType
from core.services.extract.meaning import Meaning
from core.services.extract.shelf import Known, Shelf

NEIGHBOURS = 3
TEMPORAL = RelationId("temporal_update")
_REPLACED_STRENGTH = 0.95
VERDICT_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["create", "update", "replace", "skip"]},
        "targetId": {"type": "string"},
        "mergedFields": {"type": "object"},
        "reason": {"type": "string"},
    },
    "required": ["action"],
}
_ACTIONS: Mapping[str, str] = {
    **dict.fromkeys(("create", "add", "new"), "create"),
    **dict.fromkeys(("update", "merge"), "update"),
    **dict.fromkeys(("replace", "delete", "supersede", "contradict"), "replace"),
    **dict.fromkeys(("skip", "none", "noop", "same"), "skip"),
}


@dataclass(frozen=True, slots=True)
class Likeness:
    """A new memory with the old ones that it looks like, the nearest first."""

    part: CreatePart
    near: tuple[tuple[Known, float], ...]


Judge = Callable[[Likeness], "JsonObject | None"]
"""What a model says of them; None when it does not answer, or when there is no model."""


def checked_parts(
    parts: Sequence[Part], shelf: Shelf, meaning: Meaning, threshold: float, judge: Judge | None
) -> list[Part]:
    """The parts with each new memory that is an old one made into a change, or left without a tick.

    Without a judge the likeness is noted and a person decides. Errors: Unavailable("embedder"), Cancelled.
    """
    found: list[Part] = []
    for part in parts:
        likeness = _likeness(part, shelf, meaning, threshold) if isinstance(part, CreatePart) else None
        found += [part] if likeness is None else _judged(likeness, shelf, judge)
    return found


def _likeness(part: CreatePart, shelf: Shelf, meaning: Meaning, threshold: float) -> Likeness | None:
    others = [each for each in shelf.known if each.type == part.type and not each.automatic]
    if not others or not part.ticked:
        return None
    bank: Matrix = meaning.of([(each, each.type) for each in others], shelf.schema)
    vector = meaning.of([(part, part.type)], shelf.schema)[0]
    scores = cosines(vector, bank)
    order = (-scores).argsort(kind="stable")[:NEIGHBOURS]
    near = tuple((others[at], float(scores[at])) for at in order.tolist() if scores[at] > threshold)
    return Likeness(part, near) if near else None


def _judged(likeness: Likeness, shelf: Shelf, judge: Judge | None) -> list[Part]:
    part, (best, score) = likeness.part, likeness.near[0]
    said = judge(likeness) if judge is not None else None
    shown: dict[str, Json] = {"title": (best.title or best.body)[:80], "percent": round(100 * score)}
    if said is None:
        return [replace(part, notes=(*part.notes, Problem("extract.note.looks_like", shown)))]
    action = _ACTIONS.get(str(said.get("action", said.get("event", ""))).strip().lower(), "create")
    target = _target(said, likeness)
    if action == "create" or target is None:
        return [part]
    if action == "skip":
        return [replace(part, ticked=False, notes=(*part.notes, Problem("extract.note.said_same", shown)))]
    if target.locked:
        note = Problem("extract.note.locked", {"title": target.title or target.body[:60]})
        return [replace(part, notes=(*part.notes, note))]
    if action == "replace":
        return _replacing(part, target, shown)
    return [_changing(part, target, shelf.schema.type(part.type), said)]


def _target(said: JsonObject, likeness: Likeness) -> Known | None:
    """The old memory that was meant; it must be one of those that were shown."""
    given = str(said.get("targetId", said.get("id", ""))).strip().strip("[]").upper()
    shown = {each.label: each for each, _ in likeness.near}
    if given in shown:
        return shown[given]
    return likeness.near[0][0] if len(shown) == 1 or not given else None


def _replacing(part: CreatePart, old: Known, shown: dict[str, Json]) -> list[Part]:
    """The new memory stays; the old one ends, and the new one leads to it."""
    note = Problem("extract.note.replaces", shown, "info")
    return [
        replace(part, notes=(*part.notes, note)),
        LinkPart(
            key=f"{part.key}:over",
            group=part.group,
            source=part.key,
            target=old.end,
            relation=TEMPORAL,
            strength=_REPLACED_STRENGTH,
            floor=part.seq,
        ),
        RetirePart(
            key=f"{part.key}:old",
            group=part.group,
            notes=(note,),
            memory=old.end,
            revision=old.revision,
            reason=StatusReason.REMOVED_BY_MODEL,
        ),
    ]


def _changing(part: CreatePart, old: Known, memory_type: MemoryType | None, said: JsonObject) -> Part:
    """The create as a change of the old memory, under the same key, so that relations to it hold."""
    merged = said.get("mergedFields")
    extra = dict(merged) if isinstance(merged, Mapping) else {}
    title_column = memory_type.column_of(ColumnRole.TITLE) if memory_type else None
    body_column = memory_type.column_of(ColumnRole.BODY) if memory_type else None
    title = shown_text(extra.pop(title_column.name, "")) if title_column else ""
    body = shown_text(extra.pop(body_column.name, "")) if body_column else ""
    known = {column.name for column in memory_type.field_columns} if memory_type else set()
    fields = {**part.fields, **{name: value for name, value in extra.items() if name in known}}
    note = Problem("extract.note.is_known", {"title": (old.title or old.body)[:80]}, "info")
    new_body = body or part.body
    return ChangePart(
        key=part.key,
        group=part.group,
        ticked=part.ticked,
        notes=(*part.notes, note),
        memory=old.end,
        revision=old.revision,
        title=title if title and title != old.title else None,
        body=new_body if new_body and new_body != old.body else None,
        fields={name: value for name, value in fields.items() if old.fields.get(name) != value},
        floor=part.seq,
        update_event=True,
    )
