"""What a command handler answers the engine with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.domain.ids import DocumentPk, EdgePk, FolderPk, MemoryPk


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a command did. `changed` = memories, relations or folders touched; `counts` = named numbers."""

    changed: int = 0
    created: tuple[MemoryPk, ...] = ()
    created_folder: FolderPk | None = None
    created_edge: EdgePk | None = None
    created_memo: int | None = None
    document: DocumentPk | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
