"""What merging memories left behind, so that they can be taken apart again."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from core.domain.enums import Kind
from core.domain.ids import MemoryPk
from core.domain.json_types import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRecord:
    """One memory (`loser`) that went into another (`survivor`). Its own text, tags and names stay with it.

    `batch` names the merge; records of one merge share it. `moved`: what was taken from the loser (relations,
    children, pins ...), `image`: what the survivor was before, with hashes of what the merge made of it.
    """

    KIND: ClassVar[Kind] = Kind.MERGE

    pk: int = 0
    batch: str
    survivor: MemoryPk
    loser: MemoryPk
    moved: JsonObject = field(default_factory=dict)
    image: JsonObject = field(default_factory=dict)
    created_at: datetime
