"""The command `about`: everything that is known about a name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from app.answers import (
    Answer,
    Say,
    edge_json,
    memory_json,
    one_line,
    row_json,
    row_line,
    shown_of,
    time_json,
)
from app.commands_named import folder_named, resolved
from core.domain.about import About, Condition, FoundRows, RelationGroup
from core.domain.errors import Invalid
from core.domain.ids import MemoryId, MemoryPk, is_memory_id
from core.domain.queries import MemoryRows
from core.domain.queries_sayings import EverythingAbout

if TYPE_CHECKING:
    from app.library import Library

VALUE_CHARS = 60
ALL = 2**31


def about(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """Who bears a name, what became of it, its events and relations, and every memory that names it."""
    engine, name, limit = library.engine, str(args["subject"]), int(args["limit"])
    if limit < 0:
        raise Invalid("error.cli.limit")
    folder = folder_named(engine, args["folder"]).pk if args["folder"] else None
    memory = resolved(engine, [name], args["folder"])[0] if is_memory_id(name) else None
    found = engine.ask(
        EverythingAbout(
            name="" if memory is not None else name,
            memory=memory,
            folder=folder,
            everywhere=bool(args["everywhere"]),
            limit=limit or ALL,
        )
    )
    events = [step.event for step in found.condition if step.event is not None]
    ids = {row.pk: row.id for row in engine.ask(MemoryRows(tuple(events)))}
    return Answer(_json(found, ids), tuple(_lines(found, say)))


def _json(found: About, ids: Mapping[MemoryPk, MemoryId]) -> dict[str, Any]:
    return {
        "name": found.name,
        "memory": None if found.memory is None else memory_json(found.memory) | {"folder": found.folder_name},
        "bearers": [row_json(row) for row in found.bearers],
        "names": list(found.names),
        "former_names": list(found.former),
        "condition": [_step_json(step, ids) for step in found.condition],
        "events": _rows_json(found.events),
        "relations": [_group_json(group) for group in found.relations],
        "mentions": _rows_json(found.mentions),
    }


def _step_json(step: Condition, ids: Mapping[MemoryPk, MemoryId]) -> dict[str, Any]:
    return {
        "floor": step.floor,
        "column": step.column,
        "before": step.before,
        "after": step.after,
        "at": time_json(step.at),
        "event": None if step.event is None else ids.get(step.event),
        "op": step.op,
    }


def _rows_json(found: FoundRows) -> dict[str, Any]:
    return {
        "total": found.total,
        "exact": found.exact,
        "shown": len(found.rows),
        "items": [row_json(row) for row in found.rows],
    }


def _group_json(group: RelationGroup) -> dict[str, Any]:
    items = [edge_json(view) for view in (*group.live, *group.past)]
    return {"relation": group.relation, "total": group.total, "items": items}


def _lines(found: About, say: Say) -> Iterator[str]:
    if found.memory is None:
        yield say("cli.about.nobody", name=found.name)
    else:
        yield f"{found.memory.shown_title}  {found.memory.id}  {found.memory.type}  {found.folder_name}"
    if len(found.names) > 1:
        yield f"{say('cli.about.names')}: {', '.join(found.names)}"
    if found.former:
        yield f"{say('cli.about.former')}: {', '.join(found.former)}"
    if len(found.bearers) > 1:
        yield from _part(say("cli.about.bearers"), (row_line(row) for row in found.bearers[1:]))
    yield from _part(say("cli.about.condition"), (_step_line(step, say) for step in found.condition))
    yield from _part(say("cli.about.events"), (row_line(row) for row in found.events.rows))
    yield from _part(say("cli.about.relations"), _relation_lines(found))
    yield from _part(say("cli.about.mentions"), (row_line(row) for row in found.mentions.rows))
    yield from shown_of(len(found.mentions.rows), found.mentions.total, say)


def _part(heading: str, lines: Iterator[str]) -> Iterator[str]:
    listed = list(lines)
    if listed:
        yield from ("", f"{heading}:", *(f"  {line}" for line in listed))


def _step_line(step: Condition, say: Say) -> str:
    floor = "—" if step.floor is None else say("cli.about.floor", floor=step.floor)
    before, after = one_line(step.before, VALUE_CHARS), one_line(step.after, VALUE_CHARS)
    return f"{floor}  {step.column}: {before} -> {after}"


def _relation_lines(found: About) -> Iterator[str]:
    for group in found.relations:
        for view in (*group.live, *group.past):
            ends = f"{one_line(view.source_title, VALUE_CHARS)} → {one_line(view.target_title, VALUE_CHARS)}"
            yield f"{group.relation}  {ends}{'' if view.live else '  †'}"
