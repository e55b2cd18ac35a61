"""Pairs told apart follow from what was said at first and from the merges that stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from core.domain.enums import Kind
from core.domain.folder import NotDuplicate
from core.domain.ids import MemoryPk
from core.domain.merge import MergeRecord
from core.ports.store import UnitOfWork
from core.services.merge_images import record_json
from core.services.merge_links import told_first
from core.services.merge_notes import Note, heirs_of

Ends = tuple[MemoryPk, MemoryPk]


def tell_again(
    uow: UnitOfWork, record: MergeRecord, heir: MemoryPk, note_of: Callable[[MemoryPk], Note | None]
) -> None:
    """The pairs as they are without one merge (of which the memory is out already); `heir` is where it was.

    Pairs that a person has taken back since stay away.
    """
    own = told_first([record])
    if not own:
        return
    _hand_over(uow, own.values(), note_of)
    first = told_first(uow.all_records(MergeRecord))
    there = {state.pk for state in uow.states({pk for pair in first.values() for pk in (pair.a, pair.b)})}
    first = {pk: pair for pk, pair in first.items() if {pair.a, pair.b} <= there}
    loser = record.loser

    def now(pk: MemoryPk) -> MemoryPk:
        return heirs_of(uow, pk)[-1]

    def before(pk: MemoryPk) -> MemoryPk:
        return heir if (end := now(pk)) == loser else end

    was, will = _places(first, before), _places(first, now)
    present = {pair.pk: pair for pair in uow.records(NotDuplicate, sorted(first))}
    uow.delete(Kind.NOT_DUPLICATE, [pk for pk in present if pk in was and pk not in will])
    waiting = {
        pk: ends
        for pk, ends in will.items()
        if pk in present and pk in was and ends != (present[pk].a, present[pk].b)
    }
    _move(uow, waiting, present)
    new = [pk for pk in will if pk not in was and pk not in present]
    for pk in new:
        a, b = will[pk]
        pair = first[pk]
        if not _taken(uow, (a, b), pair):
            uow.bring_back([NotDuplicate(pk=pk, a=a, b=b, about=pair.about, created_at=pair.created_at)])


def _hand_over(
    uow: UnitOfWork, pairs: Iterable[NotDuplicate], note_of: Callable[[MemoryPk], Note | None]
) -> None:
    """Merges that still stand around a pair know what was said at first."""
    for pair in pairs:
        for merged in (*heirs_of(uow, pair.a)[:-1], *heirs_of(uow, pair.b)[:-1]):
            note, row = note_of(merged), record_json(pair)
            if note is not None and row not in note.listed("told"):
                note.add("told", row)


def _move(uow: UnitOfWork, waiting: Mapping[int, Ends], present: Mapping[int, NotDuplicate]) -> None:
    """Give pairs their new ends, those first whose place is free."""
    left = dict(waiting)
    while left:
        free = [pk for pk, ends in left.items() if not _taken(uow, ends, present[pk])]
        if not free:
            uow.delete(Kind.NOT_DUPLICATE, left)
            return
        for pk in free[:1]:
            a, b = left.pop(pk)
            uow.update(Kind.NOT_DUPLICATE, [pk], {"a": a, "b": b})


def _taken(uow: UnitOfWork, ends: Ends, pair: NotDuplicate) -> bool:
    return any(
        (other.a, other.b, other.about) == (*ends, pair.about) and other.pk != pair.pk
        for other in uow.not_duplicates_of([ends[0]])
    )


def _places(first: Mapping[int, NotDuplicate], end: Callable[[MemoryPk], MemoryPk]) -> dict[int, Ends]:
    """Ends of the pairs that stand: of those with the same ends the first one, none of one memory."""
    places: dict[int, Ends] = {}
    taken = set()
    for pk in sorted(first):
        pair = first[pk]
        a, b = sorted((end(pair.a), end(pair.b)))
        if a != b and (a, b, pair.about) not in taken:
            taken.add((a, b, pair.about))
            places[pk] = (a, b)
    return places
