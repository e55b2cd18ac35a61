"""Checks of kind `stbme_booku`: each key of a sidecar's `checks` has one function, whatever the case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.adapters.formats.values import epoch_ms
from core.domain.enums import Status
from core.domain.ids import TypeId
from core.domain.memory import visible_to
from tests.cases.desk import Imported, import_case
from tests.cases.recipes import RECIPES
from tests.cases.sidecar import Case

REJECTED = ("import.problem.edge_dangling", "import.problem.edge_self", "import.problem.edge_half")
VIEWERS = {"erin": "艾琳", "bo": "博", "passerby": "路人"}
Check = Callable[[Imported, Any], str | None]


def check_stbme_booku(case: Case, work: Path) -> list[str] | None:
    """Faults of a case; None when there are none and one of its keys cannot be checked here."""
    recipe = case.recipe()
    if recipe is not None:
        run = next((RECIPES[name] for name in _names(recipe) if name in RECIPES), None)
        return None if run is None else run(recipe, case.checks, work)
    known = {key: expected for key, expected in case.checks.items() if key in CHECKS}
    imported = import_case(case, work)
    faults = [fault for key, expected in known.items() if (fault := CHECKS[key](imported, expected))]
    if imported.changed_files:
        faults.append(f"files changed: {imported.changed_files}")
    if imported.untold:
        faults.append(f"no text for {imported.untold}")
    if "errors" not in case.checks and imported.errors:
        faults.append(f"refused: {imported.errors}")
    return faults if faults or known.keys() == case.checks.keys() else None


def _names(recipe: Mapping[str, Any]) -> list[str]:
    """What a recipe or scenario is about: its name, or its operations joined."""
    return [str(recipe.get("recipe")), "+".join(step["op"] for step in recipe.get("steps", []))]


def _equal(what: str, value: object, expected: object) -> str | None:
    return None if value == expected else f"{what}: {value!r}, expected {expected!r}"


def _nodes(found: Imported, expected: Any) -> str | None:
    return _equal("memories", len(found.memories), expected)


def _live_deleted(found: Imported, expected: Any) -> str | None:
    return _equal("in the trash", sum(m.deleted_at is not None for m in found.memories), expected)


def _edges(found: Imported, expected: Any) -> str | None:
    return _equal("edges", len(found.edges), expected)


def _rejected(found: Imported, expected: Any) -> str | None:
    rejected = sorted(found.refs(*REJECTED))
    return _equal("rejected", len(rejected) if isinstance(expected, int) else rejected, expected)


def _merged(found: Imported, expected: Any) -> str | None:
    pairs = found.pairs("import.problem.edge_merged")
    return _equal("merged", len(pairs) if isinstance(expected, int) else pairs, expected)


def _numbers(name: str) -> Check:
    """The first values of all memories or edges, or the value that all of them have."""

    def check(found: Imported, expected: Any) -> str | None:
        rows = found.edges if name == "strength" else found.memories
        values = [getattr(row, name) for row in rows]
        if isinstance(expected, list):
            return _equal(name, values[: len(expected)], expected)
        return _equal(name, set(values), {expected})

    return check


def _warnings(found: Imported, expected: Any) -> str | None:
    number = sum(p.severity == "warning" for plan in found.plans for p in plan.problems)
    return None if number >= expected else f"{number} warnings, expected {expected} or more"


def _visible(viewer: str) -> Check:
    def check(found: Imported, expected: Any) -> str | None:
        seen = [index for index, memory in enumerate(found.memories) if visible_to(memory, viewer)]
        return _equal(f"visible to {viewer}", seen, expected)

    return check


def _paths(found: Imported, expected: Any) -> str | None:
    scopes = [memory.extra.get("scope") for memory in found.memories]
    paths = [scope.get("region_path") if isinstance(scope, dict) else None for scope in scopes]
    if any("{" in str(part) or "[object" in str(part) for path in paths for part in path or []):
        return f"a repr among the regions: {paths}"
    return _equal("paths", paths[: len(expected)], expected)


def _layers(found: Imported, expected: Any) -> str | None:
    layers = {name: found.count(f"layer.{name}") for name in expected}
    return _equal("layers", layers, expected)


def _counted(key: str) -> Check:
    return lambda found, expected: _equal(key, found.count(key), expected)


def _archived(found: Imported, expected: Any) -> str | None:
    return _equal("archived", sum(m.status is Status.ARCHIVED for m in found.memories), expected)


def _duplicates(found: Imported, expected: Any) -> str | None:
    missing = [pair for pair in expected if pair not in found.pairs("import.problem.doubles")]
    ids = Counter(memory.foreign_id for memory in found.memories)
    gone = [ref for pair in expected for ref in pair if not ids[ref]]
    return f"not offered {missing}, merged away {gone}" if missing or gone else None


def _day(found: Imported, expected: Any) -> str | None:
    days = {
        datetime.fromtimestamp(value, UTC).date().isoformat()
        for memory in found.memories
        for value in (memory.fields.get("event_start_at"), memory.fields.get("event_end_at"))
        if isinstance(value, float)
    } | {memory.created_at.date().isoformat() for memory in found.memories}
    return None if expected in days else f"no time on {expected} among {sorted(days)}"


def _unchanged(found: Imported, expected: Any) -> str | None:
    return f"files changed: {found.changed_files}" if found.changed_files else None


def _errors(found: Imported, expected: Any) -> str | None:
    return _equal("errors", len(found.errors), expected)


def _starts(found: Imported, expected: Any) -> str | None:
    """Start of the first edges, or of the edges named, in epoch milliseconds."""
    starts = {edge.foreign_id: epoch_ms(edge.valid_from or edge.created_at) for edge in found.edges}
    if isinstance(expected, dict):
        return _equal("starts", {name: starts.get(name) for name in expected}, expected)
    wanted = expected if isinstance(expected, list) else [expected]
    return _equal("starts", list(starts.values())[: len(wanted)], wanted)


def _active(found: Imported, expected: Any) -> str | None:
    live = [m for m in found.memories if m.status is Status.ACTIVE and m.deleted_at is None]
    return _equal("active", len(live), expected)


def _last_floor(found: Imported, expected: Any) -> str | None:
    return _equal("last floor", [b.folder.last_processed_seq for b in found.bundles], [expected])


def _asked(found: Imported, expected: Any) -> str | None:
    return _equal("asks first", any(plan.needs_confirmation for plan in found.plans), expected)


def _goes_out_equal(found: Imported, expected: Any) -> str | None:
    return _equal("goes out as it came", found.goes_out_equal, bool(expected))


def _same_again(found: Imported, expected: Any) -> str | None:
    return _equal("reads the same again", found.same_again, bool(expected))


def _types(found: Imported, expected: Any) -> str | None:
    types = Counter(memory.type for memory in found.memories)
    return _equal("types", {name: types[TypeId(name)] for name in expected}, expected)


def _versions(found: Imported, expected: Any) -> str | None:
    return _equal("version", found.count("version"), expected)


CHECKS: Mapping[str, Check] = {
    "nodes": _nodes,
    "records": _nodes,
    "memories": _nodes,
    "deleted": _live_deleted,
    "edges": _edges,
    "edges_after": _edges,
    "rejected_edges": _rejected,
    "merged": _merged,
    "importance": _numbers("importance"),
    "strength": _numbers("strength"),
    "warnings_min": _warnings,
    "erin": _visible(VIEWERS["erin"]),
    "bo": _visible(VIEWERS["bo"]),
    "passerby": _visible(VIEWERS["passerby"]),
    "paths": _paths,
    "layers": _layers,
    "tags": _counted("tags"),
    "orphan_tags": _counted("orphan_tags"),
    "memos": _counted("memos"),
    "folders": _counted("folders"),
    "documents": _counted("documents"),
    "titles": _counted("documents"),
    "archived": _archived,
    "duplicates": _duplicates,
    "ms_time": _day,
    "file_unchanged": _unchanged,
    "files_unchanged": _unchanged,
    "errors": _errors,
    "version": _versions,
    "valid_at": _starts,
    "validAt": _starts,
    "valid_from": _starts,
    "active": _active,
    "last_processed_seq": _last_floor,
    "lastProcessedSeq": _last_floor,
    "needs_confirmation": _asked,
    "confirm": _asked,
    "types": _types,
    "roundtrip": _goes_out_equal,
    "roundtrip_equal": _goes_out_equal,
    "repeatable": _same_again,
    "idempotent": _same_again,
}
