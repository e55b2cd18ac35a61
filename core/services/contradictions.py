"""Pairs of memories that cannot both be true: told by a relation, by their columns, or by their words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from core.algos.differences import Difference, Differs
from core.algos.doubles import Judged
from core.domain.edge import lives
from core.domain.enums import Apart
from core.domain.ids import EdgePk, MemoryPk
from core.domain.json_types import Json
from core.domain.queries_merge import Contradiction, ContradictionKind, FindContradictions, Reason
from core.domain.results import MemoryRow
from core.domain.schema import Schema
from core.ports.clock import system_clock
from core.ports.progress import CancelToken
from core.ports.store import Reader, Store
from core.services.compared import Bench, Compared, Stage, normal_title, read
from core.services.content import is_empty
from core.services.duplicates import PARTS, DuplicateSearch
from core.services.told_apart import CONTRADICTS

MOST_VALUE_CHARS = 80
"""A body that is longer is a text, not a value."""
MOST_OF_A_SUBJECT = 30
_SUBJECT = re.compile(r"^\s*([^：:\n]{1,30})[：:]\s*(\S[^\n]{0,79})\s*$")
_OVERLAP = 0.3
"""Less in common than this is about something else."""
_EVENT = "event"
_KINDS = {
    Differs.NEGATION: ContradictionKind.NEGATION,
    Differs.NUMBER: ContradictionKind.NUMBER,
    Differs.WORD: ContradictionKind.WORD,
}
_ORDER = tuple(ContradictionKind)

Pair = tuple[MemoryPk, MemoryPk]


class ContradictionSearch:
    """Answers FindContradictions with the candidates of the search for doubles."""

    def __init__(self, store: Store, doubles: DuplicateSearch) -> None:
        self._store = store
        self._doubles = doubles

    def find(self, query: FindContradictions, cancel: CancelToken | None = None) -> tuple[Contradiction, ...]:
        """Contradictions: those told by relations first. Errors: Cancelled."""
        step = Stage(query.progress, cancel, PARTS)
        found: dict[Pair, _Found] = {}
        with self._store.read() as reader:
            bench = read(reader, query.folder, query.types, (), Apart.CONTRADICTION, step)
            schema = reader.schema()
            _told_by_relations(reader, bench, found)
        groups = {memory.pk: 0 if query.across else memory.folder for memory in bench.memories}
        for pair, item in _by_columns(bench, schema, groups):
            found.setdefault(pair, item)
        by_pk = {memory.pk: memory for memory in bench.memories}
        for duplicate, judged in self._doubles.judged(bench, query.across, step):
            one, other = by_pk[duplicate.a], by_pk[duplicate.b]
            worded = _by_words(one, other, judged)
            if worded is not None:
                found.setdefault((duplicate.a, duplicate.b), worded)
        found = {pair: item for pair, item in found.items() if pair not in bench.told}
        with self._store.read() as reader:
            rows = {row.pk: row for row in reader.memory_rows(sorted({pk for pair in found for pk in pair}))}
        listed = (_contradiction(pair, item, rows) for pair, item in found.items())
        return tuple(
            sorted(
                (each for each in listed if each is not None),
                key=lambda each: (_ORDER.index(each.kind), each.a.pk, each.b.pk),
            )
        )


class _Found:
    """How a pair contradicts."""

    def __init__(
        self, kind: ContradictionKind, reasons: Iterable[Reason] = (), edge: EdgePk | None = None
    ) -> None:
        self.kind = kind
        self.reasons = tuple(reasons)
        self.edge = edge


def _told_by_relations(reader: Reader, bench: Bench, found: dict[Pair, _Found]) -> None:
    now = system_clock()
    known = {memory.pk for memory in bench.memories}
    for edge in reader.edges_touching(sorted(known)) if known else ():
        if edge.relation == CONTRADICTS and lives(edge, now) and {edge.source, edge.target} <= known:
            a, b = sorted((edge.source, edge.target))
            reason = Reason("contradictions.reason.relation")
            found.setdefault((a, b), _Found(ContradictionKind.RELATION, (reason,), edge.pk))


# --- columns ----------------------------------------------------------------------------------


def _by_columns(
    bench: Bench, schema: Schema, groups: Mapping[MemoryPk, int]
) -> Iterator[tuple[Pair, _Found]]:
    """Memories of one subject whose columns, or short texts, say different things."""
    subjects: dict[tuple[int, str, str], list[tuple[Compared, str]]] = defaultdict(list)
    keys = {kind.id: kind.key_column for kind in schema.types}
    for memory in bench.memories:
        subject, value = _subject(memory, keys.get(memory.type))
        if subject:
            subjects[groups[memory.pk], memory.type, subject].append((memory, value))
    for listed in subjects.values():
        if len(listed) > MOST_OF_A_SUBJECT:
            continue
        for number, (one, value) in enumerate(listed):
            for other, its_value in listed[number + 1 :]:
                if not _superseded(one, other) and (reasons := _values(one, other, value, its_value)):
                    a, b = sorted((one.pk, other.pk))
                    yield (a, b), _Found(ContradictionKind.KEY, reasons)


def _subject(memory: Compared, key_column: str | None) -> tuple[str, str]:
    """What a memory is about, and the short value that it gives for it ("" = its columns alone)."""
    key = memory.fields.get(key_column) if key_column else None
    if isinstance(key, str) and key.strip():
        return normal_title(key), ""
    if memory.key:
        return memory.key, memory.body.strip() if len(memory.body) <= MOST_VALUE_CHARS else ""
    match = _SUBJECT.match(memory.body)
    return (normal_title(match[1]), match[2].strip()) if match else ("", "")


def _superseded(one: Compared, other: Compared) -> bool:
    """Whether one was simply said later: what a later floor says of a thing takes the place of the earlier."""
    return one.seq is not None and other.seq is not None and one.seq != other.seq


def _values(one: Compared, other: Compared, value: str, its_value: str) -> tuple[Reason, ...]:
    names = [name for name in sorted(one.fields.keys() & other.fields.keys()) if _differ(one, other, name)]
    reasons = [
        Reason(
            "contradictions.reason.column",
            {"column": name, "a": str(one.fields[name]), "b": str(other.fields[name])},
        )
        for name in names
    ]
    plain = bool(value and its_value) and not one.is_entity
    if plain and normal_title(value) != normal_title(its_value) and not _part(value, its_value):
        reasons.append(Reason("contradictions.reason.value", {"a": value, "b": its_value}))
    if one.pk > other.pk:
        reasons = [_swapped(reason) for reason in reasons]
    return tuple(reasons)


def _swapped(reason: Reason) -> Reason:
    args: dict[str, Json] = {**reason.args, "a": reason.args["b"], "b": reason.args["a"]}
    return Reason(reason.key, args)


def _differ(one: Compared, other: Compared, name: str) -> bool:
    left, right = one.fields[name], other.fields[name]
    if is_empty(left) or is_empty(right) or isinstance(left, list | tuple | Mapping):
        return False
    if isinstance(left, str) and isinstance(right, str):
        return normal_title(left) != normal_title(right) and not _part(left, right)
    return left != right


def _part(one: str, other: str) -> bool:
    """Whether one only says more than the other."""
    left, right = normal_title(one), normal_title(other)
    return left in right or right in left


# --- words ------------------------------------------------------------------------------------


def _by_words(one: Compared, other: Compared, judged: Judged) -> _Found | None:
    """Near-doubles of which one denies the other, or gives another number or an opposite."""
    kinds = {guard.kind for guard in judged.guards}
    if not kinds or not kinds <= _KINDS.keys() or judged.overlap < _OVERLAP or judged.languages:
        return None
    if (
        one.type == _EVENT
        and other.type == _EVENT
        and (_superseded(one, other) or Differs.NEGATION not in kinds)
    ):
        return None  # what happened on two occasions
    first = next(kind for kind in _KINDS if kind in kinds)
    return _Found(_KINDS[first], map(_reason, judged.guards))


def _reason(guard: Difference) -> Reason:
    return Reason(f"duplicates.guard.{guard.kind.value}", {"a": guard.left, "b": guard.right})


def _contradiction(pair: Pair, found: _Found, rows: Mapping[MemoryPk, MemoryRow]) -> Contradiction | None:
    one, other = rows.get(pair[0]), rows.get(pair[1])
    if one is None or other is None:
        return None
    return Contradiction(
        a=one, b=other, kind=found.kind, reasons=found.reasons, later=_later(one, other), edge=found.edge
    )


def _later(one: MemoryRow, other: MemoryRow) -> MemoryPk | None:
    """Which was said later: by floor in one folder, else by time."""
    if one.folder == other.folder and one.seq is not None and other.seq is not None:
        if one.seq != other.seq:
            return one.pk if one.seq > other.seq else other.pk
        return None
    if one.created_at == other.created_at:
        return None
    return one.pk if one.created_at > other.created_at else other.pk
