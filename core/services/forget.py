"""Forgetting: every memory's retention value as a plan, and taking the chosen ones out of recall as one op.

Source: spec/STBME §3.8, Forgetting. We differ (DESIGN §5): default threshold 0.2, never a locked memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.domain.commands_upkeep import ForgetMemories
from core.domain.enums import Kind, Status, StatusReason
from core.domain.errors import Invalid
from core.domain.ids import FolderPk, MemoryPk
from core.domain.lifecycle import LifeState, Verb, apply
from core.domain.memory import MemoryState
from core.domain.queries import MemoryFilter
from core.domain.queries_upkeep import ForgetPlan, ForgetWaiting
from core.domain.upkeep import Forgettable, PlanColumns
from core.ports.clock import system_clock
from core.ports.store import UnitOfWork
from core.services.attributes import label_memories
from core.services.lookup import chunks_by_row, states_of
from core.services.outcome import Outcome

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from core.ports.upkeep_store import UpkeepStore

HOUR_SECONDS = 3_600.0
_VERBS = {Status.ARCHIVED: Verb.ARCHIVE, Status.EXPIRED: Verb.EXPIRE}


def plan(store: UpkeepStore, query: ForgetPlan) -> Forgettable:
    """Every memory that forgetting looks at, lowest retention first. Cost: about 4 µs a memory."""
    import numpy as np

    from core.algos.decay import LASTING_TYPES, SAFE_IMPORTANCE, YOUNGEST_HOURS, retention

    where = _active(query.folder, with_subfolders=query.with_subfolders)
    rows = store.columns(where)
    hours = ((query.at or system_clock()).timestamp() - rows.created) / HOUR_SECONDS
    lasting = np.isin(rows.types, [at for at, name in enumerate(rows.type_ids) if name in LASTING_TYPES])
    important = ~lasting & (rows.importances >= SAFE_IMPORTANCE)
    young = ~lasting & ~important & (hours < YOUNGEST_HOURS)
    looked_at = np.flatnonzero(~(lasting | important | young))
    values = retention(rows.importances[looked_at], hours[looked_at], rows.activations[looked_at])
    order = np.argsort(values, kind="stable")
    at = looked_at[order]
    spared = {
        "type": int(lasting.sum()),
        "importance": int(important.sum()),
        "young": int(young.sum()),
        **store.locked_and_idle(where),
    }
    return Forgettable(rows=_only(rows, at), retention=values[order], age_hours=hours[at], spared=spared)


def _active(folder: FolderPk | None, *, with_subfolders: bool) -> MemoryFilter:
    return MemoryFilter(
        folders=frozenset() if folder is None else frozenset({folder}),
        with_subfolders=with_subfolders,
        statuses=frozenset({Status.ACTIVE}),
        locked=False,
    )


def _only(rows: PlanColumns, at: NDArray[np.int64]) -> PlanColumns:
    return PlanColumns(
        pks=rows.pks[at],
        folders=rows.folders[at],
        types=rows.types[at],
        type_ids=rows.type_ids,
        importances=rows.importances[at],
        activations=rows.activations[at],
        created=rows.created[at],
        last_used=rows.last_used[at],
    )


def waiting(store: UpkeepStore, query: ForgetWaiting) -> int:
    """How many memories lie below the threshold."""
    import numpy as np

    return int(np.count_nonzero(plan(store, ForgetPlan()).retention < query.threshold))


def forget(uow: UnitOfWork, command: ForgetMemories) -> Outcome:
    """Take memories out of recall as forgotten. Errors: NotFound, Invalid (neither archived nor expired)."""
    verb = _VERBS.get(command.status)
    if verb is None:
        raise Invalid("error.forget.status", status=command.status.value)
    chosen = list(dict.fromkeys(command.memories))
    changed = done = 0
    for part in chunks_by_row(chosen):
        fits = _forgettable(uow, part)
        for life in {LifeState(state.layer, state.status, state.status_reason) for state in fits}:
            apply(life, verb, reason=StatusReason.FORGOTTEN)
        changed += uow.update(
            Kind.MEMORY,
            [state.pk for state in fits],
            {"status": command.status, "status_reason": StatusReason.FORGOTTEN},
        )
        done += len(part)
        uow.checkpoint(done, len(chosen))
    label_memories(uow, chosen, changed)
    skipped = len(chosen) - changed
    return Outcome(changed=changed, counts={"skipped": skipped} if skipped else {})


def _forgettable(uow: UnitOfWork, pks: Sequence[MemoryPk]) -> list[MemoryState]:
    """Those that forgetting may touch now, whatever the plan said before."""
    from core.algos.decay import is_forgettable

    states = states_of(uow, pks)
    ages = {
        row.pk: (row.importance, (uow.now - row.created_at).total_seconds() / HOUR_SECONDS)
        for row in uow.memory_rows(pks)
    }
    return [
        state
        for state in states
        if state.status is Status.ACTIVE
        and not state.trashed
        and not state.locked
        and is_forgettable(state.type, *ages[state.pk])
    ]
