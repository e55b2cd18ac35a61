"""Commands that change a library: edit, move, trash, restore, undo, redo; and rebuild of the index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from app.answers import Answer, Say, op_json, op_text
from app.commands_named import folder_named, resolved
from core.domain import commands as c
from core.domain import commands_folders as cf
from core.domain import queries as q
from core.domain.enums import Layer
from core.domain.errors import Invalid, NotFound
from core.domain.ids import FolderPk, OpId, TypeId
from core.domain.json_types import Json
from core.domain.memory import Memory
from core.domain.results import OpResult, UndoResult
from core.domain.schema import ColumnFormat, MemoryType

if TYPE_CHECKING:
    from app.library import Library
    from core.domain.api import EngineApi


def edit(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """Change what a memory says."""
    engine = library.engine
    pk = resolved(engine, [args["id"]], args["folder"])[0]
    detail = engine.ask(q.MemoryDetailOf(pk))
    schema = engine.ask(q.LibrarySchema())
    memory_type = schema.type(args["type"] or detail.memory.type)
    tags = detail.tags
    command = c.EditMemory(
        memory=pk,
        title=_or_unset(args["title"]),
        body=_or_unset(args["body"]),
        fields=_fields(args["set"], memory_type, detail.memory) if args["set"] else c.UNSET,
        type=c.UNSET if args["type"] is None else TypeId(args["type"]),
        importance=c.UNSET if args["importance"] is None else args["importance"],
        layer=c.UNSET if args["layer"] is None else Layer(args["layer"]),
        tags=c.UNSET
        if args["tag"] is None
        else type(tags)(tuple(args["tag"]), tags.core, tags.diffusion, tags.opposing),
    )
    return _changed(engine.run(command), say)


def _or_unset(value: str | None) -> str | c.Unset:
    return c.UNSET if value is None else value


def _fields(assignments: list[str], memory_type: MemoryType | None, memory: Memory) -> dict[str, Json]:
    """Values by column from `column=value`; an empty value removes.

    Errors: Invalid, also for a name that neither the type nor the memory knows: a slip of the keys.
    """
    columns = {} if memory_type is None else {column.name: column for column in memory_type.columns}
    fields: dict[str, Json] = {}
    for text in assignments:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise Invalid("error.cli.assignment", text=text)
        column = columns.get(name)
        if memory_type is not None and column is None and name not in memory.fields:
            known = ", ".join(columns)
            raise Invalid("error.cli.column", type=memory_type.id, column=name, known=known)
        fields[name] = _value(value, None if column is None else column.format)
    return fields


def _value(text: str, form: ColumnFormat | None) -> Json:
    if not text:
        return None
    if form in {ColumnFormat.NUMBER, ColumnFormat.TIME}:
        try:
            return float(text)
        except ValueError:
            return text  # the engine says in words that it is no number
    if form is ColumnFormat.LIST:
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


def move(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """Move memories to a folder."""
    engine = library.engine
    memories = resolved(engine, args["ids"], args["folder"])
    target = _target(engine, args["to"], create=args["create"])
    command = c.MoveMemories(memories=memories, folder=target, border=c.Border(args["border"]))
    return _changed(engine.run(command), say)


def _target(engine: EngineApi, name: str, *, create: bool) -> FolderPk:
    try:
        return folder_named(engine, name).pk
    except NotFound:
        if not create:
            raise
    made = engine.run(cf.CreateFolder(name)).created_folder
    return folder_named(engine, name).pk if made is None else made


def trash(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """Into the trash."""
    memories = resolved(library.engine, args["ids"], args["folder"])
    return _changed(library.engine.run(c.TrashMemories(memories=memories)), say)


def restore(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """Back out of the trash."""
    memories = resolved(library.engine, args["ids"], args["folder"])
    return _changed(library.engine.run(c.UntrashMemories(memories=memories)), say)


def _changed(result: OpResult, say: Say) -> Answer:
    data = {
        "op": None if result.op is None else result.op.id,
        "changed": result.changed,
        "counts": dict(result.counts),
    }
    if result.op is None:
        return Answer(data, (say("cli.unchanged"),))
    lines = [say("cli.changed", text=op_text(result.op, say), op=result.op.id)]
    if followed := result.counts.get("followed"):
        lines.append(say("cli.followed", count=followed))
    return Answer(data, tuple(lines))


def undo(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """Undo this program's newest change, or the one named."""
    op = None if args["op"] is None else OpId(args["op"])
    return _undone(library.engine.undo(op, partly=args["partly"]), say)


def redo(library: Library, _args: Mapping[str, Any], say: Say) -> Answer:
    """Bring back what was undone last."""
    return _undone(library.engine.redo(), say)


def _undone(result: UndoResult, say: Say) -> Answer:
    data = {
        "op": result.op.id,
        "of": op_json(result.of, say),
        "restored": result.restored,
        "conflicts": [
            {"kind": item.kind.value, "title": item.title, "columns": list(item.columns)}
            for item in result.conflicts
        ],
    }
    lines = [say("cli.changed", text=op_text(result.op, say), op=result.op.id)]
    if result.conflicts:
        lines.append(say("cli.left_alone", count=len(result.conflicts)))
    return Answer(data, tuple(lines))


def rebuild(library: Library, _args: Mapping[str, Any], say: Say) -> Answer:
    """The vector index anew from the store."""
    result = library.rebuild()
    data = {
        "indexed": result.done,
        "embedded": result.embedded,
        "failed": len(result.failed),
        "waiting_for_index": result.waiting,
    }
    line = say("cli.rebuilt", count=result.done, embedded=result.embedded)
    return Answer(data, (line,), done=not result.failed)
