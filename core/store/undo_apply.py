"""Carrying out an undo plan, journaled like any other change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import TypeVar

from core.domain.enums import Kind
from core.store.references import REFERENCES, RESTORE_ORDER
from core.store.rows import Row
from core.store.undo_plan import Key, UndoPlan
from core.store.unit_of_work import SqlUnitOfWork

CHUNK = 500
_SELF = {
    kind: tuple(item.column for item in REFERENCES if item.kind is kind and item.target is kind)
    for kind in RESTORE_ORDER
}
"""Columns that refer to rows of their own kind: set after all rows are there."""

_GIVE_WAY = (Kind.NOT_DUPLICATE, Kind.PIN)
"""Kinds to whose rows nothing refers and whose places are unique: what goes or moves makes room first."""

_UNIQUE: Mapping[Kind, tuple[str, ...]] = {
    Kind.FOLDER: ("name",),
    Kind.MEMORY: ("folder", "foreign_id"),
    Kind.MEMORY_TYPE: ("table_name",),
}
"""Columns that together stand only once: a row that takes what another gives up is set back after it."""

T = TypeVar("T")


def apply_plan(work: SqlUnitOfWork, plan: UndoPlan) -> None:
    """Bring back, set back, take away; in chunks, each of which leaves every reference whole."""
    total, done = plan.restorable, 0
    inserts, late = _inserts(plan)
    for kind in RESTORE_ORDER:
        if kind in _GIVE_WAY:
            done = _give_way(work, plan, kind, done)
        for rows in _chunks(inserts[kind]):
            work.insert_rows(kind, rows)
            done += len(rows)
            work.checkpoint(done, total)
    updates: dict[Kind, dict[int, Row]] = defaultdict(dict)
    for group in (plan.update, late):
        for (kind, pk), row in group.items():
            updates[kind].setdefault(pk, {}).update(row)
    for kind, changes in updates.items():
        for turn in _in_turn(work, kind, changes):
            for items in _chunks(sorted(turn.items(), key=itemgetter(0))):  # as the rows lie
                work.update_rows(kind, dict(items))
                done += len(items)
                work.checkpoint(min(done, total), total)
    for kind in reversed(RESTORE_ORDER):
        pks = [pk for of, pk in plan.delete if of is kind]
        _detach(work, kind, pks)
        for part in _chunks(pks):
            work.delete(kind, part)
            done += len(part)
            work.checkpoint(min(done, total), total)


def _in_turn(work: SqlUnitOfWork, kind: Kind, changes: Mapping[int, Row]) -> Iterator[Mapping[int, Row]]:
    """The changes in an order in which no unique value is taken before its holder gives it up."""
    columns = _UNIQUE.get(kind, ())
    left = {pk: row for pk, row in changes.items() if not row.keys().isdisjoint(columns)}
    yield {pk: row for pk, row in changes.items() if pk not in left}
    now = work.present(kind, list(left), columns) if left else {}
    held = {pk: tuple(row[name] for name in columns) for pk, row in now.items()}
    while left:
        taken = {values: pk for pk, values in held.items() if pk in left}
        wanted = {
            pk: tuple((now.get(pk, {}) | row).get(name) for name in columns) for pk, row in left.items()
        }
        free = {pk: row for pk, row in left.items() if taken.get(wanted[pk], pk) == pk}
        yield free or left
        left = {pk: row for pk, row in left.items() if free and pk not in free}


def _give_way(work: SqlUnitOfWork, plan: UndoPlan, kind: Kind, done: int) -> int:
    """Take away and set back the rows of a kind now, before others come back into their places."""
    going = [pk for of, pk in plan.delete if of is kind]
    moving = {pk: row for (of, pk), row in plan.update.items() if of is kind}
    work.delete(kind, going)
    work.update_rows(kind, moving)
    for pk in going:
        plan.delete.discard((kind, pk))
    for pk in moving:
        plan.update.pop((kind, pk))
    return done + len(going) + len(moving)


def _inserts(plan: UndoPlan) -> tuple[dict[Kind, list[Row]], dict[Key, Row]]:
    """Rows to insert by kind, without references to their own kind, and those references for later."""
    rows: dict[Kind, list[Row]] = defaultdict(list)
    late: dict[Key, Row] = {}
    for key, row in plan.insert.items():
        own = {name: row[name] for name in _SELF[key[0]] if row[name] is not None}
        if own:
            late[key] = own
        back = row | dict.fromkeys(own)
        if "revision" in back:
            back["revision"] += 1
        rows[key[0]].append(back)
    return rows, late


def _detach(work: SqlUnitOfWork, kind: Kind, pks: Sequence[int]) -> None:
    """Empty references among rows that are about to go, so that they can go in any order."""
    if not pks or not _SELF[kind]:
        return
    linked = [
        pk
        for pk, row in work.present(kind, pks, _SELF[kind]).items()
        if any(row[n] is not None for n in _SELF[kind])
    ]
    for part in _chunks(linked):
        work.update_rows(kind, dict.fromkeys(part, dict.fromkeys(_SELF[kind])))


def _chunks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), CHUNK):
        yield items[start : start + CHUNK]
