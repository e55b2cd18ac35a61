"""Parts and groups of proposals as JSON, and back; older data reads with the defaults of what it lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from core.domain.enums import Layer, StatusReason
from core.domain.ids import EdgePk, MemoryPk, RelationId, TypeId
from core.domain.json_types import Json
from core.domain.memory import DEFAULT_IMPORTANCE, TagSet
from core.domain.proposal import (
    ChangePart,
    CreatePart,
    End,
    EndLinkPart,
    LinkPart,
    Part,
    PartGroup,
    RetirePart,
)
from core.domain.results import Problem

_KINDS: Mapping[type[Any], str] = {
    CreatePart: "create",
    ChangePart: "change",
    RetirePart: "retire",
    LinkPart: "link",
    EndLinkPart: "end_link",
}
PART_KINDS = tuple(_KINDS.values())


def part_kind(part: Part) -> str:
    """The word under which a kind of part is kept."""
    return _KINDS[type(part)]


def memory_of(part: Part) -> MemoryPk | None:
    """The memory that is there already and that a part is about."""
    end = part.memory if isinstance(part, ChangePart | RetirePart) else None
    return end if isinstance(end, int) else None


def problem_json(problem: Problem) -> dict[str, Json]:
    """A problem as JSON."""
    return {
        "key": problem.key,
        "args": dict(problem.args),
        "severity": problem.severity,
        "refs": list(problem.refs),
    }


def problems_of(value: Any) -> tuple[Problem, ...]:
    """The problems of a JSON list; what is none is left out."""
    return tuple(
        Problem(
            item["key"],
            item.get("args") or {},
            item.get("severity", "warning"),
            tuple(item.get("refs") or ()),
        )
        for item in _list(value)
        if isinstance(item, Mapping) and isinstance(item.get("key"), str)
    )


def group_json(group: PartGroup) -> dict[str, Json]:
    """A group as JSON."""
    return {
        "key": group.key,
        "start": group.start,
        "end": group.end,
        "through": group.through,
        "runs": group.runs,
        "problems": [problem_json(problem) for problem in group.problems],
    }


def group_of(data: Mapping[str, Any]) -> PartGroup:
    """The group of such an object."""
    return PartGroup(
        key=str(data.get("key", "")),
        start=data.get("start"),
        end=data.get("end"),
        through=data.get("through"),
        runs=int(data.get("runs") or 0),
        problems=problems_of(data.get("problems")),
    )


def part_json(part: Part) -> dict[str, Json]:
    """What a part says, without key, group, tick and kind (they are columns)."""
    data: dict[str, Json]
    match part:
        case CreatePart():
            data = _create_json(part)
        case ChangePart():
            data = _change_json(part)
        case RetirePart():
            data = {
                "memory": part.memory,
                "revision": part.revision,
                "reason": part.reason.value,
                "into": part.into,
            }
        case LinkPart():
            data = {
                "source": part.source,
                "target": part.target,
                "relation": part.relation,
                "strength": part.strength,
                "floor": part.floor,
            }
        case EndLinkPart():
            data = {"edge": part.edge, "floor": part.floor}
    return data | {"notes": [problem_json(note) for note in part.notes]}


def _tags_json(tags: TagSet) -> dict[str, Json]:
    groups = {
        "general": tags.general,
        "core": tags.core,
        "diffusion": tags.diffusion,
        "opposing": tags.opposing,
    }
    return {name: list(values) for name, values in groups.items() if values}


def _create_json(part: CreatePart) -> dict[str, Json]:
    return {
        "type": part.type,
        "title": part.title,
        "body": part.body,
        "fields": dict(part.fields),
        "layer": None if part.layer is None else part.layer.value,
        "importance": part.importance,
        "tags": _tags_json(part.tags),
        "aliases": list(part.aliases),
        "seq": part.seq,
        "seq_start": part.seq_start,
        "seq_end": part.seq_end,
        "visibility": list(part.visibility),
        "level": part.level,
        "sums": list(part.sums),
        "seen": list(part.seen),
        "source": part.source,
    }


def _change_json(part: ChangePart) -> dict[str, Json]:
    return {
        "memory": part.memory,
        "revision": part.revision,
        "title": part.title,
        "body": part.body,
        "fields": dict(part.fields),
        "tags": None if part.tags is None else _tags_json(part.tags),
        "aliases": None if part.aliases is None else list(part.aliases),
        "importance": part.importance,
        "visibility": None if part.visibility is None else list(part.visibility),
        "floor": part.floor,
        "update_event": part.update_event,
        "temporal_source": part.temporal_source,
        "temporal_strength": part.temporal_strength,
    }


def part_of(kind: str, key: str, group: str, ticked: bool, data: Mapping[str, Any]) -> Part:
    """The part of a row. Errors: ValueError, KeyError or TypeError for what is none."""
    base: dict[str, Any] = {
        "key": key,
        "group": group,
        "ticked": ticked,
        "notes": problems_of(data.get("notes")),
    }
    return _READERS[kind](base, data)


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(item for item in _list(value) if isinstance(item, str))


def _tags(value: Any) -> TagSet:
    groups: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    return TagSet(**{name: _texts(groups.get(name)) for name in ("general", "core", "diffusion", "opposing")})


def _end(value: Any) -> End:
    return MemoryPk(value) if isinstance(value, int) else str(value)


def _ends(values: Iterable[Any]) -> tuple[End, ...]:
    return tuple(_end(value) for value in values)


def _create(base: dict[str, Any], data: Mapping[str, Any]) -> Part:
    layer = data.get("layer")
    return CreatePart(
        **base,
        type=TypeId(data["type"]),
        title=data.get("title") or "",
        body=data.get("body") or "",
        fields=data.get("fields") or {},
        layer=None if layer is None else Layer(layer),
        importance=float(data.get("importance", DEFAULT_IMPORTANCE)),
        tags=_tags(data.get("tags")),
        aliases=_texts(data.get("aliases")),
        seq=data.get("seq"),
        seq_start=data.get("seq_start"),
        seq_end=data.get("seq_end"),
        visibility=_texts(data.get("visibility")),
        level=int(data.get("level") or 0),
        sums=_ends(_list(data.get("sums"))),
        seen=tuple(map(int, _list(data.get("seen")))),
        source=data.get("source") or "",
    )


def _change(base: dict[str, Any], data: Mapping[str, Any]) -> Part:
    source = data.get("temporal_source")
    return ChangePart(
        **base,
        memory=_end(data["memory"]),
        revision=data.get("revision"),
        title=data.get("title"),
        body=data.get("body"),
        fields=data.get("fields") or {},
        tags=None if data.get("tags") is None else _tags(data["tags"]),
        aliases=None if data.get("aliases") is None else _texts(data["aliases"]),
        importance=data.get("importance"),
        visibility=None if data.get("visibility") is None else _texts(data["visibility"]),
        floor=data.get("floor"),
        update_event=bool(data.get("update_event")),
        temporal_source=None if source is None else _end(source),
        temporal_strength=float(data.get("temporal_strength", 0.95)),
    )


def _retire(base: dict[str, Any], data: Mapping[str, Any]) -> Part:
    return RetirePart(
        **base,
        memory=_end(data["memory"]),
        revision=data.get("revision"),
        reason=StatusReason(data.get("reason") or StatusReason.REMOVED_BY_MODEL),
        into=None if data.get("into") is None else _end(data["into"]),
    )


def _link(base: dict[str, Any], data: Mapping[str, Any]) -> Part:
    return LinkPart(
        **base,
        source=_end(data["source"]),
        target=_end(data["target"]),
        relation=RelationId(data["relation"]),
        strength=float(data.get("strength", 0.8)),
        floor=data.get("floor"),
    )


def _end_link(base: dict[str, Any], data: Mapping[str, Any]) -> Part:
    return EndLinkPart(**base, edge=EdgePk(data["edge"]), floor=data.get("floor"))


_READERS: Mapping[str, Callable[[dict[str, Any], Mapping[str, Any]], Part]] = {
    "create": _create,
    "change": _change,
    "retire": _retire,
    "link": _link,
    "end_link": _end_link,
}
