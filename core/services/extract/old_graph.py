"""What a graph that is made anew takes the place of."""

from __future__ import annotations

from core.domain.enums import Layer, Status, StatusReason
from core.domain.ids import FolderPk
from core.domain.memory import Memory
from core.domain.proposal import RetirePart
from core.domain.queries import MemoryFilter, Sort, SortKey
from core.domain.results import Problem
from core.ports.store import Reader


def retiring_parts(reader: Reader, folder: FolderPk, group: str) -> list[RetirePart]:
    """A part for each active memory that came from floors of the chat; locked ones stay, and the part says so."""
    layers = frozenset({Layer.EMERGENT, Layer.MEMORY})
    where = MemoryFilter(folders=frozenset({folder}), statuses=frozenset({Status.ACTIVE}), layers=layers)
    pks = reader.memory_ids(where, Sort(SortKey.SEQ, descending=False))
    return [
        RetirePart(
            key=f"{group}:{memory.pk}",
            group=group,
            ticked=not memory.locked,
            notes=(Problem("extract.note.locked", {"title": memory.named}),) if memory.locked else (),
            memory=memory.pk,
            revision=memory.revision,
            reason=StatusReason.REMOVED_BY_MODEL,
        )
        for memory in reader.records(Memory, pks)
        if memory.seq is not None
    ]
