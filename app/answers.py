"""What commands answer with, and rows of the library as JSON with stable keys (docs/CLI.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from core.domain.errors import Conflict, CuratorError, Unavailable, UserError
from core.domain.memory import Memory, TagSet
from core.domain.op_names import name_key
from core.domain.results import EdgeView, FolderNode, MemoryDetail, MemoryRow, OpInfo, Problem

LARGEST_NUMBER = 2**63 - 1
"""Of what the store can compare with."""


class Say(Protocol):
    """A text of the catalogue in the person's language."""

    def __call__(self, key: str, /, **args: object) -> str:
        """The text with its places filled."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command gives: JSON, lines for people, and whether all of it was done."""

    data: Mapping[str, Any]
    lines: tuple[str, ...] = ()
    done: bool = True


def typed_number(text: str) -> int | None:
    """The number that digits say, None for what is no number of anything in the store."""
    digits = text.strip()
    if not digits.isdecimal() or len(digits) > len(str(LARGEST_NUMBER)):  # "²" is a digit, but no number
        return None
    number = int(digits)
    return number if number <= LARGEST_NUMBER else None


def row_json(row: MemoryRow) -> dict[str, Any]:
    """One memory of a list."""
    return {
        "id": row.id,
        "type": row.type,
        "title": row.title,
        "snippet": row.snippet,
        "folder": row.folder_name,
        "layer": row.layer.value,
        "status": row.status.value,
        "importance": row.importance,
        "activation_count": row.activation_count,
        "last_activated_at": time_json(row.last_activated_at),
        "created_at": time_json(row.created_at),
        "updated_at": time_json(row.updated_at),
        "seq": row.seq,
        "level": row.level,
        "locked": row.locked,
        "trashed": row.trashed,
    }


def row_line(row: MemoryRow) -> str:
    """One memory of a list, for people: the id is whole, so that it can be copied."""
    name = row.title or row.snippet
    return f"{row.id}  {row.type:<10}  {row.importance:>4.1f}  {row.folder_name}  {one_line(name, 60)}"


def detail_json(detail: MemoryDetail) -> dict[str, Any]:
    """All of one memory."""
    memory = detail.memory
    return {
        **memory_json(memory),
        "folder": detail.folder.name,
        "tags": tags_json(detail.tags),
        "aliases": list(detail.aliases),
        "parent": None if detail.parent is None else detail.parent.id,
        "children": [child.id for child in detail.children],
        "document": detail.document_title,
        "relations": [edge_json(view) for view in detail.edges],
    }


def memory_json(memory: Memory) -> dict[str, Any]:
    """The columns of a memory."""
    return {
        "id": memory.id,
        "foreign_id": memory.foreign_id,
        "type": memory.type,
        "layer": memory.layer.value,
        "status": memory.status.value,
        "status_reason": None if memory.status_reason is None else memory.status_reason.value,
        "title": memory.title,
        "body": memory.body,
        "fields": dict(memory.fields),
        "importance": memory.importance,
        "novelty": memory.novelty,
        "activation_count": memory.activation_count,
        "last_activated_at": time_json(memory.last_activated_at),
        "seq": memory.seq,
        "seq_range": [memory.seq_start, memory.seq_end],
        "level": memory.level,
        "visibility": list(memory.visibility),
        "locked": memory.locked,
        "source": memory.source,
        "created_at": time_json(memory.created_at),
        "updated_at": time_json(memory.updated_at),
        "revision": memory.revision,
        "trashed": memory.deleted_at is not None,
    }


def tags_json(tags: TagSet) -> dict[str, list[str]]:
    """The four groups of tags."""
    return {
        "general": list(tags.general),
        "core": list(tags.core),
        "diffusion": list(tags.diffusion),
        "opposing": list(tags.opposing),
    }


def edge_json(view: EdgeView) -> dict[str, Any]:
    """One relation."""
    edge = view.edge
    return {
        "id": edge.id,
        "relation": edge.relation,
        "source_title": view.source_title,
        "target_title": view.target_title,
        "strength": edge.strength,
        "inhibits": edge.inhibits,
        "live": view.live,
        "valid_from": time_json(edge.valid_from),
        "ended": time_json(edge.invalid_from),
        "ended_seq": edge.ended_seq,
    }


def folder_json(node: FolderNode) -> dict[str, Any]:
    """One folder with its counts."""
    return {
        "name": node.folder.name,
        "kind": node.folder.kind.value,
        "character": node.folder.character,
        "memories": node.memories,
        "archived": node.archived,
        "trashed": node.trashed,
        "messages": node.messages,
        "documents": node.documents,
    }


def op_json(op: OpInfo, say: Say) -> dict[str, Any]:
    """One change of the history."""
    return {
        "op": op.id,
        "label": op.label,
        "text": op_text(op, say),
        "at": time_json(op.at),
        "by": op.actor.kind.value,
        "writer": op.actor.name,
        "role": op.role.value,
        "undoable": op.undoable,
        "undone_by": op.undone_by,
        "of": op.of,
        "model": op.args.get("model"),
        "tokens": op.args.get("tokens", 0),
        "cost": op.args.get("cost", 0),
    }


def op_text(op: OpInfo, say: Say) -> str:
    """The name of a change in words."""
    return say(f"cli.op.{op.role.value}", text=say(name_key(op), **op.args))


def problem_json(problem: Problem, say: Say) -> dict[str, Any]:
    """Something an import or a check-up found."""
    return {
        "key": problem.key,
        "severity": problem.severity,
        "text": say(problem.key, **problem.args),
        "refs": list(problem.refs),
    }


def error_json(error: CuratorError, say: Say) -> dict[str, Any]:
    """An error in words."""
    return {
        "key": error_key(error),
        "text": error_text(error, say),
        "details": error.details if isinstance(error, UserError | Conflict) else "",
    }


def error_key(error: CuratorError) -> str:
    """The text key that names the error."""
    if isinstance(error, UserError | Conflict):
        return error.key
    if isinstance(error, Unavailable):
        return error.key or "error.unavailable"
    return "error.cancelled"


def error_text(error: CuratorError, say: Say) -> str:
    """What happened, what is safe, what to do next."""
    match error:
        case UserError() | Conflict():
            return say(error.key, **error.text_args)
        case Unavailable():
            return say(error_key(error), port=error.port, **error.text_args)
        case _:
            return say("error.cancelled")


_HINTS = (
    ("conflict.undo", "partly", "cli.partly"),
    ("error.export.exists", "overwrite", "cli.hint.overwrite"),
    ("error.file.json_broken", "files", "cli.hint.partly"),
    ("error.file.chats_broken", "files", "cli.hint.partly"),
    ("error.file.sqlite_damaged_partly", "files", "cli.hint.partly"),
    ("error.folder.unknown", "create", "cli.hint.create"),
    ("error.file.is_document", "files", "cli.hint.ingest"),
    ("error.file.not_json", "files", "cli.hint.ingest"),
    ("manual.request_waits", "command", "cli.hint.manual"),
)
"""Error, an argument of the commands that have a way on, and that way."""


def hint_lines(key: str, arguments: Mapping[str, Any], say: Say) -> list[str]:
    """What to type to go on after an error, where the command line has a way of its own."""
    return [say(hint) for error, argument, hint in _HINTS if error == key and argument in arguments]


def time_json(time: datetime | None) -> str | None:
    """ISO 8601 in UTC."""
    return None if time is None else time.isoformat()


def one_line(text: str, chars: int) -> str:
    """The start of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= chars else line[: chars - 1] + "…"


def count_lines(counts: Mapping[str, int], say: Say) -> list[str]:
    """Named numbers, those that are not zero, one a line. `type.event` is shown as `type event`."""
    return [f"  {_count_name(name, say)}: {number}" for name, number in counts.items() if number]


def _count_name(name: str, say: Say) -> str:
    key = f"import.count.{name}"
    text = say(key)
    if text != key:
        return text
    what, _, value = name.rpartition(".")
    return say(f"cli.count.{what}", name=value) if what in {"type", "layer"} else value


def shown_of(shown: int, total: int, say: Say) -> Sequence[str]:
    """How many of how many are shown, when something is left out."""
    return [] if shown >= total else [say("cli.shown", shown=shown, total=total)]
