"""Commands that read: list, search, show, folders, searches, history, verify."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.answers import (
    Answer,
    Say,
    detail_json,
    folder_json,
    one_line,
    op_json,
    op_text,
    problem_json,
    row_json,
    row_line,
    shown_of,
)
from app.commands_named import folder_named, resolved
from core.domain import queries as q
from core.domain import queries_history as qy
from core.domain import queries_index as qi
from core.domain import queries_search as qf
from core.domain.enums import Layer, Status
from core.domain.errors import Invalid
from core.domain.ids import MemoryPk, TypeId
from core.domain.memory import Memory
from core.domain.results import MemoryDetail

if TYPE_CHECKING:
    from app.library import Library
    from core.domain.api import EngineApi

ALL = 2**63 - 1
"""As many as there are."""


def list_memories(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """Memories that pass the filters and the search, in order."""
    text = args["text"] or ""
    if args["saved"] is not None:
        text = _with_words(library.engine.ask(qf.SavedSearchNamed(args["saved"])).text, text)
    where = _filter(library.engine, args, text=text)
    sort = q.Sort(q.SortKey(args["sort"]), descending=not args["ascending"])
    return _listed(library.engine, library.engine.ask(q.ListMemories(where, sort)), args, say)


def _with_words(saved: str, words: str) -> str:
    """A saved search with more words. One with a `~` cannot stand in brackets, and needs none."""
    return f"{saved} {words}" if not words or "~" in saved else f"({saved}) {words}"


def search(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """Memories that hold the words, or are near the text in meaning; best first."""
    engine = library.engine
    if args["meaning"]:
        limit = _limit(args) or engine.ask(q.Counts()).memories
        hits = dict(engine.ask(qi.SearchByMeaning(args["text"], limit, _filter(engine, args, text=""))))
        return _listed(engine, list(hits), args, say, hits)
    where = _filter(engine, args, text=args["text"])
    return _listed(engine, engine.ask(q.ListMemories(where, q.Sort(q.SortKey.RELEVANCE))), args, say)


def _limit(args: Mapping[str, Any]) -> int:
    """How many to show, 0 = all. Errors: Invalid."""
    limit: int = args["limit"]
    if limit < 0:
        raise Invalid("error.cli.limit")
    return limit


def _listed(
    engine: EngineApi,
    pks: Sequence[int],
    args: Mapping[str, Any],
    say: Say,
    scores: Mapping[MemoryPk, float] | None = None,
) -> Answer:
    limit = _limit(args)
    page = pks[:limit] if limit else pks
    rows = engine.ask(q.MemoryRows(tuple(MemoryPk(pk) for pk in page)))
    items = [row_json(row) for row in rows]
    if scores is not None:
        items = [item | {"score": round(scores[row.pk], 4)} for item, row in zip(items, rows, strict=True)]
    lines = [row_line(row) for row in rows] or [say("cli.nothing_found")]
    data = {"total": len(pks), "shown": len(rows), "items": items}
    return Answer(data, (*lines, *shown_of(len(rows), len(pks), say)))


def _filter(engine: EngineApi, args: Mapping[str, Any], text: str) -> q.MemoryFilter:
    types = frozenset(TypeId(name) for name in args["type"] or ())
    known = {item.id for item in engine.ask(q.LibrarySchema()).types} if types else set()
    if unknown := sorted(types - known):
        raise Invalid("error.schema.type_unknown", type=unknown[0], known=", ".join(sorted(known)))
    folders = frozenset({folder_named(engine, args["folder"]).pk} if args["folder"] else ())
    return q.MemoryFilter(
        text=text,
        language=True,
        folders=folders,
        with_subfolders=args["subfolders"],
        types=types,
        layers=frozenset(Layer(name) for name in args["layer"] or ()),
        statuses=frozenset(Status(name) for name in args["status"] or ()),
        tags=tuple((None, tag) for tag in args["tag"] or ()),
        importance_min=args["min_importance"],
        locked=True if args["locked"] else None,
        trash=q.TrashScope(args["trash"]),
    )


def show(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """All of some memories."""
    details = [
        library.engine.ask(q.MemoryDetailOf(pk))
        for pk in resolved(library.engine, args["ids"], args["folder"])
    ]
    lines = [line for detail in details for line in (*_detail_lines(detail, say), "")]
    return Answer({"items": [detail_json(detail) for detail in details]}, tuple(lines[:-1]))


def _detail_lines(detail: MemoryDetail, say: Say) -> list[str]:
    memory = detail.memory
    lines = [
        f"{memory.named}",
        f"{memory.id}  {memory.type}  {memory.layer.value}  {memory.status.value}  {detail.folder.name}",
    ]
    if memory.body:
        lines += ["", memory.body, ""]
    lines += [f"{name}: {value}" for name, value in memory.fields.items()]
    groups = (detail.tags.general, detail.tags.core, detail.tags.diffusion, detail.tags.opposing)
    names = ("general", "core", "diffusion", "opposing")
    lines += [
        f"{say('cli.tags.' + name)}: {', '.join(tags)}"
        for name, tags in zip(names, groups, strict=True)
        if tags
    ]
    lines += [f"{say(key)}: {value}" for key, value in _standing(detail).items() if value]
    lines += [
        f"{view.source_title} —{view.edge.relation}→ {view.target_title}"
        + ("" if view.live else f" ({say('cli.past')})")
        for view in detail.edges
    ]
    return lines


def _standing(detail: MemoryDetail) -> dict[str, str]:
    """What else a person wants to know of a memory, by text key; empty = nothing to say."""
    memory = detail.memory
    deleted = memory.deleted_at
    return {
        "value.aliases": ", ".join(detail.aliases),
        "value.importance": f"{memory.importance:g}",
        "value.seq": _floors(memory),
        "value.visibility": ", ".join(memory.visibility),
        "value.status_reason": "" if memory.status_reason is None else memory.status_reason.value,
        "value.locked": "✓" if memory.locked else "",
        "value.deleted_at": "" if deleted is None else f"{deleted.astimezone():%Y-%m-%d %H:%M}",
        "value.parent": "" if detail.parent is None else detail.parent.id,
        "value.document": detail.document_title or "",
        "value.source": memory.source,
        "detail.foreign_id": memory.foreign_id or "",
    }


def _floors(memory: Memory) -> str:
    if memory.seq_start is not None and memory.seq_end is not None and memory.seq_start != memory.seq_end:
        return f"{memory.seq_start} … {memory.seq_end}"
    return "" if memory.seq is None else str(memory.seq)


def folders(library: Library, _args: Mapping[str, Any], say: Say) -> Answer:
    """All folders with their counts."""
    nodes = library.engine.ask(q.Folders())
    lines = [f"{node.folder.name}  {node.memories}" for node in nodes]
    data = {"items": [folder_json(node) for node in nodes]}
    return Answer(data, tuple(lines) or (say("cli.nothing_found"),))


def searches(library: Library, _args: Mapping[str, Any], say: Say) -> Answer:
    """Saved searches, with how many memories each finds, as far as that is quickly known."""
    engine = library.engine
    found, counts = engine.ask(qf.SavedSearches()), engine.ask(qf.SavedSearchCounts())
    lines = [f"{each.name}  {counts.get(each.pk, '')}".rstrip() + f"  {each.text}" for each in found]
    items = [{"name": each.name, "text": each.text, "memories": counts.get(each.pk)} for each in found]
    return Answer({"items": items}, tuple(lines) or (say("cli.nothing_found"),))


def history(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """Changes, newest first."""
    entries = library.engine.ask(qy.History(_limit(args) or ALL))
    items = [op_json(entry.op, say) | {"rows": entry.rows, "memories": entry.memories} for entry in entries]
    lines = [
        f"{entry.op.id:>6}  {entry.op.at.astimezone():%Y-%m-%d %H:%M}  {one_line(op_text(entry.op, say), 80)}"
        + ("" if entry.op.undone_by is None else f" ({say('cli.undone')})")
        for entry in entries
    ]
    return Answer({"items": items}, tuple(lines) or (say("cli.nothing_found"),))


def verify(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """Whether the store is whole and the index equals it; with `package` whether that file is whole."""
    if args.get("package"):
        from app.commands_transfer import verify_package

        return verify_package(library, Path(args["package"]), say)
    report = library.engine.ask(qi.Verify())
    data = {
        "healthy": report.healthy,
        "checked": report.checked,
        "index": report.index,
        "waiting_for_index": report.waiting,
        "without_vector": report.without_vector,
        "missing_in_index": len(report.missing_in_index),
        "extra_in_index": len(report.extra_in_index),
        "differing": len(report.differing),
        "self_query_failed": len(report.self_query_failed),
        "problems": [problem_json(problem, say) for problem in report.problems],
    }
    lines = [say("cli.verify.healthy" if report.healthy else "cli.verify.ill", count=report.checked)]
    lines += [f"  {say(problem.key, **problem.args)}" for problem in report.problems]
    wrong = len(report.missing_in_index) + len(report.extra_in_index) + len(report.differing)
    if wrong:
        lines.append(say("cli.verify.index", count=wrong))
    if report.waiting:
        lines.append(say("cli.verify.waiting", count=report.waiting))
    return Answer(data, tuple(lines), done=report.healthy)
