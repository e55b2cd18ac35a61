"""Memories on trial: which have proved themselves, and carrying the verdicts out (DESIGN §5, promote)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from core.domain import queries_upkeep as qu
from core.domain.commands_upkeep import ApplyPromotion
from core.domain.enums import Kind, Layer, Status, StatusReason
from core.domain.errors import Invalid
from core.domain.ids import MemoryId, MemoryPk
from core.domain.lifecycle import LifeState, Verb, apply
from core.domain.queries import MemoryFilter, Sort, SortKey
from core.domain.results import MemoryRow, TrialRow, Verdict
from core.ports.clock import system_clock
from core.ports.store import Reader, UnitOfWork
from core.services.attributes import label_memories
from core.services.lookup import check_unlocked, chunks_by_row, states_of
from core.services.outcome import Outcome

SECONDS_PER_DAY = 86_400.0
_VERBS = (Verb.PROMOTE, Verb.ARCHIVE, Verb.TRASH)


def plan(reader: Reader, query: qu.PromotionPlan) -> tuple[TrialRow, ...]:
    """The memories on trial that are active and not locked, oldest first."""
    where = MemoryFilter(
        folders=frozenset() if query.folder is None else frozenset({query.folder}),
        layers=frozenset({Layer.EMERGENT}),
        statuses=frozenset({Status.ACTIVE}),
        locked=False,
    )
    pks = reader.memory_ids(where, Sort(SortKey.CREATED, descending=False))
    now = query.at or system_clock()
    return tuple(_row(row, query, now) for row in reader.memory_rows(pks))


def _row(row: MemoryRow, query: qu.PromotionPlan, now: datetime) -> TrialRow:
    days = (now - row.created_at).total_seconds() / SECONDS_PER_DAY
    return TrialRow(
        pk=row.pk,
        id=MemoryId(row.id),
        title=row.title,
        folder=row.folder,
        created_at=row.created_at,
        last_activated_at=row.last_activated_at,
        activation_count=row.activation_count,
        days=days,
        suggested=_suggested(days, row.activation_count, query),
    )


def _suggested(days: float, activations: int, query: qu.PromotionPlan) -> Verdict:
    """The guide's rule, with the trash in place of a deletion that cannot be taken back."""
    if days <= query.days:
        return Verdict.KEEP
    return Verdict.ARCHIVE if activations >= query.activations else Verdict.TRASH


def carry_out(uow: UnitOfWork, command: ApplyPromotion) -> Outcome:
    """All verdicts as one op. Errors: NotFound, UserError (locked), Invalid (not on trial, or named twice)."""
    groups = (command.promote, command.archive, command.trash)
    everything = [pk for group in groups for pk in group]
    if len(set(everything)) < len(everything):
        raise Invalid("error.promote.twice")
    counts = {}
    for verb, group in zip(_VERBS, groups, strict=True):
        counts[verb.value] = _apply(uow, verb, group)
    changed = sum(counts.values())
    label_memories(uow, everything, changed)
    return Outcome(changed=changed, counts={name: count for name, count in counts.items() if count})


def _apply(uow: UnitOfWork, verb: Verb, memories: Sequence[MemoryPk]) -> int:
    changed = 0
    for part in chunks_by_row(memories):
        states = states_of(uow, part)
        check_unlocked(uow, states)
        for state in states:
            if state.layer is not Layer.EMERGENT or state.status is not Status.ACTIVE:
                raise Invalid("error.life.not_on_trial")
            apply(LifeState(state.layer, state.status, state.status_reason, state.trashed), verb)
        changed += uow.update(Kind.MEMORY, part, _columns(uow, verb))
        uow.checkpoint(changed, len(memories))
    return changed


def _columns(uow: UnitOfWork, verb: Verb) -> dict[str, object]:
    if verb is Verb.PROMOTE:
        return {"layer": Layer.MEMORY}
    if verb is Verb.ARCHIVE:
        return {"status": Status.ARCHIVED, "status_reason": StatusReason.PROMOTED}
    return {"deleted_at": uow.now}
