"""Memories on trial: a verdict for each as a plan, and carrying the verdicts out as one op (DESIGN §5, promote)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from core.domain.commands_upkeep import ApplyPromotion, JudgeTrials
from core.domain.enums import Kind, Layer, Status
from core.domain.errors import Invalid
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import Memory
from core.domain.queries import MemoryFilter
from core.domain.queries_upkeep import TrialPlan, TrialsWaiting
from core.domain.results import Verdict
from core.domain.upkeep import NEVER_USED_SHARE, TRIAL_UNTIL_KEY, VERDICTS, Trials
from core.ports.clock import system_clock
from core.ports.store import UnitOfWork
from core.services import promote
from core.services.attributes import label_memories
from core.services.lookup import check_unlocked, chunks_by_row, memories_of, states_of
from core.services.outcome import Outcome

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from core.ports.upkeep_store import UpkeepStore

DAY_SECONDS = 86_400.0
_PROMOTE, _, _KEEP, _TRASH = range(len(VERDICTS))


def on_trial(folder: FolderPk | None, *, with_subfolders: bool = False) -> MemoryFilter:
    """The memories that may get a verdict: on trial, active, not locked, outside the trash."""
    return MemoryFilter(
        folders=frozenset() if folder is None else frozenset({folder}),
        with_subfolders=with_subfolders,
        layers=frozenset({Layer.EMERGENT}),
        statuses=frozenset({Status.ACTIVE}),
        locked=False,
    )


def plan(store: UpkeepStore, query: TrialPlan) -> Trials:
    """The memories on trial with a verdict for each. Cost: about 5 µs a memory."""
    import numpy as np

    chosen: Collection[int] | None = None if query.memories is None else set(query.memories)
    found = store.trials(on_trial(query.folder, with_subfolders=query.with_subfolders), chosen)
    now = (query.at or system_clock()).timestamp()
    days = (now - found.rows.created) / DAY_SECONDS
    unused = int(np.count_nonzero(found.rows.activations == 0))
    careful = chosen is None and unused > NEVER_USED_SHARE * len(found.rows)
    if chosen is not None:
        suggested = np.full(len(found.rows), _PROMOTE, np.int8)
    else:
        suggested = _suggested(query, days, found.rows.activations, careful=careful)
        suggested[found.until > now] = _KEEP
    return Trials(
        rows=found.rows,
        days=days,
        until=found.until,
        suggested=suggested,
        never_used=unused,
        careful=careful,
        left_out=0 if chosen is None else len(chosen) - len(found.rows),
    )


def _suggested(
    query: TrialPlan, days: NDArray[np.float64], activations: NDArray[np.int64], *, careful: bool
) -> NDArray[np.int8]:
    """Promoted when recalled often enough; the rest leaves, unless hardly anything was recalled at all."""
    import numpy as np

    suggested = np.full(len(days), _KEEP, np.int8)
    old = days > query.days
    suggested[old & (activations >= query.activations)] = _PROMOTE
    if not careful:
        suggested[old & (activations < query.activations)] = _TRASH
    return suggested


def waiting(store: UpkeepStore, query: TrialsWaiting) -> int:
    """How many have been on trial long enough for a verdict."""
    import numpy as np

    found = store.trials(on_trial(None), None)
    now = system_clock().timestamp()
    old = (now - found.rows.created) / DAY_SECONDS > query.days
    return int(np.count_nonzero(old & ~(found.until > now)))


def judge(uow: UnitOfWork, command: JudgeTrials) -> Outcome:
    """All verdicts as one op. Errors: NotFound, UserError (locked), Invalid (not on trial, or named twice)."""
    kept = dict(command.keep)
    judged = (*command.promote, *command.archive, *command.trash)
    if len(kept) < len(command.keep) or not kept.keys().isdisjoint(judged):
        raise Invalid("error.promote.twice")
    verdicts = promote.carry_out(
        uow, ApplyPromotion(promote=command.promote, archive=command.archive, trash=command.trash)
    )
    counts = dict(verdicts.counts)
    if stay := _keep(uow, list(kept), kept):
        counts[Verdict.KEEP.value] = stay
    changed = sum(counts.values())
    label_memories(uow, [*judged, *kept], changed)
    return Outcome(changed=changed, counts=counts)


def _keep(uow: UnitOfWork, memories: Sequence[MemoryPk], until: dict[MemoryPk, datetime]) -> int:
    changed = 0
    for part in chunks_by_row(memories):
        states = states_of(uow, part)
        check_unlocked(uow, states)
        if any(s.layer is not Layer.EMERGENT or s.status is not Status.ACTIVE or s.trashed for s in states):
            raise Invalid("error.life.not_on_trial")
        changed += uow.update_each(
            Kind.MEMORY,
            {memory.pk: {"extra": _until(memory, until[memory.pk])} for memory in memories_of(uow, part)},
        )
        uow.checkpoint(changed, len(memories))
    return changed


def _until(memory: Memory, time: datetime) -> dict[str, object]:
    return {**memory.extra, TRIAL_UNTIL_KEY: time.astimezone(UTC).isoformat(timespec="seconds")}
