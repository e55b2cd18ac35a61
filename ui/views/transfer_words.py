"""Imports and exports in words: formats, counts, problems."""

from __future__ import annotations

from collections.abc import Mapping

from core.domain.results import Problem
from core.domain.transfer import Format, Found, ImportPlan
from ui.context import Context
from ui.language import Language, isolate

MAIN = ("memories", "edges", "folders", "documents", "messages", "memos", "vectors")
FLOORS = ("messages", "changed_floors", "removed_floors", "moved_floors")
APART = (
    "archived",
    "deleted",
    "rejected_edges",
    "merged_edges",
    "orphan_tags",
    "doubles",
    "new_floors",
    "changed_floors",
    "removed_floors",
    "moved_floors",
    "shared_floors",
    "marked_memories",
    "bad_lines",
    "already_there",
    "differing",
    "new_memories",
)
TYPE = "type."


def format_name(tr: Language, kind: Format) -> str:
    """A file format in words."""
    return tr(f"format.{kind.value}")


def problem_text(problem: Problem, tr: Language) -> str:
    """A problem as a sentence."""
    args = {
        name: isolate(value) if isinstance(value, str) else _listed(value)
        for name, value in problem.args.items()
    }
    return tr(problem.key, **args)


def _listed(value: object) -> object:
    if isinstance(value, list | tuple):
        return ", ".join(isolate(str(item)) for item in value)
    return value


def counts_text(counts: Mapping[str, int], tr: Language, names: tuple[str, ...] = MAIN) -> str:
    """Named numbers in one line; zeros are left out."""
    parts = [tr(f"count.{name}", count=counts[name]) for name in names if counts.get(name)]
    return tr("count.join").join(parts)


def count_lines(plan: ImportPlan, ctx: Context) -> list[str]:
    """The summary of a dry run: main numbers, types, and what is set apart."""
    tr = ctx.tr
    counts = {
        "memories": len(plan.memories),
        "edges": len(plan.edges),
        "folders": len(plan.folders),
        "documents": len(plan.documents),
        "messages": plan.counts.get("messages", len(plan.messages)),
        "memos": len(plan.memos),
        "vectors": len(plan.vectors),
    }
    if plan.content is not None:
        counts = {name: plan.counts.get(name, 0) for name in counts} | {"folders": len(plan.folders)}
    kinds: dict[str, int] = {}
    for memory in plan.memories:
        kinds[memory.type] = kinds.get(memory.type, 0) + 1
    types = [
        f"{ctx.theme.type_label(kind, tr.code)} {number}" for kind, number in sorted(kinds.items(), key=_most)
    ]
    lines = [
        counts_text(counts, tr) or tr("import.nothing"),
        tr("count.join").join(types),
        counts_text(plan.counts, tr, APART),
    ]
    return [line for line in lines if line]


def _most(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


def found_words(found: Found, tr: Language) -> str:
    """One found file: its format and numbers, or why it cannot be read."""
    if found.problem is not None:
        return problem_text(found.problem, tr)
    kind = format_name(tr, found.format) if found.format else ""
    return tr("import.found_file", format=kind, counts=counts_text(found.counts, tr))
