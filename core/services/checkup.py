"""The check-up: every fault with its count, some examples in words, and what would put it right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from core.domain.api import Cancel
from core.domain.edge import Edge
from core.domain.enums import Kind
from core.domain.health import Example, Fault, Faulty, Finding
from core.domain.ids import MemoryPk
from core.domain.json_types import JsonObject
from core.domain.results import VerifyReport
from core.ports.store import Reader

EXAMPLES = 50
"""So many things are named; the count is always full."""

ROW_FAULTS = (
    Fault.UNREADABLE,
    Fault.LOST_FOLDER,
    Fault.EDGE_ENDS,
    Fault.ORPHANS,
    Fault.DOCUMENT,
    Fault.PARENT,
    Fault.PARENT_LOOP,
    Fault.MERGED,
    Fault.MERGED_LOOP,
    Fault.EDGE_TIMES,
    Fault.TIMES,
    Fault.FLOORS,
    Fault.POINTER,
    Fault.TYPES,
    Fault.RELATIONS,
    Fault.REQUIRED,
    Fault.FIELDS,
    Fault.PERSON,
    Fault.TRIPLE,
    Fault.FLOORS_CHANGED,
)
_ABOUT_NO_MEMORY = frozenset({Fault.EDGE_ENDS, Fault.ORPHANS, Fault.POINTER})
_NAMES = frozenset({Fault.TYPES, Fault.RELATIONS, Fault.FIELDS})
"""Faults whose text lists names that are in use."""
_SHOWN_NAMES = 12


def row_findings(reader: Reader, now: datetime) -> list[Finding]:
    """What is wrong with rows. Cost: O(n), some statements; nothing is decoded but the examples."""
    found = []
    for fault in ROW_FAULTS:
        rows = reader.faulty(fault, now)
        if rows:
            found.append(_finding(reader, fault, rows))
    return found


def problem_memories(reader: Reader, now: datetime, cancel: Cancel | None = None) -> set[MemoryPk]:
    """The memories about which `row_findings` says something. Cost: as that, 2 s at 100,000. Errors: Cancelled."""
    found: set[MemoryPk] = set()
    for fault in ROW_FAULTS:
        if fault in _ABOUT_NO_MEMORY:
            continue
        if cancel is not None:
            cancel.check()
        found.update(row.memory for row in reader.faulty(fault, now) if row.memory is not None)
    return found


def index_findings(reader: Reader, report: VerifyReport) -> list[Finding]:
    """What an index differs in, as findings; the store's own problems in the report are left out."""
    found = []
    keys = {problem.key: problem for problem in report.problems}
    if (problem := keys.get("index.unreadable")) is not None:
        found.append(Finding(fault=Fault.INDEX_UNREADABLE, count=1, args=dict(problem.args)))
    failed = report.self_query_failed
    if failed:
        found.append(Finding(fault=Fault.INDEX_DAMAGED, count=len(failed), examples=_titles(reader, failed)))
    differ = [*report.missing_in_index, *report.differing]
    count = len(differ) + len(report.extra_in_index)
    if count:
        args: JsonObject = {
            "missing": len(report.missing_in_index),
            "differing": len(report.differing),
            "extra": len(report.extra_in_index),
        }
        strays = tuple(Example(ref, ref) for ref in report.extra_in_index[:EXAMPLES])
        shown = (*_titles(reader, differ), *strays)[:EXAMPLES]
        found.append(Finding(fault=Fault.INDEX, count=count, args=args, examples=shown))
    return found


def _finding(reader: Reader, fault: Fault, rows: Sequence[Faulty]) -> Finding:
    count = len({(row.kind, row.pk) for row in rows})
    args: JsonObject = {}
    if fault in _NAMES:
        names = dict.fromkeys(row.ref if fault is Fault.FIELDS else str(row.value) for row in rows)
        listed = list(names)[:_SHOWN_NAMES]
        args = {"names": ", ".join(listed) + (" …" if len(names) > len(listed) else "")}
    return Finding(fault=fault, count=count, args=args, examples=_examples(reader, rows))


def _examples(reader: Reader, rows: Sequence[Faulty]) -> tuple[Example, ...]:
    """One a row; edges as "from → to", rows without a memory by their name."""
    unique: dict[tuple[Kind, int], Faulty] = {}
    for row in rows:
        unique.setdefault((row.kind, row.pk), row)
        if len(unique) >= EXAMPLES:
            break
    shown = list(unique.values())
    ends = _ends(reader, [row.pk for row in shown if row.kind is Kind.EDGE])
    about = {row.memory for row in shown if row.memory is not None}
    about |= {pk for pair in ends.values() for pk in pair}
    titles = {row.pk: row.title or row.id for row in reader.memory_rows(sorted(about))}
    return tuple(_example(row, ends, titles) for row in shown)


def _example(
    row: Faulty, ends: Mapping[int, tuple[MemoryPk, MemoryPk]], titles: Mapping[MemoryPk, str]
) -> Example:
    if row.pk in ends and row.kind is Kind.EDGE:
        source, target = ends[row.pk]
        there = next((pk for pk in (source, target) if pk in titles), None)
        return Example(row.ref, f"{titles.get(source, '?')} → {titles.get(target, '?')}", there)
    text = titles.get(row.memory, "") if row.memory is not None else ""
    if row.kind not in (Kind.MEMORY, Kind.EDGE):
        text = " · ".join(part for part in (text, row.kind.value, row.ref) if part)
    return Example(row.ref, text or row.ref, row.memory if row.memory in titles else None)


def _ends(reader: Reader, pks: Sequence[int]) -> dict[int, tuple[MemoryPk, MemoryPk]]:
    """Both ends of edges; edges that cannot be read are left out."""
    try:
        return {edge.pk: (edge.source, edge.target) for edge in reader.records(Edge, pks)}
    except ValueError:
        return {}


def _titles(reader: Reader, pks: Iterable[MemoryPk]) -> tuple[Example, ...]:
    rows = reader.memory_rows(list(pks)[:EXAMPLES])
    return tuple(Example(row.id, row.title or row.id, row.pk) for row in rows)
